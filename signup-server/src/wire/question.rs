//! The JSON of the questions of an event.

use simd_json_derive::Serialize;

use super::{Id, Text};

/// A question.
#[derive(Debug, Serialize)]
pub(crate) struct Question<'a> {
    id: Id,
    event_id: Id,
    label: Text<'a>,
    #[simd_json(rename = "type")]
    kind: &'static str,
    options: Vec<Text<'a>>,
    required: bool,
    position: u32,
}

impl<'a> Question<'a> {
    pub(crate) fn new(question: &'a signup_core::Question) -> Self {
        Self {
            id: Id(question.id.uuid()),
            event_id: Id(question.event.uuid()),
            label: Text(question.label.as_str()),
            kind: question.kind.name(),
            options: question.options.iter().map(|option| Text(option.as_str())).collect(),
            required: question.required,
            position: question.position,
        }
    }
}
