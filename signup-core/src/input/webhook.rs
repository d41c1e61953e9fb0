//! Webhooks: new ones and changes.

use super::change::{changes, set_value, setters};
use super::fields::Fields;
use super::{Change, Input};
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
    /// Makes a webhook of an untyped input: `url`, and optionally `description`, `types` and `is_enabled`. It receives every type
    /// by default, and is enabled. `allowed` are the networks that the [operator allows](crate::Service::with_webhook_networks).
    ///
    /// ```
    /// use signup_core::{Input, Networks, NewWebhook};
    ///
    /// let input = Input::from_json(br#"{"url": "http://example.org/"}"#)?;
    /// let faults = NewWebhook::from_input(input, &Networks::default()).unwrap_err();
    /// assert_eq!(faults.to_string(), "`url` must begin with https://");
    /// # Ok::<(), signup_core::Faults>(())
    /// ```
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>, allowed: &Networks) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let webhook = take_fields(&mut fields, allowed);
        let webhook_at = |url| Self {
            url,
            description: set_value(webhook.description),
            types: webhook.types.unwrap_or_else(|| vec![TypeFilter::every()]),
            is_enabled: webhook.is_enabled.unwrap_or(true),
        };
        fields.finish(webhook.url.map(webhook_at))
    }

    /// Creates the input for an enabled webhook that receives every type.
    pub fn new(url: WebhookUrl) -> Self {
        Self { url, description: None, types: vec![TypeFilter::every()], is_enabled: true }
    }

    setters! {
        /// Sets what the webhook is for.
        description: WebhookDescription;
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
    /// Makes a patch of an untyped input with the fields of a [new webhook](NewWebhook::from_input). An omitted field stays as it
    /// is. Null and blank clear the description.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>, allowed: &Networks) -> Result<Self, Faults> {
        let mut fields = Fields::of_change(input);
        let webhook = take_fields(&mut fields, allowed);
        fields.finish(Some(webhook))
    }

    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the address.
        url: WebhookUrl;
        /// Sets the types of activity that are delivered.
        types: Vec<TypeFilter>;
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

/// Takes the fields that a new webhook and a patch share, in the order of their faults.
fn take_fields(fields: &mut Fields<'_>, allowed: &Networks) -> WebhookPatch {
    let mut webhook = WebhookPatch::new();
    let url = fields.text::<WebhookUrl>("url");
    webhook.url = url.check(|url| url.check(allowed).map(|()| url)).required();
    webhook.description = fields.text("description").change();
    let types = fields.texts("types").check(|types| check_count(types.len()).map(|()| types)).optional();
    let are_given = types.is_some();
    let mut different = Vec::new();
    let types = fields.each_text("types", types, |filter: TypeFilter| {
        if different.contains(&filter) {
            return Err(FaultKind::Repeated);
        }
        different.push(filter.clone());
        Ok(filter)
    });
    webhook.types = are_given.then_some(types);
    webhook.is_enabled = fields.flag("is_enabled").optional();
    webhook
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
    faults.check("url", url.map_or(Ok(()), |url| url.check(allowed)));
    if let Some(types) = types
        && faults.check("types", check_count(types.len())).is_some()
    {
        check_different(&mut faults, types);
    }
    faults.into_result(Some(()))
}

/// Checks that a webhook has 1 to [`Webhook::MAX_TYPES`] filters.
const fn check_count(count: usize) -> Result<(), FaultKind> {
    let max = Webhook::MAX_TYPES;
    match count {
        0 => Err(FaultKind::Required),
        count if count > max => Err(FaultKind::TooMany { items: "types", max, present: 0 }),
        _ => Ok(()),
    }
}

/// Checks that no filter is given twice.
fn check_different(faults: &mut Faults, types: &[TypeFilter]) {
    for (index, filter) in types.iter().enumerate() {
        if types[..index].contains(filter) {
            faults.add(type_path(index), FaultKind::Repeated);
        }
    }
}

fn type_path(index: usize) -> FaultPath {
    FaultPath::new().field("types").index(index)
}
