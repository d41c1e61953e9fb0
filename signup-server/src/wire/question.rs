//! The JSON of the questions of an event.

use serde::Serialize;
use signup_core::Label;
use uuid::Uuid;

/// A question.
#[derive(Debug, Serialize)]
pub(crate) struct Question<'a> {
    id: Uuid,
    event_id: Uuid,
    label: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    options: Vec<&'a str>,
    required: bool,
    position: u32,
}

impl<'a> Question<'a> {
    /// The names of the fields.
    pub(crate) const FIELDS: &'static [&'static str] =
        &["id", "event_id", "label", "type", "options", "required", "position"];

    pub(crate) fn new(question: &'a signup_core::Question) -> Self {
        Self {
            id: question.id.uuid(),
            event_id: question.event.uuid(),
            label: question.label.as_str(),
            kind: question.kind.name(),
            options: question.options.iter().map(Label::as_str).collect(),
            required: question.required,
            position: question.position,
        }
    }
}
