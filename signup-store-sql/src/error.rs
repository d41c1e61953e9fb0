//! What a database's error means to the service, and what an operator is told when a database cannot be opened.

use std::sync::Arc;

use signup_core::StoreError;
use sqlx::migrate::MigrateError;
use thiserror::Error;

/// Why a database could not be opened. The message says what to mend.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path names nothing that could be a file.
    #[error("{path} is no path to a database file")]
    Path {
        /// The path.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file cannot be opened, or is no SQLite database.
    #[error("cannot open {path} as an SQLite database that this process may write")]
    Open {
        /// The file.
        path: String,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// No server can be reached that takes writes.
    #[error("cannot reach the database {server}")]
    Connect {
        /// The last one that was tried.
        server: String,
        /// What went wrong.
        source: sqlx::Error,
    },
    /// All servers are standbys.
    #[error("none of the database servers takes writes: each is a standby, or read-only")]
    NoPrimary,
    /// The database was written by a newer version.
    #[error(
        "the database {database} is from a newer version (it has migration {version}): use that version or a newer one"
    )]
    Newer {
        /// The file, or the server and the name.
        database: String,
        /// The first migration that this version does not know.
        version: i64,
    },
    /// The tables could not be carried forward.
    #[error("cannot carry the tables of {database} forward")]
    Migrate {
        /// The file, or the server and the name.
        database: String,
        /// What went wrong.
        source: MigrateError,
    },
    /// What is stored could not be read.
    #[error("cannot read the database {database}")]
    Read {
        /// The file, or the server and the name.
        database: String,
        /// What went wrong.
        source: StoreError,
    },
    /// Another server serves the file.
    #[error("another server is serving {path}: stop it first, or give this one another database")]
    Served {
        /// The file.
        path: String,
    },
    /// The file that marks a database as served cannot be made.
    #[error("cannot lock {path}")]
    Lock {
        /// The lock file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// An SQLite error while `what` was being done: one that may pass, or one that will not.
pub(crate) fn store_error(what: &'static str, error: sqlx::Error) -> StoreError {
    // BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN
    let may_pass = match &error {
        sqlx::Error::Database(_) => matches!(result_code(&error), Some(5 | 6 | 7 | 8 | 9 | 10 | 13 | 14)),
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    };
    if may_pass { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}

/// Whether another connection was in the way.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    // BUSY, LOCKED
    matches!(result_code(error), Some(5 | 6))
}

/// Whether the disk failed.
pub(crate) fn is_io_error(error: &StoreError) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<sqlx::Error>());
    // IOERR
    source.is_some_and(|error| result_code(error) == Some(10))
}

/// SQLite's primary result code (<https://sqlite.org/rescode.html>): extended codes keep it in their low byte.
fn result_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xff)
}

/// A PostgreSQL error while `what` was being done: one that may pass, or one that will not.
pub(crate) fn postgres_error(what: &'static str, error: sqlx::Error) -> StoreError {
    let may_pass = match &error {
        sqlx::Error::Database(_) => {
            let state = sql_state(&error);
            state == READ_ONLY
                || ["08", "40", "53", "55", "57", "58"].iter().any(|class| state.starts_with(class))
        }
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => true,
        error => is_broken(error),
    };
    if may_pass { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}

/// Whether another transaction was in the way: a serialization failure, a deadlock, or a key that it took.
pub(crate) fn is_contention(error: &sqlx::Error) -> bool {
    matches!(sql_state(error).as_str(), "40001" | "40P01" | "23505")
}

/// Whether the values of a change set are at fault, or another transaction was in its way: of those that were undone with it,
/// each may fare better by itself.
pub(crate) fn is_of_one_change_set(error: &sqlx::Error) -> bool {
    let state = sql_state(error);
    // Data exceptions, constraints, and transactions that are undone for others.
    ["22", "23", "40"].iter().any(|class| state.starts_with(class))
}

/// An error that many met together, for one of them: it has to be told to each.
pub(crate) fn for_one_of_many(what: &'static str, error: &Arc<StoreError>) -> StoreError {
    let source = Arc::clone(error);
    if error.is_unavailable() {
        StoreError::unavailable(what, source)
    } else {
        StoreError::failed(what, source)
    }
}

/// Whether the connection is of no use any more: it is broken, or its server is ending, or takes no writes.
pub(crate) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(_) => {
            let state = sql_state(error);
            state.starts_with("08") || ["57P01", "57P02", "57P03", READ_ONLY].contains(&state.as_str())
        }
        _ => false,
    }
}

const READ_ONLY: &str = "25006";

/// PostgreSQL's code of an error (<https://www.postgresql.org/docs/current/errcodes-appendix.html>): its first two
/// characters are the class.
fn sql_state(error: &sqlx::Error) -> String {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.map(Into::into).unwrap_or_default()
}
