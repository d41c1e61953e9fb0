//! The page of an event: its state, what can be done with it, each day as a picture of its shifts with who is on them, and its
//! questions.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use askama::Template;
use jiff::Timestamp;
use jiff::civil::Date;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use signup_core::{
    Attendance, Coverage, CoverageState, Event, EventDate, EventSignups, Question, QuestionKind,
    ShiftCoverage, ShiftDescription, ShiftLocation, Signup, SignupPhase,
};
use warp::http::StatusCode;

use super::super::share::{svg_of, url_of};
use super::super::signups::waiting_in_words;
use super::super::{Frame, MemberCall, PageResult, show};
use super::path_of;
use super::timeline::{ShiftBar, Timeline};
use crate::linked_text::LinkedText;
use crate::page::times::{self, Times};
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
    first_action: FirstAction,
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
    has_no_shifts: bool,
    days_of_shifts: Vec<DayView<'a>>,
    questions: Vec<QuestionRow<'a>>,
    /// The addresses of volunteers whose emails failed for good.
    undelivered: BTreeSet<String>,
}

/// The action that an organizer needs most often, which the page offers first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstAction {
    Publish,
    CheckIn,
    Signups,
    Edit,
}

impl FirstAction {
    fn of(event: &Event, is_over: bool, now: Timestamp) -> Self {
        match (event.is_published, event.is_cancelled()) {
            (_, true) => Self::Signups,
            (false, false) if is_over => Self::Edit,
            (false, false) => Self::Publish,
            (true, false) if event.dates.starts_at() <= now && !is_over => Self::CheckIn,
            (true, false) => Self::Signups,
        }
    }
}

/// The shifts that begin on one day, or successive days on which no shift begins.
#[derive(Debug)]
struct DayView<'a> {
    /// `None` if the event has only this day.
    heading: Option<String>,
    timeline: Option<Timeline>,
    shifts: Vec<ShiftRow<'a>>,
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

/// The largest number of people that the page names for a shift.
const MAX_PEOPLE: usize = 50;

#[derive(Debug)]
struct ShiftRow<'a> {
    id: String,
    title: &'a str,
    times: Times,
    bar: ShiftBar,
    description: Option<&'a str>,
    location: Option<&'a str>,
    state: String,
    /// How many more volunteers the shift needs to run, in words.
    missing: Option<String>,
    /// How many people wait for a place, in words.
    waiting: Option<String>,
    /// The names of the volunteers with a place, each with whether the volunteer is here.
    people: Vec<(&'a str, bool)>,
    /// How many further volunteers have a place, in words.
    more_people: Option<String>,
    /// Whether the shift is over or cancelled.
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

/// A shift with its sign-ups.
type Staffed = (ShiftCoverage, Vec<Signup>);

fn shift_row<'a>((found, signups): &'a Staffed, timeline: &Timeline, texts: Texts) -> ShiftRow<'a> {
    let ShiftCoverage { shift, state, remaining, missing, .. } = found;
    let no_sign_up = Texts::ENGLISH.shift_without_sign_up();
    let (filled, capacity) = (shift.occupancy.filled, shift.occupancy.capacity.volunteers());
    let mut people: Vec<_> = signups
        .iter()
        .filter(|signup| signup.is_confirmed())
        .map(|signup| (signup.name.as_str(), signup.attendance == Some(Attendance::Attended)))
        .collect();
    let more = people.len().saturating_sub(MAX_PEOPLE);
    people.truncate(MAX_PEOPLE);
    ShiftRow {
        id: shift.id.to_string(),
        title: shift.title.as_str(),
        times: Times::of(shift.interval(), shift.first_day.zone(), texts),
        bar: timeline.bar(shift.interval(), shift.occupancy),
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
        people,
        more_people: (more > 0).then(|| format!("and {more} more")),
        is_closed: matches!(state, CoverageState::Past | CoverageState::Cancelled),
    }
}

/// Groups shifts in running order by the day on which each begins. Days of the event without a shift are listed, too: successive ones as
/// one.
fn days<'a>(event: &Event, shifts: &'a [Staffed], now: Timestamp) -> Vec<DayView<'a>> {
    let (zone, texts) = (event.dates.first.zone(), Texts::of(event.language));
    let date_of = |(found, _): &Staffed| times::date(found.shift.interval(), zone);
    let first = event.dates.first.date().date();
    let last = event.dates.last.map_or(first, EventDate::date);
    let view = |first: Date, last: Date, shifts: &'a [Staffed]| {
        let timeline = Timeline::of(shifts.iter().map(|(found, _)| found.shift.interval()), zone, texts, now);
        let rows =
            timeline.iter().flat_map(|timeline| shifts.iter().map(|shift| shift_row(shift, timeline, texts)));
        DayView { heading: Some(times::days_between(first, last, texts)), shifts: rows.collect(), timeline }
    };
    let mut days = vec![];
    let mut next = first;
    for of_day in shifts.chunk_by(|one, other| date_of(one) == date_of(other)) {
        let date = of_day.first().map_or(next, date_of);
        if next < date {
            days.push(view(next, date.yesterday().unwrap_or(next), &[]));
        }
        days.push(view(date, date, of_day));
        next = date.tomorrow().unwrap_or(date);
    }
    if next <= last {
        days.push(view(next, last, &[]));
    }
    if let [only] = days.as_mut_slice() {
        only.heading = None;
    }
    days
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

