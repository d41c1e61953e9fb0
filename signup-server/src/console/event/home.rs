//! The list of events with a calendar: first those that need volunteers, then drafts, then by year the events that are past or
//! cancelled.

use std::str::FromStr;

use askama::Template;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use signup_core::{
    Coverage, CoverageQuery, CoverageState, Error, Event, EventDate, EventKey, EventQuery, EventWithShifts,
    Faults, Position, Session, TimeError, ValueError,
};
use warp::http::StatusCode;

use super::super::{Form, Frame, MemberCall, PageResult, show};
use super::calendar::{Entry, Month, month};
use super::found::{self, DATES, SEARCH};
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
pub(super) const CURSOR: &str = "cursor";
/// The parameter with the position in the list of upcoming events.
const UPCOMING: &str = "upcoming";
/// The parameter with the month of the calendar, such as `2027-03`.
const MONTH: &str = "month";
/// The number of years that the page links to.
const YEARS: usize = 30;

#[derive(Debug, Template)]
#[template(path = "console/home.html")]
struct HomeTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    /// Whether the organization has no event at all.
    is_empty: bool,
    /// Whether this is the first page of all lists.
    is_first: bool,
    month: Option<Month>,
    upcoming: Vec<Upcoming>,
    drafts: Vec<Row>,
    /// Past and cancelled events by the year of their first day.
    years: Vec<(i16, Vec<Row>)>,
    /// The years with a link to their events.
    year_links: Vec<i16>,
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
pub(super) struct Row {
    pub(super) path: String,
    pub(super) title: String,
    pub(super) days: String,
    /// The state in a word; empty where the heading of the list says it.
    pub(super) state: &'static str,
}

pub(super) fn row(frame: &Frame, event: &Event, state: &'static str) -> Row {
    Row {
        path: frame.path(&path_of(event.id)),
        title: event.title.to_string(),
        days: times::days(event),
        state,
    }
}

fn upcoming(frame: &Frame, event: &Event, coverage: &Coverage, now: Timestamp) -> Upcoming {
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
        soon: match gaps {
            0 => None,
            // The page says the number above.
            gaps if gaps == coverage.remaining => Some("All of them within 7 days".to_owned()),
            gaps => Some(format!("{} needed within 7 days", count(gaps, "volunteer", "volunteers"))),
        },
    }
}

/// Returns the state of an event.
pub(super) fn state(event: &Event, is_over: bool) -> &'static str {
    match (event.is_cancelled(), event.is_published) {
        (true, _) => "Cancelled",
        (false, true) if is_over => "Over",
        (false, true) => "Published",
        (false, false) => "Draft",
    }
}

