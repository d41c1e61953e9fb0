//! The page of an event: the remaining places of each shift, and a sign-up form for each shift that has room.
//!
//! **Invariant:** the page of a cancelled event has no forms, and no links to forms.

mod form;
mod shifts;

use std::borrow::Cow;
use std::collections::BTreeMap;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    BadgeLabel, EmailAddress, Event, EventDate, Faults, PublicEvent, ScheduledShift, ShiftId, SignupPhase,
    WebAddress,
};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::times::{self, OfDay};
use super::{Head, LinkPreview, html, style};
use crate::linked_text::LinkedText;
use crate::plain::shorten;

use form::{FieldKind, form};
pub(super) use shifts::has_open_signups;
use shifts::{Offer, ShiftView, is_open, view};

/// The maximum number of fields and options in all forms of one page. If the forms would have more, each shift has a
/// link to a page with its own form instead.
const MAX_CONTROLS: usize = 3000;
/// The maximum length of the description in a page's metadata, in characters.
const MAX_SUMMARY: usize = 160;
/// The id of the element that says why a form was refused.
const RESULT: &str = "result";

#[derive(Debug, Template)]
#[template(path = "event.html")]
struct EventTemplate<'a> {
    head: Head,
    organization: &'a str,
    organization_url: Option<&'a str>,
    /// Whether the page says that the organization looks for volunteers: the event is to come.
    is_asking: bool,
    badge: Option<&'a str>,
    title: &'a str,
    days: String,
    location: Option<Vec<LinkedText<'a>>>,
    is_virtual: bool,
    contact: Option<LinkedText<'a>>,
    obstacle: Option<Obstacle>,
    sends_mail: bool,
    /// Whether a shift takes sign-ups.
    has_open_shift: bool,
    cancellation: Option<CancelledText<'a>>,
    status: Option<Status>,
    description: Option<Vec<LinkedText<'a>>>,
    heading_of_shifts: String,
    zone_note: String,
    /// The shifts, grouped by the day on which they begin.
    days_of_shifts: Vec<OfDay<ShiftView<'a>>>,
}

/// The text that says that the event is cancelled, and why.
#[derive(Debug)]
struct CancelledText<'a> {
    reason: Option<Vec<LinkedText<'a>>>,
}

/// The text that says that no shift takes sign-ups, and why.
#[derive(Debug)]
struct Status {
    heading: Cow<'static, str>,
    text: &'static str,
}

/// Why a valid form was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Obstacle {
    heading: &'static str,
    text: &'static str,
    /// What a server that sends mails says besides.
    mail: &'static str,
}

// The texts do not depend on whether the address has a place on the shift, so they do not reveal a place.
impl Obstacle {
    pub(super) const FULL: Self = Self {
        heading: "Sorry, this shift is full",
        text: "If you had already signed up for this shift, you still have your place.",
        mail: " We’ll then email you a link to it (at most once an hour).",
    };
    pub(super) const OVER: Self = Self {
        heading: "Sorry, this shift is over",
        text: "No one can sign up for it any more.",
        mail: " If you had already signed up for it, we’ll email you a link to your place (at most once an hour).",
    };
    pub(super) const CLOSED: Self = Self {
        heading: "Sorry, you can’t sign up now",
        text: "If you had already signed up for this shift, you still have your place.",
        mail: " We’ll then email you a link to it (at most once an hour).",
    };
    pub(super) const CANCELLED: Self = Self {
        heading: "Sorry, you can’t sign up",
        text: "The organizer cancelled the event while you were filling in the form.",
        mail: "",
    };
    pub(super) const GONE: Self = Self {
        heading: "Sorry, this shift is no longer available",
        text: "The organizer may have removed this shift.",
        mail: "",
    };
}

/// The state of a form or of a refused sign-up, which the page shows besides the event.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// The shift whose form is open.
    pub(super) shift: Option<ShiftId>,
    /// The values that were typed into the form, by the field's name.
    pub(super) typed: BTreeMap<String, String>,
    /// The faults of the typed values.
    pub(super) faults: Faults,
    pub(super) obstacle: Option<Obstacle>,
}

/// Where the page of an event is, and what the server can do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    /// The path of the page.
    pub(super) path: &'a str,
    /// The canonical URL of the page.
    pub(super) url: &'a str,
    pub(super) sends_mail: bool,
}

