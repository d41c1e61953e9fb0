//! The errors of opening a database, for operators.

use signup_core::StoreError;
use sqlx::migrate::MigrateError;
use thiserror::Error;

/// Why a database could not be opened. The message says what to correct.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path cannot be that of a file.
    #[error("{path} is not the path of a database file")]
    Path {
        /// The path.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The folder of the file does not exist.
    #[error("cannot open {path}: the folder {folder} does not exist")]
    Folder {
        /// The path of the file.
        path: String,
        /// The folder.
        folder: String,
    },
    /// A management command was given a file that does not exist.
    #[error("there is no database {path}")]
    Missing {
        /// The file.
        path: String,
    },
    /// The file cannot be opened, or is not an SQLite database.
    #[error("cannot open {path} as an SQLite database that this process may write")]
    Open {
        /// The file.
        path: String,
        /// The error of SQLite.
        source: sqlx::Error,
    },
    /// The connection failed.
    #[error("cannot reach the database {server}")]
    Connect {
        /// The server.
        server: String,
        /// The error of the connection.
        source: sqlx::Error,
    },
    /// The server is a standby, or read-only.
    #[error("the database {server} takes no writes: it is a standby or read-only")]
    NoPrimary {
        /// The server.
        server: String,
    },
    /// The database was written by a newer version.
    #[error(
        "the database {database} is from a newer version (it has migration {version}): use that version or a newer one"
    )]
    Newer {
        /// The path of the file, or the server and the name of the database.
        database: String,
        /// The first migration that this version does not know.
        version: i64,
    },
    /// The database was written by a version before 1.0.0. The first release has other tables.
    #[error(
        "the database {database} is from an unreleased version before 1.0.0, which cannot be migrated: use a new database"
    )]
    Unreleased {
        /// The path of the file, or the server and the name of the database.
        database: String,
    },
    /// The migration to the tables of this version failed.
    #[error("cannot migrate the tables of {database}")]
    Migrate {
        /// The path of the file, or the server and the name of the database.
        database: String,
        /// The error of the migration.
        source: MigrateError,
    },
    /// The records could not be read, to derive sort keys again.
    #[error("cannot read the database {database}")]
    Read {
        /// The path of the file, or the server and the name of the database.
        database: String,
        /// The error of the read.
        source: StoreError,
    },
    /// Another process, or another part of this one, serves the file.
    #[error("another server is serving {path}: stop it first, or give this one another database")]
    Served {
        /// The file.
        path: String,
    },
    /// The lock file cannot be opened or locked.
    #[error("cannot lock {path}")]
    Lock {
        /// The lock file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
}
