//! How statements of reads are run, and what several reads share.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use signup_core::{Kind, Record, StoreError};
use uuid::Uuid;

use crate::records::table;
use crate::sql::column::SelectedColumn;
use crate::sql::row::{self, Row};
use crate::sql::table::Table;
use crate::sql::{Dialect, Statement, Value};

/// The result of a read.
pub(crate) type StoreResult<T> = Result<T, StoreError>;

/// Runs statements that read.
pub(crate) trait Reader: Sync {
    fn dialect(&self) -> Dialect;

    /// Returns the only row of a statement with `N` columns of text. `what` names the operation in errors.
    fn only_row<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> impl Future<Output = StoreResult<[String; N]>> + Send {
        async move {
            let row = self.row(what, sql).await?;
            row.ok_or_else(|| StoreError::failed(what, "the statement gave no row"))
        }
    }

    /// Returns the rows of a statement with `N` columns of text. `what` names the operation in errors.
    fn texts<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> impl Future<Output = StoreResult<Vec<[String; N]>>> + Send;

    /// Returns the first row of a statement with `N` columns of text. `what` names the operation in errors.
    fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> impl Future<Output = StoreResult<Option<[String; N]>>> + Send {
        async move { Ok(self.texts(what, sql).await?.into_iter().next()) }
    }
}

/// Reads all records of `from`, in any order. `what` names the operation in errors.
pub(crate) async fn all<T>(
    reader: &impl Reader,
    what: &'static str,
    columns: Vec<SelectedColumn>,
    from: &str,
    values: Vec<Value>,
    read: impl FnMut(Row<'_>) -> StoreResult<T>,
) -> StoreResult<Vec<T>> {
    let dialect = reader.dialect();
    let statement = Statement::of(dialect, &dialect.select(&columns, from), values);
    let [json] = reader.only_row(what, statement).await?;
    row::all(&json, &columns, read)
}

/// Reads the record of `from`, which has at most one row.
pub(crate) async fn one<T>(
    reader: &impl Reader,
    what: &'static str,
    columns: Vec<SelectedColumn>,
    from: &str,
    values: Vec<Value>,
    read: impl FnMut(Row<'_>) -> StoreResult<T>,
) -> StoreResult<Option<T>> {
    Ok(all(reader, what, columns, from, values, read).await?.pop())
}

/// Reads the record of a kind that has `values` in `columns`, and that meets `conditions`.
pub(crate) async fn record(
    reader: &impl Reader,
    kind: Kind,
    columns: &[&str],
    values: Vec<Value>,
    conditions: &[String],
) -> StoreResult<Option<Record>> {
    let table = table(kind);
    let alias = table.alias();
    let same = columns.iter().zip(1..).map(|(column, number)| format!("{alias}.{column} = ${number}"));
    let conditions = conditions.iter().filter(|condition| !condition.is_empty()).cloned();
    let conditions = same.chain(conditions).collect::<Vec<_>>().join(" AND ");
    let from = format!("{} WHERE {conditions}", table.source());
    one(reader, "reading a record", table.selected(), &from, values, |row| table.read(row)).await
}

/// Sorts records by `key`.
pub(crate) fn sorted<T, K: Ord>(mut found: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    found.sort_by_key(key);
    found
}

/// Reads the records of `table` that an outer join finds for one parent, in any order. Returns `None` if there is no parent.
pub(crate) async fn of_parent<R, T>(
    reader: &impl Reader,
    what: &'static str,
    table: &Table<R>,
    columns: Vec<SelectedColumn>,
    from: &str,
    values: Vec<Value>,
    read: impl Fn(Row<'_>) -> StoreResult<T>,
) -> StoreResult<Option<Vec<T>>> {
    let read = |row: Row<'_>| row.outer(table, &read);
    let found = all(reader, what, columns, from, values, read).await?;
    Ok((!found.is_empty()).then(|| found.into_iter().flatten().collect()))
}

/// The maximum number of records that a process reports as unreadable, to bound the memory for their ids.
const MAX_REPORTED: usize = 10_000;
/// The records that this process has reported as unreadable.
static REPORTED: Mutex<BTreeSet<Uuid>> = Mutex::new(BTreeSet::new());

/// Returns whether the process has not reported yet that the record with this id cannot be read. A worker reads the record again
/// with each poll of its queue.
pub(crate) fn is_first_report(id: Uuid) -> bool {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    reported.len() < MAX_REPORTED && reported.insert(id)
}
