//! The page of an event: the remaining places of each shift, and a sign-up form for each shift that has room.
//!
//! **Invariant:** the page of a cancelled event has no forms, and no links to forms.

mod form;

use std::collections::BTreeMap;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    BadgeLabel, Event, EventDate, Faults, Occupancy, PublicEvent, Question, ScheduledShift, ShiftId,
    WebAddress,
};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::times::{self, Times};
use super::{Head, html, style};
use crate::linked_text::LinkedText;
use crate::wire::field_name;

use form::{EMAIL, FieldKind, Form, NAME, field_id, form, sentence};

/// The maximum number of fields and options in all forms of one page. If the forms would have more, each shift has a
/// link to a page with its own form instead.
const MAX_CONTROLS: usize = 3000;
/// The maximum length of the description in a page's metadata, in characters.
const MAX_SUMMARY: usize = 160;

#[derive(Debug, Template)]
#[template(path = "event.html")]
struct EventTemplate<'a> {
    head: Head,
    organization: LinkedText<'a>,
    badge: Option<&'a str>,
    title: &'a str,
    days: String,
    location: Option<Vec<LinkedText<'a>>>,
    is_virtual: bool,
    cancellation: Option<Cancellation<'a>>,
    description: Option<Vec<LinkedText<'a>>>,
    status: Option<Status>,
    zone: String,
    /// Whether each shift shows its day, because the event has several days.
    shows_days: bool,
    shifts: Vec<ShiftView<'a>>,
    problem: Option<Problem>,
}

/// The text that says that the event is cancelled, and why.
#[derive(Debug)]
struct Cancellation<'a> {
    reason: Option<Vec<LinkedText<'a>>>,
}

/// The text that says that no shift takes sign-ups, and why.
#[derive(Debug)]
struct Status {
    heading: &'static str,
    text: &'static str,
}

/// The text that says that a sign-up was refused, and why.
#[derive(Debug)]
struct Problem {
    heading: &'static str,
    text: Option<&'static str>,
    mistakes: Vec<Mistake>,
}

/// A fault of one field, with a link to the field.
#[derive(Debug)]
struct Mistake {
    /// The id of the field's element.
    field: String,
    message: String,
}

#[derive(Debug)]
struct ShiftView<'a> {
    id: ShiftId,
    title: &'a str,
    times: Times,
    location: Option<Vec<LinkedText<'a>>>,
    /// The number of volunteers that are still needed, in words.
    need: String,
    /// The percentage of places that are taken, 0 to 100. `None` if the event is cancelled.
    percent: Option<u64>,
    /// Whether the shift takes no sign-up: it is full, over or cancelled.
    is_closed: bool,
    offer: Offer<'a>,
}

/// How a visitor can sign up for a shift on this page.
#[derive(Debug)]
enum Offer<'a> {
    Form(Form<'a>),
    /// A link to a page with the form of the shift.
    Link(String),
    Nothing,
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
    /// The reason why a valid form was refused: a heading, and a text.
    pub(super) obstacle: Option<(&'static str, &'static str)>,
}

