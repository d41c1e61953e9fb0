//! Removing deleted records for good.

use jiff::Timestamp;
use signup_core::StoreError;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Postgres, Transaction};

use super::error::postgres_error;
use super::primary::{Primary, Purpose, in_task};
use crate::sql::purge::DELETED;

/// Whether no other transaction purges. If so, none does until this one ends.
const LOCK_PURGE: &str = "SELECT pg_try_advisory_xact_lock(7306931546095)";

/// Lock what was deleted at or before `$1`, in the order of commits: an event before its shifts, and a shift before its
/// sign-ups. An event that is being restored is waited for. The deletions, which come next, see that it is restored.
const LOCK_DELETED: [&str; 2] = [
    "SELECT count(*) FROM (SELECT 1 FROM events WHERE deleted_at <= $1 \
     ORDER BY organization_id, id FOR UPDATE) locked",
    "SELECT count(*) FROM (SELECT 1 FROM shifts s \
     JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
     WHERE e.deleted_at <= $1 ORDER BY s.organization_id, s.id FOR UPDATE OF s) locked",
];

impl Primary {
    /// Removes at most `limit` records that were deleted at or before `until`, and returns how many were removed. Returns 0
    /// while another transaction purges.
    pub(super) async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let failed = |error| postgres_error("purging deleted records", error);
        let primary = self.clone();
        in_task(async move {
            let (pool, mut pooled) = primary.acquire().await?;
            let purged = primary.purge_on(&mut pooled.connection, until.as_second(), limit).await;
            primary.release(&pool, pooled, &purged);
            purged
        })
        .await
        .map_err(failed)
    }

    async fn purge_on(&self, connection: &mut PgConnection, until: i64, limit: u32) -> sqlx::Result<u64> {
        self.count_transaction(Purpose::PURGE, 1 + LOCK_DELETED.len() + DELETED.len());
        let begin = AssertSqlSafe(self.begin());
        let error = match self.answer(connection.begin_with(begin)).await {
            Ok(transaction) => return self.purge_in(transaction, until, limit).await,
            Err(error) => error,
        };
        Err(self.roll_back(connection, error).await)
    }

    async fn purge_in(
        &self,
        mut transaction: Transaction<'_, Postgres>,
        until: i64,
        limit: u32,
    ) -> sqlx::Result<u64> {
        let is_kept = !self.options().pgbouncer;
        let run = |text: &'static str| sqlx::query(text).persistent(is_kept);
        let is_alone = sqlx::query_scalar(LOCK_PURGE).persistent(is_kept).fetch_one(&mut *transaction);
        let mut removed = 0;
        if self.answer(is_alone).await? {
            for lock in LOCK_DELETED {
                self.answer(run(lock).bind(until).execute(&mut *transaction)).await?;
            }
            for delete in DELETED {
                let delete = run(delete).bind(until).bind(i64::from(limit) - removed);
                let deleted = self.answer(delete.execute(&mut *transaction)).await?.rows_affected();
                removed += i64::try_from(deleted).unwrap_or(i64::MAX);
            }
        }
        self.answer(transaction.commit()).await?;
        Ok(removed.unsigned_abs())
    }
}
