//! The stores on SQL: the suite that every store passes, and what these stores promise beyond it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

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
