//! The list of events, page by page.

use std::collections::BTreeMap;

use jiff::Timestamp;
use signup_core::{
    Event, EventDate, EventId, EventKey, EventOrder, EventQuery, EventWithShifts, Listed, OpenShift,
    OrganizationId, Page, ScheduledShift, Shift, Side, StoreError,
};
use uuid::Uuid;

use super::page::{HAS_OTHER_SIDE, PAGE, cut, row_limit};
use super::reader::{Reader, Result};
use crate::records::event::{self, LONG_EVENTS};
use crate::records::shift;
use crate::sql::row::{self, FetchedRows as _, Row};
use crate::sql::table::SelectedColumn;
use crate::sql::{Dialect, Statement, Value, values};

const DAY_S: i64 = 86_400;
/// The most that the first instant of a date differs from midnight of the date in UTC, and the longest day. Offsets from UTC
/// are at most 16 hours, and a clock change can skip a day.
const SLACK_S: i64 = 2 * DAY_S;

/// The place of an event in the list: its start in Unix seconds, and its id. No event has the nil id.
type Place = (i64, Uuid);

/// An end of a range: a place, and the comparison of an event with the place.
type Bound = (Place, &'static str);

/// A part of the list: the events that meet a condition, between two places. An index has them in list order.
struct Part {
    /// Constants, because the plan must use the index of the part for any values of the parameters.
    condition: String,
    low: Option<Place>,
    high: Option<Place>,
}

/// The queries for a page of events and for the other side of its position.
///
/// The list is the union of parts. Each part is a range of an index that ends in the start and the id, and so is each side of
/// a position in the part. The ranges are merged, so the cost depends on the length of the page, and on the events between
/// that the filter skips.
struct EventSelection {
    dialect: Dialect,
    values: Vec<Value>,
    parts: Vec<Part>,
    /// The conditions that each event of a range is checked for.
    filter: String,
    position: Option<Place>,
    /// Whether the page is read from lower to higher places.
    is_ascending: bool,
    limit: u32,
}

impl EventSelection {
    fn new(dialect: Dialect, organization: OrganizationId, wanted: &EventQuery) -> Self {
        let is_above = wanted.position.is_some_and(|position| position.side == Side::Above);
        let mut selection = Self {
            dialect,
            values: values![organization.uuid()],
            parts: parts(dialect, wanted),
            filter: String::new(),
            position: wanted.position.map(|at| (at.key.starts_at.as_second(), at.key.id.uuid())),
            is_ascending: is_above != (wanted.order == EventOrder::Soonest),
            limit: row_limit(wanted.limit),
        };
        selection.filter = selection.filter(wanted);
        selection
    }

    fn parameter(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    fn filter(&mut self, wanted: &EventQuery) -> String {
        let date = |date: EventDate| Value::Date(Some(date.to_string()));
        let mut filter = String::new();
        if let Some(from) = wanted.from {
            filter += &format!(" AND COALESCE(end_date, start_date) >= {}", self.parameter(date(from)));
        }
        if let Some(to) = wanted.to {
            filter += &format!(" AND start_date <= {}", self.parameter(date(to)));
        }
        if let Some(instant) = wanted.ends_after {
            // The addition prevents the use of an index by the end, in which the page would have to be sorted.
            filter += &format!(" AND ends_at + 0 > {}", self.parameter(instant));
        }
        if let Some(instant) = wanted.inactive_at {
            let (is_published, instant) =
                (self.dialect.is_flag("is_published", true), self.parameter(instant));
            filter += &format!(" AND NOT ({is_published} AND cancelled_at IS NULL AND ends_at > {instant})");
        }
        if let Some(id) = &wanted.external_id {
            filter += &format!(" AND held_external_id = {}", self.parameter(id.as_str()));
        }
        if let Some(OpenShift { after, exists }) = wanted.open_shift {
            // A scalar subquery, because EXISTS could become a join in another order than that of the events.
            filter += &format!(
                " AND (SELECT 1 FROM shifts s WHERE s.organization_id = events.organization_id \
                 AND s.event_id = events.id AND s.deleted_at IS NULL AND s.closed_at IS NULL AND s.ends_at > {} \
                 AND s.filled < s.capacity LIMIT 1) IS {}NULL",
                self.parameter(after),
                if exists { "NOT " } else { "" },
            );
        }
        filter
    }

    /// Returns the query for the rows of a page. The result has at least one event more than the page, if there is one.
    fn page(&mut self) -> String {
        let order = order(self.is_ascending);
        let (low, high) = if self.is_ascending {
            (self.position.map(|place| (place, ">")), None)
        } else {
            (None, self.position.map(|place| (place, "<")))
        };
        let (dialect, limit) = (self.dialect, self.limit);
        dialect.merged(&self.selects("*", low, high), &format!("{order} LIMIT {limit}"))
    }

    /// Returns a condition that an event lies at the position or on the other side.
    fn has_other_side(&mut self) -> String {
        let Some(place) = self.position else { return "1 = 0".to_owned() };
        let order = order(!self.is_ascending);
        let (low, high) =
            if self.is_ascending { (None, Some((place, "<="))) } else { (Some((place, ">=")), None) };
        // With an order and a limit the planner reads the first row of a range. For EXISTS it does not always do so.
        let parts = self.selects("1", low, high);
        let parts: Vec<_> =
            parts.iter().map(|part| format!("({part} {order} LIMIT 1) IS NOT NULL")).collect();
        parts.join(" OR ")
    }

    /// Returns a query for each part: `what` of the events of the part between two bounds.
    fn selects(&mut self, what: &str, low: Option<Bound>, high: Option<Bound>) -> Vec<String> {
        let mut selects = vec![];
        for part in std::mem::take(&mut self.parts) {
            let low = low.into_iter().chain(part.low.map(|place| (place, ">")));
            let high = high.into_iter().chain(part.high.map(|place| (place, "<")));
            let narrowest = [low.max_by_key(|(place, _)| *place), high.min_by_key(|(place, _)| *place)];
            let mut range = String::new();
            for ((starts_at, id), comparison) in narrowest.into_iter().flatten() {
                let (starts_at, id) = (self.parameter(starts_at), self.parameter(id));
                range += &format!(" AND (starts_at, id) {comparison} ({starts_at}, {id})");
            }
            selects.push(format!(
                "SELECT {what} FROM events WHERE organization_id = $1{} AND deleted_at IS NULL{range}{}",
                part.condition, self.filter
            ));
            self.parts.push(part);
        }
        selects
    }
}

fn order(is_ascending: bool) -> String {
    let direction = if is_ascending { "ASC" } else { "DESC" };
    format!("ORDER BY starts_at {direction}, id {direction}")
}

/// Splits the list into its parts.
///
/// An event of one day is selected only if it starts after `low`. A longer event may start earlier. Each class of longer events is
/// a part of its own, whose range starts earlier by the longest event of the class.
fn parts(dialect: Dialect, wanted: &EventQuery) -> Vec<Part> {
    let midnight = |date: EventDate| date.days_since(EventDate::MIN) * DAY_S;
    let begins = [wanted.from.map(midnight), wanted.ends_after.map(Timestamp::as_second)];
    let begins = begins.into_iter().flatten().max().map(|begins| begins - SLACK_S);
    let ends = wanted.to.map(|to| midnight(to) + SLACK_S);
    let place = |second: i64| (second, Uuid::nil());
    let (low, high) = (begins.map(place), ends.map(place));

    let flags = |wanted: Option<bool>| wanted.map_or_else(|| vec![true, false], |flag| vec![flag]);
    let is_published = |flag| format!(" AND {}", dialect.is_flag("is_published", flag));
    let is_cancelled = |flag| format!(" AND cancelled_at IS {}NULL", if flag { "NOT " } else { "" });
    let selected = [wanted.is_published.map(is_published), wanted.is_cancelled.map(is_cancelled)];
    let selected: String = selected.into_iter().flatten().collect();
    if wanted.external_id.is_some() {
        // At most one event.
        return vec![Part { condition: selected, low: None, high: None }];
    }
    let mut parts = vec![];
    if (wanted.is_published, wanted.is_cancelled) == (None, None) {
        parts.push(Part { condition: String::new(), low, high });
    } else {
        for cancelled in flags(wanted.is_cancelled) {
            for published in flags(wanted.is_published) {
                let condition = is_published(published) + &is_cancelled(cancelled);
                parts.push(Part { condition, low, high });
            }
        }
    }
    if let Some(begins) = begins {
        for (class, days) in LONG_EVENTS {
            let condition = format!(" AND length_class > 0 AND length_class = {class}{selected}");
            let low = days.map(|days| place(begins - days * DAY_S));
            let high = high.into_iter().chain(Some(place(begins))).min();
            parts.push(Part { condition, low, high });
        }
    }
    parts
}

/// Returns the statement for a page of events. The result says whether an event lies on the other side of the position.
pub(crate) fn page_query(dialect: Dialect, organization: OrganizationId, wanted: &EventQuery) -> Statement {
    let mut selection = EventSelection::new(dialect, organization, wanted);
    let (other_side, page) = (selection.has_other_side(), selection.page());
    let from = format!("(SELECT {other_side} AS has_other_side) p LEFT JOIN ({page}) e ON TRUE");
    let columns = [PAGE.columns(), event_columns()].concat();
    Statement::of(dialect, &dialect.select(&columns, &from), selection.values)
}

fn event_columns() -> Vec<SelectedColumn> {
    [event::TABLE.columns(), event::TABLE.columns_named(&[event::STARTS_AT])].concat()
}

/// Reads an event, and the start by which the list is sorted.
///
/// The stored start can differ from the derived one while a process with newer zone data shares the database. A walk that mixed
/// them would repeat or skip events.
fn read_event(row: Row<'_>) -> Result<(Timestamp, Event)> {
    Ok((event::read_stored_start(row)?, event::read(row)?))
}

/// Returns the page of `items`, which have the start and the id of an event each, in any order.
fn in_page<T: Listed<Key = EventKey>>(
    wanted: &EventQuery,
    mut items: Vec<((Timestamp, EventId), T)>,
    other_side: bool,
) -> Page<T> {
    items.sort_by_key(|(place, _)| *place);
    if wanted.order == EventOrder::Latest {
        items.reverse();
    }
    let side = wanted.position.map(|position| position.side);
    let (goes_on_above, goes_on_below) = cut(&mut items, wanted.limit, side, other_side);
    let key = |((starts_at, id), _): &((Timestamp, EventId), T)| EventKey {
        order: wanted.order,
        starts_at: *starts_at,
        id: *id,
    };
    let first = items.first().filter(|_| goes_on_above).map(key);
    let last = items.last().filter(|_| goes_on_below).map(key);
    Page::new(items.into_iter().map(|(_, item)| item).collect(), first, last)
}

pub(crate) async fn events(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<Page<Event>> {
    let page = page_query(reader.dialect(), organization, wanted);
    let page = reader.rows("listing events", page).await?;
    let mut other_side = false;
    let events = page.read(&[PAGE.columns(), event_columns()].concat(), |row| {
        other_side = row.of(&PAGE).flag(HAS_OTHER_SIDE)?;
        row.outer(&event::TABLE, read_event)
    })?;
    let events = events.into_iter().flatten().map(|(starts_at, event)| ((starts_at, event.id), event));
    Ok(in_page(wanted, events.collect(), other_side))
}

/// Returns the statement for a page of events with their shifts: one row with whether an event lies on the other side of the
/// position, the events, and their shifts.
pub(crate) fn page_with_shifts_query(
    dialect: Dialect,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Statement {
    let mut selection = EventSelection::new(dialect, organization, wanted);
    let (page, other_side) = (selection.page(), selection.has_other_side());
    let (events, shifts) = (dialect.list(&event_columns()), dialect.list(&shift_columns()));
    // SQLite joins the tables of a `CROSS JOIN` in the order of the text.
    let of_page = "page e CROSS JOIN shifts s \
         WHERE s.organization_id = e.organization_id AND s.event_id = e.id AND s.deleted_at IS NULL";
    let text = format!(
        "WITH page AS MATERIALIZED ({page}) SELECT CASE WHEN {other_side} THEN '1' ELSE '0' END, \
         (SELECT {events} FROM page e), (SELECT {shifts} FROM {of_page})"
    );
    Statement::of(dialect, &text, selection.values)
}

fn shift_columns() -> Vec<SelectedColumn> {
    (shift::TABLE.selects)(&shift::TABLE)
}

pub(crate) async fn events_with_shifts(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<Page<EventWithShifts>> {
    const WHAT: &str = "listing events with their shifts";
    let page = page_with_shifts_query(reader.dialect(), organization, wanted);
    let found = reader.row(WHAT, page).await?;
    let [other_side, events, shifts] =
        found.ok_or_else(|| StoreError::failed(WHAT, "the statement gave no row"))?;
    let mut of_events: BTreeMap<EventId, Vec<Shift>> = BTreeMap::new();
    for shift in row::all(&shifts, &shift_columns(), shift::TABLE.read)? {
        of_events.entry(shift.event).or_default().push(shift);
    }
    let events = row::all(&events, &event_columns(), read_event)?.into_iter().map(|(starts_at, event)| {
        let shifts = of_events.remove(&event.id).unwrap_or_default();
        let shifts = ScheduledShift::in_running_order(shifts, &event);
        ((starts_at, event.id), EventWithShifts::new(event, shifts))
    });
    Ok(in_page(wanted, events.collect(), other_side == "1"))
}
