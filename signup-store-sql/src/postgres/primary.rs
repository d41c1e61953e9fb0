//! The connections to PostgreSQL: to the one server, of those that are named, that takes writes.
//!
//! When a connection breaks, or turns out to lead to a server that takes no writes, or none can be had and none gives an
//! answer, all connections are given up and new ones made, to whichever of the servers takes writes then. So a failover
//! costs those operations that were under way, and the time until a standby is promoted; nothing has to be restarted.
//!
//! **Invariants:** no operation waits for a server without a limit, whatever the network does; a connection that broke is
//! closed, and one whose operation did not end is not used again before its pool had a sign of life from it.

mod current;
mod find;

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
use super::observe::count_reconnect;
use super::options::{PLANNER, PostgresOptions, PostgresUrl, connect_options, server_name};
use super::query::query;
use crate::sql::error::OpenError;
use crate::sql::observe;
use crate::sql::pool::PooledConnection;
use crate::sql::read::Reader;
use crate::sql::row::texts;
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Sql};
use current::{Current, GRACE};
use find::{TAKES_WRITES, find};

/// How long to wait at first, and at most, before the servers are asked anew which of them takes writes.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(250));

/// How often a batch lets other tasks run before it takes its requests. Without this pause, half of all batches have a
/// single request.
pub(crate) const YIELDS: u32 = 10;

/// The server that takes writes.
#[derive(Debug, Clone)]
pub(crate) struct Primary(Arc<Shared>);

struct Shared {
    servers: Vec<PgConnectOptions>,
    options: PostgresOptions,
    current: RwLock<Current>,
    is_seeking: AtomicBool,
}

