//! Commits to PostgreSQL: change sets that wait go together, as one statement and one transaction.
//!
//! A commit waits for the disk, and a statement costs about as much for many rows as for few. So change sets that arrive
//! while a commit is under way form the next batch. The batcher puts only change sets into a batch that do not conflict.
//! Additions to the same total, such as sign-ups for one shift, do not conflict below the bound of the total. At the bound
//! the statement leaves change sets undecided, and the next statement decides them.
//!
//! One change set must not fail another. If a statement fails because of a value, or waits too long for a lock, each
//! change set of the batch is committed alone.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use signup_core::{CommitError, Keys};
use tokio::time::Instant;

use super::commit_statement;
use super::error::{is_contention, is_lock_timeout, is_of_one_change_set, postgres_error};
use super::primary::{Primary, Purpose, YIELDS};
use crate::batch::{Batcher, Limits, Next, Work};
use crate::sql::change::Prepared;
use crate::sql::commit::{self, Verdict, answer, verdicts};
use crate::sql::observe;
use crate::sql::runner::texts;

/// How often a commit is attempted that fails because of another transaction: a deadlock, a serialization failure, or a
/// key of a unique index that another transaction inserted. The next attempt sees the changes of that transaction.
const ATTEMPTS: u32 = 10;
/// The most change sets of one transaction.
const BATCH: usize = 64;
/// The most change sets that wait.
const WAITING: usize = 4096;
/// The most transactions at a time. Two keep the database busy: one writes while the other waits for the disk.
const WORKERS: u32 = 2;

const WHAT: &str = "committing a change set";

/// A change set that waits for its commit.
type Waiting = commit::Waiting<Prepared>;

/// Commits batches of change sets.
#[derive(Clone)]
pub(super) struct Committer {
    primary: Primary,
}

impl Committer {
    /// Starts a batcher of commits. Readers keep at least one connection, if there are two or more.
    pub(super) fn batcher(primary: &Primary) -> Batcher<Self> {
        let limits = Limits { batch: BATCH, waiting: WAITING, max_wait: primary.max_wait(), yields: YIELDS };
        let workers = WORKERS.min(primary.options().connections.saturating_sub(1)).max(1);
        Batcher::new(WHAT, limits, (0..workers).map(|_| Self { primary: primary.clone() }).collect())
    }
}

impl Work for Committer {
    type Keys = Keys;
    type Request = Prepared;
    type Answer = Result<(), CommitError>;

    async fn run(&mut self, batch: Vec<Waiting>) -> Next {
        let pool = self.primary.pool();
        let committer = self.clone();
        let batch = tokio::spawn(async move { committer.commit(batch).await });
        tokio::select! {
            biased;
            // After a panic the callers know, because their requests are dropped.
            next = batch => next.unwrap_or_default(),
            // A server that fell silent must not hold up the commits to the next one. The batch goes on.
            () = pool.replaced() => Next::default(),
        }
    }
}

/// Change sets of one transaction, and how long the transaction waits for a lock.
type Group = (Vec<Waiting>, Wait);

/// How long a transaction waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// A part of the statement timeout, so that change sets behind a stuck one still meet their deadlines.
    Short,
    /// As long as the statement may take.
    Full,
}

impl Committer {
    /// Commits a batch, and answers each of its change sets.
    async fn commit(&self, batch: Vec<Waiting>) -> Next {
        let (together, alone): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|waiting| waiting.request.is_one_layer());
        let mut groups: VecDeque<Group> =
            alone.into_iter().map(|waiting| (vec![waiting], Wait::Full)).collect();
        let wait = if together.len() == 1 { Wait::Full } else { Wait::Short };
        groups.push_front((together, wait));
        let mut next = Next::default();
        while let Some((mut group, wait)) = groups.pop_front() {
            // The groups before this one may have taken longer than its callers wait.
            let now = Instant::now();
            group.retain(|waiting| !waiting.is_abandoned_at(now));
            if group.is_empty() {
                continue;
            }
            let error = match self.transaction(&mut group, wait).await {
                Ok(verdicts) => {
                    groups.push_front((answer(group, verdicts), wait));
                    continue;
                }
                Err(error) => error,
            };
            let is_stuck = is_lock_timeout(&error);
            if group.len() > 1 && (is_stuck || is_of_one_change_set(&error)) {
                tracing::debug!(%error, change_sets = group.len(), "a batch failed: its change sets go alone");
                group.into_iter().rev().for_each(|waiting| groups.push_front((vec![waiting], Wait::Short)));
            } else if is_stuck && wait == Wait::Short {
                groups.push_back((group, Wait::Full));
            } else {
                let is_out_of_reach =
                    matches!(error, sqlx::Error::PoolTimedOut) && self.primary.pool().is_silent();
                let error = Arc::new(postgres_error(WHAT, error));
                group.into_iter().for_each(|waiting| waiting.fail(&error));
                next.fail_waiting = is_out_of_reach.then_some(error).or(next.fail_waiting);
            }
        }
        next
    }

    /// Commits change sets in one transaction. Runs the transaction again if another transaction made it fail.
    async fn transaction(&self, group: &mut [Waiting], wait: Wait) -> sqlx::Result<Vec<Verdict>> {
        let timeout = (wait == Wait::Short).then(|| self.primary.options().statement_timeout / 4);
        let encode = |error| sqlx::Error::Encode(Box::new(error));
        let mut attempt = 1;
        let rows = loop {
            let changes = group.iter_mut().map(|waiting| &mut waiting.request);
            let statements = commit_statement::statements(changes, timeout).map_err(encode)?;
            match self.primary.transaction(Purpose::COMMIT, statements).await {
                Ok(rows) => break rows,
                // A key that another transaction inserted belongs to one change set, which its own attempts find.
                Err(error)
                    if attempt < ATTEMPTS
                        && is_contention(&error)
                        && (group.len() == 1 || !is_of_one_change_set(&error)) =>
                {
                    observe::count_retry();
                    tracing::debug!(%error, attempt, "another transaction made a commit fail");
                    if attempt > 1 {
                        tokio::time::sleep(pause(attempt)).await;
                    }
                    attempt += 1;
                }
                Err(error) => return Err(error),
            }
        };
        let rows = rows.iter().map(texts).collect::<sqlx::Result<Vec<_>>>()?;
        let verdicts = verdicts(group.iter().map(|waiting| &waiting.request), rows);
        let verdicts = verdicts.map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
        observe::note_batch(&verdicts);
        Ok(verdicts)
    }
}

/// How long to wait before the next attempt, at random, so that two transactions do not meet again.
fn pause(attempt: u32) -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis(u64::from(random % (10 * attempt)))
}