/// Renders the page of an event as a response with the HTTP status `status`.
pub(super) fn page(
    status: StatusCode,
    found: &PublicEvent,
    site: Site<'_>,
    focus: &Focus,
    now: Timestamp,
) -> Response {
    let PublicEvent { organization, event, shifts, questions, .. } = found;
    let open = shifts.iter().filter(|shift| is_open(event, shift, now)).count();
    let controls = 2 + questions.iter().map(|question| 1 + question.options.len()).sum::<usize>();
    let has_forms = open * controls <= MAX_CONTROLS;
    let views = shifts.iter().map(|shift| {
        let is_in_focus = focus.shift == Some(shift.id);
        // A form with faults keeps its typed values, even if the shift has meanwhile become full or over.
        let has_faults = is_in_focus && !focus.faults.is_empty();
        let offer = if !has_open_signups(event, now) || !is_open(event, shift, now) && !has_faults {
            Offer::Nothing
        } else if has_forms || is_in_focus {
            Offer::Form(form(shift, found, site, is_in_focus.then_some(focus)))
        } else {
            Offer::Link(format!("{}?slot_id={1}#slot-{1}", site.path, shift.id))
        };
        view(event, shift, offer, now)
    });
    let days_of_shifts = times::by_day(views, |shift: &ShiftView<'_>| &shift.times);
    let title = event.title.as_str();
    let prefix = match focus {
        _ if event.is_cancelled() => "Cancelled: ",
        Focus { obstacle: None, faults, .. } if faults.is_empty() => "",
        _ => "Problem: ",
    };
    let page = EventTemplate {
        head: Head {
            title: format!("{prefix}{title}"),
            preview: Some(LinkPreview {
                url: site.url.to_owned(),
                description: summary(event, organization.name.as_str()),
                site_name: organization.name.to_string(),
            }),
            theme: style::theme_of(event),
        },
        organization: organization.name.as_str(),
        organization_url: organization.public_url.as_ref().map(WebAddress::as_str),
        is_asking: !event.is_cancelled() && !event.is_over_with(shifts, now),
        badge: event.badge_label.as_ref().map(BadgeLabel::as_str),
        title,
        days: times::days(event.dates.first.date().date(), event.dates.last.map(EventDate::date)),
        location: event.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        is_virtual: event.is_virtual,
        contact: organization.contact.as_ref().map(EmailAddress::as_str).map(LinkedText::mail_address),
        obstacle: focus.obstacle,
        sends_mail: site.sends_mail,
        has_open_shift: open > 0,
        cancellation: event.is_cancelled().then(|| CancelledText {
            reason: event.cancellation_reason.as_ref().map(|reason| LinkedText::parts(reason.as_str())),
        }),
        status: status_of(event, shifts, open, now),
        description: event.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
        heading_of_shifts: heading_of(&days_of_shifts, event),
        zone_note: format!("All times are in {}.", times::zone_in_words(event.dates.first.zone())),
        days_of_shifts,
    };
    let mut response = html(status, &page);
    // A browser that goes back restores typed values only for a page that it may store. A page that has them itself is
    // about a person, and no cache stores it.
    if focus.typed.is_empty() {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    response
}

fn status_of(event: &Event, shifts: &[ScheduledShift], open: usize, now: Timestamp) -> Option<Status> {
    let phase = event.signup_phase(now);
    let (heading, text) = if event.is_cancelled() {
        return None;
    } else if event.is_over_with(shifts, now) {
        ("This event is over", "Thank you to everyone who helped.")
    } else if let Some(opens) = event.signups_open().filter(|_| phase == SignupPhase::Ahead) {
        let heading = format!("Sign-ups open on {}", times::opening(opens, event));
        return Some(Status { heading: heading.into(), text: "Please come back then." });
    } else if phase == SignupPhase::Closed {
        ("Sign-ups are closed", "No one can sign up for this event at the moment.")
    } else if shifts.is_empty() {
        ("No shifts yet", "There is nothing to sign up for at the moment. Please check again later.")
    } else if open > 0 {
        return None;
    } else if shifts.iter().all(|shift| shift.is_over(now)) {
        ("Sign-up has closed", "Every shift is over.")
    } else if shifts.iter().all(|shift| shift.is_over(now) || shift.occupancy.capacity.volunteers() == 0) {
        ("No sign-up at the moment", "You can’t sign up for these shifts now.")
    } else {
        ("No places left", "If someone cancels, their place will show here.")
    };
    Some(Status { heading: heading.into(), text })
}

/// Returns the action of the forms of the page with this path.
///
/// The fragment is the id of the element that says why the form was refused. So a browser scrolls to that element and
/// focuses it, without a script.
pub(super) fn form_action(path: &str) -> String {
    format!("{path}/signups#{RESULT}")
}

/// Returns the heading of the shifts. It names their day, unless they have several or that is the only day of the event.
fn heading_of(days: &[OfDay<ShiftView<'_>>], event: &Event) -> String {
    let only_day = (event.dates.days() == 1).then(|| event.dates.first.date().date());
    match days {
        [of_day] if Some(of_day.date) != only_day => format!("Shifts on {}", times::day(of_day.date)),
        _ => "Shifts".to_owned(),
    }
}

/// Returns the description for search engines and messengers: the date, and the start of the event's description.
fn summary(event: &Event, organization: &str) -> String {
    let date = times::day(event.dates.first.date().date());
    let text = match &event.description {
        Some(description) => description.to_string(),
        None if event.is_cancelled() => organization.to_owned(),
        None => format!("{organization} is looking for volunteers."),
    };
    let cancelled = if event.is_cancelled() { "Cancelled. " } else { "" };
    shorten(&format!("{cancelled}{date}. {text}"), MAX_SUMMARY)
}

#[cfg(test)]
mod form_tests;
