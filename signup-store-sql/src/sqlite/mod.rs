//! The store in an SQLite file, and the lock of the process that serves a file.

mod apart;
mod committer;
mod error;
mod lock;
mod migrations;
mod options;
#[cfg(test)]
mod plans;
mod readers;
mod script;
mod store;
mod wal_index;

pub use lock::ServingLock;
pub use store::SqliteStore;
