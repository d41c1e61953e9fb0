//! The store on SQLite.

mod cache;
mod coordinates;
mod erasure;
mod lock;
mod open;
mod writer;
