//! How change sets are committed to PostgreSQL: each by itself, or those that ask for a place on one shift together.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::postgres::PgRow;

use super::change;
use super::error::{for_one_of_many, is_contention, is_of_one_change_set, postgres_error};
use super::observe::count_retry;
use super::primary::Purpose;
use super::sign_ups::{self, SignUp};
use super::store::PostgresBackend;
use super::turns::{Together, Waiting};
use crate::sql::Sql;
use crate::sql::row::texts;
use crate::sql::{observe, require};

/// How often a commit is tried that other transactions got in the way of: a deadlock, a serialization failure, or a key of
/// a unique index that another took at the same moment. The next try sees what they did.
const ATTEMPTS: u32 = 10;

impl PostgresBackend {
    pub(super) async fn commit_change(&self, change: ChangeSet) -> Result<(), CommitError> {
        match SignUp::of(&change).map(|new| new.place()) {
            Some(place) => self.turns.commit(self, place, change).await,
            None => self.commit_alone(&change).await,
        }
    }

    async fn commit_alone(&self, change: &ChangeSet) -> Result<(), CommitError> {
        const WHAT: &str = "committing a change set";
        let mut attempt = 1;
        loop {
            let rows = self.primary.transaction(Purpose::Commit, change::statements(change)?).await;
            match rows {
                Ok(rows) => {
                    if let Some(row) = rows.first() {
                        let broken = texts(row).map_err(|error| postgres_error(REFUSED, error))?;
                        return Err(refused(change, &broken));
                    }
                    // Processes commit each for itself; it is the database that gathers them into one sync.
                    observe::note_batch(1);
                    return Ok(());
                }
                Err(error) if attempt < ATTEMPTS && is_contention(&error) => {
                    count_retry();
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

    async fn commit_each(&self, waiting: impl IntoIterator<Item = Waiting, IntoIter: Send> + Send) {
        for waiting in waiting {
            // Those before it may have taken longer than it waits.
            if !waiting.is_gone() {
                let answer = self.commit_alone(&waiting.change).await;
                waiting.answer(answer);
            }
        }
    }
}

impl Together for PostgresBackend {
    async fn commit_together(&self, waiting: Vec<Waiting>) {
        const WHAT: &str = "committing sign-ups together";
        let change_sets = waiting.len();
        let (first, again) = by_address(waiting);
        let all = |first: Vec<Waiting>, again: Vec<(usize, Waiting)>| {
            first.into_iter().chain(again.into_iter().map(|(_, waiting)| waiting))
        };
        let Some(sql) = statement(&first).filter(|_| change_sets > 1) else {
            return self.commit_each(all(first, again)).await;
        };
        let answers = match self.primary.transaction(Purpose::Commit, vec![sql]).await {
            Ok(rows) => answers(&first, &rows),
            // The database has undone all of it.
            Err(error) if is_of_one_change_set(&error) => {
                tracing::warn!(%error, change_sets, "a sign-up failed: those that came with it are committed one by one");
                return self.commit_each(all(first, again)).await;
            }
            Err(error) => Err(postgres_error(WHAT, error)),
        };
        match answers {
            Ok(answers) => {
                observe::note_batch(answers.iter().filter(|answer| answer.is_ok()).count());
                let mut untold = vec![];
                for (place, waiting) in again {
                    let before = first.get(place).zip(answers.get(place));
                    match before.and_then(|(first, answer)| SignUp::of(&first.change)?.next(answer)) {
                        Some(refusal) => waiting.answer(Err(CommitError::Refused(refusal))),
                        None => untold.push(waiting),
                    }
                }
                for (waiting, answer) in first.into_iter().zip(answers) {
                    waiting.answer(answer);
                }
                self.commit_each(untold).await;
            }
            // One by one they would meet the same error, each after the other.
            Err(error) => {
                let error = Arc::new(error);
                for waiting in all(first, again) {
                    waiting.answer(Err(for_one_of_many("committing a sign-up", &error).into()));
                }
            }
        }
    }
}

/// The first of each address; and those that come after one of these, each with its place among them.
fn by_address(waiting: Vec<Waiting>) -> (Vec<Waiting>, Vec<(usize, Waiting)>) {
    let (mut first, mut again) = (vec![], vec![]);
    let mut places = HashMap::new();
    for waiting in waiting {
        let address = SignUp::of(&waiting.change).map(|new| new.address());
        match address.map(|address| *places.entry(address).or_insert(first.len())) {
            Some(place) if place < first.len() => again.push((place, waiting)),
            _ => first.push(waiting),
        }
    }
    (first, again)
}

/// One statement for all of them.
fn statement(waiting: &[Waiting]) -> Option<Sql> {
    let new: Vec<_> = waiting.iter().map(|waiting| SignUp::of(&waiting.change)).collect::<Option<_>>()?;
    sign_ups::statement(new.first()?.place(), &new).ok()
}

/// What became of each, by the rows that their statement gave.
fn answers(waiting: &[Waiting], rows: &[PgRow]) -> Result<Vec<Result<(), CommitError>>, StoreError> {
    let mut answers: Vec<_> = waiting.iter().map(|_| Ok(())).collect();
    for row in rows {
        let [number, requirement, fact] = texts(row).map_err(|error| postgres_error(REFUSED, error))?;
        let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let refused_one = index.and_then(|index| Some((waiting.get(index)?, answers.get_mut(index)?)));
        let (waiting, answer) = refused_one.ok_or_else(|| StoreError::failed(REFUSED, "no such sign-up"))?;
        *answer = Err(refused(&waiting.change, &[requirement, fact]));
    }
    Ok(answers)
}

const REFUSED: &str = "reading why a change set was refused";

/// Why a change set was refused, by the requirement that does not hold and the fact that was found.
fn refused(change: &ChangeSet, broken: &[String; 2]) -> CommitError {
    require::refusal(&change.requires, broken).map_or_else(Into::into, CommitError::Refused)
}

/// How long to wait before the next try, so that those who were in each other's way do not meet again.
fn pause(attempt: u32) -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis(u64::from(random % (10 * attempt)))
}
