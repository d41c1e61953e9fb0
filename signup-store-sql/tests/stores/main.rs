//! The stores on SQL: what they promise beyond the suite that every store passes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod open;
#[cfg(feature = "postgres")]
mod postgres;
mod records;
mod schema;
mod sort_keys;
#[cfg(feature = "sqlite")]
mod sqlite;
mod unreadable;
mod wait;
