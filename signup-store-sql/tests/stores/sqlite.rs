//! The store on SQLite.

mod cache;
mod coordinates;
mod lock;
mod open;
mod writer;
