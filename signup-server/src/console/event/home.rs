//! The list of events with a calendar: first those that need volunteers, then drafts, then by year the events that are past or cancelled.
//! A search lists the events whose title or place has the words.

use std::str::FromStr;

use askama::Template;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use signup_core::{
    CoverageQuery, CoverageState, Error, Event, EventCoverage, EventDate, EventQuery, Faults, SearchText,
    TextError, ValueError,
};
use warp::http::StatusCode;

use super::super::{Form, Frame, MemberCall, PageResult, show};
use super::calendar::{Entry, Month, months};
use super::view::need;
use super::{count, path_of};
use crate::page::{Bar, Head, times};

/// A shift with places left is marked if it starts within this time.
const SOON: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The number of upcoming events on a page.
const LIMIT: u32 = 25;
/// The number of other events on a page: drafts, and past or cancelled events.
const OTHERS: u32 = EventQuery::MAX_LIMIT;
/// The parameter with the position in the list of other events.
const CURSOR: &str = "cursor";
/// The parameter with the position in the list of upcoming events.
const UPCOMING: &str = "upcoming";
/// The parameter with the words that are searched for.
const SEARCH: &str = "q";
/// The number of pages of events that one search reads.
const SEARCHED_PAGES: u32 = 10;

#[derive(Debug, Template)]
#[template(path = "console/home.html")]
struct HomeTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    /// Whether the organization has no event at all.
    is_empty: bool,
    /// Whether this is the first page of all lists.
    is_first: bool,
    months: Vec<Month>,
    upcoming: Vec<Upcoming>,
    drafts: Vec<Row>,
    /// Past and cancelled events by the year of their first day.
    years: Vec<(i16, Vec<Row>)>,
    /// The path of the next page of upcoming events.
    more_upcoming: Option<String>,
    /// The path of the next page of other events.
    more: Option<String>,
}

/// The events that a search has found.
#[derive(Debug, Template)]
#[template(path = "console/events_found.html")]
struct FoundTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    search: &'a str,
    rows: Vec<Row>,
    /// The path of the page that searches older events.
    more: Option<String>,
}

/// A published event that is not over.
#[derive(Debug)]
struct Upcoming {
    row: Row,
    need: Option<(String, Bar)>,
    /// Whether a shift is not over.
    has_shifts: bool,
    /// The words about the volunteers that shifts within [`SOON`] still need.
    soon: Option<String>,
}

#[derive(Debug)]
struct Row {
    path: String,
    /// The id of the line.
    line: String,
    title: String,
    days: String,
    /// The state in a word; empty where the heading of the list says it.
    state: &'static str,
}

fn row(frame: &Frame, event: &Event, state: &'static str) -> Row {
    Row {
        path: frame.path(&path_of(event.id)),
        line: format!("event-{}", event.id),
        title: event.title.to_string(),
        days: times::days(event),
        state,
    }
}

fn upcoming(frame: &Frame, found: &EventCoverage, now: Timestamp) -> Upcoming {
    let EventCoverage { event, coverage, .. } = found;
    let is_soon = |start: Timestamp| start < now + SOON;
    let open = coverage.shifts.iter().filter(|shift| shift.state == CoverageState::Open);
    let gaps: u64 = open
        .filter(|found| is_soon(found.shift.interval().start))
        .map(|found| u64::from(found.remaining))
        .sum();
    Upcoming {
        row: row(frame, event, ""),
        need: need(coverage),
        has_shifts: coverage.shifts.iter().any(|shift| shift.state != CoverageState::Past),
        soon: (gaps > 0).then(|| format!("{} needed within 7 days", count(gaps, "volunteer", "volunteers"))),
    }
}

/// Returns the state of an event.
fn state(event: &Event, now: Timestamp) -> &'static str {
    match (event.is_cancelled(), event.is_published) {
        (true, _) => "Cancelled",
        (false, true) if event.is_over(now) => "Over",
        (false, true) => "Published",
        (false, false) => "Draft",
    }
}

fn entry(frame: &Frame, event: &Event, need: Option<(String, Bar)>) -> Entry {
    let Row { path, line, title, .. } = row(frame, event, "");
    let first = event.dates.first.date().date();
    Entry { first, last: event.dates.last.map_or(first, EventDate::date), title, path, line, need }
}

/// Groups events, in their order, by the year of their first day.
fn by_year<'a>(events: &[&'a Event]) -> Vec<(i16, Vec<&'a Event>)> {
    let year = |event: &&Event| event.dates.first.date().date().year();
    let years = events.chunk_by(|one, other| year(one) == year(other));
    years.filter_map(|events| Some((year(events.first()?), events.to_vec()))).collect()
}

/// `GET /console/{slug}`: redirects to the page with a slash at the end.
pub(crate) async fn to_home(call: MemberCall) -> PageResult {
    Ok(call.see_other("/"))
}

