//! The connections that read from an SQLite file.

use std::sync::Arc;

use signup_core::StoreError;
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use super::version::Poll;
use crate::sql::observe::count_round_trips;
use crate::sql::pool::{ConnectionPool, in_task};
use crate::sql::read::Reader;
use crate::sql::runner::StatementRunner as _;
use crate::sql::{Dialect, Statement};

/// The read-only connections.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    pub(super) pool: Arc<ConnectionPool<SqliteConnection>>,
    pub(super) poll: Arc<Poll>,
}

impl Reader for Readers {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn texts<const N: usize>(
        &self,
        what: &'static str,
        sql: Statement,
    ) -> Result<Vec<[String; N]>, StoreError> {
        // Fails if a file of the database is away.
        let _version = self.poll.version().await?;
        let failed = |error| store_error(what, error);
        let mut pooled = self.pool.acquire().await.map_err(failed)?;
        let pool = Arc::clone(&self.pool);
        let read = in_task(async move {
            let rows = pooled.connection.rows(what, sql).await;
            // Also after an error. A connection that is opened later could be one to another file.
            pool.release(pooled);
            Ok(rows)
        });
        let rows = read.await.map_err(failed)??;
        count_round_trips("read", 1);
        Ok(rows)
    }
}