/// Renders the page of an event as a response with the HTTP status `status`.
///
/// `path` is the path of the page, `url` its canonical URL.
pub(super) fn page(
    status: StatusCode,
    found: &PublicEvent,
    path: &str,
    url: String,
    focus: &Focus,
    now: Timestamp,
) -> Response {
    let PublicEvent { organization, event, shifts, questions, .. } = found;
    let is_open = |shift: &ScheduledShift| is_open(event, shift, now);
    let open = shifts.iter().filter(|shift| is_open(shift)).count();
    let controls = 2 + questions.iter().map(|question| 1 + question.options.len()).sum::<usize>();
    let has_forms = open * controls <= MAX_CONTROLS;
    let views = shifts.iter().map(|shift| {
        let is_in_focus = focus.shift == Some(shift.id);
        // A form with faults keeps its typed values, even if the shift has meanwhile become full or over.
        let has_faults = is_in_focus && !focus.faults.is_empty();
        let offer = if event.is_cancelled() || !is_open(shift) && !has_faults {
            Offer::Nothing
        } else if has_forms || is_in_focus {
            Offer::Form(form(shift, questions, path, is_in_focus.then_some(focus)))
        } else {
            Offer::Link(format!("{path}?slot_id={0}#slot-{0}", shift.id))
        };
        view(event, shift, offer, now)
    });
    let problem = problem(focus, questions);
    let title = event.title.as_str();
    let prefix = match &problem {
        Some(_) => "Problem: ",
        None if event.is_cancelled() => "Cancelled: ",
        None => "",
    };
    let page = EventTemplate {
        head: Head {
            title: format!("{prefix}{title}"),
            description: summary(event, organization.name.as_str()),
            url: Some(url),
            theme: event.theme.unwrap_or(style::DEFAULT_THEME),
        },
        organization: LinkedText::to(
            organization.name.as_str(),
            organization.public_url.as_ref().map(WebAddress::as_str).unwrap_or_default(),
        ),
        badge: event.badge_label.as_ref().map(BadgeLabel::as_str),
        title,
        days: times::days(event.dates.first.date().date(), event.dates.last.map(EventDate::date)),
        location: event.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        is_virtual: event.is_virtual,
        cancellation: event.is_cancelled().then(|| Cancellation {
            reason: event.cancellation_reason.as_ref().map(|reason| LinkedText::parts(reason.as_str())),
        }),
        description: event.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
        status: status_of(event, shifts, open, now),
        zone: event.dates.first.zone().name().to_owned(),
        shows_days: event.dates.days() > 1,
        shifts: views.collect(),
        problem,
    };
    let mut response = html(status, &page);
    // A browser that goes back restores typed values only for a page that it may store.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Returns whether the shift takes sign-ups.
fn is_open(event: &Event, shift: &ScheduledShift, now: Timestamp) -> bool {
    !event.is_cancelled() && shift.takes_signups(now)
}

fn status_of(event: &Event, shifts: &[ScheduledShift], open: usize, now: Timestamp) -> Option<Status> {
    let (heading, text) = if event.is_cancelled() {
        return None;
    } else if event.is_over(now) {
        ("This event is over", "Thank you to everybody who helped.")
    } else if shifts.is_empty() {
        ("No shifts yet", "There is nothing to sign up for at the moment. Please look again later.")
    } else if open > 0 {
        return None;
    } else if shifts.iter().any(|shift| shift.occupancy.has_room()) {
        ("Sign-up is closed", "Every shift that still had room is over.")
    } else {
        ("Every shift is full", "Thank you! When somebody cancels, the place can be taken here.")
    };
    Some(Status { heading, text })
}

fn view<'a>(event: &Event, shift: &'a ScheduledShift, offer: Offer<'a>, now: Timestamp) -> ShiftView<'a> {
    let interval = shift.interval();
    let is_over = interval.is_over(now);
    let is_cancelled = event.is_cancelled();
    let Occupancy { capacity, filled } = shift.occupancy;
    let capacity = capacity.volunteers();
    let need = match (is_over, is_cancelled) {
        (true, _) => "This shift is over".to_owned(),
        (false, true) => "Cancelled".to_owned(),
        (false, false) => need(shift.occupancy),
    };
    ShiftView {
        id: shift.id,
        title: shift.title.as_str(),
        times: Times::of(interval, shift.day.zone()),
        location: shift.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        need,
        percent: (!is_cancelled).then(|| u64::from(filled.min(capacity)) * 100 / u64::from(capacity)),
        is_closed: !is_open(event, shift, now),
        offer,
    }
}

/// Returns the number of volunteers that are still needed, in words.
fn need(occupancy: Occupancy) -> String {
    let (capacity, filled, remaining) =
        (occupancy.capacity.volunteers(), occupancy.filled, occupancy.remaining());
    if occupancy.is_over_full() {
        return format!("Full: {filled} signed up for {capacity} {}", places(capacity));
    }
    match remaining {
        0 if capacity == 1 => "Full: the only place is taken".to_owned(),
        0 => format!("Full: all {capacity} places are taken"),
        _ if filled == 0 => format!("{remaining} needed"),
        1 => format!("Only 1 of {capacity} still needed"),
        // At most a fifth of the places remains.
        _ if remaining <= capacity / 5 => format!("Only {remaining} of {capacity} still needed"),
        _ => format!("{remaining} of {capacity} still needed"),
    }
}

const fn places(number: u32) -> &'static str {
    if number == 1 { "place" } else { "places" }
}

/// Returns the text about a refused sign-up, or `None` if the page shows no refused sign-up.
fn problem(focus: &Focus, questions: &[Question]) -> Option<Problem> {
    if let Some((heading, text)) = focus.obstacle {
        return Some(Problem { heading, text: Some(text), mistakes: vec![] });
    }
    let shift = focus.shift.filter(|_| !focus.faults.is_empty())?;
    let label = |name: &str| match name {
        NAME => "Your name".to_owned(),
        EMAIL => "Your e-mail address".to_owned(),
        name => {
            let is_asked = |question: &&Question| name == format!("answer.{}", question.id);
            questions.iter().find(is_asked).map_or_else(|| name.to_owned(), |found| found.label.to_string())
        }
    };
    let mistakes = focus.faults.iter().map(|fault| {
        let name = field_name(&fault.path);
        Mistake { field: field_id(&name, shift), message: sentence(&label(&name), fault) }
    });
    Some(Problem {
        heading: "You are not signed up yet",
        text: Some("Please mend this and send the form again:"),
        mistakes: mistakes.collect(),
    })
}

/// Returns the description for search engines and messengers: the date, and the start of the event's description.
fn summary(event: &Event, organization: &str) -> String {
    let date = times::day(event.dates.first.date().date());
    let text = match &event.description {
        Some(description) => description.as_str().split_whitespace().collect::<Vec<_>>().join(" "),
        None if event.is_cancelled() => organization.to_owned(),
        None => format!("{organization} asks for volunteers."),
    };
    let cancelled = if event.is_cancelled() { "Cancelled. " } else { "" };
    let text = format!("{cancelled}{date}. {text}");
    if text.chars().count() <= MAX_SUMMARY {
        return text;
    }
    let cut: String = text.chars().take(MAX_SUMMARY - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod tests {
    use signup_core::Capacity;

    use super::*;

    #[test]
    fn the_number_of_needed_volunteers_is_in_words() {
        for (capacity, filled, words) in [
            (8, 0, "8 needed"),
            (8, 3, "5 of 8 still needed"),
            (8, 7, "Only 1 of 8 still needed"),
            (20, 16, "Only 4 of 20 still needed"),
            (20, 15, "5 of 20 still needed"),
            (1, 0, "1 needed"),
            (1, 1, "Full: the only place is taken"),
            (8, 8, "Full: all 8 places are taken"),
            (1, 2, "Full: 2 signed up for 1 place"),
            (8, 10, "Full: 10 signed up for 8 places"),
        ] {
            let occupancy = Occupancy { capacity: Capacity::new(capacity).unwrap(), filled };
            assert_eq!(need(occupancy), words);
        }
    }
}
