//! The JSON of sign-ups.

use std::collections::BTreeMap;

use serde::Serialize;
use signup_core::{Attendance, CancelledBy, OrganizationId, ScheduledShift, ShiftId, SignupQuery};
use uuid::Uuid;

use super::{Instant, Page};

/// A sign-up, with the answers to the questions of its event.
#[derive(Debug, Serialize)]
pub(crate) struct Signup<'a> {
    id: Uuid,
    event_id: Uuid,
    slot_id: Uuid,
    slot_title: Option<&'a str>,
    slot_start_time: Option<Instant>,
    slot_local_date: Option<String>,
    slot_local_start_time: Option<String>,
    name: &'a str,
    email: &'a str,
    answers: Vec<Answer<'a>>,
    status: &'static str,
    cancelled_at: Option<Instant>,
    cancelled_by: Option<&'static str>,
    attendance: Option<&'static str>,
    created_at: Instant,
    updated_at: Instant,
}

/// The answer to a question, with the question's label at the time of the sign-up.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    question_id: Uuid,
    label: &'a str,
    value: &'a str,
}

impl<'a> Signup<'a> {
    /// Creates the JSON of a sign-up. `shift` is its shift, `None` if that is deleted.
    pub(crate) fn new(signup: &'a signup_core::Signup, shift: Option<&'a ScheduledShift>) -> Self {
        Self {
            id: signup.id.uuid(),
            event_id: signup.event.uuid(),
            slot_id: signup.shift.uuid(),
            slot_title: shift.map(|shift| shift.title.as_str()),
            slot_start_time: shift.map(|shift| Instant(shift.interval().start)),
            slot_local_date: shift.map(|shift| shift.date().to_string()),
            slot_local_start_time: shift.map(|shift| shift.hours.start().to_string()),
            name: signup.name.as_str(),
            email: signup.email.as_str(),
            answers: signup.answers.iter().map(Answer::new).collect(),
            status: signup.status().name(),
            cancelled_at: signup.cancelled_at().map(Instant),
            cancelled_by: signup.cancelled_by().map(cancelled_by),
            attendance: signup.attendance.map(Attendance::name),
            created_at: Instant(signup.created_at),
            updated_at: Instant(signup.updated_at()),
        }
    }
}

impl<'a> Answer<'a> {
    fn new(answer: &'a signup_core::Answer) -> Self {
        Self {
            question_id: answer.question_id.uuid(),
            label: answer.label.as_str(),
            value: answer.value.as_str(),
        }
    }
}

/// Returns a page of the list of sign-ups at `path`. `shifts` has their shifts, unless they are deleted. The links keep what
/// `query` selects.
pub(crate) fn signup_page<'a>(
    query: &SignupQuery,
    page: &'a signup_core::Page<signup_core::Signup>,
    shifts: &'a BTreeMap<ShiftId, ScheduledShift>,
    path: String,
) -> Page<Signup<'a>> {
    let filters = [
        query.event.map(|id| ("event_id", id.to_string())),
        query.shift.map(|id| ("slot_id", id.to_string())),
        query.status.map(|status| ("status", status.name().to_owned())),
        query.email.as_ref().map(|email| ("email", email.as_str().to_owned())),
    ];
    Page::new(page, |signup| Signup::new(signup, shifts.get(&signup.shift)), path, query.limit, filters)
}

/// Returns the name of the side that cancelled a sign-up.
pub(crate) const fn cancelled_by(by: CancelledBy) -> &'static str {
    if by.is_organizer() { "organizer" } else { "volunteer" }
}

/// The result of `signup erase`.
#[derive(Debug, Serialize)]
pub(crate) struct Erasure {
    organization_id: Uuid,
    /// The number of sign-ups that were erased.
    erased: u64,
}

impl Erasure {
    pub(crate) fn new(organization: OrganizationId, erased: u64) -> Self {
        Self { organization_id: organization.uuid(), erased }
    }
}
