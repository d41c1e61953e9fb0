//! The store on PostgreSQL, which any number of processes share.

mod change;
mod commit;
mod counter;
mod error;
mod migrations;
mod observe;
mod options;
#[cfg(test)]
mod plans;
mod primary;
mod rows;
mod sign_ups;
mod store;
#[cfg(feature = "test-cluster")]
pub mod test_cluster;
mod turns;

pub use options::{PostgresOptions, PostgresUrl, PostgresUrlError};
pub use store::PostgresStore;
