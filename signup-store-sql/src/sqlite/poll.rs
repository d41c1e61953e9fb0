//! The poll for commits of other processes, which drops the cached answers.
//!
//! `PRAGMA data_version` changes on a connection exactly if another connection has committed
//! (<https://sqlite.org/pragma.html#pragma_data_version>). An answer is taken from the cache at most [`MAX_AGE_MS`] after the start of
//! the last poll, so it includes every commit that is older than that. Without reads there are no polls.
//!
//! A poll also finds the commits of this process, since the writer has a connection of its own. So after a commit all answers are dropped,
//! at the latest by the next poll.

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
use crate::sql::cache::Answers;

/// How long a poll is valid, in milliseconds.
const MAX_AGE_MS: u64 = 250;
const WHAT: &str = "looking for commits of other processes";

/// The poll of a database.
#[derive(Debug)]
pub(super) struct Poll {
    answers: Answers,
    opened_at: Instant,
    /// The time in milliseconds after `opened_at` at which the last poll expires.
    valid_until_ms: AtomicU64,
    last: Mutex<Last>,
    files: Arc<OpenedFiles>,
}

#[derive(Debug)]
struct Last {
    /// `None` after [`Poll::close`].
    connection: Option<SqliteConnection>,
    data_version: Option<i64>,
}

impl Poll {
    /// Creates the poll, which drops `answers`. The connection is used for it only.
    pub(super) fn new(answers: Answers, connection: SqliteConnection, files: Arc<OpenedFiles>) -> Self {
        let last = Last { connection: Some(connection), data_version: None };
        let valid_until_ms = AtomicU64::new(0);
        Self { answers, opened_at: Instant::now(), valid_until_ms, last: Mutex::new(last), files }
    }

    /// Returns the cached answers. If the last poll has expired, first polls, and checks whether the files are in their place.
    pub(super) async fn answers(&self) -> Result<&Answers, StoreError> {
        if !self.is_valid() {
            self.files.check()?;
            let poll = tokio::time::timeout(READ_TIMEOUT, Box::pin(self.poll()));
            poll.await.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(|error| store_error(WHAT, error))?;
        }
        Ok(&self.answers)
    }

    /// Closes the connection. From then on no answer can be taken.
    pub(super) async fn close(&self) {
        let mut last = self.last.lock().await;
        self.valid_until_ms.store(0, Ordering::Release);
        if let Some(connection) = last.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "a connection to the database was not closed cleanly; no data is lost");
        }
    }

    async fn poll(&self) -> sqlx::Result<()> {
        let mut last = self.last.lock().await;
        // Another caller may have polled meanwhile.
        if self.is_valid() {
            return Ok(());
        }
        let begin_ms = self.elapsed_ms();
        let connection = last.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        let found = Some(sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await?);
        if found != last.data_version {
            last.data_version = found;
            self.answers.drop_all();
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
