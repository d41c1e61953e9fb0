//! The page of an event: the remaining places of each shift, and a box and a link for each shift that has room.
//!
//! **Invariant:** the page of a cancelled event has no forms, and no links to forms.

mod shifts;

use std::borrow::Cow;
use std::collections::BTreeSet;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    BadgeLabel, EmailAddress, Error, Event, EventDate, NewSignup, PublicEvent, ScheduledShift, ShiftId,
    SignedUp, SignupPhase, WebAddress,
};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::times::{self, OfDay};
use super::typed::SHIFT;
use super::{Head, LinkPreview, html, style};
use crate::linked_text::LinkedText;
use crate::plain::shorten;

use shifts::{Offer, ShiftView, view};
pub(super) use shifts::{has_open_signups, is_open, places};

/// The maximum length of the description in a page's metadata, in characters.
const MAX_SUMMARY: usize = 160;
/// The id of the element that says why a form was refused.
pub(super) const RESULT: &str = "result";

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
    notice: Option<&'a Notice>,
    /// Whether a shift takes sign-ups.
    has_open_shift: bool,
    /// The path of the form.
    form_path: String,
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

/// What the page says first: why a form was refused, or what is missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Notice {
    heading: Cow<'static, str>,
    /// The names of the people who have places on the `taken` shifts.
    people: Vec<String>,
    taken: Vec<Named>,
    /// The shifts that were not taken, each with the reason.
    refused: Vec<(Named, Cow<'static, str>)>,
    /// Whether a form was sent.
    is_answer: bool,
    /// Whether to choose another shift would help.
    asks_for_another: bool,
    texts: Vec<&'static str>,
}

/// A shift in words.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    title: String,
    times: String,
}

impl Named {
    fn of(shift: &ScheduledShift) -> Self {
        let times = times::Times::of(shift.interval(), shift.first_day.zone()).to_string();
        Self { title: shift.title.to_string(), times }
    }
}

// The texts do not depend on whether someone has a place on a shift, so they do not reveal a place.
impl Notice {
    fn of(heading: impl Into<Cow<'static, str>>, texts: Vec<&'static str>) -> Self {
        let (people, taken, refused) = (vec![], vec![], vec![]);
        let (is_answer, asks_for_another) = (false, false);
        Self { heading: heading.into(), people, taken, refused, is_answer, asks_for_another, texts }
    }

    /// Says that the form needs a shift.
    pub(super) fn choose() -> Self {
        Self::of(
            "Choose a shift",
            vec!["Tick each shift that you want, then select “Sign up for the chosen shifts”."],
        )
    }

    /// Says that the form has too many shifts.
    pub(super) fn choose_fewer() -> Self {
        let heading = format!("Choose at most {} shifts at once", NewSignup::MAX_SHIFTS);
        Self::of(heading, vec!["You can sign up for further shifts afterwards."])
    }

    /// Says that sign-ups are closed.
    pub(super) fn closed() -> Self {
        let heading = reason_alone(&Error::SignupsClosed, 1);
        Self { asks_for_another: true, ..Self::of(heading, vec![]) }
    }

    /// Says that the event was cancelled.
    pub(super) fn cancelled() -> Self {
        let text = "The organizer cancelled the event while you were filling in the form.";
        Self::of("Sorry, you can’t sign up", vec![text])
    }

    /// Says that a shift is not one of the event.
    pub(super) fn gone() -> Self {
        let heading = reason_alone(&Error::ShiftDeleted, 1);
        Self {
            asks_for_another: true,
            ..Self::of(heading, vec!["The organizer may have removed this shift."])
        }
    }

    /// Says that none of these shifts takes sign-ups.
    pub(super) fn not_open(shifts: &[&ScheduledShift], now: Timestamp) -> Self {
        let reason = |shift: &ScheduledShift| match shift.is_over(now) {
            true => Error::ShiftOver,
            false => Error::ShiftFull,
        };
        let refused = shifts.iter().map(|shift| ((*shift).clone(), reason(shift)));
        let notice = Self::refused(&refused.collect::<Vec<_>>(), 1);
        match shifts {
            [_] => notice,
            _ => Self { heading: "You can’t sign up for these shifts now".into(), ..notice },
        }
    }

