//! Removing expired and deleted records for good.

use std::time::Duration;

use signup_core::{Purge, StoreError};
use sqlx::AssertSqlSafe;
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use super::options::BUSY_TIMEOUT;
use super::query::query;
use crate::sql::Dialect;
use crate::sql::purge::Portion;

/// How long the end of the write-ahead log waits for readers. Other writers wait meanwhile.
const READERS_TIMEOUT: Duration = Duration::from_millis(250);

/// Removes at most `limit` records in one transaction, and returns how many were removed. After an error the transaction may
/// be open.
pub(super) async fn run(
    connection: &mut SqliteConnection,
    purge: Purge,
    limit: u32,
) -> Result<u64, StoreError> {
    let run = async {
        if purge == Purge::Traces {
            empty_log(connection).await?;
            return Ok(0);
        }
        sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
        let mut portion = Portion::new(Dialect::Sqlite, purge, limit);
        while let Some(sql) = portion.next() {
            let (text, arguments) = query(sql)?;
            let removed = sqlx::query_with(text, arguments).execute(&mut *connection).await?.rows_affected();
            portion.removed(removed);
        }
        sqlx::query("COMMIT").execute(&mut *connection).await?;
        Ok(portion.total())
    };
    run.await.map_err(|error| store_error("purging", error))
}

/// Copies the write-ahead log into the database, and empties the file. Does nothing while a reader holds on to the log.
async fn empty_log(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    let wait = |timeout: Duration| AssertSqlSafe(format!("PRAGMA busy_timeout = {}", timeout.as_millis()));
    sqlx::raw_sql(wait(READERS_TIMEOUT)).execute(&mut *connection).await?;
    let emptied = sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut *connection).await;
    sqlx::raw_sql(wait(BUSY_TIMEOUT)).execute(&mut *connection).await?;
    emptied.map(drop)
}
