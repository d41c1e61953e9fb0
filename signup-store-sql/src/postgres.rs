//! The store on PostgreSQL, which any number of processes share.

mod options;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    Caller, ChangeSet, CommitError, Digest, EmailAddress, Event, EventId, EventInFull, EventPage, EventQuery,
    Notice, NoticeCounts, NoticeId, Organization, OrganizationId, Question, Receipt, ReceiptKey, Shift,
    ShiftId, Signup, SignupId, Store, StoreError, Token, TokenId, Window,
};
use sqlx::postgres::PgRow;

use crate::counter::Counter;
use crate::error::{OpenError, is_contention, postgres_error};
use crate::primary::{Primary, Purpose};
use crate::read;
use crate::row::texts;
use crate::sql::{Dialect, Sql, values};
use crate::store::store;
use crate::turns::{self, Together, Turns, Waiting};
use crate::{change, observe, require};

pub use options::{PostgresOptions, PostgresUrl, PostgresUrlError};

/// How often a commit is tried that other transactions got in the way of: a deadlock, a serialization failure, or a key of
/// a unique index that another took at the same moment. The next try sees what they did.
const ATTEMPTS: u32 = 10;

/// A store in a PostgreSQL database.
///
/// A read is one statement, and one round trip. So is a commit, whatever it checks and writes: an event with its shifts, its
/// receipt and its notices is one statement, durable when it returns (unless the database is told otherwise by
/// `synchronous_commit`). Behind PgBouncer both are four round trips: the transaction begins, the statement is prepared, it
/// runs, the transaction ends. Requests are counted together, in one round trip for all that came while the last was under
/// way. A connection that comes back to the pool is asked for a sign of life, which nobody waits for.
///
/// No process keeps anything that another needs, so any number of them can share the database.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    primary: Primary,
    counter: Counter,
    turns: Turns,
}

impl PostgresStore {
    /// Opens the database at the one of `urls` that takes writes; its tables are made, or carried forward to this version.
    /// When that server fails, the store goes on with another of them as soon as one takes writes.
    ///
    /// # Errors
    /// If no server can be reached, or none takes writes, and [`OpenError::Newer`] if a newer version has written the
    /// database.
    pub async fn open(urls: &[PostgresUrl], options: PostgresOptions) -> Result<Self, OpenError> {
        let primary = Primary::open(urls, options).await?;
        let counter = Counter::start(primary.clone());
        Ok(Self { primary, counter, turns: Turns::default() })
    }

    /// Closes all connections, after what is under way.
    pub async fn close(&self) {
        self.primary.close().await;
    }

    /// Connections that are open, and those of them that are in use.
    pub fn connections(&self) -> (u32, u32) {
        self.primary.connections()
    }

    const fn reader(&self) -> &Primary {
        &self.primary
    }

    async fn commit_change(&self, change: ChangeSet) -> Result<(), CommitError> {
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

    /// In the order that every store purges in. What another process is purging is left to it.
    async fn purge_old_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let text = format!(
            "WITH old AS (SELECT organization_id, token_id, operation, idempotency_key FROM receipts \
             WHERE expires_at <= $1 ORDER BY expires_at, organization_id, token_id, operation, idempotency_key \
             LIMIT {limit} FOR UPDATE SKIP LOCKED), \
             gone AS (DELETE FROM receipts r USING old o WHERE r.organization_id = o.organization_id \
             AND r.token_id = o.token_id AND r.operation = o.operation AND r.idempotency_key = o.idempotency_key \
             RETURNING 1) SELECT CAST(count(*) AS TEXT) FROM gone"
        );
        let sql = Sql::of(Dialect::Postgres, &text, values![now.as_second()]);
        self.count_of("purging receipts", sql).await
    }

    async fn purge_old_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let text = format!(
            "WITH old AS (SELECT organization_id, caller FROM windows WHERE opened_at <= $1 \
             ORDER BY opened_at LIMIT {limit} FOR UPDATE SKIP LOCKED), \
             gone AS (DELETE FROM windows w USING old o \
             WHERE w.organization_id = o.organization_id AND w.caller = o.caller RETURNING 1) \
             SELECT CAST(count(*) AS TEXT) FROM gone"
        );
        let opened_at = now.as_second() - signup_core::allowance::WINDOW_S;
        let sql = Sql::of(Dialect::Postgres, &text, values![opened_at]);
        self.count_of("purging windows", sql).await
    }

    async fn count_of(&self, what: &'static str, sql: Sql) -> Result<u64, StoreError> {
        let row: Option<[String; 1]> = self.primary.one(Purpose::Purge, what, sql).await?;
        let [count] = row.ok_or_else(|| StoreError::failed(what, "the statement gave no row"))?;
        count.parse().map_err(|error| StoreError::failed(what, error))
    }

    async fn count(&self, caller: Caller, now: Timestamp) -> Result<Option<Window>, StoreError> {
        self.counter.count(caller, now).await.map(Some)
    }

    async fn answers(&self) -> Result<(), StoreError> {
        const WHAT: &str = "looking whether the database takes writes";
        match self.primary.takes_writes().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::unavailable(WHAT, "it is a standby")),
            Err(error) => Err(postgres_error(WHAT, error)),
        }
    }
}

impl Together for PostgresStore {
    async fn commit_together(&self, changes: Vec<Waiting>) {
        match self.try_together(&changes).await {
            Ok(Some(answers)) => {
                observe::note_batch(answers.iter().filter(|answer| answer.is_ok()).count());
                for ((_, sender), answer) in changes.into_iter().zip(answers) {
                    // Who has gone away needs no answer.
                    drop(sender.send(answer));
                }
            }
            // The database has undone all of it. Each by itself may fare better.
            Ok(None) | Err(sqlx::Error::Database(_)) => {
                for (change, sender) in changes {
                    drop(sender.send(self.commit_alone(&change).await));
                }
            }
            Err(error) => {
                let error = Arc::new(postgres_error("committing sign-ups", error));
                for (_, sender) in changes {
                    let error = StoreError::unavailable("committing a sign-up", Arc::clone(&error));
                    drop(sender.send(Err(error.into())));
                }
            }
        }
    }
}

impl PostgresStore {
    /// Commits change sets in one transaction; `None` if there is only one, or one that is more than a statement.
    async fn try_together(&self, changes: &[Waiting]) -> sqlx::Result<Option<Vec<Result<(), CommitError>>>> {
        let statement = |(change, _): &Waiting| {
            let statements = change::statements(change).ok()?;
            <[Sql; 1]>::try_from(statements).ok().map(|[statement]| statement)
        };
        let Some(statements) = changes.iter().map(statement).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        if statements.len() < 2 {
            return Ok(None);
        }
        let rows = self.primary.together(Purpose::Commit, statements).await?;
        let answer = |((change, _), row): (&Waiting, Option<PgRow>)| match row {
            None => Ok(()),
            Some(row) => Err(refused(change, &row)),
        };
        Ok(Some(changes.iter().zip(rows).map(answer).collect()))
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

store!(PostgresStore);
