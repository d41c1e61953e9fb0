//! The version of an SQLite database, for the cache of reads.
//!
//! The version is a number that only rises. A value that was read after its caller took version 7 is a hit at version 7 and
//! at lower versions.
//!
//! - **Commits of this process**: the writer raises the version after the commit and before it answers. A caller that has
//!   the answer takes a higher version than that of any value that was read before the commit.
//! - **Commits of other processes**: `PRAGMA data_version` changes on a connection exactly if another connection has
//!   committed (<https://sqlite.org/pragma.html#pragma_data_version>). A check reads it on one connection, and raises the
//!   version if the value has changed. A version is taken at most [`MAX_AGE_MS`] after the start of the last check, so a hit
//!   includes every commit that is older than that. Without reads there are no checks.
//!
//! A check also finds the commits of this process, since the writer has a connection of its own. That costs one more miss.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use signup_core::StoreError;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::Mutex;

use super::error::store_error;
use super::opened::OpenedFiles;
use super::options::READ_TIMEOUT;

/// How long a check is valid, in milliseconds.
const MAX_AGE_MS: u64 = 250;
const WHAT: &str = "reading the version of the database";

/// The version of a database.
#[derive(Debug)]
pub(super) struct Version {
    number: Arc<AtomicU64>,
    opened_at: Instant,
    /// The time in milliseconds after `opened_at` at which the last check expires.
    valid_until_ms: AtomicU64,
    last_check: Mutex<Check>,
    files: Arc<OpenedFiles>,
}

#[derive(Debug)]
struct Check {
    /// `None` after [`Version::close`].
    connection: Option<SqliteConnection>,
    data_version: Option<i64>,
}

impl Version {
    /// Creates the version over `number`, which the writer raises. The connection is used for checks only.
    pub(super) fn new(number: Arc<AtomicU64>, connection: SqliteConnection, files: Arc<OpenedFiles>) -> Self {
        let check = Check { connection: Some(connection), data_version: None };
        let valid_until_ms = AtomicU64::new(0);
        Self { number, opened_at: Instant::now(), valid_until_ms, last_check: Mutex::new(check), files }
    }

    /// Returns the version. If the last check has expired, first checks for commits of other processes, and whether the files are in
    /// their place.
    pub(super) async fn take(&self) -> Result<u64, StoreError> {
        if !self.is_valid() {
            self.files.check()?;
            let check = tokio::time::timeout(READ_TIMEOUT, Box::pin(self.check()));
            check
                .await
                .unwrap_or(Err(sqlx::Error::PoolTimedOut))
                .map_err(|error| store_error(WHAT, error))?;
        }
        Ok(self.number.load(Ordering::Acquire))
    }

    /// Closes the connection. From then on no version can be taken.
    pub(super) async fn close(&self) {
        let mut last = self.last_check.lock().await;
        self.valid_until_ms.store(0, Ordering::Release);
        if let Some(connection) = last.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "a connection to the database was not closed cleanly; no data is lost");
        }
    }

    async fn check(&self) -> sqlx::Result<()> {
        let mut last = self.last_check.lock().await;
        // Another caller may have checked meanwhile.
        if self.is_valid() {
            return Ok(());
        }
        let begin_ms = self.elapsed_ms();
        let connection = last.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        let found = Some(sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await?);
        if found != last.data_version {
            last.data_version = found;
            self.number.fetch_add(1, Ordering::AcqRel);
        }
        self.valid_until_ms.store(begin_ms + MAX_AGE_MS, Ordering::Release);
        Ok(())
    }

    fn is_valid(&self) -> bool {
        self.elapsed_ms() < self.valid_until_ms.load(Ordering::Acquire)
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.opened_at.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
