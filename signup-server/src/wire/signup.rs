//! The JSON of sign-ups.

use signup_core::{OrganizationId, SignupStatus};
use simd_json_derive::Serialize;

use super::{Id, Instant, Text};

/// A sign-up, with the answers to the questions of its event.
#[derive(Debug, Serialize)]
pub(crate) struct Signup<'a> {
    id: Id,
    event_id: Id,
    slot_id: Id,
    name: Text<'a>,
    email: Text<'a>,
    answers: Vec<Answer<'a>>,
    status: &'static str,
    cancelled_at: Option<Instant>,
    created_at: Instant,
}

/// The answer to a question, with the question's label at the time of the sign-up.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    question_id: Id,
    label: Text<'a>,
    value: Text<'a>,
}

impl<'a> Signup<'a> {
    pub(crate) fn new(signup: &'a signup_core::Signup) -> Self {
        Self {
            id: Id(signup.id.uuid()),
            event_id: Id(signup.event.uuid()),
            slot_id: Id(signup.shift.uuid()),
            name: Text(signup.name.as_str()),
            email: Text(signup.email.as_str()),
            answers: signup.answers.iter().map(Answer::new).collect(),
            status: status(signup.status),
            cancelled_at: signup.cancelled_at.map(Instant),
            created_at: Instant(signup.created_at),
        }
    }
}

impl<'a> Answer<'a> {
    fn new(answer: &'a signup_core::Answer) -> Self {
        Self {
            question_id: Id(answer.question_id.uuid()),
            label: Text(answer.label.as_str()),
            value: Text(answer.value.as_str()),
        }
    }
}

/// Returns the name of a status.
pub(crate) const fn status(status: SignupStatus) -> &'static str {
    match status {
        SignupStatus::Confirmed => "confirmed",
        SignupStatus::Cancelled => "cancelled",
    }
}

/// The result of `signup erase`.
#[derive(Debug, Serialize)]
pub(crate) struct Erasure {
    organization_id: Id,
    /// The number of sign-ups that were erased.
    erased: u64,
}

impl Erasure {
    pub(crate) fn new(organization: OrganizationId, erased: u64) -> Self {
        Self { organization_id: Id(organization.uuid()), erased }
    }
}
