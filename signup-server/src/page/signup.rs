//! The page after a sign-up, which is the same for everyone.

use askama::Template;
use jiff::Timestamp;
use signup_core::{EmailAddress, PublicEvent, ScheduledShift, ShiftId, TimeAndPlace};
use warp::http::StatusCode;
use warp::reply::Response;

use super::times::Times;
use super::{Head, html, style};
use crate::linked_text::LinkedText;

#[derive(Debug, Template)]
#[template(path = "signup.html")]
struct SignupTemplate<'a> {
    head: Head,
    organization: &'a str,
    heading: &'static str,
    texts: Vec<&'static str>,
    event: &'a str,
    shift: &'a str,
    description: Option<Vec<LinkedText<'a>>>,
    times: Times,
    is_virtual: bool,
    locations: Vec<Vec<LinkedText<'a>>>,
    contact: Option<LinkedText<'a>>,
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
            event: event.title.as_str(),
            shift: shift.title.as_str(),
            description: shift.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
            times: Times::of(at.interval, &at.zone),
            is_virtual: event.is_virtual,
            locations: at.locations().map(LinkedText::parts).collect(),
            contact: organization.contact.as_ref().map(EmailAddress::as_str).map(LinkedText::mail_address),
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
