//! The store on PostgreSQL, which any number of processes share.

mod commit;
mod connections;
mod counter;
mod error;
mod locks;
mod migrations;
mod options;
mod query;
mod store;
#[cfg(feature = "test-cluster")]
pub mod test_cluster;

pub use options::{PostgresOptions, PostgresUrl, PostgresUrlError};
pub use store::PostgresStore;
