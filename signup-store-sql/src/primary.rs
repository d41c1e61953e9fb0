//! The connections to PostgreSQL: to the one server, of those that are named, that takes writes.
//!
//! When a connection breaks, or turns out to lead to a server that takes no writes, or none can be had and none gives an
//! answer, all connections are given up and new ones made, to whichever of the servers takes writes then. So a failover
//! costs those operations that were under way, and the time until a standby is promoted; nothing has to be restarted.
//!
//! **Invariants:** every operation ends in bounded time, whatever the network does; a connection whose operation did not
//! end is closed, and not used again.

mod find;

use std::error::Error as _;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use signup_core::StoreError;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Postgres};

use crate::error::{OpenError, is_broken, postgres_error};
use crate::postgres::{PostgresOptions, PostgresUrl};
use crate::read::Reader;
use crate::row::texts;
use crate::sql::{Dialect, Sql};
use crate::{migrations, observe};
use find::find;

/// Gives `yes` from a server that takes writes.
pub(crate) const TAKES_WRITES: &str = "SELECT CASE WHEN pg_is_in_recovery() \
     OR current_setting('transaction_read_only') = 'on' THEN 'no' ELSE 'yes' END";
/// How long to wait at first, and at most, before the servers are asked anew which of them takes writes.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(250));
/// How much longer than the database itself this process waits for a statement to end, and for a pool to close.
const GRACE: Duration = Duration::from_secs(1);

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
        let servers: Vec<_> = self.servers.iter().map(name).collect();
        f.debug_struct("Shared")
            .field("servers", &servers)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// The pool in use. Each has a number of its own.
#[derive(Clone)]
struct Current {
    pool: PgPool,
    number: u64,
    /// When the database last answered through it.
    answered: Arc<Mutex<Instant>>,
}

impl Current {
    fn new(options: &PostgresOptions, server: PgConnectOptions, number: u64) -> Self {
        Self { pool: pool(options, server), number, answered: Arc::new(Mutex::new(Instant::now())) }
    }

