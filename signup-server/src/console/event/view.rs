//! The page of an event: its state, its shifts and what they still need, its questions, and what can be done with it.

use std::cmp::Reverse;

use askama::Template;
use jiff::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use signup_core::{
    Coverage, CoverageState, Event, EventWithShifts, Question, QuestionKind, ShiftCoverage, ShiftDescription,
    ShiftLocation, SignupPhase,
};
use warp::http::StatusCode;

use super::super::share::{svg_of, url_of};
use super::super::signups::waiting_in_words;
use super::super::{Frame, MemberCall, PageResult, show};
use super::path_of;
use crate::linked_text::LinkedText;
use crate::page::times::{self, OfDay, Times};
use crate::page::{Bar, Head};
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "console/event.html")]
struct EventTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    path: String,
    event: &'a Event,
    state: &'static str,
    /// What the state means for volunteers.
    state_text: &'static str,
    /// When sign-ups open and close. `None` if neither is set.
    signups: Option<String>,
    /// Whether sign-ups can be opened.
    can_open: bool,
    /// Whether sign-ups can be closed.
    can_close: bool,
    days: String,
    zone: String,
    location: Option<Vec<LinkedText<'a>>>,
    description: Option<Vec<LinkedText<'a>>>,
    instructions: Option<Vec<LinkedText<'a>>>,
    reason: Option<Vec<LinkedText<'a>>>,
    url: String,
    /// What is shared of a published event.
    share: Option<Share>,
    is_public: bool,
    can_change: bool,
    is_over: bool,
    need: Option<(String, Bar)>,
    /// The sentence about the volunteers above the capacity of full shifts.
    over_filled: Option<String>,
    by_time: bool,
    /// The shifts, grouped by the day on which they begin.
    days_of_shifts: Vec<OfDay<ShiftRow<'a>>>,
    questions: Vec<QuestionRow<'a>>,
}

/// What is escaped in a link that writes a mail: not the colons and the slashes of an address, so that it stays readable.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':').remove(b'/');

/// How an event is made known.
#[derive(Debug)]
struct Share {
    /// A text to paste.
    text: String,
    /// The link that writes a mail with the text.
    mail: String,
    qr_code: Option<String>,
}

fn share(event: &Event, url: &str) -> Share {
    // Some mail programs take links of about 2,000 characters only.
    const MAX_LOCATION: usize = 300;
    let location = event.location.as_ref().map(|location| location.as_str().to_owned());
    let location = location.filter(|location| location.len() <= MAX_LOCATION);
    let location = location.or_else(|| event.is_virtual.then(|| Texts::of(event.language).online()));
    let lines = [Some(event.title.to_string()), Some(times::days(event)), location, Some(url.to_owned())];
    let text = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let [subject, body] = [event.title.to_string(), text.replace('\n', "\r\n")]
        .map(|text| utf8_percent_encode(&text, ESCAPED).to_string());
    let mail = format!("mailto:?subject={subject}&body={body}");
    Share { text, mail, qr_code: svg_of(url) }
}

/// Returns what the shifts that are not over still need, as a sentence and a bar. `None` if there are no such shifts.
pub(super) fn need(coverage: &Coverage) -> Option<(String, Bar)> {
    let (capacity, needed) = (coverage.capacity, coverage.remaining);
    let words = match (needed, capacity) {
        (0, 1) => "The only place is filled".to_owned(),
        (0, capacity) => format!("All {capacity} places are filled"),
        (needed, capacity) => format!("{needed} of {capacity} still needed"),
    };
    (capacity > 0).then(|| (words, Bar { filled: capacity.saturating_sub(needed), capacity }))
}

#[derive(Debug)]
struct ShiftRow<'a> {
    id: String,
    title: &'a str,
    times: Times,
    description: Option<&'a str>,
    location: Option<&'a str>,
    state: String,
    /// How many more volunteers the shift needs to run, in words.
    missing: Option<String>,
    /// How many people wait for a place, in words.
    waiting: Option<String>,
    bar: Bar,
    is_closed: bool,
}

#[derive(Debug)]
struct QuestionRow<'a> {
    id: String,
    label: &'a str,
    kind: &'static str,
    options: String,
    required: bool,
}

fn shift_row(found: &ShiftCoverage, texts: Texts) -> ShiftRow<'_> {
    let ShiftCoverage { shift, state, remaining, missing, .. } = found;
    let no_sign_up = Texts::ENGLISH.shift_without_sign_up();
    let (filled, capacity) = (shift.occupancy.filled, shift.occupancy.capacity.volunteers());
    ShiftRow {
        id: shift.id.to_string(),
        title: shift.title.as_str(),
        times: Times::of(shift.interval(), shift.first_day.zone(), texts),
        description: shift.description.as_ref().map(ShiftDescription::as_str),
        location: shift.location.as_ref().map(ShiftLocation::as_str),
        state: match state {
            CoverageState::Cancelled => "Cancelled".to_owned(),
            CoverageState::Past if capacity == 0 && filled == 0 => "Over".to_owned(),
            CoverageState::Past if capacity == 0 => format!("Over, {filled} signed up"),
            CoverageState::OverFull if capacity == 0 => format!("{no_sign_up}, {filled} signed up"),
            CoverageState::Past => format!("Over, {filled} of {capacity} filled"),
            CoverageState::OverFull => {
                format!("{filled} of {capacity} filled, {} too many", filled - capacity)
            }
            CoverageState::Full if capacity == 0 => no_sign_up,
            CoverageState::Full => format!("Full, {filled} of {capacity} filled"),
            _ => format!("{remaining} of {capacity} still needed"),
        },
        missing: (*missing > 0).then(|| format!("{missing} more needed to run")),
        waiting: waiting_in_words(shift.occupancy.waitlisted),
        bar: Bar { filled: filled.min(capacity).into(), capacity: capacity.into() },
        is_closed: *state != CoverageState::Open,
    }
}

