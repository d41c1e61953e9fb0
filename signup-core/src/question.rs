//! Questions that an event asks each volunteer at sign-up.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::{EventId, OrganizationId, QuestionId};
use crate::text::Label;

/// A question that the volunteers of an event answer when they sign up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl Question {
    /// The maximum number of options of a select.
    pub const MAX_OPTIONS: usize = 100;
    /// The maximum number of questions of an event.
    pub const MAX_PER_EVENT: usize = 100;
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// Free text.
    Text,
    /// One of the options.
    Select,
    /// A checkbox, ticked or not.
    Checkbox,
}

/// The text is not the name of a kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of text, select, checkbox")]
pub struct QuestionKindError;

impl QuestionKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Text, Self::Select, Self::Checkbox];

    /// Returns the kind's name in JSON and in the store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Select => "select",
            Self::Checkbox => "checkbox",
        }
    }
}

impl FromStr for QuestionKind {
    type Err = QuestionKindError;

    fn from_str(name: &str) -> Result<Self, QuestionKindError> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or(QuestionKindError)
    }
}

impl fmt::Display for QuestionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
