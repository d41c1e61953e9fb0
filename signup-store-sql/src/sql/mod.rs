//! What both engines share: statements, tables as data, requirements, writes, reads, the decoding of rows, and the store over
//! a backend.
//!
//! **Invariant:** no module here imports an engine.

mod cell;
pub(crate) mod column;
mod dialect;
pub(crate) mod error;
pub(crate) mod migrations;
pub(crate) mod observe;
#[cfg(test)]
mod plans;
pub(crate) mod pool;
pub(crate) mod purge;
pub(crate) mod queue;
pub(crate) mod read;
pub(crate) mod require;
pub(crate) mod row;
pub(crate) mod runner;
mod statement;
pub(crate) mod store;
pub(crate) mod table;
pub(crate) mod write;
pub(crate) mod zone_data;

pub(crate) use dialect::Dialect;
pub(crate) use statement::{MAX_VALUES, NamedValue, Statement, Value, same_as_given, unnamed, values};
