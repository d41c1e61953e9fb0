//! The store on SQLite.

mod cache;
mod commits;
mod coordinates;
mod creates;
mod lock;
mod open;
