//! The store in a PostgreSQL database.

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{ChangeSet, CommitError, Purge, RateKey, RequestCounter, StoreError, Window};

use super::commit::Committer;
use super::counter::Counter;
use super::error::{is_lock_timeout, postgres_error};
use super::options::{PostgresOptions, PostgresUrl};
use super::primary::{Primary, Purpose};
use crate::batch::Batcher;
use crate::sql::cache::CachedReads;
use crate::sql::change::prepare;
use crate::sql::error::OpenError;
use crate::sql::purge::steps;
use crate::sql::store::{Backend, SqlStore};
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Statement, values};

/// A store in a PostgreSQL database, which any number of processes share.
///
/// - No process keeps state that another needs, and no read is cached.
/// - A commit that returned is as durable as the setting `synchronous_commit` of the database says.
/// - A read is one statement and one round trip. So is a commit: an event with its shifts, its receipt and its notices is
///   one statement. Behind PgBouncer both are four round trips: begin, prepare, run, end.
/// - A change set in which a write depends on an earlier write is several statements, in a transaction of its own.
/// - Commits that arrive during a commit share the next one, as one statement, unless one changes what another relies on.
/// - Requests are counted for all processes together. Requests that arrive during a round trip share the next one.
///
/// A clone is a handle to the same store. The methods are documented at [`SqlStore`].
pub type PostgresStore = SqlStore<PostgresBackend>;

/// The PostgreSQL backend of a [`SqlStore`].
#[derive(Debug, Clone)]
pub struct PostgresBackend {
    primary: Primary,
    counter: Counter,
    committer: Batcher<Committer>,
}

impl SqlStore<PostgresBackend> {
    /// Opens the database on the server of `urls` that takes writes. Creates the tables, or migrates them to this version.
    ///
    /// After a failover the store uses another server of `urls` as soon as one takes writes. Derives the stored sort keys
    /// of events again if another release of the time zone data made them.
    ///
    /// # Errors
    /// Returns [`OpenError::Newer`] if a newer version has written the database, [`OpenError::Unreleased`] if a version before
    /// 1.0.0 has, and another error if no server can be reached or none takes writes.
    pub async fn open(urls: &[PostgresUrl], options: PostgresOptions) -> Result<Self, OpenError> {
        Self::open_with(urls, options, SortKeys::Derive).await
    }

    /// Opens the database for a management command: like [`open`](Self::open), but leaves the sort keys as they are. The
    /// command may be of another version than the servers beside it.
    ///
    /// # Errors
    /// Returns the errors of [`open`](Self::open).
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
        let counter = Counter::new(primary.clone());
        let committer = Committer::batcher(&primary);
        Ok(Self::new(PostgresBackend { primary, counter, committer }))
    }

    /// Closes all connections, after the operations in progress and the waiting commits.
    pub async fn close(&self) {
        drop(self.backend.committer.close().await);
        self.backend.primary.close().await;
    }

    /// Returns the number of open connections, and the number of those in use.
    pub fn connections(&self) -> (u32, u32) {
        self.backend.primary.connections()
    }
}

impl PostgresBackend {
    /// Runs a statement whose only value is a count.
    async fn count_of(&self, what: &'static str, sql: Statement) -> Result<u64, StoreError> {
        let row: Option<[String; 1]> = self.primary.one(Purpose::PURGE, what, sql).await?;
        let [count] = row.ok_or_else(|| StoreError::failed(what, "the statement gave no row"))?;
        count.parse().map_err(|error| StoreError::failed(what, error))
    }
}

impl Backend for PostgresBackend {
    type Reader = Primary;

    fn reader(&self) -> &Primary {
        &self.primary
    }

    async fn cache(&self) -> Result<Option<(&CachedReads, u64)>, StoreError> {
        Ok(None)
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let (keys, change) = prepare(change)?;
        self.committer.submit(keys, change).await?
    }

    /// Each step is a transaction of its own, so that no lock is held longer than a step takes.
    async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        let mut room = u64::from(limit);
        for step in steps(Dialect::Postgres, purge) {
            if room == 0 {
                break;
            }
            let changed = self.count_of("purging", step.statement(room)).await?;
            if step.removes {
                room = room.saturating_sub(changed);
            }
        }
        Ok(u64::from(limit) - room)
    }

    fn request_counter(store: &PostgresStore) -> Option<&dyn RequestCounter> {
        Some(store)
    }

    async fn check(&self) -> Result<(), StoreError> {
        const WHAT: &str = "checking whether the database takes writes";
        self.committer.check()?;
        match self.primary.takes_writes().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::unavailable(WHAT, "it is a standby")),
            Err(error) => Err(postgres_error(WHAT, error)),
        }
    }

    async fn try_write(&self) -> Result<bool, StoreError> {
        // Random text, because the database compresses long values.
        let write = "INSERT INTO meta (name, value) SELECT 'try', string_agg(md5(CAST(random() AS text)), '') FROM generate_series(1, 2048)";
        let statements = [write, "DELETE FROM meta WHERE name = 'try'"];
        let statements = statements.map(|sql| Statement::of(Dialect::Postgres, sql, vec![]));
        match self.primary.transaction(Purpose::CHECK, statements.into()).await {
            Ok(_) => Ok(true),
            Err(error) if is_lock_timeout(&error) || matches!(error, sqlx::Error::PoolTimedOut) => Ok(false),
            Err(error) => Err(postgres_error("trying to write to the database", error)),
        }
    }
}

#[async_trait]
impl RequestCounter for SqlStore<PostgresBackend> {
    async fn count_request(&self, key: RateKey, now: Timestamp) -> Result<Window, StoreError> {
        self.backend.counter.count(key, now).await
    }

    async fn purge_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let text = format!(
            "WITH old AS (SELECT organization_id, caller FROM windows WHERE ends_at <= $1 \
             ORDER BY ends_at LIMIT {limit} FOR UPDATE SKIP LOCKED), \
             gone AS (DELETE FROM windows w USING old o \
             WHERE w.organization_id = o.organization_id AND w.caller = o.caller RETURNING 1) \
             SELECT CAST(count(*) AS TEXT) FROM gone"
        );
        let sql = Statement::of(Dialect::Postgres, &text, values![now]);
        self.backend.count_of("purging windows", sql).await
    }
}