/// Returns a published event with its shifts if the last day has ended while a shift is still on. A shift lasts at most a day, so
/// the shifts of an event that ended earlier are not read.
pub(super) async fn still_on(
    session: &Session,
    event: &Event,
    now: Timestamp,
) -> Result<Option<EventWithShifts>, Error> {
    // A day on which the clocks go back is longer.
    const LONGEST: SignedDuration = SignedDuration::from_hours(2 * 24);
    let ended = event.dates.ends_at();
    if event.is_cancelled() || !event.is_published || now < ended || ended + LONGEST < now {
        return Ok(None);
    }
    match session.event(event.id).await {
        Ok(found) => Ok(Some(found).filter(|found| !found.event.is_over_with(&found.shifts, now))),
        Err(Error::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the entry of the calendar. It has the places of the shifts that are not over, or else those of the others.
fn entry(frame: &Frame, EventWithShifts { event, shifts, .. }: EventWithShifts, now: Timestamp) -> Entry {
    let Row { path, title, .. } = row(frame, &event, "");
    let first = event.dates.first.date().date();
    let coverage = Coverage::of(&event, shifts, now);
    let Coverage { past_filled, past_capacity, .. } = coverage;
    let past = || {
        let bar = Bar { filled: past_filled.min(past_capacity), capacity: past_capacity };
        (past_capacity > 0).then(|| (format!("{past_filled} of {past_capacity} filled"), bar))
    };
    let last = event.dates.last.map_or(first, EventDate::date);
    Entry { first, last, title, path, need: need(&coverage).or_else(past) }
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

/// `GET /console/{slug}/`: lists the events, or with `q` those that a search finds, or with `dates` those of a year or a day. It
/// reads a page of the upcoming events, one of all others, and those of a month. A further page of a list has no calendar.
pub(crate) async fn home(call: MemberCall) -> PageResult {
    let (session, frame, now, query) = (&call.session, &call.frame, call.now(), call.query());
    if !query.value(SEARCH).trim().is_empty() {
        return found::search(&call, &query).await;
    }
    if !query.value(DATES).is_empty() {
        return found::of_dates(&call, &query).await;
    }
    let is_first = [UPCOMING, CURSOR].iter().all(|name| query.value(name).is_empty());
    let is_on_page = |name: &str| is_first || !query.value(name).is_empty();
    let more = |name: &str, cursor: String| frame.path(&format!("/?{name}={cursor}"));
    let mut page = HomeTemplate {
        head: frame.head("Events"),
        frame,
        is_empty: false,
        is_first,
        month: None,
        upcoming: vec![],
        drafts: vec![],
        years: vec![],
        year_links: vec![],
        more_upcoming: None,
        more: None,
    };
    if is_on_page(CURSOR) {
        let events = EventQuery::new().inactive_at(now).limit(OTHERS);
        let found = session.events(beside(events, position(CURSOR, &query)?)).await?;
        let mut past = vec![];
        // The list begins with the latest start.
        for event in found.items.iter().rev() {
            let still_on = still_on(session, event, now).await?;
            if event.is_cancelled() || event.is_over(now) && still_on.is_none() {
                past.push(event);
            } else if let Some(EventWithShifts { shifts, .. }) = still_on {
                page.upcoming.push(upcoming(frame, event, &Coverage::of(event, shifts, now), now));
            } else {
                page.drafts.push(row(frame, event, state(event, false)));
            }
        }
        past.reverse();
        let rows =
            |events: Vec<&Event>| events.iter().map(|event| row(frame, event, state(event, true))).collect();
        page.years = by_year(&past).into_iter().map(|(year, events)| (year, rows(events))).collect();
        page.year_links = years_of_events(&call).await?;
        page.is_empty = is_first && found.items.is_empty();
        page.more = found.next.map(|at| more(CURSOR, at.to_string()));
    }
    let mut soonest = None;
    if is_on_page(UPCOMING) {
        let mut events = CoverageQuery::new().limit(LIMIT);
        if let Some(position) = position(UPCOMING, &query)? {
            events = events.at(position);
        }
        let found = session.coverages(events).await?;
        soonest = found.items.first().map(|found| found.event.dates.first.date().date());
        let rows = found.items.iter().map(|found| upcoming(frame, &found.event, &found.coverage, now));
        page.upcoming.extend(rows);
        page.is_empty = page.is_empty && found.items.is_empty();
        page.more_upcoming = found.next.map(|at| more(UPCOMING, at.to_string()));
    }
    if is_first {
        page.month = Some(month_of(&call, &query, soonest).await?);
    }
    Ok(show(StatusCode::OK, &page))
}

/// Reads the events of a month: the one of the query string, or the month of the first upcoming event, or else the present one.
/// Drafts and cancelled events are left out.
async fn month_of(call: &MemberCall, query: &Form, upcoming: Option<Date>) -> Result<Month, Error> {
    let today = call.frame.date_at(call.now());
    let typed = query.value(MONTH);
    let fault = |error: TimeError| Error::from(Faults::one(MONTH, error));
    let day = match typed {
        "" => upcoming.map_or(today, |first| first.max(today)),
        typed => format!("{typed}-01").parse::<EventDate>().map_err(fault)?.date(),
    };
    let first: EventDate = day.first_of_month().try_into().map_err(fault)?;
    let last: EventDate = day.last_of_month().try_into().map_err(fault)?;
    let events = EventQuery::new().published().cancelled(false).soonest().limit(EventQuery::MAX_LIMIT);
    let events = events.from_date(first).to_date(last);
    let found = call.session.events_with_shifts(events).await?;
    let entries = found.items.into_iter().map(|found| entry(&call.frame, found, call.now()));
    Ok(month(first.date(), &entries.collect::<Vec<_>>(), found.next.is_some(), today))
}

/// Returns the years from that of the earliest event to the present one, the latest one first: at most [`YEARS`]. Some in between
/// may have no events.
async fn years_of_events(call: &MemberCall) -> Result<Vec<i16>, Error> {
    let earliest = call.session.events(EventQuery::new().soonest().limit(1)).await?.items;
    let year = call.frame.date_at(call.now()).year();
    let first = earliest.first().map_or(year, |event| event.dates.first.date().date().year());
    Ok((first..=year).rev().take(YEARS).collect())
}

/// Selects the events beside a position, or the first ones.
pub(super) fn beside(events: EventQuery, position: Option<Position<EventKey>>) -> EventQuery {
    match position {
        Some(position) => events.at(position),
        None => events,
    }
}

/// Returns the position in a list that the query string has; `None` for the first page.
pub(super) fn position<P: FromStr<Err = ValueError>>(
    name: &'static str,
    query: &Form,
) -> Result<Option<P>, Error> {
    let cursor = query.value(name);
    if cursor.is_empty() {
        return Ok(None);
    }
    cursor.parse().map(Some).map_err(|error| Faults::one(name, error).into())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use signup_core::{Capacity, Hours, NewEvent, NewShift, Scopes};

    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn an_event_is_still_on_after_its_last_day_until_its_last_shift_has_ended() {
        let (service, sample) = sample_event().await;
        let session = service.session_for(sample.event.organization, Scopes::all()).await.unwrap();
        let hours = Hours::overnight("22:00".parse().unwrap(), "02:00".parse().unwrap()).unwrap();
        let night = NewShift::new("Night".parse().unwrap(), Capacity::new(1).unwrap()).hours(hours);
        let watch = NewEvent::new("Watch".parse().unwrap(), date(2099, 6, 5), "UTC".parse().unwrap());
        let watch = session.create_event(watch.shift(night).published()).await.unwrap();
        let on =
            async |now: &str| still_on(&session, &watch.event, now.parse().unwrap()).await.unwrap().is_some();
        assert!(!on("2099-06-05T23:59:59Z").await, "the last day has not ended");
        assert!(on("2099-06-06T00:00:00Z").await && on("2099-06-06T01:59:59Z").await);
        assert!(!on("2099-06-06T02:00:00Z").await && !on("2099-06-09T00:00:00Z").await);
    }
}
