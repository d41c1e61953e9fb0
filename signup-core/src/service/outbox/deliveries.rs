//! Deliveries to webhooks: claiming them, and reporting their attempts.

use jiff::Timestamp;

use super::Outbox;
use crate::activity::Actor;
use crate::error::Result;
use crate::rules::{self, Decision};
use crate::secret;
use crate::store::{Entity as _, RecordKey};
use crate::webhook::{Attempt, Delivery, Reported, Webhook};

impl Outbox {
    /// Lists at most `limit` deliveries to webhooks that are due, and for each webhook at most as many as may be claimed now:
    /// [`Webhook::MAX_IN_FLIGHT`] less those that processes have claimed. Organizations take turns, and failing webhooks come last.
    ///
    /// Includes deliveries with a due time after the [latest](Delivery::latest_due_at). Such a time was set by a clock that was
    /// ahead.
    ///
    /// See [`claim_delivery`](Self::claim_delivery) for an example.
    pub async fn due_deliveries(&self, limit: u32) -> Result<Vec<Delivery>> {
        Ok(self.shared.store.due_deliveries(self.now(), limit).await?)
    }

    /// Claims a due delivery. Returns the webhook and the claimed delivery, which the caller then sends. Returns `None` if the
    /// delivery is no longer as it was listed, if [`Webhook::MAX_IN_FLIGHT`] deliveries of the webhook are claimed, if the webhook
    /// was deleted, or if it is disabled and the delivery is no [test](Delivery::is_test).
    ///
    /// The claim lasts for [`Delivery::LEASE`]. If no [report](Self::report_attempt) follows, the delivery is due again.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, session, created, .. }| {
    /// use signup_core::{Attempt, DeliveryStatus, NewWebhook};
    ///
    /// session.create_webhook(NewWebhook::new("https://example.org/hooks".parse()?)).await?;
    /// session.delete_event(created.event.id).await?;
    ///
    /// let outbox = service.outbox();
    /// for due in outbox.due_deliveries(64).await? {
    ///     let Some((webhook, delivery)) = outbox.claim_delivery(&due).await? else { continue };
    ///     println!("POST {} {}", webhook.url, delivery.activity.kind);
    ///     let attempt = Attempt::Succeeded { status: 204 };
    ///     let reported = outbox.report_attempt(&webhook, &delivery, &attempt).await?.ok_or("the webhook was deleted")?;
    ///     assert_eq!(reported.delivery.status(), DeliveryStatus::Delivered);
    /// }
    /// assert_eq!(outbox.due_deliveries(64).await?, []);
    /// # Ok(()) }) }
    /// ```
    pub async fn claim_delivery(&self, due: &Delivery) -> Result<Option<(Webhook, Delivery)>> {
        let key = RecordKey::Webhook(due.organization, due.webhook);
        let Some(webhook) = self.shared.store.get::<Webhook>(key).await? else { return Ok(None) };
        let now = self.now();
        let Decision { outcome, change, .. } = rules::claim_delivery(&webhook, due.clone(), now);
        let Some(claimed) = outcome else { return Ok(None) };
        Ok(self.shared.commit_queued(change).await?.then_some((webhook, claimed)))
    }

    /// Reports the result of an attempt for a claimed delivery. `webhook` is what the claim has returned. Returns what the report
    /// has changed, or `None` if the lease was lost or the webhook was deleted.
    ///
    /// After a failure, the delivery is due again after a pause that grows with each attempt, or has failed for good. A webhook
    /// that is gone, or whose deliveries have failed for [`Webhook::FAILURE_LIMIT`], is disabled. If the owner has changed the
    /// webhook since the claim, only the delivery changes.
    ///
    /// # Errors
    /// Fails only if the store fails. The delivery may then be sent again, with the same id.
    ///
    /// See [`claim_delivery`](Self::claim_delivery) for an example.
    pub async fn report_attempt(
        &self,
        webhook: &Webhook,
        claimed: &Delivery,
        attempt: &Attempt,
    ) -> Result<Option<Reported>> {
        let jitter = secret::random_ratio();
        let store = &self.shared.store;
        let owner = claimed.organization;
        self.shared
            .commit_unrefused(&Actor::System, move |now| async move {
                let found = store.get::<Delivery>(claimed.key()).await?;
                let current = store.get(webhook.key()).await?;
                let organization = store.get(RecordKey::Organization(owner)).await?;
                // Another claim, a report and a redelivery have changed the version.
                let found = found.filter(|found| found.version == claimed.version);
                let (Some(found), Some(current), Some(organization)) = (found, current, organization) else {
                    return Ok(Decision::unchanged(None));
                };
                let Decision { outcome, change, activity, .. } =
                    rules::report_attempt(organization, current, found, webhook, attempt, jitter, now);
                Ok(Decision::new(Some(outcome), change, activity))
            })
            .await
    }

    /// Returns when the oldest pending delivery to an enabled webhook was created, `None` if none is pending. A redelivered one
    /// counts from its first creation.
    pub async fn oldest_pending_delivery(&self) -> Result<Option<Timestamp>> {
        Ok(self.shared.store.statistics().await?.oldest_pending_delivery)
    }
}
