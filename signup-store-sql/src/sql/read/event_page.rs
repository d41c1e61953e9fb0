//! The list of events, page by page.

use std::collections::BTreeMap;

use jiff::Timestamp;
use signup_core::{
    Event, EventDate, EventId, EventKey, EventOrder, EventQuery, EventWithShifts, Listed, OpenShift,
    OrganizationId, Page, ScheduledShift, Shift, Side,
};
use uuid::Uuid;

use super::page::{HAS_OTHER_SIDE, PAGE, cut, has_row, page_with_side, row_limit};
use super::reader::{Reader, StoreResult};
use crate::records::event;
use crate::records::shift;
use crate::sql::column::SelectedColumn;
use crate::sql::row::{self, Row};
use crate::sql::{Dialect, Statement, Value, values};

const DAY_S: i64 = 86_400;
/// The most that the first instant of a date differs from midnight of the date in UTC, and the longest day. Offsets from UTC
/// are at most 16 hours, and a clock change can skip a day.
const SLACK_S: i64 = 2 * DAY_S;

/// An end of the range that a query reads: a comparison of an event with an expression of SQL.
type Bound = String;

/// The queries for a page of events and for the other side of its position.
///
/// The list is a range of an index that ends in the start and the id. So the cost depends on the length of the page, and on the
/// events between that the filter skips.
struct EventSelection {
    dialect: Dialect,
    values: Vec<Value>,
    /// The conditions that each event of the range is checked for.
    filter: String,
    /// The range of the filter: an event outside is not selected.
    first: Option<Bound>,
    last: Option<Bound>,
    /// The start of an event in Unix seconds, and its id.
    position: Option<(i64, Uuid)>,
    /// Whether the page is read upwards.
    is_ascending: bool,
    limit: u32,
}

impl EventSelection {
    fn new(dialect: Dialect, organization: OrganizationId, wanted: &EventQuery) -> Self {
        let is_above = wanted.position.is_some_and(|position| position.side == Side::Above);
        let mut selection = Self {
            dialect,
            values: values![organization.uuid()],
            filter: String::new(),
            first: None,
            last: None,
            position: wanted.position.map(|at| (at.key.starts_at.as_second(), at.key.id.uuid())),
            is_ascending: is_above != (wanted.order == EventOrder::Soonest),
            limit: row_limit(wanted.limit),
        };
        selection.filter = selection.filter(wanted);
        selection.first = selection.first(wanted);
        selection.last = wanted.to.map(|to| {
            let last = selection.parameter(midnight(to) + SLACK_S);
            format!("starts_at < {last}")
        });
        selection
    }

    fn parameter(&mut self, value: impl Into<Value>) -> String {
        let (value, number) = (value.into(), self.values.len() + 1);
        let parameter = match self.dialect {
            Dialect::Sqlite => format!("${number}"),
            Dialect::Postgres => value.placeholder(number),
        };
        self.values.push(value);
        parameter
    }

    fn filter(&mut self, wanted: &EventQuery) -> String {
        let date = |date: EventDate| Value::Date(Some(date.to_string()));
        let mut filter = String::new();
        if let Some(flag) = wanted.is_published {
            filter += &format!(" AND {}", self.dialect.is_flag("is_published", flag));
        }
        if let Some(flag) = wanted.is_cancelled {
            filter += &format!(" AND cancelled_at IS {}NULL", if flag { "NOT " } else { "" });
        }
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

    /// Returns the start of the range: an event that lasts into the period starts at most the longest event before it.
    fn first(&mut self, wanted: &EventQuery) -> Option<Bound> {
        let begins = [wanted.from.map(midnight), wanted.ends_after.map(Timestamp::as_second)];
        let begins = begins.into_iter().flatten().max()?;
        let begins = self.parameter(begins - SLACK_S);
        Some(format!(
            "starts_at > {begins} - COALESCE((SELECT d.ends_at - d.starts_at FROM events d \
             WHERE d.organization_id = $1 AND d.deleted_at IS NULL ORDER BY d.ends_at - d.starts_at DESC LIMIT 1), 0)"
        ))
    }

    /// Returns the query for the rows of a page. The result has at least one event more than the page, if there is one.
    fn page(&mut self) -> String {
        let comparison = if self.is_ascending { ">" } else { "<" };
        let (is_ascending, limit) = (self.is_ascending, self.limit);
        self.select("*", comparison, is_ascending, limit)
    }

    /// Returns a query for an event at the position or on the other side. `None` without a position.
    ///
    /// With an order and a limit the planner reads the first row of a range. For EXISTS it does not always do so.
    fn other_side(&mut self) -> Option<String> {
        let _position = self.position?;
        let comparison = if self.is_ascending { "<=" } else { ">=" };
        Some(self.select("1", comparison, !self.is_ascending, 1))
    }

    /// Returns a query for `what` of the first events from the position on.
    ///
    /// The position replaces the end of the range on its side: two conditions of one end could keep the database from using the
    /// narrower one.
    fn select(&mut self, what: &str, comparison: &str, is_ascending: bool, limit: u32) -> String {
        let position = self.position.map(|(starts_at, id)| {
            let (starts_at, id) = (self.parameter(starts_at), self.parameter(id));
            format!("(starts_at, id) {comparison} ({starts_at}, {id})")
        });
        let (first, last) = match (position, is_ascending) {
            (None, _) => (self.first.clone(), self.last.clone()),
            (position, true) => (position, self.last.clone()),
            (position, false) => (self.first.clone(), position),
        };
        let range: String =
            [first, last].into_iter().flatten().map(|bound| format!(" AND {bound}")).collect();
        let direction = if is_ascending { "ASC" } else { "DESC" };
        format!(
            "SELECT {what} FROM events WHERE organization_id = $1 AND deleted_at IS NULL{range}{} \
             ORDER BY starts_at {direction}, id {direction} LIMIT {limit}",
            self.filter
        )
    }
}

/// Returns the midnight that a date begins with in UTC, in Unix seconds.
fn midnight(date: EventDate) -> i64 {
    date.days_since(EventDate::MIN) * DAY_S
}

/// Returns the statement for a page of events. The result says whether an event lies on the other side of the position.
pub(crate) fn page_query(dialect: Dialect, organization: OrganizationId, wanted: &EventQuery) -> Statement {
    let mut selection = EventSelection::new(dialect, organization, wanted);
    let (other_side, page) = (selection.other_side(), selection.page());
    let from = page_with_side(&page, event::TABLE.alias, other_side);
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
fn read_event(row: Row<'_>) -> StoreResult<(Timestamp, Event)> {
    Ok((event::read_stored_start(row)?, event::read(row)?))
}

/// Returns the page of `items`, which have the start and the id of an event each, in any order.
fn in_page<T: Listed<Key = EventKey>>(
    wanted: &EventQuery,
    mut items: Vec<((Timestamp, EventId), T)>,
    other_side: bool,
) -> Page<T> {
    items.sort_by_key(|(key, _)| *key);
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
) -> StoreResult<Page<Event>> {
    let page = page_query(reader.dialect(), organization, wanted);
    let [json] = reader.only_row("listing events", page).await?;
    let mut other_side = false;
    let events = row::all(&json, &[PAGE.columns(), event_columns()].concat(), |row| {
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
    let (page, other_side) = (selection.page(), selection.other_side());
    let other_side = has_row(other_side);
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
) -> StoreResult<Page<EventWithShifts>> {
    const WHAT: &str = "listing events with their shifts";
    let page = page_with_shifts_query(reader.dialect(), organization, wanted);
    let [other_side, events, shifts] = reader.only_row(WHAT, page).await?;
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
