//! The connections to the PostgreSQL server that accepts writes.
//!
//! The pool is replaced by a new one if a connection breaks, if its server refuses writes, or if no connection can be opened
//! and the database is silent. The new pool connects to the server of the list that accepts writes then. So a failover fails
//! only the operations in progress and those until a standby is promoted, and nothing has to be restarted.
//!
//! **Invariants:** every wait for a server has a limit. A broken connection is closed. After an operation that was dropped,
//! the pool of sqlx pings the connection before it is used again.

mod find;
mod pool;

use std::error::Error as _;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use signup_core::StoreError;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Postgres, Transaction};
use tracing::Instrument as _;

use super::error::{is_broken, postgres_error};
use super::migrations;
use super::options::{PLANNER, PostgresOptions, PostgresUrl, connect_options, server_name};
use super::query::query;
use crate::sql::error::OpenError;
use crate::sql::observe;
use crate::sql::pool::PooledConnection;
use crate::sql::read::Reader;
use crate::sql::runner::texts;
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Statement};
use find::{TAKES_WRITES, find};
use pool::{GRACE_PERIOD, Pool};

/// The first pause between two searches for the server that accepts writes. Each pause is twice as long as the one before.
const MIN_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause between two searches.
const MAX_PAUSE: Duration = Duration::from_millis(250);

/// How often a batch yields to other tasks before it takes its requests. Without these yields, half of all batches have a
/// single request, and creates on 64 connections reach 0.8 of the rate.
pub(crate) const YIELDS: u32 = 10;

/// The connections to the server that accepts writes. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Primary(Arc<Shared>);

struct Shared {
    servers: Vec<PgConnectOptions>,
    options: PostgresOptions,
    pool: RwLock<Pool>,
    /// Whether a task is replacing the pool.
    is_replacing: AtomicBool,
}

