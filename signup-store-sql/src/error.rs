//! What a database's error means to the service, and what an operator is told when a database cannot be opened.

use signup_core::StoreError;
use sqlx::migrate::MigrateError;
use thiserror::Error;

/// Why a database could not be opened. The message says what to mend.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file cannot be opened, or is no SQLite database.
    #[error("cannot open the database {path}: {source}")]
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
    #[error("cannot carry the tables of {path} forward: {source}")]
    Migrate {
        /// The file.
        path: String,
        /// What went wrong.
        source: MigrateError,
    },
    /// What is stored could not be read.
    #[error("cannot read the database {path}: {source}")]
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
    #[error("cannot lock {path}: {source}")]
    Lock {
        /// The lock file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A database error while `what` was being done: one that may pass, or one that will not.
pub(crate) fn store_error(what: &'static str, error: sqlx::Error) -> StoreError {
    let may_pass = match &error {
        sqlx::Error::Database(error) => {
            // Extended result codes keep the primary code in their low byte.
            // https://sqlite.org/rescode.html: BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN
            let code = error.code().and_then(|code| code.parse::<u32>().ok()).map(|code| code & 0xff);
            matches!(code, Some(5 | 6 | 7 | 8 | 9 | 10 | 13 | 14))
        }
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    };
    if may_pass { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}
