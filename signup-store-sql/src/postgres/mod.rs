//! The store on PostgreSQL, which any number of processes share.

mod change;
mod commit;
mod counter;
mod error;
mod migrations;
mod observe;
mod options;
mod primary;
mod rows;
mod sign_ups;
#[cfg(feature = "test-cluster")]
pub mod test_cluster;
mod turns;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    ChangeSet, CommitError, Digest, EmailAddress, Event, EventId, EventInFull, EventPage, EventQuery, Notice,
    NoticeCounts, NoticeId, Organization, OrganizationId, Question, RateKey, Receipt, ReceiptKey,
    RequestCounter, Shift, ShiftId, Signup, SignupId, Store, StoreError, Token, TokenId, Window,
};

use crate::sql::error::OpenError;
use crate::sql::read;
use crate::sql::store::store;
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Sql, values};
use counter::Counter;
use error::postgres_error;
use primary::{Primary, Purpose};
use turns::Turns;

pub use options::{PostgresOptions, PostgresUrl, PostgresUrlError};

/// A store in a PostgreSQL database.
///
/// A read is one statement, and one round trip. So is a commit, whatever it checks and writes: an event with its shifts, its
/// receipt and its notices is one statement, durable when it returns (unless the database is told otherwise by
/// `synchronous_commit`). Behind PgBouncer both are four round trips: the transaction begins, the statement is prepared, it
/// runs, the transaction ends.
///
/// Those who sign up for one shift at the same moment would only wait for each other's commits. They are committed together,
/// by one statement. Requests are counted together, in one round trip for all that came while the last was under way. A
/// connection that comes back to the pool is asked for a sign of life, which nobody waits for.
///
/// No process keeps anything that another needs, so any number of them can share the database.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    primary: Primary,
    counter: Counter,
    turns: Turns,
}

impl PostgresStore {
    /// Opens the database at the one of `urls` that takes writes; its tables are made, or carried forward to this version.
    /// When that server fails, the store goes on with another of them as soon as one takes writes.
    ///
    /// # Errors
    /// If no server can be reached, or none takes writes, and [`OpenError::Newer`] if a newer version has written the
    /// database.
    pub async fn open(urls: &[PostgresUrl], options: PostgresOptions) -> Result<Self, OpenError> {
        Self::open_with(urls, options, SortKeys::Derive).await
    }

    /// Opens the database for a management command, as [`open`](Self::open) does, but leaves the stored starts of events as
    /// they are: only a process that serves derives them again when its zone data is another release.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_for_management(
        urls: &[PostgresUrl],
        options: PostgresOptions,
    ) -> Result<Self, OpenError> {
        Self::open_with(urls, options, SortKeys::Keep).await
    }

    async fn open_with(
        urls: &[PostgresUrl],
        options: PostgresOptions,
        keys: SortKeys,
    ) -> Result<Self, OpenError> {
        let primary = Primary::open(urls, options, keys).await?;
        let counter = Counter::start(primary.clone());
        let turns = Turns::new(primary.patience());
        Ok(Self { primary, counter, turns })
    }

    /// Closes all connections, after what is under way.
    pub async fn close(&self) {
        self.primary.close().await;
    }

    /// Connections that are open, and those of them that are in use.
    pub fn connections(&self) -> (u32, u32) {
        self.primary.connections()
    }

    const fn reader(&self) -> &Primary {
        &self.primary
    }

    /// In the order that every store purges in. What another process is purging is left to it.
    async fn purge_old_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let text = format!(
            "WITH old AS (SELECT organization_id, token_id, operation, idempotency_key FROM receipts \
             WHERE expires_at <= $1 ORDER BY expires_at, organization_id, token_id, operation, idempotency_key \
             LIMIT {limit} FOR UPDATE SKIP LOCKED), \
             gone AS (DELETE FROM receipts r USING old o WHERE r.organization_id = o.organization_id \
             AND r.token_id = o.token_id AND r.operation = o.operation AND r.idempotency_key = o.idempotency_key \
             RETURNING 1) SELECT CAST(count(*) AS TEXT) FROM gone"
        );
        let sql = Sql::of(Dialect::Postgres, &text, values![now.as_second()]);
        self.count_of("purging receipts", sql).await
    }

    async fn count_of(&self, what: &'static str, sql: Sql) -> Result<u64, StoreError> {
        let row: Option<[String; 1]> = self.primary.one(Purpose::Purge, what, sql).await?;
        let [count] = row.ok_or_else(|| StoreError::failed(what, "the statement gave no row"))?;
        count.parse().map_err(|error| StoreError::failed(what, error))
    }

    const fn counter(&self) -> Option<&dyn RequestCounter> {
        Some(self)
    }

    async fn answers(&self) -> Result<(), StoreError> {
        const WHAT: &str = "looking whether the database takes writes";
        self.counter.check()?;
        match self.primary.takes_writes().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::unavailable(WHAT, "it is a standby")),
            Err(error) => Err(postgres_error(WHAT, error)),
        }
    }
}

store!(PostgresStore, read);

#[async_trait]
impl RequestCounter for PostgresStore {
    async fn count_request(&self, key: RateKey, now: Timestamp) -> Result<Window, StoreError> {
        self.counter.count(key, now).await
    }

    async fn purge_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let text = format!(
            "WITH old AS (SELECT organization_id, caller FROM windows WHERE opened_at <= $1 \
             ORDER BY opened_at LIMIT {limit} FOR UPDATE SKIP LOCKED), \
             gone AS (DELETE FROM windows w USING old o \
             WHERE w.organization_id = o.organization_id AND w.caller = o.caller RETURNING 1) \
             SELECT CAST(count(*) AS TEXT) FROM gone"
        );
        let opened_at = now.as_second() - signup_core::allowance::WINDOW_S;
        let sql = Sql::of(Dialect::Postgres, &text, values![opened_at]);
        self.count_of("purging windows", sql).await
    }
}