    fn note_answer(&self) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// For how long the database has not answered.
    fn silence(&self) -> Duration {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Closes the pool, after what is under way. It ends in bounded time: a connection that comes back to its pool says
    /// goodbye to a server that may not answer.
    async fn close(&self) {
        // Elapsed or not: nobody can use it any more.
        drop(tokio::time::timeout(GRACE, self.pool.close()).await);
    }
}

impl Primary {
    pub(crate) async fn open(urls: &[PostgresUrl], options: PostgresOptions) -> Result<Self, OpenError> {
        let servers: Vec<_> = urls.iter().map(|url| connect_options(url.options.clone(), &options)).collect();
        let (server, mut connection) = find(&servers, options.connect_timeout).await?;
        let name = name(&server);
        migrations::prepare_postgres(&mut connection, &name).await?;
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

    /// Open connections, and those in use.
    pub(crate) fn connections(&self) -> (u32, u32) {
        let pool = self.current().pool;
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
        (pool.size(), pool.size().saturating_sub(idle))
    }

    fn current(&self) -> Current {
        // Nothing panics while it holds the lock.
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs statements that give at most one row each, up to the first that gives one, and gives that row. Together they are
    /// a transaction.
    pub(crate) async fn transaction(
        &self,
        kind: &'static str,
        statements: Vec<Sql>,
    ) -> sqlx::Result<Option<PgRow>> {
        Ok(self.rows(kind, statements, Until::FirstRow).await?.pop().flatten())
    }

    /// Runs statements that give at most one row each, all of them in one transaction, and gives what each gave.
    pub(crate) async fn together(
        &self,
        kind: &'static str,
        statements: Vec<Sql>,
    ) -> sqlx::Result<Vec<Option<PgRow>>> {
        self.rows(kind, statements, Until::End).await
    }

    async fn rows(
        &self,
        kind: &'static str,
        statements: Vec<Sql>,
        until: Until,
    ) -> sqlx::Result<Vec<Option<PgRow>>> {
        let current = self.current();
        let result = self.try_transaction(&current, kind, statements, until).await;
        match &result {
            // Either others use them all, and get answers; or none can be made.
            Err(sqlx::Error::PoolTimedOut) if self.is_silent(&current) => self.give_up(&current),
            Err(sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed) => {}
            Err(error) if is_broken(error) => self.give_up(&current),
            // An error of the database is an answer.
            Ok(_) | Err(_) => current.note_answer(),
        }
        result
    }

    /// Runs a statement that gives at most one row, of `N` texts.
    pub(crate) async fn one<const N: usize>(
        &self,
        kind: &'static str,
        what: &'static str,
        sql: Sql,
    ) -> Result<Option<[String; N]>, StoreError> {
        let failed = |error| postgres_error(what, error);
        let row = self.transaction(kind, vec![sql]).await.map_err(failed)?;
        row.map(|row| texts(&row)).transpose().map_err(failed)
    }

    fn is_silent(&self, current: &Current) -> bool {
        current.silence() >= self.0.options.connect_timeout
    }

    /// Whether the database takes writes. That all connections are busy is no sign that it does not, as long as they get
    /// answers.
    pub(crate) async fn takes_writes(&self) -> sqlx::Result<bool> {
        let current = self.current();
        let sql = Sql::of(Dialect::Postgres, TAKES_WRITES, vec![]);
        match self.transaction("check", vec![sql]).await {
            Ok(row) => Ok(row.map(|row| texts(&row)).transpose()?.is_some_and(|[answer]| answer == "yes")),
            Err(sqlx::Error::PoolTimedOut) if !self.is_silent(&current) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn try_transaction(
        &self,
        current: &Current,
        kind: &'static str,
        statements: Vec<Sql>,
        until: Until,
    ) -> sqlx::Result<Vec<Option<PgRow>>> {
        let mut connection = self.connection(current).await?;
        let limit = self.0.options.statement_timeout + GRACE;
        let done = tokio::time::timeout(limit, self.run(&mut connection, kind, statements, until)).await;
        match done {
            Ok(result) => {
                if result.as_ref().is_err_and(is_broken) {
                    connection.close_on_drop();
                }
                result
            }
            Err(_) => {
                connection.close_on_drop();
                let what = "the database did not answer in time";
                Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, what)))
            }
        }
    }

    /// A connection of the current pool; of the next one, if that takes its place meanwhile.
    async fn connection(&self, current: &Current) -> sqlx::Result<PoolConnection<Postgres>> {
        let mut current = current.clone();
        loop {
            match current.pool.acquire().await {
                Err(sqlx::Error::PoolClosed) => {
                    let next = self.current();
                    if next.number == current.number {
                        return Err(sqlx::Error::PoolClosed);
                    }
                    current = next;
                }
                acquired => return acquired,
            }
        }
    }

    async fn run(
        &self,
        connection: &mut PgConnection,
        kind: &'static str,
        statements: Vec<Sql>,
        until: Until,
    ) -> sqlx::Result<Vec<Option<PgRow>>> {
        let options = &self.0.options;
        // Without parameters a statement is not prepared first, and needs no transaction behind PgBouncer either.
        let statements = match <[Sql; 1]>::try_from(statements) {
            Ok([sql]) if !options.pgbouncer => {
                observe::count_round_trips(kind, 1);
                return Ok(vec![fetch(connection, sql, true).await?]);
            }
            Ok([sql]) if sql.is_plain() => {
                observe::count_round_trips(kind, 1);
                return Ok(vec![self.fetch_plain(connection, &sql).await?]);
            }
            Ok([sql]) => vec![sql],
            Err(statements) => statements,
        };
        // A statement that the connection does not keep is prepared and run in a round trip each.
        let each = if options.pgbouncer { 2 } else { 1 };
        observe::count_round_trips(kind, 2 + each * statements.len() as u64);
        let begin = AssertSqlSafe(self.begin());
        let mut transaction = connection.begin_with(begin).await?;
        let mut rows = Vec::with_capacity(statements.len());
        for sql in statements {
            let row = fetch(&mut transaction, sql, !options.pgbouncer).await?;
            let is_last = until == Until::FirstRow && row.is_some();
            rows.push(row);
            if is_last {
                break;
            }
        }
        transaction.commit().await?;
        Ok(rows)
    }

    /// Begins a transaction that relies on nothing that a session may have been told. With a higher isolation the look
    /// after a lock would not see what the lock was waited for.
    fn begin(&self) -> String {
        let options = &self.0.options;
        let mut begin = "BEGIN ISOLATION LEVEL READ COMMITTED".to_owned();
        if options.pgbouncer {
            let timeout = options.statement_timeout.as_millis();
            begin.push_str(&format!("; SET LOCAL statement_timeout = {timeout}"));
        }
        begin
    }

    /// Runs a statement without parameters and the transaction around it in one round trip.
    async fn fetch_plain(&self, connection: &mut PgConnection, sql: &Sql) -> sqlx::Result<Option<PgRow>> {
        let text = format!("{}; {}; COMMIT", self.begin(), sql.text());
        let rows = sqlx::raw_sql(AssertSqlSafe(text)).fetch_all(&mut *connection).await;
        if rows.is_err() {
            // The rest was not run, and left the transaction open. If that fails too, the connection is broken.
            connection.execute("ROLLBACK").await?;
        }
        Ok(rows?.into_iter().next())
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
                    if broken.pool.is_closed() {
                        return;
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSES.1);
                }
            }
        };
        observe::count_reconnect();
        tracing::info!(server = name(&server), "connecting to the database anew");
        let next = Current::new(&self.0.options, server, broken.number + 1);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = next;
    }
}

/// How far the statements of a transaction are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    FirstRow,
    End,
}

impl Reader for Primary {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Sql,
    ) -> Result<Option<[String; N]>, StoreError> {
        self.one("read", what, sql).await
    }
}

/// Runs a statement. `is_kept` says whether the connection keeps it prepared for the next time.
async fn fetch(connection: &mut PgConnection, sql: Sql, is_kept: bool) -> sqlx::Result<Option<PgRow>> {
    let (text, arguments) = sql.into_postgres()?;
    sqlx::query_with(text, arguments).persistent(is_kept).fetch_optional(connection).await
}

fn connect_options(server: PgConnectOptions, options: &PostgresOptions) -> PgConnectOptions {
    let server = server.disable_statement_logging();
    if options.pgbouncer {
        // PgBouncer refuses parameters of a session that it does not know.
        server.statement_cache_capacity(0).extra_float_digits(None)
    } else {
        let timeout = options.statement_timeout.as_millis();
        server
            .options([("statement_timeout", timeout), ("idle_in_transaction_session_timeout", timeout)])
            // With a higher one the look after a lock would not see what the lock was waited for.
            .options([("default_transaction_isolation", "read committed")])
            // Every statement looks for few rows by an index, whatever the values are. Planning a commit anew each time costs
            // as much as running it.
            .options([("plan_cache_mode", "force_generic_plan")])
    }
}

fn pool(options: &PostgresOptions, server: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(options.connections)
        .acquire_timeout(options.connect_timeout)
        .test_before_acquire(false)
        .connect_lazy_with(server)
}

/// What a server is called in messages.
pub(crate) fn name(server: &PgConnectOptions) -> String {
    let database = server.get_database().unwrap_or_else(|| server.get_username());
    format!("{}:{}/{database}", server.get_host(), server.get_port())
}