fn question_row(question: &Question) -> QuestionRow<'_> {
    let options: Vec<_> = question.options.iter().map(ToString::to_string).collect();
    QuestionRow {
        id: question.id.to_string(),
        label: question.label.as_str(),
        kind: match question.kind {
            QuestionKind::Select => "Choose from a list",
            QuestionKind::Checkbox => "Checkbox",
            _ => "Text",
        },
        options: options.join(" · "),
        required: question.required,
    }
}

/// `GET /console/{slug}/events/{event_id}`: shows an event. By default, the shifts of each day that need more people to run come
/// first, then the others with places left. `order=time` lists the shifts by time.
pub(crate) async fn event(call: MemberCall) -> PageResult {
    let (id, now) = (call.path.event(), call.now());
    let EventWithShifts { event, shifts, .. } = call.session.event(id).await?;
    let questions = call.session.questions(id).await?;
    let is_over = event.is_over_with(&shifts, now);
    let mut coverage = Coverage::of(&event, shifts, now);
    let by_time = call.query().value("order") == "time";
    if !by_time {
        // Equal shifts keep their running order.
        coverage.shifts.sort_by_key(|ShiftCoverage { shift, state, remaining, missing, .. }| {
            let day = times::date(shift.interval(), shift.first_day.zone());
            (day, Reverse((*missing > 0, *remaining > 0)), *state == CoverageState::Past)
        });
    }
    let texts = Texts::of(event.language);
    let (is_cancelled, phase) = (event.is_cancelled(), event.signup_phase(now));
    let (state, state_text) = match (is_cancelled, event.is_published, is_over) {
        (true, true, _) => {
            ("Cancelled", "The public page says that the event is cancelled. You can’t change it any more.")
        }
        (true, false, _) => ("Cancelled", "You can’t change this event any more."),
        (false, true, false) if phase == SignupPhase::Open => {
            ("Published", "Volunteers can see the public page and sign up.")
        }
        (false, true, false) => ("Published", "Volunteers can see the public page, but can’t sign up now."),
        (false, true, true) => {
            ("Over", "The public page still shows the event. No one can sign up any more.")
        }
        (false, false, false) => (
            "Draft",
            "Only members of your organization can see this event. Publish it so that volunteers can sign up.",
        ),
        (false, false, true) => {
            ("Draft", "The last day of this draft is over. Change its date, or copy it to another date.")
        }
    };
    let takes_signups = event.is_published && !is_cancelled && !is_over;
    let rows = coverage.shifts.iter().map(|shift| shift_row(shift, texts));
    let days_of_shifts = times::by_day(rows, |row: &ShiftRow<'_>| &row.times);
    let url = url_of(&call, &event);
    let page = EventTemplate {
        head: call.frame.head(event.title.as_str()),
        frame: &call.frame,
        path: call.frame.path(&path_of(id)),
        state,
        state_text,
        signups: signups_in_words(&event),
        can_open: takes_signups && (phase != SignupPhase::Open || event.signups_close_at.is_some()),
        can_close: takes_signups && phase != SignupPhase::Closed,
        days: times::days(&event),
        zone: times::zone_in_words(event.dates.first.zone(), texts),
        location: event.location.as_ref().map(|location| LinkedText::parts(location.as_str())),
        description: event.description.as_ref().map(|text| LinkedText::parts(text.as_str())),
        instructions: event.instructions.as_ref().map(|text| LinkedText::parts(text.as_str())),
        reason: event.cancellation_reason.as_ref().map(|reason| LinkedText::parts(reason.as_str())),
        share: (event.is_published && !is_cancelled && !is_over).then(|| share(&event, &url)),
        url,
        is_public: event.is_published,
        can_change: !is_cancelled,
        is_over,
        need: need(&coverage).filter(|_| !is_cancelled),
        over_filled: over_filled_in_words(coverage.over_filled),
        by_time,
        days_of_shifts,
        questions: questions.iter().map(question_row).collect(),
        event: &event,
    };
    Ok(show(StatusCode::OK, &page))
}

/// Returns when sign-ups open and close, such as `From Monday 1 March at 18:00 until Friday 5 March at 12:00`.
fn signups_in_words(event: &Event) -> Option<String> {
    let words = |at: Option<Timestamp>| at.map(|at| times::opening(at, event));
    match (words(event.signups_open()), words(event.signups_close())) {
        (Some(opens), Some(closes)) => Some(format!("From {opens} until {closes}")),
        (Some(opens), None) => Some(format!("From {opens}")),
        (None, Some(closes)) => Some(format!("Until {closes}")),
        (None, None) => None,
    }
}

fn over_filled_in_words(number: u64) -> Option<String> {
    match number {
        0 => None,
        1 => Some("1 more volunteer than needed is signed up for a full shift".to_owned()),
        number => Some(format!("{number} more volunteers than needed are signed up for full shifts")),
    }
}
