//! Removing expired and deleted records for good.

use jiff::Timestamp;
use signup_core::StoreError;
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;

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

/// Children before their parents. `CROSS JOIN` makes the few deleted events the outer loop.
const DELETED: &[&str] = &[
    "DELETE FROM notices WHERE rowid IN (SELECT n.rowid FROM events e CROSS JOIN notices n \
     WHERE e.deleted_at <= $1 AND n.organization_id = e.organization_id AND n.event_id = e.id \
     ORDER BY n.id LIMIT $2)",
    "DELETE FROM signups WHERE rowid IN (SELECT u.rowid FROM events e CROSS JOIN signups u \
     WHERE e.deleted_at <= $1 AND u.organization_id = e.organization_id AND u.event_id = e.id \
     ORDER BY u.id LIMIT $2)",
    "DELETE FROM questions WHERE rowid IN (SELECT q.rowid FROM events e CROSS JOIN questions q \
     WHERE e.deleted_at <= $1 AND q.organization_id = e.organization_id AND q.event_id = e.id LIMIT $2)",
    "DELETE FROM shifts WHERE rowid IN (SELECT s.rowid FROM events e CROSS JOIN shifts s \
     WHERE e.deleted_at <= $1 AND s.organization_id = e.organization_id AND s.event_id = e.id \
     AND NOT EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = s.organization_id AND u.shift_id = s.id) \
     AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.organization_id = s.organization_id AND n.shift_id = s.id) \
     LIMIT $2)",
    "DELETE FROM shifts WHERE rowid IN (SELECT s.rowid FROM shifts s WHERE s.deleted_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM signups u WHERE u.organization_id = s.organization_id AND u.shift_id = s.id) \
     AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.organization_id = s.organization_id AND n.shift_id = s.id) \
     LIMIT $2)",
    "DELETE FROM events WHERE rowid IN (SELECT e.rowid FROM events e WHERE e.deleted_at <= $1 \
     AND NOT EXISTS (SELECT 1 FROM shifts s WHERE s.organization_id = e.organization_id AND s.event_id = e.id) \
     AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.organization_id = e.organization_id AND q.event_id = e.id) \
     ORDER BY e.id LIMIT $2)",
];

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
