//! Removing expired and deleted records for good.

use jiff::Timestamp;
use signup_core::StoreError;
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use crate::sql::purge::DELETED;

/// What is removed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purge {
    /// The receipts that have expired at `now`.
    Receipts { now: Timestamp },
    /// What was deleted at or before `until`.
    Deleted { until: Timestamp },
}

/// Expired receipts, in the order of every store: by expiry, equal ones by key.
const RECEIPTS: &[&str] =
    &["DELETE FROM receipts WHERE rowid IN (SELECT rowid FROM receipts WHERE expires_at <= $1 \
     ORDER BY expires_at, organization_id, token_id, operation, idempotency_key LIMIT $2)"];

impl Purge {
    /// Removes at most `limit` records in one transaction, and returns how many were removed. After an error the transaction
    /// may be open.
    pub(super) async fn run(self, connection: &mut SqliteConnection, limit: u32) -> Result<u64, StoreError> {
        let (what, statements, until) = match self {
            Self::Receipts { now } => ("purging receipts", RECEIPTS, now),
            Self::Deleted { until } => ("purging deleted records", DELETED, until),
        };
        let run = async {
            sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
            let mut room = u64::from(limit);
            for statement in statements {
                // SQLite has signed integers, and a limit fits into one.
                let most = i64::try_from(room).unwrap_or(i64::MAX);
                let purge = sqlx::query(*statement).bind(until.as_second()).bind(most);
                room = room.saturating_sub(purge.execute(&mut *connection).await?.rows_affected());
            }
            sqlx::query("COMMIT").execute(&mut *connection).await?;
            Ok(u64::from(limit) - room)
        };
        run.await.map_err(|error| store_error(what, error))
    }
}
