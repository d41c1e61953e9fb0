//! The version of the database: a number that every commit raises.
//!
//! The writer raises it for its own commits, before it acknowledges them. A poll finds the commits of other processes: `PRAGMA
//! data_version` changes on a connection exactly if another connection has committed
//! (<https://sqlite.org/pragma.html#pragma_data_version>). A read uses a version that was polled at most [`MAX_AGE`] ago. Without
//! reads there are no polls.
//!
//! The writer has a connection of its own, so a poll finds its commits, too, and raises the version once more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use signup_core::StoreError;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::store_error;
use super::opened::OpenedFiles;
use super::options::READ_TIMEOUT;

/// How long a poll is valid.
const MAX_AGE: Duration = Duration::from_millis(250);
const WHAT: &str = "looking for commits of other processes";

/// The number of the version. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Version(Arc<AtomicU64>);

impl Version {
    pub(super) fn raise(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// The poll of a database.
#[derive(Debug)]
pub(super) struct Poll {
    version: Version,
    files: Arc<OpenedFiles>,
    /// When the last poll began. `None` before the first one and after [`Poll::close`].
    began_at: RwLock<Option<Instant>>,
    last: Mutex<Last>,
}

#[derive(Debug)]
struct Last {
    /// `None` after [`Poll::close`].
    connection: Option<SqliteConnection>,
    data_version: Option<i64>,
}

impl Poll {
    /// Creates the poll, which raises `version`. The connection is used for it only.
    pub(super) fn new(version: Version, connection: SqliteConnection, files: Arc<OpenedFiles>) -> Self {
        let last = Last { connection: Some(connection), data_version: None };
        Self { version, files, began_at: RwLock::default(), last: Mutex::new(last) }
    }

    /// Returns the version. Polls if the last poll has expired.
    ///
    /// # Errors
    /// Fails if a file of the database is not at its path, or the poll fails.
    pub(super) async fn version(&self) -> Result<u64, StoreError> {
        if !self.is_valid() {
            let polled = timeout(READ_TIMEOUT, self.poll()).await;
            polled.unwrap_or_else(|_| Err(store_error(WHAT, sqlx::Error::PoolTimedOut)))?;
        }
        Ok(self.version.0.load(Ordering::Acquire))
    }

    /// Returns whether the last poll has not expired.
    fn is_valid(&self) -> bool {
        let began_at = *self.began_at.read().unwrap_or_else(PoisonError::into_inner);
        began_at.is_some_and(|began_at| began_at.elapsed() < MAX_AGE)
    }

    fn set_began_at(&self, began_at: Option<Instant>) {
        *self.began_at.write().unwrap_or_else(PoisonError::into_inner) = began_at;
    }

    async fn poll(&self) -> Result<(), StoreError> {
        let mut last = self.last.lock().await;
        // Another read may have polled while this one waited.
        if self.is_valid() {
            return Ok(());
        }
        self.files.check()?;
        let began_at = Instant::now();
        let failed = |error| store_error(WHAT, error);
        let connection = last.connection.as_mut().ok_or(sqlx::Error::PoolClosed).map_err(failed)?;
        // The box keeps the large state of a running statement out of the future of each read.
        let poll = Box::pin(sqlx::query_scalar("PRAGMA data_version").fetch_one(connection));
        let data_version = Some(poll.await.map_err(failed)?);
        if data_version != last.data_version {
            self.version.raise();
        }
        last.data_version = data_version;
        self.set_began_at(Some(began_at));
        Ok(())
    }

    /// Closes the connection. From then on there is no version.
    pub(super) async fn close(&self) {
        let mut last = self.last.lock().await;
        self.set_began_at(None);
        if let Some(connection) = last.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "a connection to the database was not closed cleanly; no data is lost");
        }
    }
}
