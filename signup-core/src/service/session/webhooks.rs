//! Webhooks of a session's organization, and the deliveries to them.

use super::{PendingWrite, Session};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::id::{ActivityId, DeliveryId, WebhookId};
use crate::input::{NewWebhook, WebhookPatch, check_webhook};
use crate::network::Networks;
use crate::organization::Organization;
use crate::receipt::OperationKind;
use crate::rules;
use crate::secret;
use crate::store::{DeliveryQuery, Page, RecordKey};
use crate::token::Scope;
use crate::webhook::{Delivery, SigningSecret, Webhook};

impl Session {
    /// Returns the networks that webhooks may reach besides public addresses.
    /// [`NewWebhook::from_input`](crate::NewWebhook::from_input) needs them.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{Input, NewWebhook};
    ///
    /// let input = Input::from_json(br#"{"url": "https://example.org/hooks", "types": ["signup.*"]}"#)?;
    /// let webhook = session.create_webhook(NewWebhook::from_input(input, session.webhook_networks())?).await?;
    /// assert_eq!(webhook.types[0].as_str(), "signup.*");
    /// # Ok(()) }) }
    /// ```
    pub fn webhook_networks(&self) -> &Networks {
        &self.shared.networks
    }

    /// Lists all webhooks of the organization, the newest first.
    ///
    /// Requires [`Scope::WebhooksRead`].
    ///
    /// See [`create_webhook`](Self::create_webhook) for an example.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>> {
        self.require(Scope::WebhooksRead)?;
        let webhooks = self.shared.store.webhooks(self.organization_id()).await?;
        Ok(webhooks.into_iter().map(Webhook::without_secrets).collect())
    }

    /// Reads a webhook.
    ///
    /// Requires [`Scope::WebhooksRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such webhook.
    pub async fn webhook(&self, id: WebhookId) -> Result<Webhook> {
        self.require(Scope::WebhooksRead)?;
        Ok(self.own_webhook(id).await?.without_secrets())
    }

    /// Creates a webhook. From then on, each activity that it selects is delivered to it, but not its own creation.
    ///
    /// Requires [`Scope::WebhooksWrite`].
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] with these faults:
    /// - of `url`, if the operator does not allow the address, or if the organization has [`Webhook::MAX_PER_ORGANIZATION`]
    ///   webhooks, also if requests race.
    /// - of `types`, if there is none, if there are more than [`Webhook::MAX_TYPES`], or if one is repeated.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, session, created, .. }| {
    /// use signup_core::{DeliveryQuery, NewWebhook};
    ///
    /// let new = NewWebhook::new("https://example.org/hooks".parse()?).types(vec!["event.*".parse()?]);
    /// let webhook = session.create_webhook(new).await?;
    /// let secret = webhook.secret.as_ref().ok_or("a new webhook has its secret")?;
    /// println!("The receiver checks signatures with {}", secret.reveal());
    /// assert_eq!(session.webhook(webhook.id).await?.secret, None, "no other answer shows it");
    ///
    /// session.delete_event(created.event.id).await?;
    /// let deliveries = session.deliveries(webhook.id, DeliveryQuery::new()).await?.items;
    /// assert_eq!(deliveries[0].activity.kind.as_str(), "event.deleted");
    /// # Ok(()) }) }
    /// ```
    pub fn create_webhook(&self, new: NewWebhook) -> PendingWrite<'_, Webhook> {
        self.write(OperationKind::CreateWebhook, new, move |new, now| async move {
            check_webhook(Some(&new.url), Some(&new.types), &self.shared.networks)?;
            let organization = self.own_organization().await?;
            let id = WebhookId::new(secret::new_uuid(now));
            Ok(rules::create_webhook(organization, new, id, SigningSecret::generate(), now))
        })
    }

    /// Changes the fields of a webhook that `patch` names. Deliveries to a webhook that is disabled wait until it is enabled.
    ///
    /// Requires [`Scope::WebhooksWrite`].
    ///
    /// # Errors
    /// - [`Error::Invalid`] with a fault of `url` if the operator does not allow the address, and of `types` as in
    ///   [`create_webhook`](Self::create_webhook).
    /// - [`Error::NotFound`] if the organization has no such webhook.
    pub fn patch_webhook(&self, id: WebhookId, patch: WebhookPatch) -> PendingWrite<'_, Webhook> {
        self.write(OperationKind::PatchWebhook.on(id), patch, move |patch, now| async move {
            check_webhook(patch.url.as_ref(), patch.types.as_deref(), &self.shared.networks)?;
            let (webhook, organization) = (self.own_webhook(id).await?, self.own_organization().await?);
            Ok(rules::patch_webhook(organization, webhook, patch, now))
        })
    }

    /// Replaces the secret of a webhook. Deliveries are signed with the former secret, too, for
    /// [24 hours](crate::FormerSecret::LIFE).
    ///
    /// Requires [`Scope::WebhooksWrite`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such webhook.
    pub fn rotate_secret(&self, id: WebhookId) -> PendingWrite<'_, Webhook> {
        self.write(OperationKind::RotateSecret.on(id), (), move |(), now| async move {
            Ok(rules::rotate_secret(self.own_webhook(id).await?, SigningSecret::generate(), now))
        })
    }

    /// Makes a delivery that tests a webhook. A disabled webhook gets it, too. The test is no activity.
    ///
    /// Requires [`Scope::WebhooksWrite`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such webhook.
    pub fn test_webhook(&self, id: WebhookId) -> PendingWrite<'_, Delivery> {
        self.write(OperationKind::TestWebhook.on(id), (), move |(), now| async move {
            let ids = (DeliveryId::new(secret::new_uuid(now)), ActivityId::new(secret::new_uuid(now)));
            let webhook = self.own_webhook(id).await?;
            Ok(rules::test_webhook(&webhook, (*self.actor).clone(), ids, now))
        })
    }

    /// Deletes a webhook with its deliveries. A delivery in flight may still arrive.
    ///
    /// Requires [`Scope::WebhooksWrite`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such webhook.
    pub fn delete_webhook(&self, id: WebhookId) -> PendingWrite<'_, ()> {
        self.write(OperationKind::DeleteWebhook.on(id), (), move |(), _| async move {
            let (webhook, organization) = (self.own_webhook(id).await?, self.own_organization().await?);
            Ok(rules::delete_webhook(organization, webhook))
        })
    }

    /// Lists the deliveries to a webhook, newest first, page by page. A delivery is kept for
    /// [30 days](Delivery::RETENTION).
    ///
    /// A page has at most `limit` deliveries. A `limit` outside 1 to 100 counts as the nearest bound. Requires
    /// [`Scope::WebhooksRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such webhook.
    ///
    /// See [`create_webhook`](Self::create_webhook) for an example.
    pub async fn deliveries(&self, webhook: WebhookId, query: DeliveryQuery) -> Result<Page<Delivery>> {
        self.webhook(webhook).await?;
        let query = DeliveryQuery { limit: query.limit.clamp(1, DeliveryQuery::MAX_LIMIT), ..query };
        Ok(self.shared.store.deliveries(self.organization_id(), webhook, &query).await?)
    }

    /// Makes a delivery due now, with its attempts counted from 0. A pending delivery stays as it is.
    ///
    /// Requires [`Scope::WebhooksWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such delivery.
    /// - [`Error::WebhookDisabled`] if its webhook is disabled, also if the delivery is pending.
    pub fn redeliver(&self, id: DeliveryId) -> PendingWrite<'_, Delivery> {
        self.write(OperationKind::Redeliver.on(id), (), move |(), now| async move {
            let delivery: Delivery = self.shared.get(RecordKey::Delivery(self.organization_id(), id)).await?;
            let webhook = self.own_webhook(delivery.webhook).await?;
            rules::redeliver(&webhook, delivery, now)
        })
    }

    async fn own_webhook(&self, id: WebhookId) -> Result<Webhook> {
        self.shared.get(RecordKey::Webhook(self.organization_id(), id)).await
    }

    pub(super) async fn own_organization(&self) -> Result<Organization> {
        self.shared.get(RecordKey::Organization(self.organization_id())).await
    }
}
