//! The pages of lists.

use std::cmp::Reverse;

use signup_core::{Listed, OrganizationId, Page, Position, Side};
use uuid::Uuid;

use super::reader::{Reader, StoreResult};
use crate::sql::column::{ColumnType, SelectedColumn};
use crate::sql::row;
use crate::sql::table::{Column, Table};
use crate::sql::{Dialect, Statement, Value, values};

/// The columns of a page, which each row has beside those of a record. A page without records is one row, in which only these
/// columns have values. No record is written to this table.
pub(super) const PAGE: Table<()> = Table {
    name: "page",
    alias: 'p',
    columns: &[Column::new(HAS_OTHER_SIDE, ColumnType::Flag, |()| false.into())],
    ..Table::read_by(|_| Ok(()))
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

/// Returns the condition that a record lies on the other side of the position. `other_side` is a query for a row there.
pub(super) fn has_row(other_side: Option<String>) -> String {
    other_side.map_or_else(|| "1 = 0".to_owned(), |one| format!("({one}) IS NOT NULL"))
}

/// Returns what a page is selected from: a row that says whether a record lies on the other side of the position, joined with the
/// records.
pub(super) fn page_with_side(page: &str, alias: char, other_side: Option<String>) -> String {
    format!("(SELECT {} AS {HAS_OTHER_SIDE}) p LEFT JOIN ({page}) {alias} ON TRUE", has_row(other_side))
}

/// A page of a list that is sorted by an id, newest first.
///
/// The organization and the scope have an index that ends in the id, and each side of a position is a range of it. So the cost
/// depends on the length of the page, and on the records between that the filter skips.
pub(super) struct IdPage<R: 'static> {
    table: &'static Table<R>,
    /// What the records are selected from: the table, the view of it, or a table expression of `with`.
    pub(super) source: &'static str,
    pub(super) with: String,
    /// The first one is the organization.
    values: Vec<Value>,
    /// A column before the id in the index, and the id that it equals.
    pub(super) scope: Option<(&'static str, Uuid)>,
    /// Further conditions, each after an `AND`.
    pub(super) filter: String,
    position: Option<(Uuid, Side)>,
    limit: u32,
}

impl<R: Listed<Key: Copy + Ord>> IdPage<R> {
    pub(super) fn new(
        table: &'static Table<R>,
        organization: OrganizationId,
        limit: u32,
        position: Option<Position<R::Key>>,
        uuid: impl Fn(R::Key) -> Uuid,
    ) -> Self {
        Self {
            table,
            source: table.view.unwrap_or(table.name),
            with: String::new(),
            values: values![organization.uuid()],
            scope: None,
            filter: String::new(),
            position: position.map(|Position { key, side }| (uuid(key), side)),
            limit,
        }
    }

    /// Returns the parameter with this value.
    pub(super) fn parameter(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// Selects the records that have `value` in a column, or all records if there is no value. The statement is the same for both,
    /// because a connection keeps only a few statements prepared.
    pub(super) fn filter_by(&mut self, column: &str, value: Option<&str>) {
        let (alias, value) = (self.table.alias, self.parameter(value));
        self.filter += &format!(" AND ({value} IS NULL OR {alias}.{column} = {value})");
    }

    /// Returns the statement. The result has at least one record more than the page, if there is one, and says whether a record
    /// lies on the other side of the position.
    pub(super) fn statement(mut self, dialect: Dialect) -> Statement {
        let (page, other_side) = self.ranges(dialect);
        let from = page_with_side(&page, self.table.alias, other_side);
        let page = dialect.select(&columns(self.table), &from);
        Statement::of(dialect, &format!("{}{page}", self.with), self.values)
    }

    /// Returns the statement that joins the records with others, and selects `selected`. The result has at least one record more
    /// than the page, if there is one.
    pub(super) fn joined(mut self, dialect: Dialect, selected: &[SelectedColumn], joins: &str) -> Statement {
        let (page, _) = self.ranges(dialect);
        let page = dialect.select(selected, &format!("({page}) {} {joins}", self.table.alias));
        Statement::of(dialect, &format!("{}{page}", self.with), self.values)
    }

    /// Returns a query for the records of the page, and for a row on the other side of the position, if there is a position.
    fn ranges(&mut self, dialect: Dialect) -> (String, Option<String>) {
        let (low, high) = (self.parameter(Uuid::nil()), self.parameter(Uuid::max()));
        let scope = self.scope.map(|(column, id)| (column, self.parameter(id)));
        let position = self.position.map(|(id, side)| (self.parameter(id), side));
        let Self { table, source, filter, limit, .. } = self;
        let alias = table.alias;
        // Without statistics, SQLite would look for an equal scope in the index of the organization. So on SQLite the scope is a
        // part of the range.
        let bound = |comparison: &str, id: &str| match (&scope, dialect) {
            (None, _) => format!("{alias}.id {comparison} {id}"),
            (Some((column, scope)), Dialect::Sqlite) => {
                format!("({alias}.{column}, {alias}.id) {comparison} ({scope}, {id})")
            }
            (Some((column, scope)), Dialect::Postgres) => {
                format!("{alias}.{column} = {scope} AND {alias}.id {comparison} {id}")
            }
        };
        let range = |what: &str, lower: String, upper: String, direction: &str, limit: u32| {
            let order = scope.as_ref().map(|(column, _)| format!("{alias}.{column} {direction}, "));
            format!(
                "SELECT {what} FROM {source} {alias} WHERE {alias}.organization_id = $1 AND {lower} AND {upper}{filter} \
                 ORDER BY {}{alias}.id {direction} LIMIT {limit}",
                order.unwrap_or_default()
            )
        };
        let (low, high, limit) = (bound(">=", &low), bound("<=", &high), row_limit(*limit));
        // The first rows of each range are those nearest to the position.
        match &position {
            None => (range("*", low, high, "DESC", limit), None),
            Some((id, Side::Below)) => (
                range("*", low, bound("<", id), "DESC", limit),
                Some(range("1", bound(">=", id), high, "ASC", 1)),
            ),
            Some((id, Side::Above)) => (
                range("*", bound(">", id), high, "ASC", limit),
                Some(range("1", low, bound("<=", id), "DESC", 1)),
            ),
        }
    }

    /// Reads the page. `id` returns the key of a record.
    pub(super) async fn read(
        self,
        reader: &impl Reader,
        what: &'static str,
        id: impl Fn(&R) -> R::Key,
    ) -> StoreResult<Page<R>> {
        let (table, limit, side) = (self.table, self.limit, self.position.map(|(_, side)| side));
        let [json] = reader.only_row(what, self.statement(reader.dialect())).await?;
        let mut other_side = false;
        let found = row::all(&json, &columns(table), |row| {
            other_side = row.of(&PAGE).flag(HAS_OTHER_SIDE)?;
            row.outer(table, table.read)
        })?;
        let mut found: Vec<R> = found.into_iter().flatten().collect();
        found.sort_by_key(|record| Reverse(id(record)));
        let (goes_on_above, goes_on_below) = cut(&mut found, limit, side, other_side);
        let first = found.first().filter(|_| goes_on_above).map(&id);
        let last = found.last().filter(|_| goes_on_below).map(&id);
        Ok(Page::new(found, first, last))
    }
}

/// Returns the columns of a page of records.
fn columns<R>(table: &Table<R>) -> Vec<SelectedColumn> {
    [PAGE.columns(), table.columns()].concat()
}
