//! Removing expired and deleted records for good.

use signup_core::{Purge, StoreError};
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use super::query::query;
use crate::sql::Dialect;
use crate::sql::purge::steps;

/// Removes at most `limit` records in one transaction, and returns how many were removed. After an error the transaction may
/// be open.
pub(super) async fn run(
    connection: &mut SqliteConnection,
    purge: Purge,
    limit: u32,
) -> Result<u64, StoreError> {
    let run = async {
        sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
        let mut room = u64::from(limit);
        for step in steps(Dialect::Sqlite, purge) {
            if room == 0 {
                break;
            }
            let (text, arguments) = query(step.statement(room))?;
            let changed = sqlx::query_with(text, arguments).execute(&mut *connection).await?.rows_affected();
            if step.removes {
                room = room.saturating_sub(changed);
            }
        }
        sqlx::query("COMMIT").execute(&mut *connection).await?;
        Ok(u64::from(limit) - room)
    };
    run.await.map_err(|error| store_error("purging", error))
}
