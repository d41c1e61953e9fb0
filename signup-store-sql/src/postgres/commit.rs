//! Commits to PostgreSQL: change sets that wait go together, as one statement and one transaction.
//!
//! A commit waits for the disk, and a statement costs about as much for many rows as for few. So change sets that arrive
//! while a commit is under way form the next batch. The batcher puts only change sets into a batch that do not conflict.
//! Additions to the same total, such as sign-ups for one shift, do not conflict below the bound of the total. At the bound
//! the statement leaves change sets undecided, and the next statement decides them.
//!
//! One change set must not fail another. If a statement fails because of a value, or waits too long for a lock, each
//! change set of the batch is committed alone.

use std::sync::Arc;
use std::time::Duration;

use signup_core::store::{Access, Key, Keys};
use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::postgres::PgRow;
use tokio::time::Instant;

use super::error::{is_contention, is_lock_timeout, is_of_one_change_set, postgres_error};
use super::observe::count_retry;
use super::primary::{Primary, Purpose};
use super::statement::{self, Prepared};
use crate::batch::{Batcher, Conflict, Limits, Next, Pending, Work};
use crate::sql::row::texts;
use crate::sql::{Sql, observe, require};

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
type Waiting = Pending<Prepared, Result<(), CommitError>>;

/// Commits batches of change sets.
#[derive(Clone)]
pub(super) struct Committer {
    primary: Primary,
}

impl Committer {
    /// Starts a batcher of commits. Readers keep at least one connection, if there are two or more.
    pub(super) fn batcher(primary: &Primary) -> Batcher<Self> {
        let limits = Limits { batch: BATCH, waiting: WAITING, max_wait: primary.max_wait() };
        let workers = WORKERS.min(primary.options().connections.saturating_sub(1)).max(1);
        Batcher::new(WHAT, limits, (0..workers).map(|_| Self { primary: primary.clone() }).collect())
    }
}

/// The accesses of change sets, which decide which of them share a batch.
impl Conflict for Keys {
    type Key = Key;
    type Access = Access;

    fn claims(&self) -> impl Iterator<Item = (&Key, Access)> {
        self.iter()
    }

    fn shares_batch(access: Access) -> bool {
        matches!(access, Access::Read | Access::Commute)
    }

    /// Two transactions that change one total would wait for each other's row lock.
    fn runs_beside(access: Access) -> bool {
        access == Access::Read
    }
}

impl Work for Committer {
    type Keys = Keys;
    type Request = Prepared;
    type Answer = Result<(), CommitError>;

    async fn run(&mut self, batch: Vec<Waiting>) -> Next {
        let replaced = self.primary.replaced();
        let committer = self.clone();
        let batch = tokio::spawn(async move { committer.commit(batch).await });
        tokio::select! {
            biased;
            // After a panic the callers know, because their requests are dropped.
            next = batch => next.unwrap_or_default(),
            // A server that fell silent must not hold up the commits to the next one. The batch goes on.
            () = replaced => Next::default(),
        }
    }
}

impl Committer {
    /// Commits a batch, and answers each of its change sets.
    async fn commit(&self, batch: Vec<Waiting>) -> Next {
        let (mut together, layered): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|waiting| waiting.request.is_one_statement());
        let mut stuck = vec![];
        let mut next = Next::default();
        while !together.is_empty() {
            match self.commit_together(together).await {
                Ok(undecided) => together = undecided,
                Err(Failure::Together { all, error, is_out_of_reach }) => {
                    let error = Arc::new(error);
                    all.into_iter().for_each(|waiting| waiting.fail(&error));
                    if is_out_of_reach {
                        next = Next { fail_waiting: Some(error), ..Next::default() };
                    }
                    together = vec![];
                }
                Err(Failure::Apart(all)) => {
                    for waiting in all {
                        stuck.extend(self.commit_alone(waiting, Wait::Short).await);
                    }
                    together = vec![];
                }
            }
        }
        for waiting in stuck.into_iter().chain(layered) {
            // The change sets before it may have taken longer than its caller waits.
            if !waiting.is_abandoned_at(Instant::now()) {
                self.commit_alone(waiting, Wait::Full).await;
            }
        }
        next
    }
}

/// Why a batch was not committed.
enum Failure {
    /// Every change set of the batch fails with this error: alone each would meet the same. If the database is out of reach,
    /// so do those that wait.
    Together { all: Vec<Waiting>, error: StoreError, is_out_of_reach: bool },
    /// Each may fare better alone. Nothing of the batch was written.
    Apart(Vec<Waiting>),
}

/// How long a transaction waits for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// A part of the statement timeout, so that change sets behind a stuck one still meet their deadlines.
    Short,
    /// As long as the statement may take.
    Full,
}

