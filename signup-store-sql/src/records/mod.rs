//! The kinds of records: one file for each, with its table, its columns, and how a record is read from a row.
//!
//! A table lists its columns, each with its name, its kind, and its value in a record. The statements of both engines follow
//! from the list. A record is read by the names of the columns, so a statement may select them in any order, and beside the
//! columns of other tables.
//!
//! **Invariant:** no module here runs a statement.

pub(crate) mod event;
pub(crate) mod notice;
pub(crate) mod organization;
pub(crate) mod question;
pub(crate) mod receipt;
pub(crate) mod shift;
pub(crate) mod signup;
pub(crate) mod token;