    /// Says which shifts were taken and which were not, if there are any that were not.
    pub(super) fn after(new: &NewSignup, signed_up: &SignedUp, sends_mail: bool) -> Option<Self> {
        let refused = signed_up.shifts.iter().filter_map(|outcome| {
            let reason = outcome.places.as_ref().err()?;
            Some((outcome.shift.clone(), reason.clone()))
        });
        let refused: Vec<_> = refused.collect();
        if refused.is_empty() {
            return None;
        }
        let mut notice = Self { is_answer: true, ..Self::refused(&refused, new.people.len()) };
        let taken = signed_up.shifts.iter().filter(|outcome| outcome.places.is_ok());
        notice.taken = taken.map(|outcome| Named::of(&outcome.shift)).collect();
        if !notice.taken.is_empty() {
            notice.heading = "We could only save some of your places".into();
            notice.people = new.people.iter().map(|person| person.name.to_string()).collect();
            if sends_mail {
                notice.texts.push("An email about the places that are saved is on its way to you.");
            }
        }
        // Nobody keeps a place on a shift that the organizer has removed.
        if refused.iter().any(|(_, reason)| *reason != Error::ShiftDeleted) {
            notice.texts.push(told(sends_mail));
        }
        Some(notice)
    }

    fn refused(shifts: &[(ScheduledShift, Error)], people: usize) -> Self {
        let heading = match shifts {
            [(_, reason)] => reason_alone(reason, people),
            _ => "Sorry, we couldn’t save any places".into(),
        };
        let refused = shifts.iter().map(|(shift, reason)| (Named::of(shift), reason_of(reason, people)));
        Self { refused: refused.collect(), asks_for_another: true, ..Self::of(heading, vec![]) }
    }
}

/// Returns what a refusal means for a person who has a place.
const fn told(sends_mail: bool) -> &'static str {
    if sends_mail {
        "If you already have a place, you keep it, and we’ll email you a link to it (at most once an hour)."
    } else {
        "If you already have a place, you keep it."
    }
}

/// Returns why a form with one shift was refused, as a heading.
fn reason_alone(reason: &Error, people: usize) -> Cow<'static, str> {
    match reason {
        Error::ShiftFull if people > 1 => {
            format!("Sorry, this shift doesn’t have {people} places left").into()
        }
        Error::ShiftFull => "Sorry, this shift is full".into(),
        Error::ShiftOver => "Sorry, this shift is over".into(),
        Error::SignupsClosed => "Sorry, you can’t sign up now".into(),
        _ => "Sorry, this shift is no longer available".into(),
    }
}

/// Returns why a shift of a form was not taken, after its name.
fn reason_of(reason: &Error, people: usize) -> Cow<'static, str> {
    match reason {
        Error::ShiftFull if people > 1 => format!("it doesn’t have {people} places left").into(),
        Error::ShiftFull => "it is full".into(),
        Error::ShiftOver => "it is over".into(),
        Error::SignupsClosed => "sign-ups are closed".into(),
        _ => "the organizer has removed it".into(),
    }
}

/// What the page shows besides the event.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// The shifts whose boxes are ticked.
    pub(super) chosen: BTreeSet<ShiftId>,
    pub(super) notice: Option<Notice>,
}

impl From<Notice> for Focus {
    fn from(notice: Notice) -> Self {
        Self { notice: Some(notice), ..Self::default() }
    }
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
    let PublicEvent { organization, event, shifts, .. } = found;
    let open = shifts.iter().filter(|shift| is_open(event, shift, now)).count();
    let form_path = format!("{}/signups", site.path);
    let views = shifts.iter().map(|shift| {
        let offer = is_open(event, shift, now).then(|| Offer {
            link: choice(&form_path, [shift.id]),
            is_chosen: focus.chosen.contains(&shift.id),
        });
        view(event, shift, offer, now)
    });
    let days_of_shifts = times::by_day(views, |shift: &ShiftView<'_>| &shift.times);
    let title = event.title.as_str();
    let prefix = match focus.notice {
        _ if event.is_cancelled() => "Cancelled: ",
        None => "",
        Some(_) => "Problem: ",
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
        notice: focus.notice.as_ref(),
        has_open_shift: open > 0,
        form_path,
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
    // A browser that goes back restores ticks only for a page that it may store. A page that names people is stored by no cache.
    if focus.notice.as_ref().is_none_or(|notice| notice.people.is_empty()) {
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

/// Returns the path of a page with chosen shifts.
pub(super) fn choice(path: &str, shifts: impl IntoIterator<Item = ShiftId>) -> String {
    let query: Vec<_> = shifts.into_iter().map(|shift| format!("{SHIFT}={shift}")).collect();
    format!("{path}?{}", query.join("&"))
}

/// Returns the action of the form of the event whose page has this path.
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
mod tests;
