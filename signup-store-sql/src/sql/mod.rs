//! What both engines share: the words of their SQL, statements, requirements, writes, reads and rows.
//!
//! **Invariant:** nothing here knows how an engine is reached.

pub(crate) mod cache;
mod dialect;
pub(crate) mod error;
pub(crate) mod migrations;
pub(crate) mod observe;
pub(crate) mod pool;
pub(crate) mod read;
pub(crate) mod require;
pub(crate) mod row;
mod statement;
pub(crate) mod store;
pub(crate) mod write;
pub(crate) mod zone_data;

pub(crate) use dialect::Dialect;
pub(crate) use statement::{Sql, Value, values};
