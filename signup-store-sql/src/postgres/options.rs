//! The address of a PostgreSQL database, and the options of its connections.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use thiserror::Error;

/// The address of a PostgreSQL database: `postgres://USER:PASSWORD@HOST:PORT/NAME`, with options such as
/// `?sslmode=verify-full`. A URL has one host, behind which the primary may change.
#[derive(Clone)]
pub struct PostgresUrl {
    text: String,
    pub(crate) options: PgConnectOptions,
}

/// The error for a text that is not a [`PostgresUrl`]. The message omits the text, which may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("use postgres://USER:PASSWORD@HOST:PORT/NAME, and percent-encode special characters of a password")]
pub struct PostgresUrlError;

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, PostgresUrlError> {
        let has_scheme = text.starts_with("postgres://") || text.starts_with("postgresql://");
        if !has_scheme || text.contains(',') {
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

/// Omits the password.
impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresUrl").field(&server_name(&self.options)).finish()
    }
}

/// How a [`PostgresStore`](super::PostgresStore) uses its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The maximum number of connections of this process. The default is 8. More connections than processors of the database
    /// are not faster. With two or more connections, commits leave one for everything else.
    pub connections: u32,
    /// How long an operation waits for a free or a new connection. The default is 3 seconds.
    pub connect_timeout: Duration,
    /// How long a statement may take, with its wait for locks. The default is 5 seconds. After the same time without a
    /// statement of its process, the database ends an open transaction and releases the transaction's locks.
    pub statement_timeout: Duration,
    /// Whether the connections lead to PgBouncer in transaction mode. Then each operation is a transaction, and no setting or
    /// prepared statement is kept in a session. The default is `false`.
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
            // With a higher level, the statement that counts requests would fail for a count beside it.
            .options([("default_transaction_isolation", "read committed")])
    }
}

/// Returns the name of a server in messages.
pub(super) fn server_name(server: &PgConnectOptions) -> String {
    let database = server.get_database().unwrap_or_else(|| server.get_username());
    format!("{}:{}/{database}", server.get_host(), server.get_port())
}
