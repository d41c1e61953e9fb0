//! The page of an event: where help is still needed, and a form for each shift that has room.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use jiff::Timestamp;
use signup_core::{
    AnswerText, BadgeLabel, Description, EmailAddress, Event, EventDate, FaultKind, Faults, Occupancy,
    PersonName, PublicEvent, Question, QuestionKind, Shift, ShiftId, WebAddress,
};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::linked_text::LinkedText;
use super::times::{self, Times};
use super::{Head, html, style};
use crate::wire::{field_name, predicate};

/// So many fields and options stand in the forms of one page at most. Where there would be more, each shift has a link to
/// a page with its own form.
const MOST_CONTROLS: usize = 3000;
/// The longest description in a page's metadata, in characters.
const SUMMARY: usize = 160;

#[derive(Debug, Template)]
#[template(path = "event.html")]
struct EventTemplate<'a> {
    head: Head,
    by: LinkedText<'a>,
    badge: Option<&'a str>,
    title: &'a str,
    days: String,
    location: Option<LinkedText<'a>>,
    is_virtual: bool,
    description: Option<&'a str>,
    status: Option<Status>,
    zone: String,
    /// Whether it has to be said on which day a shift is.
    has_days: bool,
    shifts: Vec<ShiftView<'a>>,
    problem: Option<Problem>,
}

/// How things stand as a whole, if that is worth saying.
#[derive(Debug)]
struct Status {
    heading: &'static str,
    text: &'static str,
}

/// Why what was asked for did not happen.
#[derive(Debug)]
struct Problem {
    heading: &'static str,
    text: Option<&'static str>,
    mistakes: Vec<Mistake>,
}

#[derive(Debug)]
struct Mistake {
    /// The id of the element.
    field: String,
    message: String,
}

#[derive(Debug)]
struct ShiftView<'a> {
    id: ShiftId,
    title: &'a str,
    times: Times,
    location: Option<LinkedText<'a>>,
    /// How many are needed, in words.
    need: String,
    /// How much of it is taken, 0 to 100.
    percent: u64,
    is_closed: bool,
    is_over: bool,
    offer: Offer<'a>,
    calendar: String,
}

#[derive(Debug)]
enum Offer<'a> {
    Form(Form<'a>),
    Link(String),
    Nothing,
}

#[derive(Debug)]
struct Form<'a> {
    action: String,
    label: String,
    slot: ShiftId,
    is_open: bool,
    fields: Vec<Field<'a>>,
}

#[derive(Debug)]
struct Field<'a> {
    id: String,
    name: String,
    label: &'a str,
    is_required: bool,
    mistake: Option<String>,
    kind: FieldKind<'a>,
}

#[derive(Debug)]
enum FieldKind<'a> {
    Line { kind: &'static str, value: &'a str, complete: &'static str, longest: usize },
    Choice { options: Vec<Choice<'a>> },
    Tick { is_ticked: bool },
}

#[derive(Debug)]
struct Choice<'a> {
    text: &'a str,
    is_chosen: bool,
}

/// What the page shows besides the event.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// The shift whose form is open.
    pub(super) shift: Option<ShiftId>,
    /// What was typed into that form, by the field's name.
    pub(super) typed: BTreeMap<String, String>,
    /// What is wrong with it.
    pub(super) faults: Faults,
    /// An obstacle that is no fault of the form: a heading, and what to do.
    pub(super) obstacle: Option<(&'static str, &'static str)>,
}

