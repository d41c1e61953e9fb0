//! The queue of deliveries: claims a due delivery, sends its request, and reports the attempt to the outbox.
//!
//! A delivery whose attempt was sent but not reported is sent again, with the same `webhook-id`, when its lease has expired.

use std::time::Instant;

use signup_core::uuid::Uuid;
use signup_core::{
    Attempt, Delivery, DeliveryStatus, Error, OrganizationId, Outbox, Reported, Webhook, WebhookId,
};
use tokio::sync::watch;

use super::SendDelivery;
use crate::metrics;
use crate::reply::WithSources;
use crate::worker::{Next, POLL_INTERVAL, WorkQueue};

/// The queued deliveries of the outbox.
#[derive(Debug)]
pub(crate) struct WebhookQueue<S> {
    outbox: Outbox,
    sender: S,
    stop: watch::Receiver<bool>,
}

impl<S> WebhookQueue<S> {
    /// Creates the queue. When `stop` is true, a report that cannot be stored is not retried.
    pub(crate) const fn new(outbox: Outbox, sender: S, stop: watch::Receiver<bool>) -> Self {
        Self { outbox, sender, stop }
    }

    /// Reports an attempt. Retries until the server stops, because without the report the delivery would be sent again.
    async fn report(&self, sent_to: &Webhook, claimed: &Delivery, attempt: &Attempt) {
        let (webhook, delivery) = (claimed.webhook, claimed.id);
        let mut is_retry = false;
        loop {
            match self.outbox.report_attempt(sent_to, claimed, attempt).await {
                Ok(Some(reported)) => return log(&reported),
                Ok(None) if is_retry => {
                    tracing::warn!(%webhook, %delivery, "the result of an attempt was stored before, or came too late");
                    return;
                }
                Ok(None) => {
                    tracing::debug!(%webhook, %delivery, "the result of an attempt came too late, or its webhook was deleted");
                    return;
                }
                Err(error) => {
                    tracing::warn!(%webhook, %delivery, error = %WithSources(&error), "the result of an attempt could not be stored");
                }
            }
            is_retry = true;
            if *self.stop.borrow() {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

impl<S: SendDelivery> WorkQueue for WebhookQueue<S> {
    type Item = Delivery;
    type Target = (OrganizationId, WebhookId);

    const ITEMS: &'static str = "deliveries";
    const AT_ONCE: usize = 64;
    /// So many that those of webhooks with no free place do not fill a read.
    const BATCH: u32 = Self::AT_ONCE as u32 * Webhook::MAX_IN_FLIGHT;

    fn id(delivery: &Delivery) -> Uuid {
        delivery.id.uuid()
    }

    fn target(delivery: &Delivery) -> Self::Target {
        (delivery.organization, delivery.webhook)
    }

    /// The more requests an organization has in flight, the more places it leaves free: as many as it has taken. With the 16
    /// webhooks that it may have, one organization takes at most 24 of 64 places. Five together take at most 54, and leave 10 to
    /// the others, however slow their endpoints are. Only the endpoints of dozens of organizations can take all places.
    ///
    /// For each request to the same webhook, 16 further places are left free. So an endpoint that never answers gets several
    /// requests at once only while most places are free.
    fn has_place<'a>(
        (organization, webhook): &Self::Target,
        in_flight: impl Iterator<Item = &'a Self::Target>,
    ) -> bool {
        let (mut taken, mut of_organization, mut to_webhook) = (0, 0, 0);
        for (owner, target) in in_flight {
            taken += 1;
            of_organization += usize::from(owner == organization);
            to_webhook += usize::from(target == webhook);
        }
        let share = Self::AT_ONCE / Webhook::MAX_IN_FLIGHT as usize;
        taken + of_organization + share * to_webhook < Self::AT_ONCE
    }

    async fn due(&self) -> Result<Vec<Delivery>, Error> {
        self.outbox.due_deliveries(Self::BATCH).await
    }

    async fn deliver(&self, due: Delivery) -> Next {
        let (webhook, delivery) = match self.outbox.claim_delivery(&due).await {
            Ok(Some(claimed)) => claimed,
            Ok(None) => return Next::Wait,
            Err(error) => {
                tracing::error!(delivery = %due.id, error = %WithSources(&error), "a delivery could not be claimed");
                if matches!(&error, Error::Store(error) if error.is_unavailable()) {
                    return Next::Pause;
                }
                // A record cannot be read. The delivery stays due and must not delay others. While it counts as in flight, it
                // is not claimed again with each read.
                tokio::time::sleep(POLL_INTERVAL).await;
                return Next::Wait;
            }
        };
        let began = Instant::now();
        let attempt = self.sender.send(&webhook, &delivery, self.outbox.now()).await;
        metrics::count_attempt(matches!(attempt, Attempt::Succeeded { .. }), began);
        self.report(&webhook, &delivery, &attempt).await;
        Next::Continue
    }

    fn idle(&self) {}
}

/// Logs and counts what a report has changed. The URL of a webhook may contain a secret, so the log has only its id.
///
/// An endpoint that is down does not fill the log: the owner of the webhook sees each failure in the list of deliveries, and the
/// operator sees the metrics.
fn log(Reported { delivery, disabled, .. }: &Reported) {
    let (webhook, id, attempts) = (delivery.webhook, delivery.id, delivery.attempts);
    let error = delivery.last_error.as_deref().unwrap_or_default();
    match delivery.status() {
        DeliveryStatus::Delivered => {
            tracing::debug!(%webhook, delivery = %id, attempts, "an activity was delivered");
        }
        DeliveryStatus::Pending => {
            tracing::debug!(%webhook, delivery = %id, attempts, error, "an activity was not delivered, and is sent again later");
        }
        DeliveryStatus::Failed => {
            tracing::info!(%webhook, delivery = %id, attempts, error, "a delivery has failed for good");
        }
    }
    metrics::count_delivery(delivery.status());
    if let Some(reason) = disabled {
        metrics::count_disabled(*reason);
        tracing::warn!(%webhook, organization = %delivery.organization, %reason, "a webhook was disabled");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::Sender;

    type WebhookQueue = super::WebhookQueue<Sender>;
    type Target = <WebhookQueue as WorkQueue>::Target;

    /// Fills the places with requests that never end, for 16 webhooks of each of `organizations`.
    fn hanging(organizations: u128) -> Vec<Target> {
        let webhooks = organizations * 16;
        let target = |number: u128| {
            let id = |number| Uuid::from_u128(1 + number);
            (OrganizationId::new(id(number % organizations)), WebhookId::new(id(number)))
        };
        let (mut in_flight, mut refused) = (vec![], 0);
        for number in (0..webhooks).cycle() {
            if WebhookQueue::has_place(&target(number), in_flight.iter()) {
                in_flight.push(target(number));
                refused = 0;
            } else {
                refused += 1;
            }
            if refused == webhooks {
                return in_flight;
            }
        }
        in_flight
    }

    #[test]
    fn organizations_whose_endpoints_hang_leave_places_to_the_others() {
        let newcomer = (OrganizationId::NONE, WebhookId::NONE);
        for (organizations, most) in [(1, 24), (2, 32), (5, 54), (16, 61)] {
            let in_flight = hanging(organizations);
            assert!(in_flight.len() <= most, "{} of {organizations}", in_flight.len());
            assert!(WebhookQueue::has_place(&newcomer, in_flight.iter()), "beside {organizations}");
        }
    }

    #[test]
    fn a_webhook_alone_gets_four_requests_at_once() {
        let only = (OrganizationId::NONE, WebhookId::NONE);
        let has_place = |count| WebhookQueue::has_place(&only, std::iter::repeat_n(&only, count));
        assert!((0..4).all(has_place) && !has_place(4));
    }

    #[test]
    fn a_working_webhook_has_a_place_beside_fifteen_of_its_organization_that_hang() {
        let mut in_flight = hanging(1);
        let working = in_flight[0];
        in_flight.retain(|target| *target != working);
        assert!(WebhookQueue::has_place(&working, in_flight.iter()));
    }
}
