//! Webhooks of an organization.

use super::Admin;
use crate::activity::Actor;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::id::{OrganizationId, WebhookId};
use crate::input::WebhookPatch;
use crate::rules;
use crate::store::{Kind, RecordKey};
use crate::webhook::Webhook;

impl Admin {
    /// Lists all webhooks of an organization, the newest first.
    ///
    /// # Errors
    /// Fails only if the store fails. An unknown organization has no webhooks.
    ///
    /// See [`set_webhook_enabled`](Self::set_webhook_enabled) for an example.
    pub async fn webhooks(&self, organization: OrganizationId) -> Result<Vec<Webhook>> {
        let webhooks = self.shared.store.webhooks(organization).await?;
        Ok(webhooks.into_iter().map(Webhook::without_secrets).collect())
    }

    /// Enables or disables a webhook, as [`Session::patch_webhook`](crate::Session::patch_webhook) does. A webhook that is
    /// already as asked stays unchanged.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such webhook.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, .. }| {
    /// use signup_core::NewWebhook;
    ///
    /// session.create_webhook(NewWebhook::new("https://example.org/hooks".parse()?)).await?;
    /// let admin = service.admin();
    /// for webhook in admin.webhooks(organization.id).await? {
    ///     let disabled = admin.set_webhook_enabled(webhook.id, false).await?;
    ///     assert!(!disabled.is_enabled());
    /// }
    /// # Ok(()) }) }
    /// ```
    pub async fn set_webhook_enabled(&self, id: WebhookId, is_enabled: bool) -> Result<Webhook> {
        let patch = &WebhookPatch::new().enabled(is_enabled);
        self.shared
            .commit_unrefused(&Actor::Operator, move |now| async move {
                let owner = self.shared.owner(Kind::Webhook, id.uuid()).await?;
                let webhook = self.shared.get(RecordKey::Webhook(owner, id)).await?;
                let organization = self.shared.get(RecordKey::Organization(owner)).await?;
                Ok(rules::patch_webhook(organization, webhook, patch.clone(), now))
            })
            .await
    }
}
