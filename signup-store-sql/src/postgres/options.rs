//! Where a PostgreSQL database is, and how it is used.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use thiserror::Error;

/// Where a PostgreSQL database is: `postgres://USER:PASSWORD@HOST:PORT/NAME`, with options such as `?sslmode=verify-full`.
/// One host each; [`PostgresStore::open`](super::PostgresStore::open) takes several.
#[derive(Clone)]
pub struct PostgresUrl {
    text: String,
    pub(crate) options: PgConnectOptions,
}

/// Why a text is no [`PostgresUrl`]. The text is not repeated: there may be a password in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "use postgres://USER:PASSWORD@HOST:PORT/NAME, several with commas between whole URLs, and what is special in a \
     password percent-encoded"
)]
pub struct PostgresUrlError;

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, PostgresUrlError> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(PostgresUrlError);
        }
        let options = text.parse().map_err(|_| PostgresUrlError)?;
        Ok(Self { text: text.to_owned(), options })
    }
}

impl PartialEq for PostgresUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PostgresUrl {}

/// Without the password.
impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresUrl").field(&server_name(&self.options)).finish()
    }
}

/// How a [`PostgresStore`](super::PostgresStore) uses its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The most connections of this process; 8 unless set. More than the database has processors for do not make it faster.
    /// At most two of them commit at a time, and at least one is left for reads if there are two or more.
    pub connections: u32,
    /// How long an operation waits for a free connection, or for the database to be reached; 3 seconds unless set.
    pub connect_timeout: Duration,
    /// How long a statement may take, waiting for locks included; 5 seconds unless set.
    pub statement_timeout: Duration,
    /// Whether the connections lead to PgBouncer in transaction mode: then each operation is a transaction of its own, and
    /// nothing is kept in a session.
    pub pgbouncer: bool,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 8,
            connect_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(5),
            pgbouncer: false,
        }
    }
}

/// Settings by which the planner joins tables row by row, through an index: each statement reads few rows. A table that was
/// small when a statement was planned may be large when the statement runs.
pub(super) const PLANNER: [(&str, &str); 4] = [
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("random_page_cost", "1.1"),
];

/// Returns the options of each connection to `server`.
pub(super) fn connect_options(server: PgConnectOptions, options: &PostgresOptions) -> PgConnectOptions {
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
            // Every statement looks up few rows in an index, however small the tables were when the statement was planned.
            // Planning a commit each time costs as much as running it.
            .options([("plan_cache_mode", "force_generic_plan")])
            .options(PLANNER)
    }
}

/// Returns the name of a server in messages.
pub(super) fn server_name(server: &PgConnectOptions) -> String {
    let database = server.get_database().unwrap_or_else(|| server.get_username());
    format!("{}:{}/{database}", server.get_host(), server.get_port())
}
