//! What a database's error means to the service, and what an operator is told when a database cannot be opened.

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
    /// The database was written by a newer version.
    #[error(
        "the database {path} is from a newer version (it has migration {version}): use that version or a newer one"
    )]
    Newer {
        /// The file.
        path: String,
        /// The first migration that this version does not know.
        version: i64,
    },
    /// The tables could not be carried forward.
    #[error("cannot carry the tables of {path} forward")]
    Migrate {
        /// The file.
        path: String,
        /// What went wrong.
        source: MigrateError,
    },
    /// What is stored could not be read.
    #[error("cannot read the database {path}")]
    Read {
        /// The file.
        path: String,
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

/// A database error while `what` was being done: one that may pass, or one that will not.
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

/// SQLite's primary result code (<https://sqlite.org/rescode.html>): extended codes keep it in their low byte.
fn result_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xff)
}
