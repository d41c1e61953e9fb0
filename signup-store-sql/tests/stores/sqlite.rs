//! The store on SQLite.

mod cache;
mod commits;
mod creates;
mod lock;
mod open;
