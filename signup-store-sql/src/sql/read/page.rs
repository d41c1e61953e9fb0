//! What the pages of events and of sign-ups have in common.

use std::cmp::Reverse;

use signup_core::{Listed, Page, Position, Side};

use super::reader::{Reader, Result};
use crate::sql::row::FetchedRows as _;
use crate::sql::{Dialect, Statement};

use crate::sql::table::{Column, Kind, SelectedColumn, Table};

/// The columns of a page, which each row has beside those of a record. A page without records is one row, in which only these
/// columns have values. No record is written to this table.
pub(super) const PAGE: Table<()> = Table {
    name: "page",
    alias: 'p',
    key: &[],
    source: "",
    is_live: |_| String::new(),
    selects: |table| table.columns(),
    read: |_| Ok(()),
    columns: &[Column::new(HAS_OTHER_SIDE, Kind::Flag, |()| false.into())],
};

/// Whether a record lies on the other side of the position.
pub(super) const HAS_OTHER_SIDE: &str = "has_other_side";

/// The default page length and one more row. The extra row shows whether another page follows.
const SHORT_PAGE: u32 = 26;
/// The longest page that clients can ask for, and one more row.
const LONG_PAGE: u32 = 101;

/// Returns how many rows a statement reads for a page of `limit` records: at least one more.
///
/// There are two numbers instead of one for each length of a page, because a connection keeps only a few statements prepared.
pub(super) fn row_limit(limit: u32) -> u32 {
    if limit < SHORT_PAGE { SHORT_PAGE } else { limit.max(LONG_PAGE - 1) + 1 }
}

/// Removes the rows beyond a page of `limit` records from `rows`, which are in list order. Returns whether the list goes on
/// above the page, and whether it goes on below.
pub(super) fn cut<T>(
    rows: &mut Vec<T>,
    limit: u32,
    side: Option<Side>,
    has_other_side: bool,
) -> (bool, bool) {
    let limit = limit as usize;
    let surplus = rows.len().saturating_sub(limit);
    if side == Some(Side::Above) {
        drop(rows.drain(..surplus));
        (surplus > 0, has_other_side)
    } else {
        rows.truncate(limit);
        (has_other_side, surplus > 0)
    }
}

/// A page of a list that is sorted by an id, as ranges of an index that ends in the id.
pub(super) struct IdPage {
    /// The page itself.
    pub(super) page: IdRange,
    /// The other side of the position, if the page has a position.
    pub(super) other_side: Option<IdRange>,
}

/// A range of an index that ends in an id.
pub(super) struct IdRange {
    /// The condition of a row.
    pub(super) condition: String,
    /// The clause `ORDER BY`. The first rows are those nearest to the position.
    pub(super) order: String,
}

/// Returns the ranges of a page of the table with this alias. `scope` is a column before the id in the index, with the parameter
/// that it equals, and `position` is the parameter of an id, and a side of it. `low` and `high` are the parameters of an id below
/// all others, and of one above.
///
/// Without statistics, SQLite would look for an equal scope in the index of the organization. So on SQLite the scope is a part of the
/// range.
pub(super) fn id_page(
    dialect: Dialect,
    alias: char,
    scope: Option<(&str, &str)>,
    position: Option<(&str, Side)>,
    [low, high]: [&str; 2],
) -> IdPage {
    let bound = |comparison: &str, id: &str| match (scope, dialect) {
        (None, _) => format!("{alias}.id {comparison} {id}"),
        (Some((column, scope)), Dialect::Sqlite) => {
            format!("({alias}.{column}, {alias}.id) {comparison} ({scope}, {id})")
        }
        (Some((column, scope)), Dialect::Postgres) => {
            format!("{alias}.{column} = {scope} AND {alias}.id {comparison} {id}")
        }
    };
    let order = |direction: &str| match scope {
        None => format!("ORDER BY {alias}.id {direction}"),
        Some((column, _)) => format!("ORDER BY {alias}.{column} {direction}, {alias}.id {direction}"),
    };
    let (low, high) = (bound(">=", low), bound("<=", high));
    let below = |condition| IdRange { condition, order: order("DESC") };
    let above = |condition| IdRange { condition, order: order("ASC") };
    match position {
        None => IdPage { page: below(format!("{low} AND {high}")), other_side: None },
        Some((id, Side::Below)) => IdPage {
            page: below(format!("{low} AND {}", bound("<", id))),
            other_side: Some(above(format!("{} AND {high}", bound(">=", id)))),
        },
        Some((id, Side::Above)) => IdPage {
            page: above(format!("{} AND {high}", bound(">", id))),
            other_side: Some(below(format!("{low} AND {}", bound("<=", id)))),
        },
    }
}

/// Reads the page of records that are sorted by an id, from a statement with the columns of [`page_columns`].
pub(super) async fn read_id_page<R: Listed<Key: Copy + Ord>>(
    reader: &impl Reader,
    what: &'static str,
    page: Statement,
    table: &Table<R>,
    (limit, position): (u32, Option<Position<R::Key>>),
    id: impl Fn(&R) -> R::Key,
) -> Result<Page<R>> {
    let page = reader.rows(what, page).await?;
    let mut other_side = false;
    let found = page.read(&page_columns(table), |row| {
        other_side = row.of(&PAGE).flag(HAS_OTHER_SIDE)?;
        row.outer(table, table.read)
    })?;
    let mut found: Vec<R> = found.into_iter().flatten().collect();
    found.sort_by_key(|record| Reverse(id(record)));
    let side = position.map(|position| position.side);
    let (goes_on_above, goes_on_below) = cut(&mut found, limit, side, other_side);
    let first = found.first().filter(|_| goes_on_above).map(&id);
    let last = found.last().filter(|_| goes_on_below).map(&id);
    Ok(Page::new(found, first, last))
}

/// Returns the columns of a page of records.
pub(super) fn page_columns<R>(table: &Table<R>) -> Vec<SelectedColumn> {
    [PAGE.columns(), table.columns()].concat()
}
