//! The store in a PostgreSQL database.

use std::fmt;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{ChangeSet, CommitError, Purge, RateKey, RequestCounter, StoreError, Window};

use super::commit::Committer;
use super::connections::{Connections, Purpose};
use super::counter::Counter;
use super::error::{is_timeout, postgres_error};
use super::options::{PostgresOptions, PostgresUrl};
use crate::sql::error::OpenError;
use crate::sql::pool::in_task;
use crate::sql::purge::Portion;
use crate::sql::store::{Backend, CachedRead, SqlStore};
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Statement, values};

/// A store in a PostgreSQL database, which any number of processes share.
///
/// - No process keeps state that another needs, and no read is cached.
/// - A commit that returned is as durable as the setting `synchronous_commit` of the database says.
/// - A read is one statement and one round trip. A commit is a transaction: its locks, its checks, and a statement for each kind of
///   record that it writes.
/// - Requests are counted for all processes together. Requests that arrive during a round trip share the next one.
///
/// A clone is a handle to the same store. The methods are documented at [`SqlStore`].
pub type PostgresStore = SqlStore<PostgresBackend>;

/// The PostgreSQL backend of a [`SqlStore`].
#[derive(Debug, Clone)]
pub struct PostgresBackend {
    connections: Connections,
    counter: Counter,
    committer: Committer,
}

impl SqlStore<PostgresBackend> {
    /// Opens the database at `url`. Creates the tables, or migrates them to this version.
    ///
    /// The server behind the address may change: a connection that breaks, or whose server takes no writes, is closed, and later
    /// operations connect anew. Derives the stored sort keys of events again if another release of the time zone data made them.
    ///
    /// # Errors
    /// Returns [`OpenError::Newer`] if a newer version has written the database, [`OpenError::Unreleased`] if a version before
    /// 1.0.0 has, and another error if the server cannot be reached or takes no writes.
    pub async fn open(url: &PostgresUrl, options: PostgresOptions) -> Result<Self, OpenError> {
        Self::open_with(url, options, SortKeys::Derive).await
    }

    /// Opens the database for a management command: like [`open`](Self::open), but leaves the sort keys as they are. The
    /// command may be of another version than the servers beside it.
    ///
    /// # Errors
    /// Returns the errors of [`open`](Self::open).
    pub async fn open_for_management(url: &PostgresUrl, options: PostgresOptions) -> Result<Self, OpenError> {
        Self::open_with(url, options, SortKeys::Keep).await
    }

    async fn open_with(
        url: &PostgresUrl,
        options: PostgresOptions,
        keys: SortKeys,
    ) -> Result<Self, OpenError> {
        let connections = Connections::open(url, options, keys).await?;
        let counter = Counter::new(connections.clone());
        let committer = Committer::new(connections.clone());
        Ok(Self::new(PostgresBackend { connections, counter, committer }))
    }

    /// Closes all connections, after the operations in progress and the waiting commits.
    pub async fn close(&self) {
        self.backend.committer.close().await;
        self.backend.connections.close().await;
    }

    /// Returns the number of open connections, and the number of those in use.
    pub fn connections(&self) -> (u32, u32) {
        self.backend.connections.count()
    }
}

impl PostgresBackend {
    /// Runs a statement whose only value is a count.
    async fn count_of(&self, what: &'static str, sql: Statement) -> Result<u64, StoreError> {
        let [count] = self.connections.only_row(Purpose::PURGE, what, sql).await?;
        count.parse().map_err(|error| StoreError::failed(what, error))
    }
}

impl Backend for PostgresBackend {
    type Reader = Connections;

    fn reader(&self) -> &Connections {
        &self.connections
    }

    async fn cached<V: Clone + fmt::Debug + Send + Sync + 'static>(
        &self,
        _wanted: CachedRead,
        read: impl Future<Output = Result<V, StoreError>> + Send,
    ) -> Result<V, StoreError> {
        read.await
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.committer.commit(change).await
    }

    /// Each statement is a transaction of its own, so that no lock is held longer than a statement takes.
    async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        let mut portion = Portion::new(Dialect::Postgres, purge, limit);
        while let Some(sql) = portion.next() {
            portion.removed(self.count_of("purging", sql).await?);
        }
        Ok(portion.total())
    }

    fn request_counter(store: &PostgresStore) -> Option<&dyn RequestCounter> {
        Some(store)
    }

    async fn check(&self) -> Result<(), StoreError> {
        const WHAT: &str = "checking whether the database takes writes";
        match self.connections.takes_writes().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::unavailable(WHAT, "it is a standby")),
            Err(error) => Err(postgres_error(WHAT, error)),
        }
    }

    async fn try_write(&self) -> Result<bool, StoreError> {
        // Random text, because the database compresses long values.
        let write = "INSERT INTO meta (name, value) SELECT 'try', string_agg(md5(CAST(random() AS text)), '') FROM generate_series(1, 2048)";
        let connections = self.connections.clone();
        let tried = in_task(async move {
            let mut pooled = connections.acquire().await?;
            let tried = async {
                let mut transaction = connections.begin(&mut pooled.connection, Purpose::CHECK).await?;
                for sql in [write, "DELETE FROM meta WHERE name = 'try'"] {
                    let sql = Statement::of(Dialect::Postgres, sql, vec![]);
                    connections.run(&mut transaction, Purpose::CHECK, sql).await?;
                }
                connections.commit(transaction, Purpose::CHECK).await
            };
            let tried = tried.await;
            connections.release(pooled, &tried);
            tried
        });
        match tried.await {
            Ok(()) => Ok(true),
            Err(error) if is_timeout(&error) || matches!(error, sqlx::Error::PoolTimedOut) => Ok(false),
            Err(error) => Err(postgres_error("trying to write to the database", error)),
        }
    }
}

#[async_trait]
impl RequestCounter for SqlStore<PostgresBackend> {
    async fn count_requests(&self, key: RateKey, number: u32, now: Timestamp) -> Result<Window, StoreError> {
        self.backend.counter.count(key, number, now).await
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
