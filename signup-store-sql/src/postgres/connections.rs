//! The connections to the database.
//!
//! A connection that breaks, or whose server refuses writes, is closed, and the operation is tried again on another one. So after a
//! restart, or after the primary has moved behind its address, nothing has to be done.
//!
//! **Invariants:** every wait of an operation for a server has a limit, and an operation runs to its end, even if its caller is
//! dropped. The connection of an operation that failed is closed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use signup_core::StoreError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Postgres, Transaction};

use super::error::{is_broken, postgres_error};
use super::migrations;
use super::options::{PostgresOptions, PostgresUrl, connect_options, server_name};
use super::query::query;
use crate::sql::error::OpenError;
use crate::sql::observe;
use crate::sql::pool::{Bounds, ConnectionPool, PooledConnection, in_task};
use crate::sql::read::Reader;
use crate::sql::runner::texts;
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Statement};

/// How long this process waits for a statement after its timeout in the database, and for the pool to close.
const GRACE_PERIOD: Duration = Duration::from_secs(1);
/// How long a connection is used. A firewall may forget one that is idle for longer.
const MAX_AGE: Duration = Duration::from_secs(600);
/// The pause before an operation is tried again on another connection.
const PAUSE: Duration = Duration::from_millis(20);
/// Returns `yes` on a server that accepts writes.
const TAKES_WRITES: &str = "SELECT CASE WHEN pg_is_in_recovery() \
     OR current_setting('transaction_read_only') = 'on' THEN 'no' ELSE 'yes' END";

/// The connections to the database. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    pool: Arc<ConnectionPool<PgConnection>>,
    options: PostgresOptions,
    /// When the database last answered.
    answered_at: Arc<Mutex<Instant>>,
}

impl Connections {
    /// Connects to the database, and migrates it.
    pub(crate) async fn open(
        url: &PostgresUrl,
        options: PostgresOptions,
        keys: SortKeys,
    ) -> Result<Self, OpenError> {
        let server = connect_options(url.options.clone(), &options);
        let name = server_name(&server);
        let connected = tokio::time::timeout(options.connect_timeout, connect(&server)).await;
        let connected = connected.unwrap_or(Err(sqlx::Error::PoolTimedOut));
        let (mut connection, takes_writes) =
            connected.map_err(|source| OpenError::Connect { server: name.clone(), source })?;
        if !takes_writes {
            return Err(OpenError::NoPrimary { server: name });
        }
        migrations::prepare(&mut connection, &name, keys).await?;
        // The migrated database does not depend on how the connection ends.
        drop(connection.close().await);
        let (connections, wait) = (options.connections, options.connect_timeout);
        let bounds = Bounds { connections, wait, age: MAX_AGE, is_tried_again: is_broken };
        let pool = Arc::new(ConnectionPool::new(server, bounds));
        Ok(Self { pool, options, answered_at: Arc::new(Mutex::new(Instant::now())) })
    }

    /// Closes the connections after the operations in progress, or after the grace period.
    pub(crate) async fn close(&self) {
        self.pool.close(GRACE_PERIOD).await;
    }

    pub(crate) const fn options(&self) -> &PostgresOptions {
        &self.options
    }

    /// Returns the longest time that a request may wait for its turn and for its answer: as long as one operation may take.
    pub(crate) fn max_wait(&self) -> Duration {
        self.options.connect_timeout + self.options.statement_timeout + GRACE_PERIOD
    }

    /// Returns the number of open connections, and the number of those in use.
    pub(crate) fn count(&self) -> (u32, u32) {
        self.pool.count()
    }

    /// Runs a statement in a transaction of its own. If its connection is broken, runs it again on another one: a statement here
    /// may take effect twice.
    pub(crate) async fn fetch(&self, purpose: Purpose, sql: Statement) -> sqlx::Result<Vec<PgRow>> {
        let began = Instant::now();
        loop {
            match self.fetch_once(purpose, sql.clone()).await {
                Err(error) if is_broken(&error) && began.elapsed() < self.options.connect_timeout => {
                    tokio::time::sleep(PAUSE).await;
                }
                fetched => return fetched,
            }
        }
    }

    async fn fetch_once(&self, purpose: Purpose, sql: Statement) -> sqlx::Result<Vec<PgRow>> {
        let run = |connections: Self, mut pooled: PooledConnection<PgConnection>| async move {
            let fetched = if connections.options.pgbouncer {
                connections.fetch_in_transaction(&mut pooled.connection, purpose, sql).await
            } else {
                connections.run(&mut pooled.connection, purpose, sql).await
            };
            connections.release(pooled, &fetched);
            fetched
        };
        let pooled = self.acquire().await?;
        in_task(run(self.clone(), pooled)).await
    }

    async fn fetch_in_transaction(
        &self,
        connection: &mut PgConnection,
        purpose: Purpose,
        sql: Statement,
    ) -> sqlx::Result<Vec<PgRow>> {
        let mut transaction = self.begin(connection, purpose).await?;
        let rows = self.run(&mut transaction, purpose, sql).await?;
        self.commit(transaction, purpose).await?;
        Ok(rows)
    }

    /// Waits for a connection, which the caller [releases](Self::release).
    pub(super) async fn acquire(&self) -> sqlx::Result<PooledConnection<PgConnection>> {
        self.pool.acquire().await
    }

