//! Stores on SQL databases, through sqlx.
//!
//! `SqliteStore` keeps its data in a file and needs no installation. `PostgresStore` uses a database that any number of
//! processes share.
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use std::sync::Arc;
//! use signup_core::Service;
//! use signup_store_sql::SqliteStore;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("signup.db");
//! let store = SqliteStore::open(&path).await?;
//! let service = Service::new(Arc::new(store));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | feature | on by default | contents |
//! |---|---|---|
//! | `sqlite` | yes | `SqliteStore` and `ServingLock`, with SQLite compiled in; no TLS |
//! | `postgres` | yes | `PostgresStore`, with TLS |
//! | `test-cluster` | no | the module `test_cluster`, a PostgreSQL server for tests; needs `postgres` |
//!
//! Wall times are stored. The instants of events and shifts are derived from them when records are read. Of these instants, only
//! the sort keys of events and the ends of shifts are stored. They are derived again when the release of the time zone data
//! changes.
//!
//! The folder `records` has the table of each kind of record, and `sql` the statements of both engines. `sqlite` and
//! `postgres` each have one engine.
//!
//! **Invariant:** this crate has no rules. No statement mentions a scope, a plan's limit, or a clock change.

#[cfg(not(any(feature = "postgres", feature = "sqlite")))]
compile_error!(
    "signup-store-sql needs an engine: enable its feature `sqlite`, its feature `postgres`, or both"
);

#[cfg(feature = "postgres")]
mod postgres;
mod records;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(all(feature = "postgres", feature = "test-cluster"))]
pub use postgres::test_cluster;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresOptions, PostgresStore, PostgresUrl, PostgresUrlError};
pub use sql::error::OpenError;
pub use sql::store::SqlStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{ServingLock, SqliteStore};

/// The programs of the README, which the documentation tests compile and run.
#[cfg(all(doctest, feature = "postgres", feature = "sqlite"))]
#[doc = include_str!("../README.md")]
struct Readme;