/// `GET /console/{slug}/`: lists the events, or with `q` those that a search finds. One statement reads the upcoming events, and
/// another one all others. A further page has either of them.
pub(crate) async fn home(call: MemberCall) -> PageResult {
    let (session, frame, now, query) = (&call.session, &call.frame, call.now(), call.query());
    if !query.value(SEARCH).trim().is_empty() {
        return search(&call, &query).await;
    }
    let mut entries = vec![];
    let mut today = TimeZone::UTC.to_datetime(now).date();
    let is_first = [UPCOMING, CURSOR].iter().all(|name| query.value(name).is_empty());
    let is_on_page = |name: &str| is_first || !query.value(name).is_empty();
    let more = |name: &str, cursor: String| frame.path(&format!("/?{name}={cursor}"));
    let mut page = HomeTemplate {
        head: frame.head("Events"),
        frame,
        is_empty: false,
        is_first,
        months: vec![],
        upcoming: vec![],
        drafts: vec![],
        years: vec![],
        more_upcoming: None,
        more: None,
    };
    if is_on_page(UPCOMING) {
        let mut upcoming_events = CoverageQuery::new().limit(LIMIT);
        if let Some(position) = position(UPCOMING, &query)? {
            upcoming_events = upcoming_events.at(position);
        }
        let found = session.coverages(upcoming_events).await?;
        entries.extend(found.items.iter().map(|found| entry(frame, &found.event, need(&found.coverage))));
        if let Some(first) = found.items.first() {
            today = first.event.dates.first.zone().date_at(now);
        }
        page.upcoming = found.items.iter().map(|found| upcoming(frame, found, now)).collect();
        page.more_upcoming = found.next.map(|at| more(UPCOMING, at.to_string()));
    }
    if is_on_page(CURSOR) {
        let mut events = EventQuery::new().inactive_at(now).limit(OTHERS);
        if let Some(position) = position(CURSOR, &query)? {
            events = events.at(position);
        }
        let found = session.events(events).await?;
        let is_draft = |event: &&Event| !event.is_cancelled() && !event.is_over(now);
        let (drafts, others): (Vec<_>, Vec<_>) = found.items.iter().partition(is_draft);
        // The list begins with the latest start.
        page.drafts = drafts.iter().rev().map(|event| row(frame, event, "")).collect();
        entries.extend(drafts.iter().rev().map(|event| entry(frame, event, None)));
        let rows =
            |events: Vec<&Event>| events.iter().map(|event| row(frame, event, state(event, now))).collect();
        page.years = by_year(&others).into_iter().map(|(year, events)| (year, rows(events))).collect();
        page.is_empty = is_first && page.upcoming.is_empty() && found.items.is_empty();
        page.more = found.next.map(|at| more(CURSOR, at.to_string()));
    }
    page.months = months(&entries, today);
    Ok(show(StatusCode::OK, &page))
}

/// Lists the events whose title or place has words that begin with each word of the search, the latest start first. One page reads a
/// bounded number of events.
async fn search(call: &MemberCall, query: &Form) -> PageResult {
    let (frame, now) = (&call.frame, call.now());
    let text = query.value(SEARCH);
    let begins: SearchText =
        text.parse().map_err(|error: TextError| Error::from(Faults::one(SEARCH, error)))?;
    let mut at = position(CURSOR, query)?;
    let mut rows = vec![];
    for _ in 0..SEARCHED_PAGES {
        let mut events = EventQuery::new().limit(OTHERS);
        if let Some(position) = at {
            events = events.at(position);
        }
        let found = call.session.events(events).await?;
        let place = |event: &Event| event.location.as_ref().map_or("", |place| place.as_str()).to_owned();
        let matches = |event: &&Event| begins.begins_words_of(&format!("{} {}", event.title, place(event)));
        rows.extend(found.items.iter().filter(matches).map(|event| row(frame, event, state(event, now))));
        at = found.next;
        if at.is_none() || rows.len() >= LIMIT as usize {
            break;
        }
    }
    let more = at.map(|at| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        frame.path(&format!(
            "/?{}",
            query.append_pair(SEARCH, text).append_pair(CURSOR, &at.to_string()).finish()
        ))
    });
    let page = FoundTemplate { head: frame.head("Search for events"), frame, search: text, rows, more };
    Ok(show(StatusCode::OK, &page))
}

/// Returns the position in a list that the query string has; `None` for the first page.
fn position<P: FromStr<Err = ValueError>>(name: &'static str, query: &Form) -> Result<Option<P>, Error> {
    let cursor = query.value(name);
    if cursor.is_empty() {
        return Ok(None);
    }
    cursor.parse().map(Some).map_err(|error| Faults::one(name, error).into())
}
