//! The store on PostgreSQL, which any number of processes share.

mod commit;
mod commit_statement;
mod counter;
mod error;
mod fetched_rows;
mod lock;
mod migrations;
mod options;
#[cfg(test)]
mod plans;
mod primary;
mod query;
mod store;
#[cfg(feature = "test-cluster")]
pub mod test_cluster;

pub use options::{PostgresOptions, PostgresUrl, PostgresUrlError};
pub use store::PostgresStore;