/// The page, with this status. `path` is the event's, `url` its address for others.
pub(super) fn page(
    status: StatusCode,
    found: &PublicEvent,
    path: &str,
    url: String,
    focus: &Focus,
    now: Timestamp,
) -> Response {
    let PublicEvent { organization, event, shifts, questions, .. } = found;
    let open = shifts.iter().filter(|shift| is_open(shift, now)).count();
    let controls = 2 + questions.iter().map(|question| 1 + question.options.len()).sum::<usize>();
    let has_forms = open * controls <= MOST_CONTROLS;
    let views = shifts.iter().map(|shift| {
        let is_in_focus = focus.shift == Some(shift.id);
        // The typed values are kept, even if the shift takes no sign-up by now.
        let is_mended = is_in_focus && !focus.faults.is_empty();
        let offer = if !is_open(shift, now) && !is_mended {
            Offer::Nothing
        } else if has_forms || is_in_focus {
            Offer::Form(form(shift, questions, path, is_in_focus.then_some(focus)))
        } else {
            Offer::Link(format!("{path}?slot_id={0}#slot-{0}", shift.id))
        };
        view(shift, path, offer, now)
    });
    let problem = problem(focus, questions);
    let title = event.title.as_str();
    let page = EventTemplate {
        head: Head {
            title: if problem.is_some() { format!("Problem: {title}") } else { title.to_owned() },
            description: summary(event, organization.name.as_str()),
            url: Some(url),
            theme: event.theme.unwrap_or(style::DEFAULT_THEME),
        },
        by: LinkedText::to(
            organization.name.as_str(),
            organization.public_url.as_ref().map(WebAddress::as_str).unwrap_or_default(),
        ),
        badge: event.badge_label.as_ref().map(BadgeLabel::as_str),
        title,
        days: times::days(event.dates.first.date().date(), event.dates.last.map(EventDate::date)),
        location: event.location.as_ref().map(|location| LinkedText::new(location.as_str())),
        is_virtual: event.is_virtual,
        description: event.description.as_ref().map(Description::as_str),
        status: status_of(shifts, open, event.dates.ends_at() <= now),
        zone: event.dates.first.zone().name().to_owned(),
        has_days: event.dates.days() > 1,
        shifts: views.collect(),
        problem,
    };
    let mut response = html(status, &page);
    // A browser that goes back restores typed values only for a page that it may store.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Returns whether the shift takes sign-ups.
fn is_open(shift: &Shift, now: Timestamp) -> bool {
    shift.occupancy.has_room() && shift.interval().end > now
}

fn status_of(shifts: &[Arc<Shift>], open: usize, is_over: bool) -> Option<Status> {
    let (heading, text) = if is_over {
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

fn view<'a>(shift: &'a Shift, path: &str, offer: Offer<'a>, now: Timestamp) -> ShiftView<'a> {
    let interval = shift.interval();
    let is_over = interval.end <= now;
    let Occupancy { capacity, filled } = shift.occupancy;
    let capacity = capacity.volunteers();
    ShiftView {
        id: shift.id,
        title: shift.title.as_str(),
        times: Times::of(interval, shift.day.zone()),
        location: shift.location.as_ref().map(|location| LinkedText::new(location.as_str())),
        need: if is_over { "This shift is over".to_owned() } else { need(shift.occupancy) },
        percent: u64::from(filled.min(capacity)) * 100 / u64::from(capacity),
        is_closed: is_over || !shift.occupancy.has_room(),
        is_over,
        offer,
        calendar: format!("{path}/slots/{}.ics", shift.id),
    }
}

/// How many are still needed, in words.
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
        // The last fifth.
        _ if remaining <= capacity / 5 => format!("Only {remaining} of {capacity} still needed"),
        _ => format!("{remaining} of {capacity} still needed"),
    }
}

const fn places(number: u32) -> &'static str {
    if number == 1 { "place" } else { "places" }
}

/// The form of a shift; filled in with what was typed, if it is the one in focus.
fn form<'a>(shift: &Shift, questions: &'a [Question], path: &str, focus: Option<&'a Focus>) -> Form<'a> {
    let value = |name: &str| {
        let typed = focus.and_then(|focus| focus.typed.get(name));
        typed.map_or("", String::as_str)
    };
    let field = |name: String, label: &'a str, is_required: bool, kind: FieldKind<'a>| {
        let fault = focus.and_then(|focus| focus.faults.iter().find(|fault| field_name(&fault.path) == name));
        Field {
            id: field_id(&name, shift.id),
            label,
            is_required,
            mistake: fault.map(|fault| sentence(label, &fault.kind)),
            kind,
            name,
        }
    };
    let line =
        |kind, name: &str, complete, longest| FieldKind::Line { kind, value: value(name), complete, longest };
    let mut fields = vec![
        field(NAME.to_owned(), "Your name", true, line("text", NAME, "name", PersonName::MAX)),
        field(
            EMAIL.to_owned(),
            "Your e-mail address",
            true,
            line("email", EMAIL, "email", EmailAddress::MAX),
        ),
    ];
    fields.extend(questions.iter().map(|question| {
        let name = format!("answer.{}", question.id);
        let kind = match question.kind {
            QuestionKind::Select => {
                let chosen = value(&name);
                let choice = |text: &'a str| Choice { text, is_chosen: text == chosen };
                let options = question.options.iter().map(|option| choice(option.as_str())).collect();
                FieldKind::Choice { options }
            }
            QuestionKind::Checkbox => FieldKind::Tick { is_ticked: !value(&name).is_empty() },
            // A text, or a kind that this page has no control for.
            _ => line("text", &name, "", AnswerText::MAX),
        };
        field(name, question.label.as_str(), question.required, kind)
    }));
    Form {
        action: format!("{path}/signups"),
        label: format!("Sign up for {}, {}", shift.title, shift.hours.start()),
        slot: shift.id,
        is_open: focus.is_some(),
        fields,
    }
}

const NAME: &str = "name";
const EMAIL: &str = "email";

/// The id of a field's element: each form of a page has its own.
fn field_id(name: &str, shift: ShiftId) -> String {
    format!("{}-{shift}", name.replace('.', "-"))
}

/// Returns the sentence about a fault, with the label that the field has in the form.
fn sentence(label: &str, kind: &FaultKind) -> String {
    format!("“{label}” {}.", predicate(kind))
}

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
        Mistake { field: field_id(&name, shift), message: sentence(&label(&name), &fault.kind) }
    });
    Some(Problem {
        heading: "You are not signed up yet",
        text: Some("Please mend this and send the form again:"),
        mistakes: mistakes.collect(),
    })
}

/// A sentence or two for search engines and messengers.
fn summary(event: &Event, organization: &str) -> String {
    let date = times::day(event.dates.first.date().date());
    let text = match &event.description {
        Some(description) => description.as_str().split_whitespace().collect::<Vec<_>>().join(" "),
        None => format!("{organization} asks for volunteers."),
    };
    let text = format!("{date}. {text}");
    if text.chars().count() <= SUMMARY {
        return text;
    }
    let cut: String = text.chars().take(SUMMARY - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use signup_core::Capacity;

    use super::*;

    #[test]
    fn what_is_needed_is_said_in_words() {
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