/// `GET /console/{slug}/events/{event_id}`: shows an event. By default, the shifts are listed by time. With `order=gaps`, those of each
/// day that need more people to run come first, then the others with places left.
pub(crate) async fn event(call: MemberCall) -> PageResult {
    let (id, now) = (call.path.event(), call.now());
    let EventSignups { event, questions, shifts, .. } = call.session.event_signups(id).await?;
    let present = shifts.into_iter().filter(|of_shift| of_shift.shift.deleted_at.is_none());
    let (shifts, signups): (Vec<_>, Vec<_>) =
        present.map(|of_shift| (of_shift.shift, of_shift.signups)).unzip();
    let is_over = event.is_over_with(&shifts, now);
    let mut coverage = Coverage::of(&event, shifts, now);
    let mut shifts: Vec<Staffed> = std::mem::take(&mut coverage.shifts).into_iter().zip(signups).collect();
    let by_time = call.query().value("order") != "gaps";
    if !by_time {
        // Equal shifts keep their running order.
        shifts.sort_by_key(|(ShiftCoverage { shift, state, remaining, missing, .. }, _)| {
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
    let url = url_of(&call, &event);
    let failed = call.session.failed_mails(id).await?;
    let undelivered = failed.iter().filter_map(|notice| notice.cause.volunteer()).map(ToString::to_string);
    let page = EventTemplate {
        head: call.frame.head(event.title.as_str()),
        frame: &call.frame,
        path: call.frame.path(&path_of(id)),
        state,
        first_action: FirstAction::of(&event, is_over, now),
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
        has_no_shifts: shifts.is_empty(),
        days_of_shifts: days(&event, &shifts, now),
        questions: questions.iter().map(question_row).collect(),
        undelivered: undelivered.collect(),
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

#[cfg(test)]
mod tests {
    use signup_core::{Day, ScheduledShift};

    use super::*;
    use crate::sample_event::sample_event;

    /// The days of the shifts may lie before and after those of the event.
    #[tokio::test]
    async fn days_without_shifts_are_listed_together_between_those_with_shifts() {
        let (_, created) = sample_event().await;
        let (mut event, shift) = (created.event, created.shifts[0].clone());
        let day = |date: &str| Day::new(date.parse().unwrap(), "UTC".parse().unwrap());
        let mut shown = |last: &str, dates: &[&str]| {
            event.dates.first = day("2099-06-05");
            event.dates.last = Some(last.parse().unwrap());
            let shifts =
                dates.iter().map(|date| ScheduledShift::new((*shift).clone(), day(date), false)).collect();
            let shifts: Vec<Staffed> = Coverage::of(&event, shifts, Timestamp::UNIX_EPOCH)
                .shifts
                .into_iter()
                .map(|shift| (shift, vec![]))
                .collect();
            let days = days(&event, &shifts, Timestamp::UNIX_EPOCH);
            let days = days
                .iter()
                .map(|day| format!("{}: {}", day.heading.as_deref().unwrap_or("-"), day.shifts.len()));
            days.collect::<Vec<_>>()
        };
        assert_eq!(shown("2099-06-05", &["2099-06-05", "2099-06-05"]), ["-: 2"]);
        assert_eq!(
            shown("2099-06-10", &["2099-06-05", "2099-06-08"]),
            [
                "Friday 5 June 2099: 1",
                "Saturday 6 to Sunday 7 June 2099: 0",
                "Monday 8 June 2099: 1",
                "Tuesday 9 to Wednesday 10 June 2099: 0",
            ]
        );
        assert_eq!(
            shown("2099-06-06", &["2099-06-06"]),
            ["Friday 5 June 2099: 0", "Saturday 6 June 2099: 1"]
        );
    }

    #[tokio::test]
    async fn the_first_action_is_to_publish_to_see_who_signs_up_and_then_to_check_in() {
        let (_, created) = sample_event().await;
        let mut event = created.event;
        let (starts, before) = (event.dates.starts_at(), Timestamp::UNIX_EPOCH);
        event.is_published = false;
        assert_eq!(FirstAction::of(&event, false, before), FirstAction::Publish);
        assert_eq!(FirstAction::of(&event, true, starts), FirstAction::Edit);
        event.is_published = true;
        assert_eq!(FirstAction::of(&event, false, before), FirstAction::Signups);
        assert_eq!(FirstAction::of(&event, false, starts), FirstAction::CheckIn);
        assert_eq!(FirstAction::of(&event, true, starts), FirstAction::Signups);
    }
}
