//! The list of events: first those that need volunteers, then drafts, then events that are past or cancelled.

use askama::Template;
use jiff::{SignedDuration, Timestamp};
use signup_core::{CoverageQuery, CoverageState, Error, Event, EventCoverage, EventDate, EventQuery, Faults};
use warp::http::StatusCode;

use super::super::{Answer, Frame, MemberCall, show};
use super::view::Bar;
use super::{count, path_of};
use crate::page::{Head, times};

/// How long before it starts a shift with places left is marked.
const SOON: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The number of events on a page.
const LIMIT: u32 = 25;
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
    bar: Option<Bar>,
    /// Says how many volunteers shifts of the next days still need.
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
        days: times::days(event.dates.first.date().date(), event.dates.last.map(EventDate::date)),
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
        bar: Bar::of(coverage),
        soon: (gaps > 0).then(|| format!("{} needed within 7 days", count(gaps, "volunteer", "volunteers"))),
    }
}

/// `GET /console/{slug}`: redirects to the page with a slash at the end.
pub(crate) async fn to_home(call: MemberCall) -> Answer {
    Ok(call.see_other("/"))
}

/// `GET /console/{slug}/`: lists the events. One statement reads the upcoming ones, and one the others.
pub(crate) async fn home(call: MemberCall) -> Answer {
    let (session, now, query) = (&call.session, call.now(), call.query());
    let (cursor, upcoming_cursor) = (query.value(CURSOR), query.value(UPCOMING));
    let is_first = cursor.is_empty() && upcoming_cursor.is_empty();
    let mut page = HomeTemplate {
        head: call.frame.head("Events"),
        frame: &call.frame,
        is_empty: false,
        is_first,
        upcoming: vec![],
        drafts: vec![],
        others: vec![],
        more_upcoming: None,
        more: None,
    };
    let next = |name: &str, cursor: String| call.frame.path(&format!("/?{name}={cursor}"));
    if cursor.is_empty() {
        let mut query = CoverageQuery::new().limit(LIMIT);
        if !upcoming_cursor.is_empty() {
            query = query.at(position(UPCOMING, upcoming_cursor)?);
        }
        let found = session.coverages(query).await?;
        page.upcoming = found.items.iter().map(|found| upcoming(&call.frame, found, now)).collect();
        page.more_upcoming = found.next.map(|at| next(UPCOMING, at.to_string()));
    }
    if upcoming_cursor.is_empty() {
        let mut query = EventQuery::new().limit(2 * LIMIT);
        if !cursor.is_empty() {
            query = query.at(position(CURSOR, cursor)?);
        }
        let found = session.events(query).await?;
        page.is_empty = is_first && found.items.is_empty();
        for event in found.items.iter().filter(|event| !event.is_active(now)) {
            if event.is_cancelled() {
                page.others.push(row(&call.frame, event, "Cancelled"));
            } else if event.is_published {
                page.others.push(row(&call.frame, event, "Over"));
            } else if event.is_over(now) {
                page.others.push(row(&call.frame, event, "Draft"));
            } else {
                page.drafts.push(row(&call.frame, event, ""));
            }
        }
        // The list has the latest start first. The draft that starts next is the most urgent one.
        page.drafts.reverse();
        page.more = found.next.map(|at| next(CURSOR, at.to_string()));
    }
    Ok(show(StatusCode::OK, &page))
}

fn position<P: std::str::FromStr<Err = signup_core::ValueError>>(
    name: &'static str,
    cursor: &str,
) -> Result<P, Error> {
    cursor.parse().map_err(|error: signup_core::ValueError| Faults::one(name, error).into())
}
