//! The store on SQLite.

mod cache;
mod erasure;
mod files;
mod lock;
mod open;
mod writer;
