//! The page of one sign-up, reached by the secret link in its mail.

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    Answer, CancelledBy, Event, PublicEvent, ScheduledShift, Signup, SignupState, TimeAndPlace,
};
use warp::http::StatusCode;
use warp::reply::Response;

use super::times::Times;
use super::{Head, html};
use crate::linked_text::LinkedText;
use crate::location::parts;

#[derive(Debug, Template)]
#[template(path = "signup.html")]
struct SignupTemplate<'a> {
    head: Head,
    organization: &'a str,
    heading: &'static str,
    text: Option<&'static str>,
    /// The organizer's reason, if the organizer cancelled the event or deleted the shift.
    reason: Option<Vec<LinkedText<'a>>>,
    event: &'a str,
    event_link: Option<String>,
    shift: &'a str,
    times: Times,
    locations: Vec<Vec<LinkedText<'a>>>,
    name: &'a str,
    email: &'a str,
    answers: &'a [Answer],
    /// The path of the calendar entry, if the sign-up still has its place.
    calendar: Option<String>,
    /// The path for a cancellation, if the sign-up can be cancelled.
    cancel: Option<String>,
}

/// Renders the page of a sign-up. Returns `None` if the shift is missing from `found`.
///
/// `path` is the path of this page, `event_path` that of the event's page.
pub(super) fn page(
    signup: &Signup,
    found: &PublicEvent,
    path: &str,
    event_path: String,
    now: Timestamp,
) -> Option<Response> {
    let PublicEvent { organization, event, shifts, .. } = found;
    let shift = shifts.first()?;
    let is_over = shift.is_over(now);
    let (heading, text) = match signup.state {
        SignupState::Cancelled { by, .. } => ("Your place is cancelled", Some(cancellation(by, event))),
        SignupState::Confirmed if is_over => ("You were signed up", Some("This shift is over.")),
        SignupState::Confirmed => ("You are signed up", None),
    };
    let reason = signup.cancellation_reason(event, shift);
    let at = TimeAndPlace::of(shift, event);
    let has_place = shift_to_come(signup, found, now).is_some();
    let page = SignupTemplate {
        head: Head::private(heading, event.theme),
        organization: organization.name.as_str(),
        heading,
        text,
        reason: reason.map(|reason| LinkedText::parts(reason.as_str())),
        event: event.title.as_str(),
        event_link: event.is_published.then_some(event_path),
        shift: shift.title.as_str(),
        times: Times::of(shift.interval(), shift.day.zone()),
        locations: parts(&at).map(LinkedText::parts).collect(),
        name: signup.name.as_str(),
        email: signup.email.as_str(),
        answers: &signup.answers,
        calendar: has_place.then(|| format!("{path}/calendar.ics")),
        cancel: has_place.then(|| format!("{path}/cancel")),
    };
    Some(html(StatusCode::OK, &page))
}

/// Returns the shift on which the sign-up has a place that can still be cancelled: the shift is not over, and the
/// organizer has not removed it.
pub(super) fn shift_to_come<'a>(
    signup: &Signup,
    found: &'a PublicEvent,
    now: Timestamp,
) -> Option<&'a ScheduledShift> {
    let shift = found.shifts.first()?;
    (signup.is_confirmed() && shift.deleted_at.is_none() && !shift.is_over(now)).then_some(shift)
}

/// Returns the text about a cancelled sign-up: what cancelled it.
const fn cancellation(by: CancelledBy, event: &Event) -> &'static str {
    match by {
        CancelledBy::EventCancellation => {
            "The event does not take place: the organizer has cancelled it. Thank you for your offer to help."
        }
        CancelledBy::ShiftDeletion => {
            "This shift does not take place: the organizer has removed it. Thank you for your offer to help."
        }
        CancelledBy::Volunteer if event.is_cancelled() => {
            "Thank you for telling. The event does not take place any more: the organizer has cancelled it."
        }
        CancelledBy::Volunteer => "It is free for somebody else now. Thank you for telling.",
        // An operator, or a canceller that is newer than this page.
        _ => "The organization has cancelled it.",
    }
}
