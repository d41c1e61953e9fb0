//! The store in an SQLite file, and the lock of the process that serves a file.

mod cache;
mod error;
mod file;
mod lock;
mod migrations;
mod opened;
mod options;
mod purge;
mod query;
mod readers;
mod store;
mod version;
mod writer;

pub use lock::ServingLock;
pub use store::SqliteStore;
