//! The JSON of webhooks and of the deliveries to them.

use serde::Serialize;
use signup_core::{
    DeliveryQuery, DeliveryState, DisabledReason, SigningSecret, TypeFilter, WebhookDescription,
};
use uuid::Uuid;

use super::{Instant, Page};

/// A webhook. It has no `Debug`, because it can contain the secret.
#[derive(Serialize)]
pub(crate) struct Webhook<'a> {
    id: Uuid,
    url: &'a str,
    description: Option<&'a str>,
    types: Vec<&'a str>,
    is_enabled: bool,
    disabled_reason: Option<&'static str>,
    disabled_at: Option<Instant>,
    last_success_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl<'a> Webhook<'a> {
    /// The names of the fields.
    pub(crate) const FIELDS: &'static [&'static str] = &[
        "id",
        "url",
        "description",
        "types",
        "is_enabled",
        "disabled_reason",
        "disabled_at",
        "last_success_at",
        "created_at",
        "updated_at",
        "secret",
    ];

    pub(crate) fn new(webhook: &'a signup_core::Webhook) -> Self {
        let disabled = webhook.disabled.as_ref();
        Self {
            id: webhook.id.uuid(),
            url: webhook.url.as_str(),
            description: webhook.description.as_ref().map(WebhookDescription::as_str),
            types: webhook.types.iter().map(TypeFilter::as_str).collect(),
            is_enabled: webhook.is_enabled(),
            disabled_reason: disabled.and_then(|disabled| disabled.reason).map(DisabledReason::name),
            disabled_at: disabled.map(|disabled| Instant(disabled.at)),
            last_success_at: webhook.last_success_at.map(Instant),
            created_at: Instant(webhook.created_at),
            updated_at: Instant(webhook.updated_at),
            secret: None,
        }
    }

    /// Returns the webhook with its secret: for the answers of creation and rotation only.
    pub(crate) fn with_secret(webhook: &'a signup_core::Webhook) -> Self {
        Self { secret: webhook.secret.as_ref().map(SigningSecret::reveal), ..Self::new(webhook) }
    }
}

/// A delivery, without what is delivered.
#[derive(Debug, Serialize)]
pub(crate) struct Delivery<'a> {
    id: Uuid,
    webhook_id: Uuid,
    r#type: &'a str,
    state: &'static str,
    attempts: u32,
    created_at: Instant,
    next_attempt_at: Option<Instant>,
    delivered_at: Option<Instant>,
    last_status: Option<u16>,
    last_error: Option<&'a str>,
}

impl<'a> Delivery<'a> {
    /// The names of the fields.
    pub(crate) const FIELDS: &'static [&'static str] = &[
        "id",
        "webhook_id",
        "type",
        "state",
        "attempts",
        "created_at",
        "next_attempt_at",
        "delivered_at",
        "last_status",
        "last_error",
    ];

    pub(crate) fn new(delivery: &'a signup_core::Delivery) -> Self {
        Self {
            id: delivery.id.uuid(),
            webhook_id: delivery.webhook.uuid(),
            r#type: delivery.activity.kind.as_str(),
            state: delivery.status().name(),
            attempts: delivery.attempts,
            created_at: Instant(delivery.created_at),
            next_attempt_at: delivery.next_attempt_at().map(Instant),
            delivered_at: match delivery.state {
                DeliveryState::Delivered { at } => Some(Instant(at)),
                _ => None,
            },
            last_status: delivery.last_status,
            last_error: delivery.last_error.as_deref(),
        }
    }
}

/// Returns a page of the list of deliveries at `path`. The links keep what `query` selects.
pub(crate) fn delivery_page<'a>(
    query: &DeliveryQuery,
    page: &'a signup_core::Page<signup_core::Delivery>,
    path: String,
) -> Page<Delivery<'a>> {
    let filters = [query.status.map(|status| ("state", status.name().to_owned()))];
    Page::new(page, Delivery::new, path, query.limit, filters)
}
