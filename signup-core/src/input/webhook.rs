//! Webhooks: new ones and changes, typed and untyped.

use std::borrow::Cow;

use super::check::{Fields, TEXT};
use super::typed::changes;
use super::{Change, Given};
use crate::activity::TypeFilter;
use crate::fault::{FaultKind, FaultPath, Faults, UnknownName, ValueType};
use crate::network::Networks;
use crate::text::WebhookDescription;
use crate::webhook::{Webhook, WebhookUrl, WebhookUrlError};

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
    /// Creates the input for an enabled webhook that receives every type.
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

/// The fields of a new webhook, or of a change of one, not checked yet.
///
/// ```
/// use signup_core::{Networks, WebhookInput};
///
/// let input = WebhookInput { url: "http://example.org/".into(), ..WebhookInput::default() };
/// let faults = input.check(&Networks::default()).unwrap_err();
/// assert_eq!(faults.to_string(), "`url` must begin with https://");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WebhookInput<'a> {
    /// The address: `https`, at most 2,048 characters.
    pub url: Given<Cow<'a, str>>,
    /// What the webhook is for: at most 255 characters.
    pub description: Given<Cow<'a, str>>,
    /// The types of activity that are delivered: 1 to 50 different types or groups. A new webhook gets every type by default.
    pub types: Given<Vec<Given<Cow<'a, str>>>>,
    /// Whether the webhook is enabled. A new one is by default.
    pub is_enabled: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl WebhookInput<'_> {
    /// Checks every field of a new webhook. `allowed` are the networks that the
    /// [operator allows](crate::Service::with_webhook_networks).
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self, allowed: &Networks) -> Result<NewWebhook, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let url = fields.required("url", &self.url, TEXT, |text| url(text, allowed));
        let description =
            fields.nullable("description", &self.description, TEXT, |text| WebhookDescription::new(text));
        let types = self.check_types(&mut fields).unwrap_or_else(|| vec![TypeFilter::every()]);
        let is_enabled = fields.flag("is_enabled", &self.is_enabled, true);
        faults.add_unknown(&self.unknown);
        faults.into_result(url.map(|url| NewWebhook { url, description, types, is_enabled }))
    }

    /// Checks every field of a change. `allowed` are the networks that the
    /// [operator allows](crate::Service::with_webhook_networks).
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check_patch(&self, allowed: &Networks) -> Result<WebhookPatch, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let url = fields.kept("url", &self.url, TEXT, |text| url(text, allowed));
        let description =
            fields.change("description", &self.description, TEXT, |text| WebhookDescription::new(text));
        let types = self.check_types(&mut fields);
        let is_enabled = fields.optional_flag("is_enabled", &self.is_enabled);
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(WebhookPatch { url, description, types, is_enabled }))
    }

    /// Returns the valid filters, or `None` if `types` is omitted or is not a list of 1 to [`Webhook::MAX_TYPES`].
    fn check_types(&self, fields: &mut Fields<'_>) -> Option<Vec<TypeFilter>> {
        let given = fields.optional("types", &self.types, ValueType::TextList, |types| {
            check_count(types.len()).map(|()| types)
        })?;
        let mut types = Vec::new();
        for (index, given) in given.iter().enumerate() {
            let checked = match given {
                Given::Value(text) => text.parse().map_err(FaultKind::from),
                Given::Blank => "".parse().map_err(FaultKind::from),
                _ => Err(TEXT.into()),
            };
            let checked = checked.and_then(|filter| match types.contains(&filter) {
                true => Err(FaultKind::Repeated),
                false => Ok(filter),
            });
            types.extend(fields.faults.check(type_path(index), checked));
        }
        Some(types)
    }
}

fn url(text: &str, allowed: &Networks) -> Result<WebhookUrl, WebhookUrlError> {
    let url: WebhookUrl = text.parse()?;
    url.check(allowed).map(|()| url)
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
