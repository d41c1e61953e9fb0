//! The page after a sign-up, which is the same for everyone, and the page of one sign-up, reached by the secret link in
//! its mails.

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    CancelledBy, EmailAddress, Event, PublicEvent, ScheduledShift, Shift, ShiftId, Signup, SignupState,
    TimeAndPlace,
};
use warp::http::StatusCode;
use warp::reply::Response;

use super::times::Times;
use super::{Head, html, style};
use crate::linked_text::LinkedText;
use crate::plain::answer_in_words;

#[derive(Debug, Template)]
#[template(path = "signup.html")]
struct SignupTemplate<'a> {
    head: Head,
    organization: &'a str,
    heading: &'static str,
    texts: Vec<&'static str>,
    /// The organizer's reason, if the organizer cancelled the sign-up.
    reason: Option<Vec<LinkedText<'a>>>,
    event: &'a str,
    shift: &'a str,
    description: Option<Vec<LinkedText<'a>>>,
    /// What only volunteers with a place get to know.
    instructions: Option<Vec<LinkedText<'a>>>,
    times: Times,
    is_virtual: bool,
    locations: Vec<Vec<LinkedText<'a>>>,
    /// The sign-up, on its own page.
    volunteer: Option<&'a Signup>,
    /// The answers of the sign-up, each after its question.
    answers: Vec<(&'a str, &'a str)>,
    contact: Option<LinkedText<'a>>,
    /// The path of this page, if the sign-up has a place that can be cancelled.
    place: Option<String>,
    /// The path of the event's page, if that is public.
    event_link: Option<String>,
    link_text: &'static str,
}

impl<'a> SignupTemplate<'a> {
    /// Creates the page with the facts about a shift.
    fn of(
        found: &'a PublicEvent,
        shift: &'a ScheduledShift,
        at: &'a TimeAndPlace,
        event_path: String,
        heading: &'static str,
    ) -> Self {
        let PublicEvent { organization, event, .. } = found;
        Self {
            head: Head::private(heading, style::theme_of(event)),
            organization: organization.name.as_str(),
            heading,
            texts: vec![],
            reason: None,
            event: event.title.as_str(),
            shift: shift.title.as_str(),
            description: shift.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
            instructions: None,
            times: Times::of(at.interval, &at.zone),
            is_virtual: event.is_virtual,
            locations: at.locations().map(LinkedText::parts).collect(),
            volunteer: None,
            answers: vec![],
            contact: organization.contact.as_ref().map(EmailAddress::as_str).map(LinkedText::mail_address),
            place: None,
            event_link: event.is_published.then_some(event_path),
            link_text: "Go to the event",
        }
    }
}

/// Renders the page after a sign-up. Returns `None` if the event has no such shift, or if the shift is over.
///
/// The page does not depend on the sign-up, so that it does not reveal who has signed up.
pub(super) fn signed_up(
    found: &PublicEvent,
    shift: ShiftId,
    event_path: String,
    sends_mail: bool,
    now: Timestamp,
) -> Option<Response> {
    let shift = found.shifts.iter().find(|found| found.id == shift && !found.is_over(now))?;
    let at = TimeAndPlace::of(shift, &found.event);
    let (heading, next) = if sends_mail {
        (
            "Check your email",
            "An email with all the details and a link to cancel is on its way to you. If it isn’t there in a few minutes, look \
             in your spam folder, and for an earlier email from us.",
        )
    } else {
        (
            "You’re signed up",
            "You won’t get an email, so write down the day and the time. If you can’t come, tell the organizer.",
        )
    };
    let page = SignupTemplate {
        texts: vec!["Your place is saved.", next],
        link_text: "Back to the event",
        ..SignupTemplate::of(found, shift, &at, event_path, heading)
    };
    Some(html(StatusCode::OK, &page))
}

/// What the page of a cancelled sign-up says to a volunteer who may have signed up again.
const NEWER_LINK: &str = "If you have signed up again since, use the link in the newer email.";

/// Renders the page of a sign-up. Returns `None` if the shift is missing from `found`.
///
/// `path` is the path of this page, `event_path` that of the event's page.
pub(super) fn page(
    status: StatusCode,
    signup: &Signup,
    found: &PublicEvent,
    path: &str,
    event_path: String,
    now: Timestamp,
) -> Option<Response> {
    let PublicEvent { event, shifts, .. } = found;
    let shift = shifts.first()?;
    let (heading, text) = match signup.state {
        SignupState::Cancelled { by, .. } => {
            let heading = match by {
                CancelledBy::Volunteer => "You’ve cancelled your place",
                CancelledBy::EventCancellation => "This event has been cancelled",
                CancelledBy::ShiftDeletion => "This shift has been cancelled",
                // The organizer or the operator, or a canceller that is newer than this page.
                _ => "Your place has been cancelled",
            };
            (heading, Some(cancellation(by, event, shift)))
        }
        SignupState::Confirmed if shift.deleted_at.is_some() => (
            "This shift has been removed",
            Some("The organizer has removed this shift, so there is nothing left to cancel."),
        ),
        SignupState::Confirmed if shift.is_over(now) => (
            "You were signed up",
            Some("This shift is over, so you can no longer cancel your place. Thank you for helping."),
        ),
        SignupState::Confirmed => ("You’re signed up", None),
    };
    let reason = signup.cancellation_reason(event, shift);
    let at = signup.time_and_place(shift, event);
    let is_replaceable =
        signup.cancelled_by().is_some() && !event.is_cancelled() && shift.deleted_at.is_none();
    let answers = signup.answers.iter();
    let page = SignupTemplate {
        texts: text.into_iter().chain(is_replaceable.then_some(NEWER_LINK)).collect(),
        answers: answers
            .map(|answer| (answer.label.as_str(), answer_in_words(answer.value.as_str())))
            .collect(),
        reason: reason.map(|reason| LinkedText::parts(reason.as_str())),
        instructions: event
            .instructions
            .as_ref()
            .filter(|_| signup.is_confirmed())
            .map(|text| LinkedText::parts(text.as_str())),
        volunteer: Some(signup),
        place: shift_to_come(signup, found, now).map(|_| path.to_owned()),
        ..SignupTemplate::of(found, shift, &at, event_path, heading)
    };
    Some(html(status, &page))
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
const fn cancellation(by: CancelledBy, event: &Event, shift: &Shift) -> &'static str {
    match by {
        CancelledBy::EventCancellation => {
            "The organizer has cancelled this event. Thank you for offering to help."
        }
        CancelledBy::ShiftDeletion => {
            "The organizer has cancelled this shift. Thank you for offering to help."
        }
        _ if shift.deleted_at.is_some() => "The organizer has since removed this shift.",
        CancelledBy::Volunteer if event.is_cancelled() => {
            "Thanks for letting us know. The organizer has since cancelled the event."
        }
        CancelledBy::Volunteer => "Thanks for letting us know. Someone else can take your place now.",
        // The organizer or the operator, or a canceller that is newer than this page.
        _ => "The organizer has cancelled your place on this shift. Thank you for offering to help.",
    }
}
