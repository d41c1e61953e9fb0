//! The list of events, page by page.

use std::cmp::Reverse;

use jiff::Timestamp;
use signup_core::{Event, EventQuery, OrganizationId, Page, Position, Side};

use super::page::{HAS_OTHER_SIDE, PAGE, cut, row_limit};
use super::reader::{Reader, Result};
use crate::records::event;
use crate::sql::row::FetchedRows as _;
use crate::sql::table::SelectedColumn;
use crate::sql::{Dialect, Statement, values};

/// Returns the statement for a page of events. The result has at least one event more than the page, if there is one, and
/// says whether an event lies on the other side of the position.
///
/// Each filter has an index that ends in the id, and each side of a position is a range of the index. So the cost depends on
/// the length of the page only.
pub(crate) fn page_query(dialect: Dialect, organization: OrganizationId, wanted: &EventQuery) -> Statement {
    let mut values = values![organization.uuid()];
    let limit = row_limit(wanted.limit);
    // Constants, because the plan must use the index of this filter for any values of the parameters.
    let filter = match wanted.is_published {
        Some(is_published) => {
            format!(" AND {} AND deleted_at IS NULL", dialect.is_flag("is_published", is_published))
        }
        None => " AND deleted_at IS NULL".to_owned(),
    };
    let side = wanted.position.map(|position| position.side);
    let (inside, outside, direction) = match side {
        Some(Side::Above) => (">", "<=", "ASC"),
        Some(Side::Below) | None => ("<", ">=", "DESC"),
    };
    let order = format!("ORDER BY starts_at {direction}, id {direction}");
    let (range, other_side) = match wanted.position {
        Some(Position { key: (starts_at, id), .. }) => {
            values.extend(values![starts_at.as_second(), id.uuid()]);
            // With an order and a limit the planner reads the first row of a range. For EXISTS it does not always do so.
            let other_side = format!(
                "(SELECT 1 FROM events WHERE organization_id = $1{filter} AND (starts_at, id) {outside} ($2, $3) \
                 {order} LIMIT 1) IS NOT NULL"
            );
            (format!(" AND (starts_at, id) {inside} ($2, $3)"), other_side)
        }
        None => (String::new(), "1 = 0".to_owned()),
    };
    let from = format!(
        "(SELECT {other_side} AS has_other_side) p LEFT JOIN \
         (SELECT * FROM events WHERE organization_id = $1{filter}{range} {order} LIMIT {limit}) e ON TRUE"
    );
    Statement::of(dialect, &dialect.select(&page_columns(), &from), values)
}

fn page_columns() -> Vec<SelectedColumn> {
    [PAGE.columns(), event::TABLE.columns(), event::TABLE.columns_named(&[event::STARTS_AT])].concat()
}

pub(crate) async fn events(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<Page<Event>> {
    let page = page_query(reader.dialect(), organization, wanted);
    let page = reader.rows("listing events", page).await?;
    let mut other_side = false;
    let events = page.read(&page_columns(), |row| {
        other_side = row.of(&PAGE).flag(HAS_OTHER_SIDE)?;
        // The stored start can differ from the derived one while a process with newer zone data shares the database. A walk
        // that mixed them would repeat or skip events.
        row.outer(&event::TABLE, |row| Ok((event::read_stored_start(row)?, event::read(row)?)))
    })?;
    let mut events: Vec<_> = events.into_iter().flatten().collect();
    events.sort_by_key(|(starts_at, event)| Reverse((*starts_at, event.id)));
    let side = wanted.position.map(|position| position.side);
    let (goes_on_above, goes_on_below) = cut(&mut events, wanted.limit, side, other_side);
    let key = |(starts_at, event): &(Timestamp, Event)| (*starts_at, event.id);
    let first = events.first().filter(|_| goes_on_above).map(key);
    let last = events.last().filter(|_| goes_on_below).map(key);
    Ok(Page::new(events.into_iter().map(|(_, event)| event).collect(), first, last))
}
