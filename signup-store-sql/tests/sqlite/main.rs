//! The store on SQLite: what it promises beyond the suite that every store passes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod commits;
mod lock;
mod open;
mod reads;
mod records;
mod schema;
