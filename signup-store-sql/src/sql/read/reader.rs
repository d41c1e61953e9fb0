//! How statements of reads are run, and what several reads share.

use jiff::Timestamp;
use signup_core::{ReceiptKey, StoreError};

use crate::sql::row::{FetchedRows, Row};
use crate::sql::table::{SelectedColumn, Table};
use crate::sql::{Dialect, Statement, Value, values};

pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Runs statements that read.
pub(crate) trait Reader: Sync {
    /// The result of a statement of [`Dialect::select`].
    type Rows: FetchedRows;

    fn dialect(&self) -> Dialect;

    /// Runs a statement of [`Dialect::select`]. `what` names the operation in errors.
    fn rows(&self, what: &'static str, sql: Statement) -> impl Future<Output = Result<Self::Rows>> + Send;

    /// Returns the first row of a statement with `N` columns of text. `what` names the operation in errors.
    fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> impl Future<Output = Result<Option<[String; N]>>> + Send;
}

/// Reads all records of `from`, in any order. `what` names the operation in errors.
pub(crate) async fn all<T>(
    reader: &impl Reader,
    what: &'static str,
    columns: Vec<SelectedColumn>,
    from: &str,
    values: Vec<Value>,
    read: impl FnMut(Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let dialect = reader.dialect();
    let found = reader.rows(what, Statement::of(dialect, &dialect.select(&columns, from), values)).await?;
    found.read(&columns, read)
}

/// Reads the record of `from`, which has at most one row.
pub(crate) async fn one<T>(
    reader: &impl Reader,
    what: &'static str,
    columns: Vec<SelectedColumn>,
    from: &str,
    values: Vec<Value>,
    read: impl FnMut(Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    Ok(all(reader, what, columns, from, values, read).await?.pop())
}

/// Sorts records by `key`.
pub(crate) fn sorted<T, K: Ord>(mut found: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    found.sort_by_key(key);
    found
}

/// Reads the records of `table` that an outer join finds for one parent, in any order. Returns `None` if there is no parent.
pub(crate) async fn of_parent<T>(
    reader: &impl Reader,
    what: &'static str,
    table: &Table<T>,
    columns: Vec<SelectedColumn>,
    from: &str,
    values: Vec<Value>,
    read: impl Fn(Row<'_>) -> Result<T>,
) -> Result<Option<Vec<T>>> {
    let read = |row: Row<'_>| row.outer(table, &read);
    let found = all(reader, what, columns, from, values, read).await?;
    Ok((!found.is_empty()).then(|| found.into_iter().flatten().collect()))
}

/// Returns the parameters of a condition that selects the receipt with this key, if it is live at `now`.
pub(crate) fn live_receipt(key: &ReceiptKey, now: Timestamp) -> Vec<Value> {
    let (operation, text) = (key.operation.to_string(), key.key.as_str());
    values![key.organization.uuid(), key.token.uuid(), operation, text, now.as_second()]
}