impl Committer {
    /// Commits change sets in one transaction, and answers each. Returns those that are undecided.
    async fn commit_together(&self, mut waiting: Vec<Waiting>) -> Result<Vec<Waiting>, Failure> {
        let wait = if waiting.len() == 1 { Wait::Full } else { Wait::Short };
        let (timeout, is_alone) = (self.lock_timeout(wait), waiting.len() == 1);
        let build = || {
            let changes = waiting.iter_mut().map(|waiting| &mut waiting.request);
            statement::together(changes, timeout).map(|sql| vec![sql])
        };
        // A key that another transaction inserted belongs to one change set, which its own attempts find.
        let may_retry = |error: &sqlx::Error| is_alone || !is_of_one_change_set(error);
        let rows = match self.attempt(build, may_retry).await {
            Ok(rows) => rows,
            Err(error) if waiting.len() > 1 && (is_of_one_change_set(&error) || is_lock_timeout(&error)) => {
                tracing::debug!(%error, change_sets = waiting.len(), "a batch failed: its change sets go alone");
                return Err(Failure::Apart(waiting));
            }
            Err(error) => {
                let is_out_of_reach = matches!(error, sqlx::Error::PoolTimedOut) && self.primary.is_silent();
                let error = postgres_error(WHAT, error);
                return Err(Failure::Together { all: waiting, error, is_out_of_reach });
            }
        };
        let changes: Vec<_> = waiting.iter().map(|waiting| &waiting.request.set).collect();
        let outcomes = match outcomes(&changes, &rows) {
            Ok(outcomes) => outcomes,
            Err(error) => {
                return Err(Failure::Together { all: waiting, error, is_out_of_reach: false });
            }
        };
        observe::note_batch(outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Committed)).count());
        let mut undecided = vec![];
        for (waiting, outcome) in waiting.into_iter().zip(outcomes) {
            match outcome {
                Outcome::Committed => waiting.answer(Ok(())),
                Outcome::Refused(error) => waiting.answer(Err(error)),
                Outcome::Undecided => undecided.push(waiting),
            }
        }
        Ok(undecided)
    }

    /// Commits a change set in a transaction of its own, and answers. Gives the change set back if a short wait for a lock
    /// was too short.
    async fn commit_alone(&self, mut waiting: Waiting, wait: Wait) -> Option<Waiting> {
        let (change, timeout) = (&mut waiting.request, self.lock_timeout(wait));
        let outcome = match self.attempt(|| statement::alone(change, timeout), |_| true).await {
            Ok(rows) => outcomes(&[&waiting.request.set], &rows),
            Err(error) if wait == Wait::Short && is_lock_timeout(&error) => return Some(waiting),
            Err(error) => Err(postgres_error(WHAT, error)),
        };
        let answer = match outcome.map(|mut outcomes| outcomes.pop()) {
            Ok(Some(Outcome::Committed)) => {
                observe::note_batch(1);
                Ok(())
            }
            Ok(Some(Outcome::Refused(error))) => Err(error),
            // Nothing was added ahead of a change set that is alone.
            Ok(Some(Outcome::Undecided) | None) => Err(StoreError::failed(WHAT, "it was not decided").into()),
            Err(error) => Err(error.into()),
        };
        waiting.answer(answer);
        None
    }

    /// Runs a transaction, and again if another transaction made it fail.
    async fn attempt(
        &self,
        mut build: impl FnMut() -> Result<Vec<Sql>, StoreError> + Send,
        may_retry: impl Fn(&sqlx::Error) -> bool + Send,
    ) -> sqlx::Result<Vec<PgRow>> {
        let mut attempt = 1;
        loop {
            let statements = build().map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
            match self.primary.transaction(Purpose::Commit, statements).await {
                Err(error) if attempt < ATTEMPTS && is_contention(&error) && may_retry(&error) => {
                    count_retry();
                    tracing::debug!(%error, attempt, "another transaction made a commit fail");
                    if attempt > 1 {
                        tokio::time::sleep(pause(attempt)).await;
                    }
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    fn lock_timeout(&self, wait: Wait) -> Option<Duration> {
        (wait == Wait::Short).then(|| self.primary.options().statement_timeout / 4)
    }
}

/// What a statement did with a change set.
enum Outcome {
    Committed,
    Refused(CommitError),
    /// A total has no room behind the change sets before this one. One of these may have been refused itself.
    Undecided,
}

/// Decodes the rows of a statement: the outcome of each change set.
fn outcomes(changes: &[&ChangeSet], rows: &[PgRow]) -> Result<Vec<Outcome>, StoreError> {
    const READING: &str = "reading why a change set was refused";
    let mut broken: Vec<Option<(usize, String, bool)>> = vec![None; changes.len()];
    for row in rows {
        let [change, number, fact, is_final] = texts(row).map_err(|error| postgres_error(READING, error))?;
        let place = change.parse::<usize>().ok().and_then(|change| broken.get_mut(change));
        let (Some(place), Ok(number)) = (place, number.parse()) else {
            return Err(StoreError::failed(READING, "no such requirement"));
        };
        // The first requirement that does not hold decides.
        if place.as_ref().is_none_or(|(first, ..)| number < *first) {
            *place = Some((number, fact, is_final == "true"));
        }
    }
    let outcome = |(change, broken): (&&ChangeSet, Option<(usize, String, bool)>)| match broken {
        None => Outcome::Committed,
        Some((.., false)) => Outcome::Undecided,
        Some((number, fact, true)) => Outcome::Refused(
            require::refusal(&change.requires, number, &fact).map_or_else(Into::into, CommitError::Refused),
        ),
    };
    Ok(changes.iter().zip(broken).map(outcome).collect())
}

/// How long to wait before the next attempt, at random, so that two transactions do not meet again.
fn pause(attempt: u32) -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis(u64::from(random % (10 * attempt)))
}
