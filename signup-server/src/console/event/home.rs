//! The list of events: first those that need volunteers, then drafts, then events that are past or cancelled.

use std::str::FromStr;

use askama::Template;
use jiff::{SignedDuration, Timestamp};
use signup_core::{
    CoverageQuery, CoverageState, Error, Event, EventCoverage, EventQuery, Faults, ValueError,
};
use warp::http::StatusCode;

use super::super::{Form, Frame, MemberCall, PageResult, show};
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

#[derive(Debug, Template)]
#[template(path = "console/home.html")]
struct HomeTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    /// Whether the organization has no event at all.
    is_empty: bool,
    /// Whether this is the first page of all lists.
    is_first: bool,
    upcoming: Vec<Upcoming>,
    drafts: Vec<Row>,
    others: Vec<Row>,
    /// The path of the next page of upcoming events.
    more_upcoming: Option<String>,
    /// The path of the next page of other events.
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
    title: String,
    days: String,
    /// The state in a word; empty where the heading of the list says it.
    state: &'static str,
}

fn row(frame: &Frame, event: &Event, state: &'static str) -> Row {
    Row {
        path: frame.path(&path_of(event.id)),
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

/// Returns the state of an event that is past or cancelled.
const fn state(event: &Event) -> &'static str {
    match (event.is_cancelled(), event.is_published) {
        (true, _) => "Cancelled",
        (false, true) => "Over",
        (false, false) => "Draft",
    }
}

/// `GET /console/{slug}`: redirects to the page with a slash at the end.
pub(crate) async fn to_home(call: MemberCall) -> PageResult {
    Ok(call.see_other("/"))
}

/// `GET /console/{slug}/`: lists the events. One statement reads the upcoming events, and another one all others. A further page
/// has either of them.
pub(crate) async fn home(call: MemberCall) -> PageResult {
    let (session, frame, now, query) = (&call.session, &call.frame, call.now(), call.query());
    let is_first = [UPCOMING, CURSOR].iter().all(|name| query.value(name).is_empty());
    let is_on_page = |name: &str| is_first || !query.value(name).is_empty();
    let more = |name: &str, cursor: String| frame.path(&format!("/?{name}={cursor}"));
    let mut page = HomeTemplate {
        head: frame.head("Events"),
        frame,
        is_empty: false,
        is_first,
        upcoming: vec![],
        drafts: vec![],
        others: vec![],
        more_upcoming: None,
        more: None,
    };
    if is_on_page(UPCOMING) {
        let mut upcoming_events = CoverageQuery::new().limit(LIMIT);
        if let Some(position) = position(UPCOMING, &query)? {
            upcoming_events = upcoming_events.at(position);
        }
        let found = session.coverages(upcoming_events).await?;
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
        page.drafts = drafts.into_iter().rev().map(|event| row(frame, event, "")).collect();
        page.others = others.into_iter().map(|event| row(frame, event, state(event))).collect();
        page.is_empty = is_first && page.upcoming.is_empty() && found.items.is_empty();
        page.more = found.next.map(|at| more(CURSOR, at.to_string()));
    }
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
