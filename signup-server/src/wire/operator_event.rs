//! The JSON of events in the output of the management commands.

use serde::Serialize;
use signup_core::EventWithShifts;
use uuid::Uuid;

use super::{Event, Instant, Question};

/// An event as its operator sees it: the event of the API, its organization, and when it was deleted.
#[derive(Debug, Serialize)]
pub(crate) struct OperatorEvent<'a> {
    #[serde(flatten)]
    event: Event<'a>,
    organization_id: Uuid,
    deleted_at: Option<Instant>,
    /// Only where one event is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<Question<'a>>>,
}

impl<'a> OperatorEvent<'a> {
    /// Returns an event, deleted or not, without its slots.
    pub(crate) fn listed(event: &'a signup_core::Event, base_url: &'a str) -> Self {
        Self {
            event: Event::new(event, base_url),
            organization_id: event.organization.uuid(),
            deleted_at: event.deleted_at.map(Instant),
            questions: None,
        }
    }

    /// Returns an event with its slots.
    pub(crate) fn with_slots(event: &'a EventWithShifts, base_url: &'a str) -> Self {
        Self { event: Event::with_slots(event, base_url), ..Self::listed(&event.event, base_url) }
    }

    /// Adds the questions of the event.
    pub(crate) fn and_questions(self, questions: &'a [signup_core::Question]) -> Self {
        Self { questions: Some(questions.iter().map(Question::new).collect()), ..self }
    }
}
