//! The stores on SQL: the suite that every store passes, what these stores promise beyond it, and the batcher.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../src/batch/mod.rs"]
mod batch;
mod batching;
mod conformance;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
mod receipts;
mod records;
mod schema;
mod sort_keys;
#[cfg(feature = "sqlite")]
mod sqlite;
mod unreadable;
mod wait;
mod webhooks;