    /// Releases a connection, or closes it after an operation that failed: a transaction may be open.
    pub(super) fn release<T>(&self, pooled: PooledConnection<PgConnection>, result: &sqlx::Result<T>) {
        match result {
            Ok(_) => {
                self.note_answer();
                self.pool.release(pooled);
            }
            // Most errors are answers of the database.
            Err(error) if !is_broken(error) => self.note_answer(),
            Err(_) => {}
        }
    }

    /// Begins a transaction.
    ///
    /// With a higher isolation level, a check after the wait for a lock would not see the changes of the transaction that held the
    /// lock.
    pub(super) async fn begin<'c>(
        &self,
        connection: &'c mut PgConnection,
        purpose: Purpose,
    ) -> sqlx::Result<Transaction<'c, Postgres>> {
        observe::count_round_trips(purpose.0, 1);
        let begin = connection.begin_with("BEGIN ISOLATION LEVEL READ COMMITTED");
        let mut transaction = self.answer(begin).await?;
        if self.options.pgbouncer {
            // PgBouncer refuses these settings for a session.
            let timeout = self.options.statement_timeout.as_millis();
            let settings = format!(
                "SET LOCAL statement_timeout = {timeout}; SET LOCAL idle_in_transaction_session_timeout = {timeout}"
            );
            observe::count_round_trips(purpose.0, 1);
            self.answer(transaction.execute(sqlx::raw_sql(AssertSqlSafe(settings)))).await?;
        }
        Ok(transaction)
    }

    /// Runs a statement of a transaction.
    pub(super) async fn run(
        &self,
        connection: &mut PgConnection,
        purpose: Purpose,
        sql: Statement,
    ) -> sqlx::Result<Vec<PgRow>> {
        // Behind PgBouncer no statement stays prepared, so preparing is a round trip of its own.
        let is_kept = !self.options.pgbouncer;
        observe::count_round_trips(purpose.0, if is_kept { 1 } else { 2 });
        let (text, arguments) = query(sql)?;
        let query = sqlx::query_with(text, arguments).persistent(is_kept);
        self.answer(query.fetch_all(connection)).await
    }

    pub(super) async fn commit(
        &self,
        transaction: Transaction<'_, Postgres>,
        purpose: Purpose,
    ) -> sqlx::Result<()> {
        observe::count_round_trips(purpose.0, 1);
        self.answer(transaction.commit()).await
    }

    /// Rolls a transaction back.
    pub(super) async fn rollback(
        &self,
        transaction: Transaction<'_, Postgres>,
        purpose: Purpose,
    ) -> sqlx::Result<()> {
        observe::count_round_trips(purpose.0, 1);
        self.answer(transaction.rollback()).await
    }

    /// Waits for an answer of the server, for the statement timeout and the grace period. The limit is that of one statement,
    /// not of a transaction: over a slow network, a transaction of many statements takes long without being stuck.
    async fn answer<T>(&self, answer: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let late =
            |_| std::io::Error::new(std::io::ErrorKind::TimedOut, "the database did not answer in time");
        let limit = self.options.statement_timeout + GRACE_PERIOD;
        tokio::time::timeout(limit, answer).await.map_err(late)?
    }

    /// Returns the only row of a statement with `N` columns of text. `what` names the operation in errors.
    pub(crate) async fn only_row<const N: usize>(
        &self,
        purpose: Purpose,
        what: &'static str,
        sql: Statement,
    ) -> Result<[String; N], StoreError> {
        let failed = |error| postgres_error(what, error);
        let rows = self.fetch(purpose, sql).await.map_err(failed)?;
        let row = rows.first().ok_or(sqlx::Error::RowNotFound).and_then(texts);
        row.map_err(failed)
    }

    /// Returns whether the database accepts writes. A busy database does: all connections are in use, and get answers.
    pub(crate) async fn takes_writes(&self) -> sqlx::Result<bool> {
        let sql = Statement::of(Dialect::Postgres, TAKES_WRITES, vec![]);
        match self.fetch(Purpose::CHECK, sql).await {
            Ok(rows) => Ok(rows.first().map(texts).transpose()?.is_some_and(|[answer]| answer == "yes")),
            Err(sqlx::Error::PoolTimedOut) if !self.is_silent() => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn note_answer(&self) {
        *self.answered_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns whether the last answer of the database is older than the timeout for a connection.
    fn is_silent(&self) -> bool {
        let answered_at = *self.answered_at.lock().unwrap_or_else(PoisonError::into_inner);
        answered_at.elapsed() >= self.options.connect_timeout
    }
}

/// Connects to a server, and returns whether it accepts writes.
async fn connect(server: &PgConnectOptions) -> sqlx::Result<(PgConnection, bool)> {
    let mut connection = server.connect().await?;
    // A simple query, which works behind PgBouncer, too.
    let [answer] = texts(&connection.fetch_one(TAKES_WRITES).await?)?;
    Ok((connection, answer == "yes"))
}

/// What a connection is used for: the value of `kind` in the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Purpose(&'static str);

impl Purpose {
    pub(crate) const READ: Self = Self("read");
    pub(crate) const COMMIT: Self = Self("commit");
    pub(crate) const COUNT: Self = Self("count");
    pub(crate) const PURGE: Self = Self("purge");
    pub(crate) const CHECK: Self = Self("check");
}

impl Reader for Connections {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn texts<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> Result<Vec<[String; N]>, StoreError> {
        let failed = |error| postgres_error(what, error);
        let rows = self.fetch(Purpose::READ, sql).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
