//! Webhooks: new ones and changes.

use std::collections::HashSet;

use super::Change;
use super::typed::changes;
use crate::activity::TypeFilter;
use crate::fault::{FaultKind, FaultPath, Faults};
use crate::network::Networks;
use crate::text::WebhookDescription;
use crate::webhook::{Webhook, WebhookUrl};

/// A webhook to create.
///
/// ```
/// use signup_core::NewWebhook;
///
/// let new = NewWebhook::new("https://example.org/hooks".parse()?).types(vec!["signup.*".parse()?]);
/// assert!(new.is_enabled && new.description.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewWebhook {
    /// The address.
    pub url: WebhookUrl,
    /// What the webhook is for.
    pub description: Option<WebhookDescription>,
    /// The types of activity that are delivered: 1 to [`Webhook::MAX_TYPES`] different filters.
    pub types: Vec<TypeFilter>,
    /// Whether the webhook is enabled.
    pub is_enabled: bool,
}

impl NewWebhook {
    /// Creates the input for an enabled webhook that is told of everything.
    pub fn new(url: WebhookUrl) -> Self {
        Self { url, description: None, types: vec![TypeFilter::every()], is_enabled: true }
    }

    /// Sets what the webhook is for.
    #[must_use]
    pub fn description(self, description: WebhookDescription) -> Self {
        Self { description: Some(description), ..self }
    }

    /// Sets the types of activity that are delivered.
    #[must_use]
    pub fn types(self, types: Vec<TypeFilter>) -> Self {
        Self { types, ..self }
    }

    /// Creates the webhook disabled.
    #[must_use]
    pub fn disabled(self) -> Self {
        Self { is_enabled: false, ..self }
    }
}

/// Changes to a webhook. A field that is not set stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WebhookPatch {
    /// The new address.
    pub url: Option<WebhookUrl>,
    /// What the webhook is for, or the removal of that.
    pub description: Option<Change<WebhookDescription>>,
    /// The types of activity that are delivered from now on.
    pub types: Option<Vec<TypeFilter>>,
    /// Whether the webhook is enabled.
    pub is_enabled: Option<bool>,
}

impl WebhookPatch {
    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the address.
    #[must_use]
    pub fn url(self, url: WebhookUrl) -> Self {
        Self { url: Some(url), ..self }
    }

    /// Sets the types of activity that are delivered.
    #[must_use]
    pub fn types(self, types: Vec<TypeFilter>) -> Self {
        Self { types: Some(types), ..self }
    }

    /// Enables or disables the webhook.
    #[must_use]
    pub fn enabled(self, is_enabled: bool) -> Self {
        Self { is_enabled: Some(is_enabled), ..self }
    }

    changes! {
        description, clear_description: WebhookDescription, "what the webhook is for";
    }
}

/// Checks what a typed input can still have wrong.
///
/// # Errors
/// Returns a fault of `url` if the operator does not allow the address, and one of `types` if the filters are none, too many or
/// not different.
pub(crate) fn check_webhook(
    url: Option<&WebhookUrl>,
    types: Option<&[TypeFilter]>,
    allowed: &Networks,
) -> Result<(), Faults> {
    let mut faults = Faults::new();
    if let Some(Err(error)) = url.map(|url| url.check(allowed)) {
        faults.add("url", error);
    }
    if let Some(types) = types {
        check_types(&mut faults, types);
    }
    faults.into_result(Some(()))
}

fn check_types(faults: &mut Faults, types: &[TypeFilter]) {
    let max = Webhook::MAX_TYPES;
    if types.is_empty() {
        faults.add("types", FaultKind::Required);
    } else if types.len() > max {
        faults.add("types", FaultKind::TooMany { max, present: 0 });
    } else {
        let mut seen = HashSet::new();
        for (index, filter) in types.iter().enumerate() {
            if !seen.insert(filter) {
                faults.add(FaultPath::new().field("types").index(index), FaultKind::Repeated);
            }
        }
    }
}
