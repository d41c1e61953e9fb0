//! Questions that an event asks each volunteer at sign-up.

use serde::{Deserialize, Serialize};

use crate::id::{EventId, OrganizationId, QuestionId};
use crate::text::Label;
use crate::text_form::names;

/// A question that the volunteers of an event answer when they sign up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The id.
    pub id: QuestionId,
    /// The organization that owns the event.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The text of the question.
    pub label: Label,
    /// The kind of answer.
    #[serde(rename = "type")]
    pub kind: QuestionKind,
    /// The options: at least one for a [`QuestionKind::Select`], none for every other kind.
    pub options: Vec<Label>,
    /// Whether an answer is required. A required checkbox must be ticked.
    pub required: bool,
    /// The index among the event's questions, from 0.
    pub position: u32,
    /// The version, from 1. Each change of the question adds 1.
    pub version: u32,
}

impl Question {
    /// Creates the record of an optional question. The other fields are public and can be set afterwards.
    pub const fn new(
        id: QuestionId,
        organization: OrganizationId,
        event: EventId,
        label: Label,
        kind: QuestionKind,
    ) -> Self {
        Self {
            id,
            organization,
            event,
            label,
            kind,
            options: Vec::new(),
            required: false,
            position: 0,
            version: 1,
        }
    }

    /// The maximum number of options of a select.
    pub const MAX_OPTIONS: usize = 100;
    /// The maximum number of questions of an event.
    pub const MAX_PER_EVENT: usize = 50;
    /// The largest position.
    pub const MAX_POSITION: u32 = 1_000_000;
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuestionKind {
    /// Free text.
    Text,
    /// One of the options.
    Select,
    /// A checkbox, ticked or not.
    Checkbox,
}

names! {
    /// Every kind.
    QuestionKind {
        Text => "text",
        Select => "select",
        Checkbox => "checkbox",
    }
}
