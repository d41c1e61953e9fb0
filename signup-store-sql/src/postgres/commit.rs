//! Commits to PostgreSQL: each change set is a transaction of its own.
//!
//! A commit waits for its locks in the process before it takes a connection. So a shift that is stuck holds one connection, and not
//! the pool. Then the transaction acquires the same locks in the database, for the commits of other processes. Locking and checking
//! are two statements, so the check sees what was committed while the transaction waited for its locks.

use std::sync::Arc;
use std::time::Duration;

use signup_core::{ChangeSet, CommitError, FairLocks, Key, StoreError};
use sqlx::postgres::{PgConnection, PgRow};
use tokio::sync::{RwLock, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::connections::{Connections, Purpose};
use super::error::{is_broken, is_contention, is_unique_violation, postgres_error};
use super::locks::{self, Locks, Mode};
use crate::sql::observe;
use crate::sql::pool::in_task;
use crate::sql::runner::texts;
use crate::sql::{Dialect, require, write};

const WHAT: &str = "committing a change set";
/// How often a commit may insert a unique value which another record has. The next attempt finds that record, if a requirement is
/// about the value.
const UNIQUE_ATTEMPTS: u32 = 3;
/// The longest pause before the next attempt.
const MAX_PAUSE_MS: u32 = 100;

/// Commits change sets. Clones share the locks.
#[derive(Debug, Clone)]
pub(super) struct Committer {
    connections: Connections,
    locks: FairLocks<Key>,
    /// One permit for each commit that runs. One connection is left for reads.
    permits: Arc<Semaphore>,
    /// Whether no more commits are taken. Each commit shares the lock until it has ended.
    is_closed: Arc<RwLock<bool>>,
}

impl Committer {
    pub(super) fn new(connections: Connections) -> Self {
        let permits = connections.options().connections.saturating_sub(1).max(1) as usize;
        Self {
            connections,
            locks: FairLocks::new(),
            permits: Arc::new(Semaphore::new(permits)),
            is_closed: Arc::default(),
        }
    }

    /// Waits for the commits in progress, and takes no more.
    pub(super) async fn close(&self) {
        *self.is_closed.write().await = true;
    }

    /// Commits like [`Store::commit`](signup_core::Store::commit), also if the caller is dropped after the wait for the locks.
    pub(super) async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let deadline = Instant::now() + self.connections.max_wait();
        let locks = locks::of(&change);
        let waited = timeout_at(deadline, async {
            let is_closed = Arc::clone(&self.is_closed).read_owned().await;
            let mut held = Vec::with_capacity(locks.len());
            for (key, mode) in &locks {
                held.push(match mode {
                    Mode::Shared => self.locks.read(key.clone()).await,
                    Mode::Exclusive => self.locks.write(key.clone()).await,
                });
            }
            // The semaphore is never closed.
            let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
            (is_closed, held, permit)
        });
        let late = |_| StoreError::unavailable(WHAT, "the deadline passed before the locks were free");
        let (is_closed, held, permit) = waited.await.map_err(late)?;
        if *is_closed {
            return Err(StoreError::unavailable(WHAT, "no more commits are taken").into());
        }
        let committer = self.clone();
        let commit = in_task(async move {
            let committed = committer.attempts(&change, &locks, deadline).await;
            drop((is_closed, held, permit));
            Ok(committed)
        });
        commit.await.map_err(|error| postgres_error(WHAT, error))?
    }

    /// Runs the transaction again while another transaction makes it fail, or its connection is broken.
    ///
    /// No attempt starts after the deadline. An attempt that has started may take longer: each of its statements has a limit.
    async fn attempts(
        &self,
        change: &ChangeSet,
        locks: &Locks,
        deadline: Instant,
    ) -> Result<(), CommitError> {
        let (mut attempt, mut conflicts) = (1, 0);
        loop {
            let mut progress = Progress::default();
            let ended = self.attempt(change, locks, &mut progress).await;
            if let Some(refused) = progress.refused {
                return Err(refused);
            }
            let Err(error) = ended else { return Ok(()) };
            conflicts += u32::from(is_unique_violation(&error));
            let is_retried = is_contention(&error)
                || (is_unique_violation(&error) && conflicts < UNIQUE_ATTEMPTS)
                || (is_broken(&error) && !progress.is_commit_sent);
            let pause = pause(attempt);
            if !is_retried || Instant::now() + pause > deadline {
                return Err(postgres_error(WHAT, error).into());
            }
            observe::count_retry();
            tracing::debug!(%error, attempt, "a commit is tried again");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, change: &ChangeSet, locks: &Locks, progress: &mut Progress) -> sqlx::Result<()> {
        let mut pooled = match self.connections.acquire().await {
            Ok(pooled) => pooled,
            Err(error) => {
                progress.refused = Some(postgres_error(WHAT, error).into());
                return Ok(());
            }
        };
        let result = self.transaction(&mut pooled.connection, change, locks, progress).await;
        self.connections.release(pooled, &result);
        result
    }

    /// Locks, checks and writes. After an error, `progress` may have an answer nevertheless.
    async fn transaction(
        &self,
        connection: &mut PgConnection,
        change: &ChangeSet,
        locks: &Locks,
        progress: &mut Progress,
    ) -> sqlx::Result<()> {
        let run = async |connection: &mut PgConnection, sql| -> sqlx::Result<Vec<PgRow>> {
            self.connections.run(connection, Purpose::COMMIT, sql).await
        };
        let statements = match write::statements(Dialect::Postgres, &change.writes) {
            Ok(statements) => statements,
            Err(error) => {
                progress.refused = Some(error.into());
                return Ok(());
            }
        };
        let mut transaction = self.connections.begin(connection, Purpose::COMMIT).await?;
        for sql in locks::statements(locks) {
            run(&mut transaction, sql).await?;
        }
        let mut broken = vec![];
        for sql in require::queries(Dialect::Postgres, &change.requires) {
            broken.extend(run(&mut transaction, sql).await?);
        }
        let broken = broken.iter().map(texts).collect::<sqlx::Result<Vec<_>>>()?;
        progress.refused = match require::refusal(&change.requires, broken) {
            Ok(refusal) => refusal.map(CommitError::Refused),
            Err(unreadable) => Some(unreadable.into()),
        };
        if progress.refused.is_some() {
            return self.connections.rollback(transaction, Purpose::COMMIT).await;
        }
        for sql in statements {
            run(&mut transaction, sql).await?;
        }
        progress.is_commit_sent = true;
        self.connections.commit(transaction, Purpose::COMMIT).await
    }
}

/// How far an attempt has come.
#[derive(Default)]
struct Progress {
    /// Why the change set is not committed, whatever happens to its connection afterwards.
    refused: Option<CommitError>,
    /// Whether the transaction may have been committed.
    is_commit_sent: bool,
}

/// How long to wait before the next attempt, at random, so that two transactions do not meet again.
fn pause(attempt: u32) -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis((random % (10 * attempt).min(MAX_PAUSE_MS)).into())
}
