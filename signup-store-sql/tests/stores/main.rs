//! The stores on SQL: what they promise beyond the suite that every store passes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod json;
mod migrations;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
mod reads;
mod records;
mod schema;
#[cfg(feature = "sqlite")]
mod sqlite;
