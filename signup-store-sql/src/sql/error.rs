//! What an operator is told when a database cannot be opened.

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
