//! Webhooks: URLs to which activity is delivered, and the deliveries.

mod delivery;
pub(crate) mod url;

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

pub use delivery::{Attempt, Delivery, DeliveryState, DeliveryStatus, Reported};
pub use url::{WebhookUrl, WebhookUrlError};

use crate::activity::{ActivityType, TypeFilter};
use crate::id::{OrganizationId, WebhookId};
use crate::secret;
use crate::text::WebhookDescription;
use crate::text_form::names;
use crate::value_error::ValueError;

/// A URL to which the activity of an organization is delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Webhook {
    /// The id.
    pub id: WebhookId,
    /// The organization that owns the webhook.
    pub organization: OrganizationId,
    /// The address.
    pub url: WebhookUrl,
    /// What the webhook is for, in the owner's words.
    pub description: Option<WebhookDescription>,
    /// The types of activity that are delivered: 1 to [`MAX_TYPES`](Self::MAX_TYPES) different filters.
    pub types: Vec<TypeFilter>,
    /// The secret that signs deliveries. A store and [`claim_delivery`](crate::Outbox::claim_delivery) always have it. In the
    /// answers of other handles it is `None`, apart from those of [`create_webhook`](crate::Session::create_webhook) and
    /// [`rotate_secret`](crate::Session::rotate_secret).
    pub secret: Option<SigningSecret>,
    /// The secret before the last rotation, if there was one. `None` in the answers of other handles than the outbox.
    pub former_secret: Option<FormerSecret>,
    /// Since when, and why, the webhook is disabled; `None` while it is enabled.
    pub disabled: Option<Disabled>,
    /// When a delivery last succeeded.
    pub last_success_at: Option<Timestamp>,
    /// When a delivery first failed since the last success; `None` if none has.
    pub failing_since: Option<Timestamp>,
    /// The version, from 1. Each change of the webhook adds 1.
    pub version: u32,
    /// When the webhook was created.
    pub created_at: Timestamp,
    /// When the owner last changed the webhook.
    pub updated_at: Timestamp,
}

impl Webhook {
    /// The maximum number of webhooks of an organization.
    pub const MAX_PER_ORGANIZATION: u32 = 16;
    /// The maximum number of filters of a webhook.
    pub const MAX_TYPES: usize = 50;
    /// The maximum number of requests to one webhook at the same time.
    pub const MAX_IN_FLIGHT: u32 = 4;
    /// A webhook is disabled when an attempt fails this long or longer after the first failure, and none has succeeded between
    /// them: 5 days.
    pub const FAILURE_LIMIT: SignedDuration = SignedDuration::from_hours(5 * 24);

    /// Creates the record of an enabled webhook that receives every type. The other fields are public and can be set afterwards.
    pub fn new(
        id: WebhookId,
        organization: OrganizationId,
        url: WebhookUrl,
        secret: SigningSecret,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            url,
            description: None,
            types: vec![TypeFilter::every()],
            secret: Some(secret),
            former_secret: None,
            disabled: None,
            last_success_at: None,
            failing_since: None,
            version: 1,
            created_at,
            updated_at: created_at,
        }
    }

    /// Returns whether the webhook is enabled.
    pub const fn is_enabled(&self) -> bool {
        self.disabled.is_none()
    }

    /// Returns whether activity of this type is delivered.
    pub fn selects(&self, kind: &ActivityType) -> bool {
        self.is_enabled() && self.types.iter().any(|filter| filter.selects(kind))
    }

    /// Returns the secrets that sign a delivery at `now`, the present one first.
    pub fn secrets(&self, now: Timestamp) -> impl Iterator<Item = &SigningSecret> {
        let former = self.former_secret.as_ref().filter(|former| now < former.until);
        self.secret.iter().chain(former.map(|former| &former.secret))
    }

    /// Returns the webhook without its secrets.
    pub(crate) fn without_secrets(self) -> Self {
        Self { secret: None, former_secret: None, ..self }
    }
}

/// Since when, and why, a webhook is disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disabled {
    /// Since when.
    pub at: Timestamp,
    /// Why the service disabled the webhook; `None` if its owner or the operator did.
    pub reason: Option<DisabledReason>,
}

/// Why the service disabled a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DisabledReason {
    /// The address answered that it is gone (410).
    Gone,
    /// No delivery has succeeded for [5 days](Webhook::FAILURE_LIMIT).
    Failing,
}

names! {
    /// Every reason.
    DisabledReason {
        Gone => "gone",
        Failing => "failing",
    }
}

/// A secret before a rotation. It signs deliveries, too, so that the receiver can switch to the new secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerSecret {
    /// The secret.
    pub secret: SigningSecret,
    /// The first instant at which it no longer signs.
    pub until: Timestamp,
}

impl FormerSecret {
    /// How long a former secret signs: 24 hours.
    pub const LIFE: SignedDuration = SignedDuration::from_hours(24);
}

/// The secret that signs the deliveries of a webhook: 32 random bytes.
///
/// A secret has no `Display`, so that no message and no log contains one by accident: [`reveal`](Self::reveal) returns the
/// text, `whsec_` and base64, as the specification Standard Webhooks writes it.
///
/// ```
/// use signup_core::SigningSecret;
///
/// let secret = SigningSecret::generate();
/// assert_eq!(secret.reveal().parse(), Ok(secret.clone()));
/// assert_eq!(format!("{secret:?}"), "SigningSecret(…)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret([u8; 32]);

impl SigningSecret {
    const PREFIX: &str = "whsec_";

    /// Generates a secret.
    pub fn generate() -> Self {
        Self(secret::random())
    }

    /// Returns the bytes, which are the key of the signature.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the secret in plain text, for the answer that shows it once.
    pub fn reveal(&self) -> String {
        format!("{}{}", Self::PREFIX, STANDARD.encode(self.0))
    }
}

impl FromStr for SigningSecret {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let bytes = text.strip_prefix(Self::PREFIX).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(ValueError::Malformed { expected: "whsec_ and 44 characters of base64" })
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

crate::text_form::from_text!(SigningSecret);
crate::text_form::deserialize_text!(SigningSecret);

/// Writes the text, because a store keeps the secret.
impl Serialize for SigningSecret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.reveal())
    }
}
