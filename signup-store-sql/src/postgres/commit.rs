//! How change sets are committed to PostgreSQL: each in a transaction of its own, or those that ask for a place on one shift
//! together.

use std::sync::Arc;
use std::time::Duration;

use signup_core::{ChangeSet, CommitError};
use sqlx::postgres::PgRow;

use super::PostgresStore;
use crate::error::{for_one_of_many, is_contention, is_of_one_statement, postgres_error};
use crate::primary::Purpose;
use crate::row::texts;
use crate::sql::Sql;
use crate::turns::{self, Together, Waiting};
use crate::{change, observe, require};

/// How often a commit is tried that other transactions got in the way of: a deadlock, a serialization failure, or a key of
/// a unique index that another took at the same moment. The next try sees what they did.
const ATTEMPTS: u32 = 10;

impl PostgresStore {
    pub(super) async fn commit_change(&self, change: ChangeSet) -> Result<(), CommitError> {
        match turns::wanted_shift(&change) {
            Some(shift) => self.turns.commit(self, shift, change).await,
            None => self.commit_alone(&change).await,
        }
    }

    async fn commit_alone(&self, change: &ChangeSet) -> Result<(), CommitError> {
        const WHAT: &str = "committing a change set";
        let mut attempt = 1;
        loop {
            let row = self.primary.transaction(Purpose::Commit, change::statements(change)?).await;
            match row {
                Ok(None) => {
                    // Processes commit each for itself; it is the database that gathers them into one sync.
                    observe::note_batch(1);
                    return Ok(());
                }
                Ok(Some(row)) => {
                    return Err(refused(change, &row));
                }
                Err(error) if attempt < ATTEMPTS && is_contention(&error) => {
                    observe::count_retry();
                    tracing::debug!(%error, attempt, "another transaction was in the way");
                    if attempt > 1 {
                        tokio::time::sleep(pause(attempt)).await;
                    }
                    attempt += 1;
                }
                Err(error) => return Err(postgres_error(WHAT, error).into()),
            }
        }
    }

    /// Commits change sets in one transaction; `None` if there is only one, or one that is more than a statement.
    async fn try_together(&self, waiting: &[Waiting]) -> sqlx::Result<Option<Vec<Result<(), CommitError>>>> {
        let statement = |waiting: &Waiting| {
            let statements = change::statements(&waiting.change).ok()?;
            <[Sql; 1]>::try_from(statements).ok().map(|[statement]| statement)
        };
        let Some(statements) = waiting.iter().map(statement).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        if statements.len() < 2 {
            return Ok(None);
        }
        let rows = self.primary.together(Purpose::Commit, statements).await?;
        let answer = |(waiting, row): (&Waiting, Option<PgRow>)| match row {
            None => Ok(()),
            Some(row) => Err(refused(&waiting.change, &row)),
        };
        Ok(Some(waiting.iter().zip(rows).map(answer).collect()))
    }

    async fn commit_each(&self, waiting: Vec<Waiting>) {
        for waiting in waiting {
            // Those before it may have taken longer than it waits.
            if !waiting.is_gone() {
                let answer = self.commit_alone(&waiting.change).await;
                waiting.answer(answer);
            }
        }
    }
}

impl Together for PostgresStore {
    async fn commit_together(&self, waiting: Vec<Waiting>) {
        match self.try_together(&waiting).await {
            Ok(Some(answers)) => {
                observe::note_batch(answers.iter().filter(|answer| answer.is_ok()).count());
                for (waiting, answer) in waiting.into_iter().zip(answers) {
                    waiting.answer(answer);
                }
            }
            Ok(None) => self.commit_each(waiting).await,
            // The database has undone all of it.
            Err(error) if is_of_one_statement(&error) => {
                let change_sets = waiting.len();
                tracing::warn!(%error, change_sets, "a sign-up failed: those of its transaction are committed one by one");
                self.commit_each(waiting).await;
            }
            // One by one they would meet the same error, each after the other.
            Err(error) => {
                let error = Arc::new(postgres_error("committing sign-ups together", error));
                for waiting in waiting {
                    waiting.answer(Err(for_one_of_many("committing a sign-up", &error).into()));
                }
            }
        }
    }
}

/// Why a change set was refused, by the row that its statement gave.
fn refused(change: &ChangeSet, row: &PgRow) -> CommitError {
    let fact = texts(row).map_err(|error| postgres_error("reading why a change set was refused", error));
    match fact.and_then(|fact| require::refusal(&change.requires, &fact)) {
        Ok(refusal) => CommitError::Refused(refusal),
        Err(error) => error.into(),
    }
}

/// How long to wait before the next try, so that those who were in each other's way do not meet again.
fn pause(attempt: u32) -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis(u64::from(random % (10 * attempt)))
}