/// Omits the passwords.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<_> = self.servers.iter().map(server_name).collect();
        f.debug_struct("Shared")
            .field("servers", &servers)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Primary {
    /// Connects to the server of `urls` that accepts writes, and migrates the database.
    pub(crate) async fn open(
        urls: &[PostgresUrl],
        options: PostgresOptions,
        keys: SortKeys,
    ) -> Result<Self, OpenError> {
        let servers: Vec<_> = urls.iter().map(|url| connect_options(url.options.clone(), &options)).collect();
        let (server, mut connection) = find(&servers, options.connect_timeout).await?;
        let name = server_name(&server);
        migrations::prepare(&mut connection, &name, keys).await?;
        // The migrated database does not depend on how the connection ends.
        drop(connection.close().await);
        let pool = RwLock::new(Pool::new(&options, server));
        Ok(Self(Arc::new(Shared { servers, options, pool, is_replacing: AtomicBool::new(false) })))
    }

    pub(crate) async fn close(&self) {
        self.pool().close().await;
    }

    pub(crate) fn options(&self) -> &PostgresOptions {
        &self.0.options
    }

    /// Returns the longest time that a request may wait for its batch and for its answer: as long as one operation may take.
    pub(crate) fn max_wait(&self) -> Duration {
        self.0.options.connect_timeout + self.0.options.statement_timeout + GRACE_PERIOD
    }

    /// Returns the number of open connections, and the number of those in use.
    pub(crate) fn connections(&self) -> (u32, u32) {
        let pool = self.pool().connections.pool;
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
        (pool.size(), pool.size().saturating_sub(idle))
    }

    /// Returns the present pool.
    pub(super) fn pool(&self) -> Pool {
        // No code panics while it holds the lock.
        self.0.pool.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs statements in one transaction, up to the first statement that returns rows. Returns these rows.
    ///
    /// A transaction ends even if the caller is dropped.
    pub(crate) async fn transaction(
        &self,
        purpose: Purpose,
        statements: Vec<Statement>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let (pool, pooled) = self.acquire().await?;
        let needs_no_transaction = statements.len() == 1 && !self.0.options.pgbouncer;
        // The box keeps the large state of a running statement in place when the futures around it are moved.
        let run = Box::pin(self.clone().run_on(pool, pooled, purpose, statements));
        if needs_no_transaction { run.await } else { in_task(run).await }
    }

    /// Runs statements, and then releases or closes the connection.
    async fn run_on(
        self,
        pool: Pool,
        mut pooled: PooledConnection<Postgres>,
        purpose: Purpose,
        statements: Vec<Statement>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let result = self.run(&mut pooled.connection, purpose, statements).await;
        self.release(&pool, pooled, &result);
        result
    }

    /// Releases or closes a connection, after a transaction that ended with `result`.
    fn release<T>(&self, pool: &Pool, mut pooled: PooledConnection<Postgres>, result: &sqlx::Result<T>) {
        match result {
            Ok(_) => {
                pool.note_answer();
                pool.connections.release(pooled);
            }
            Err(error) if is_broken(error) => {
                pooled.connection.close_on_drop();
                self.replace(pool);
            }
            // The database has answered with an error.
            Err(_) => pool.note_answer(),
        }
    }

    /// Returns a connection, and the pool that it belongs to. The deadline includes the wait for a pool that replaces a
    /// closed one.
    async fn acquire(&self) -> sqlx::Result<(Pool, PooledConnection<Postgres>)> {
        let deadline = Instant::now() + self.0.options.connect_timeout;
        loop {
            let pool = self.pool();
            match pool.acquire(deadline).await {
                Ok(pooled) => return Ok((pool, pooled)),
                Err(sqlx::Error::PoolClosed) if pool.is_replaced() => {}
                Err(error) => {
                    // After a timeout, answers show that other operations use all connections. Silence shows that no
                    // connection can be opened.
                    let is_timeout = matches!(error, sqlx::Error::PoolTimedOut);
                    if is_broken(&error) || (is_timeout && pool.is_silent()) {
                        self.replace(&pool);
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Returns the first row of a statement with `N` columns of text. `what` names the operation in errors.
    pub(crate) async fn one<const N: usize>(
        &self,
        purpose: Purpose,
        what: &'static str,
        sql: Statement,
    ) -> Result<Option<[String; N]>, StoreError> {
        let failed = |error| postgres_error(what, error);
        let rows = self.transaction(purpose, vec![sql]).await.map_err(failed)?;
        rows.first().map(texts).transpose().map_err(failed)
    }

    /// Returns whether the database accepts writes. A busy database does: all connections are in use, and get answers.
    pub(crate) async fn takes_writes(&self) -> sqlx::Result<bool> {
        let pool = self.pool();
        let sql = Statement::of(Dialect::Postgres, TAKES_WRITES, vec![]);
        match self.transaction(Purpose::CHECK, vec![sql]).await {
            Ok(rows) => Ok(rows.first().map(texts).transpose()?.is_some_and(|[answer]| answer == "yes")),
            Err(sqlx::Error::PoolTimedOut) if !pool.is_silent() => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn run(
        &self,
        connection: &mut PgConnection,
        purpose: Purpose,
        mut statements: Vec<Statement>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let pgbouncer = self.0.options.pgbouncer;
        match &*statements {
            [_] if !pgbouncer => {
                observe::count_round_trips(purpose.0, 1);
                return self.answer(fetch(connection, statements.remove(0), true)).await;
            }
            [sql] if sql.values.is_empty() => {
                observe::count_round_trips(purpose.0, 1);
                return self.fetch_plain(connection, sql).await;
            }
            _ => {}
        }
        self.count_transaction(purpose, statements.len());
        let begin = AssertSqlSafe(self.begin());
        let error = match self.answer(connection.begin_with(begin)).await {
            Ok(transaction) => return self.run_in(transaction, statements).await,
            Err(error) => error,
        };
        Err(self.roll_back(connection, error).await)
    }

    /// Counts the round trips of a transaction, with its begin and its end.
    fn count_transaction(&self, purpose: Purpose, statements: usize) {
        // Behind PgBouncer no statement stays prepared, so preparing is a round trip of its own.
        let each = if self.0.options.pgbouncer { 2 } else { 1 };
        observe::count_round_trips(purpose.0, 2 + each * statements as u64);
    }

    async fn run_in(
        &self,
        mut transaction: Transaction<'_, Postgres>,
        statements: Vec<Statement>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let mut rows = vec![];
        for sql in statements {
            rows = self.answer(fetch(&mut transaction, sql, !self.0.options.pgbouncer)).await?;
            if !rows.is_empty() {
                break;
            }
        }
        self.answer(transaction.commit()).await?;
        Ok(rows)
    }

    /// Waits for an answer of the server, for the statement timeout and the grace period. The limit is that of one statement,
    /// not of a transaction: over a slow network, a transaction of many statements takes long without being stuck.
    async fn answer<T>(&self, answer: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let late =
            |_| std::io::Error::new(std::io::ErrorKind::TimedOut, "the database did not answer in time");
        let limit = self.0.options.statement_timeout + GRACE_PERIOD;
        tokio::time::timeout(limit, answer).await.map_err(late)?
    }

    /// Returns the statements that begin a transaction. Behind PgBouncer they include the settings of a session.
    ///
    /// With a higher isolation level, a check after the wait for a lock would not see the changes of the transaction that
    /// held the lock.
    fn begin(&self) -> String {
        let options = &self.0.options;
        let mut begin = "BEGIN ISOLATION LEVEL READ COMMITTED".to_owned();
        if options.pgbouncer {
            let timeout = options.statement_timeout.as_millis();
            begin.push_str(&format!(
                "; SET LOCAL statement_timeout = {timeout}; SET LOCAL idle_in_transaction_session_timeout = {timeout}"
            ));
            for (name, value) in PLANNER {
                begin.push_str(&format!("; SET LOCAL {name} = {value}"));
            }
        }
        begin
    }

    /// Runs a statement without parameters in a transaction, in one round trip.
    async fn fetch_plain(&self, connection: &mut PgConnection, sql: &Statement) -> sqlx::Result<Vec<PgRow>> {
        let text = format!("{}; {}; COMMIT", self.begin(), sql.text);
        match self.answer(sqlx::raw_sql(AssertSqlSafe(text)).fetch_all(&mut *connection)).await {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.roll_back(connection, error).await),
        }
    }

    /// Ends a transaction that `error` may have left open, and that sqlx does not know. Returns `error`, or the error of the
    /// rollback.
    async fn roll_back(&self, connection: &mut PgConnection, error: sqlx::Error) -> sqlx::Error {
        if is_broken(&error) {
            return error;
        }
        self.answer(connection.execute("ROLLBACK")).await.err().unwrap_or(error)
    }

    /// Starts a task that replaces the pool `broken`, unless the pool is replaced already or such a task is running.
    fn replace(&self, broken: &Pool) {
        if self.0.is_replacing.swap(true, Ordering::AcqRel) {
            return;
        }
        // Only the task that has set `is_replacing` replaces a pool, so the check comes after the swap.
        if broken.is_replaced() {
            self.0.is_replacing.store(false, Ordering::Release);
            return;
        }
        let (primary, broken) = (self.clone(), broken.clone());
        drop(tokio::spawn(async move {
            primary.connect_again(&broken).await;
            // The new pool may break while the old one closes.
            primary.0.is_replacing.store(false, Ordering::Release);
            broken.close().await;
        }));
    }

    /// Searches for the server that accepts writes until one is found or the store is closed, and installs a new pool.
    async fn connect_again(&self, broken: &Pool) {
        let mut pause = MIN_PAUSE;
        let server = loop {
            match find(&self.0.servers, self.0.options.connect_timeout).await {
                Ok((server, connection)) => {
                    drop(connection.close().await);
                    break server;
                }
                Err(error) => {
                    tracing::warn!(%error, source = ?error.source(), "the database is out of reach");
                    if broken.connections.pool.is_closed() {
                        return;
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
            }
        };
        observe::count_reconnect();
        tracing::info!(server = server_name(&server), "connecting to the database anew");
        let pool = Pool::new(&self.0.options, server);
        *self.0.pool.write().unwrap_or_else(PoisonError::into_inner) = pool;
        broken.set_replaced();
    }
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

impl Reader for Primary {
    type Rows = Vec<PgRow>;

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn rows(&self, what: &'static str, sql: Statement) -> Result<Vec<PgRow>, StoreError> {
        self.transaction(Purpose::READ, vec![sql]).await.map_err(|error| postgres_error(what, error))
    }

    async fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> Result<Option<[String; N]>, StoreError> {
        self.one(Purpose::READ, what, sql).await
    }
}

/// Runs `run` to its end, even if the caller is dropped.
///
/// If the future of a BEGIN is dropped, sqlx does not know of the transaction. It would stay open in the pool, and keep a
/// connection of PgBouncer from other clients.
async fn in_task<T: Send + 'static>(
    run: impl Future<Output = sqlx::Result<T>> + Send + 'static,
) -> sqlx::Result<T> {
    tokio::spawn(run.in_current_span()).await.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // The runtime is shutting down.
        Err(_) => Err(sqlx::Error::WorkerCrashed),
    })
}

/// Runs a statement. `is_kept` is whether the connection keeps the statement prepared.
async fn fetch(connection: &mut PgConnection, sql: Statement, is_kept: bool) -> sqlx::Result<Vec<PgRow>> {
    let (text, arguments) = query(sql)?;
    sqlx::query_with(text, arguments).persistent(is_kept).fetch_all(connection).await
}
