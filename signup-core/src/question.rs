//! Questions: what an event asks each volunteer.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::{EventId, OrganizationId, QuestionId};
use crate::text::Label;

/// A question that the volunteers of an event answer when they sign up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its id.
    pub id: QuestionId,
    /// To whom it belongs.
    pub organization: OrganizationId,
    /// Whose volunteers answer it.
    pub event: EventId,
    /// What is asked.
    pub label: Label,
    /// How it is answered.
    #[serde(rename = "type")]
    pub kind: QuestionKind,
    /// What can be chosen: of a [`QuestionKind::Select`] at least one, of others none.
    pub options: Vec<Label>,
    /// Whether it has to be answered; a checkbox: ticked.
    pub required: bool,
    /// Its place among the event's questions, from 0.
    pub position: u32,
}

impl Question {
    /// The most options a select has.
    pub const MAX_OPTIONS: usize = 100;
    /// The most questions an event has.
    pub const MAX_PER_EVENT: usize = 100;
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum QuestionKind {
    /// In the volunteer's own words.
    Text,
    /// By choosing one of the options.
    Select,
    /// By ticking or not.
    Checkbox,
}

/// The name is not a kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of text, select, checkbox")]
pub struct QuestionKindError;

impl QuestionKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Text, Self::Select, Self::Checkbox];

    /// The kind's name, as it is stored and written.
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