/// Without the passwords.
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
    pub(crate) async fn open(
        urls: &[PostgresUrl],
        options: PostgresOptions,
        keys: SortKeys,
    ) -> Result<Self, OpenError> {
        let servers: Vec<_> = urls.iter().map(|url| connect_options(url.options.clone(), &options)).collect();
        let (server, mut connection) = find(&servers, options.connect_timeout).await?;
        let name = server_name(&server);
        migrations::prepare(&mut connection, &name, keys).await?;
        // It was only used to get ready; that it could not say goodbye means nothing.
        drop(connection.close().await);
        let current = RwLock::new(Current::new(&options, server, 0));
        Ok(Self(Arc::new(Shared { servers, options, current, is_seeking: AtomicBool::new(false) })))
    }

    pub(crate) async fn close(&self) {
        self.current().close().await;
    }

    pub(crate) fn is_behind_pgbouncer(&self) -> bool {
        self.0.options.pgbouncer
    }

    pub(crate) fn options(&self) -> &PostgresOptions {
        &self.0.options
    }

    /// Returns the longest time that a request may take with its wait for other requests: as long as one operation may take.
    pub(crate) fn max_wait(&self) -> Duration {
        self.0.options.connect_timeout + self.0.options.statement_timeout + GRACE
    }

    /// Open connections, and those in use.
    pub(crate) fn connections(&self) -> (u32, u32) {
        let pool = self.current().queue.pool;
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
        (pool.size(), pool.size().saturating_sub(idle))
    }

    fn current(&self) -> Current {
        // Nothing panics while it holds the lock.
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs statements up to the first that gives rows, and gives these. Together they are a transaction, which comes to its
    /// end even if who asked for it does not wait for that.
    pub(crate) async fn transaction(
        &self,
        purpose: Purpose,
        statements: Vec<Sql>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let taken = self.take().await?;
        let needs_no_transaction = statements.len() == 1 && !self.0.options.pgbouncer;
        // The state of a statement that runs takes thousands of bytes. In a box they stay where they are when the futures
        // around it are moved.
        let work = Box::pin(self.clone().work(taken, purpose, statements));
        if needs_no_transaction {
            return work.await;
        }
        // sqlx forgets a transaction that nobody waits for while it begins. It would stay open in the pool, and keep one of
        // PgBouncer's connections from everybody else.
        match tokio::spawn(work.in_current_span()).await {
            Ok(rows) => rows,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime ends.
                Err(_) => Err(sqlx::Error::WorkerCrashed),
            },
        }
    }

    async fn work(
        self,
        Taken { current, mut lent }: Taken,
        purpose: Purpose,
        statements: Vec<Sql>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let result = self.run(&mut lent.connection, purpose, statements).await;
        match &result {
            Ok(_) => {
                current.note_answer();
                current.queue.release(lent);
            }
            Err(error) if is_broken(error) => {
                lent.connection.close_on_drop();
                self.give_up(&current);
            }
            // An error of the database is an answer.
            Err(_) => current.note_answer(),
        }
        result
    }

    /// A connection of the current pool; of the next one, if that takes its place meanwhile. One deadline holds for all that
    /// it has to wait for.
    async fn take(&self) -> sqlx::Result<Taken> {
        let deadline = Instant::now() + self.0.options.connect_timeout;
        let mut current = self.current();
        loop {
            match current.connection(deadline).await {
                Ok(lent) => return Ok(Taken { current, lent }),
                Err(sqlx::Error::PoolClosed) => {
                    let next = self.current();
                    if next.number == current.number {
                        return Err(sqlx::Error::PoolClosed);
                    }
                    current = next;
                }
                Err(error) => {
                    // Either others use them all, and get answers; or none can be made.
                    let is_out_of_reach = match &error {
                        sqlx::Error::PoolTimedOut => self.has_no_answer(&current),
                        error => is_broken(error),
                    };
                    if is_out_of_reach {
                        self.give_up(&current);
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Runs a statement that gives at most one row, of `N` texts.
    pub(crate) async fn one<const N: usize>(
        &self,
        purpose: Purpose,
        what: &'static str,
        sql: Sql,
    ) -> Result<Option<[String; N]>, StoreError> {
        let failed = |error| postgres_error(what, error);
        let rows = self.transaction(purpose, vec![sql]).await.map_err(failed)?;
        rows.first().map(texts).transpose().map_err(failed)
    }

    /// Waits until other connections take the place of the present ones, and a little longer.
    pub(crate) async fn replaced(&self) {
        self.current().replaced().await;
    }

    /// Whether the database has not answered for as long as a connection may take.
    pub(crate) fn is_silent(&self) -> bool {
        self.has_no_answer(&self.current())
    }

    fn has_no_answer(&self, current: &Current) -> bool {
        current.silence() >= self.0.options.connect_timeout
    }

    /// Whether the database takes writes. That all connections are busy is no sign that it does not, as long as they get
    /// answers.
    pub(crate) async fn takes_writes(&self) -> sqlx::Result<bool> {
        let current = self.current();
        let sql = Sql::of(Dialect::Postgres, TAKES_WRITES, vec![]);
        match self.transaction(Purpose::Check, vec![sql]).await {
            Ok(rows) => Ok(rows.first().map(texts).transpose()?.is_some_and(|[answer]| answer == "yes")),
            Err(sqlx::Error::PoolTimedOut) if !self.has_no_answer(&current) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn run(
        &self,
        connection: &mut PgConnection,
        purpose: Purpose,
        statements: Vec<Sql>,
    ) -> sqlx::Result<Vec<PgRow>> {
        let options = &self.0.options;
        let count_round_trips = |number| observe::count_round_trips(purpose.name(), number);
        // Without parameters a statement is not prepared first, and needs no transaction behind PgBouncer either.
        let statements = match <[Sql; 1]>::try_from(statements) {
            Ok([sql]) if !options.pgbouncer => {
                count_round_trips(1);
                return self.answer(fetch(connection, sql, true)).await;
            }
            Ok([sql]) if sql.values.is_empty() => {
                count_round_trips(1);
                return self.fetch_plain(connection, &sql).await;
            }
            Ok([sql]) => vec![sql],
            Err(statements) => statements,
        };
        // A statement that the connection does not keep is prepared and run in a round trip each.
        let each = if options.pgbouncer { 2 } else { 1 };
        count_round_trips(2 + each * statements.len() as u64);
        let begin = AssertSqlSafe(self.begin());
        let error = match self.answer(connection.begin_with(begin)).await {
            Ok(transaction) => return self.run_in(transaction, statements).await,
            Err(error) => error,
        };
        Err(self.undo(connection, error).await)
    }

    async fn run_in(
        &self,
        mut transaction: Transaction<'_, Postgres>,
        statements: Vec<Sql>,
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

    /// What the server answers, if it does in the time that it has for a statement. The limit is that of each wait, and not
    /// of a transaction: on a slow way to the server one of many statements takes long without being stuck.
    async fn answer<T>(&self, answer: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        let limit = self.0.options.statement_timeout + GRACE;
        let answer = tokio::time::timeout(limit, answer).await;
        answer.unwrap_or_else(|_| {
            let what = "the database did not answer in time";
            Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, what)))
        })
    }

    /// Begins a transaction that relies on nothing that a session may have been told. With a higher isolation the look
    /// after a lock would not see what the lock was waited for.
    fn begin(&self) -> String {
        let options = &self.0.options;
        let mut begin = "BEGIN ISOLATION LEVEL READ COMMITTED".to_owned();
        if options.pgbouncer {
            let timeout = options.statement_timeout.as_millis();
            begin.push_str(&format!("; SET LOCAL statement_timeout = {timeout}"));
            for (name, value) in PLANNER {
                begin.push_str(&format!("; SET LOCAL {name} = {value}"));
            }
        }
        begin
    }

    /// Runs a statement without parameters and the transaction around it in one round trip.
    async fn fetch_plain(&self, connection: &mut PgConnection, sql: &Sql) -> sqlx::Result<Vec<PgRow>> {
        let text = format!("{}; {}; COMMIT", self.begin(), sql.text);
        let rows = self.answer(sqlx::raw_sql(AssertSqlSafe(text)).fetch_all(&mut *connection)).await;
        match rows {
            Ok(rows) => Ok(rows),
            Err(error) => Err(self.undo(connection, error).await),
        }
    }

    /// Ends a transaction of which sqlx does not know, after an error that may have left it open. If that fails too, the
    /// connection is broken.
    async fn undo(&self, connection: &mut PgConnection, error: sqlx::Error) -> sqlx::Error {
        if is_broken(&error) {
            return error;
        }
        self.answer(connection.execute("ROLLBACK")).await.err().unwrap_or(error)
    }

    /// Takes a new pool in the place of `broken`, unless that was done already.
    fn give_up(&self, broken: &Current) {
        if self.0.is_seeking.swap(true, Ordering::AcqRel) {
            return;
        }
        // Looked at after the swap: only who seeks takes another pool.
        if self.current().number != broken.number {
            self.0.is_seeking.store(false, Ordering::Release);
            return;
        }
        let primary = self.clone();
        let broken = broken.clone();
        // It ends by itself, and nobody has to wait for it.
        drop(tokio::spawn(async move {
            primary.seek(&broken).await;
            // The new one may break while what is left of the old one is closed.
            primary.0.is_seeking.store(false, Ordering::Release);
            broken.close().await;
        }));
    }

    async fn seek(&self, broken: &Current) {
        let mut pause = PAUSES.0;
        let server = loop {
            match find(&self.0.servers, self.0.options.connect_timeout).await {
                Ok((server, connection)) => {
                    drop(connection.close().await);
                    break server;
                }
                Err(error) => {
                    tracing::warn!(%error, source = ?error.source(), "the database is out of reach");
                    if broken.queue.pool.is_closed() {
                        return;
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSES.1);
                }
            }
        };
        count_reconnect();
        tracing::info!(server = server_name(&server), "connecting to the database anew");
        let next = Current::new(&self.0.options, server, broken.number + 1);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = next;
        broken.replace();
    }
}

/// A connection, and the pool that the connection came from.
struct Taken {
    current: Current,
    lent: PooledConnection<Postgres>,
}

/// What a connection is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    Commit,
    Count,
    Purge,
    Check,
}

impl Purpose {
    /// As metrics name it.
    const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Commit => "commit",
            Self::Count => "count",
            Self::Purge => "purge",
            Self::Check => "check",
        }
    }
}

impl Reader for Primary {
    type Records = Vec<PgRow>;

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn records(&self, what: &'static str, sql: Sql) -> Result<Vec<PgRow>, StoreError> {
        let rows = self.transaction(Purpose::Read, vec![sql]).await;
        rows.map_err(|error| postgres_error(what, error))
    }

    async fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Sql,
    ) -> Result<Option<[String; N]>, StoreError> {
        self.one(Purpose::Read, what, sql).await
    }
}

/// Runs a statement. `is_kept` says whether the connection keeps it prepared for the next time.
async fn fetch(connection: &mut PgConnection, sql: Sql, is_kept: bool) -> sqlx::Result<Vec<PgRow>> {
    let (text, arguments) = query(sql)?;
    sqlx::query_with(text, arguments).persistent(is_kept).fetch_all(connection).await
}
