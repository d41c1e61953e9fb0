//! The store on PostgreSQL, which any number of processes share.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    Caller, ChangeSet, CommitError, Digest, EmailAddress, Event, EventId, EventInFull, EventPage, EventQuery,
    Notice, NoticeCounts, NoticeId, Organization, OrganizationId, Question, Receipt, ReceiptKey, Shift,
    ShiftId, Signup, SignupId, Store, StoreError, Token, TokenId, Window,
};
use sqlx::postgres::PgConnectOptions;
use thiserror::Error;

use crate::error::{OpenError, is_contention, postgres_error};
use crate::primary::{self, Primary};
use crate::read;
use crate::row::texts;
use crate::sql::{Dialect, Sql, values};
use crate::store::store;
use crate::{change, observe, require};

/// How often a commit is tried that other transactions got in the way of: a deadlock, a serialization failure, or a key of
/// a unique index that another took at the same moment. The next try sees what they did.
const ATTEMPTS: u32 = 10;

/// Where a PostgreSQL database is: `postgres://USER:PASSWORD@HOST:PORT/NAME`, with options such as `?sslmode=verify-full`.
/// One host each; [`PostgresStore::open`] takes several.
#[derive(Clone)]
pub struct PostgresUrl {
    text: String,
    pub(crate) options: PgConnectOptions,
}

/// Why a text is no [`PostgresUrl`]. The text is not repeated: there may be a password in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "use postgres://USER:PASSWORD@HOST:PORT/NAME, several with commas between whole URLs, and what is special in a \
     password percent-encoded"
)]
pub struct PostgresUrlError;

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, PostgresUrlError> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(PostgresUrlError);
        }
        let options = text.parse().map_err(|_| PostgresUrlError)?;
        Ok(Self { text: text.to_owned(), options })
    }
}

impl PartialEq for PostgresUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PostgresUrl {}

/// Without the password.
impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresUrl").field(&primary::name(&self.options)).finish()
    }
}

/// How a [`PostgresStore`] uses its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The most connections of this process; 8 unless set. More than the database has processors for do not make it faster.
    pub connections: u32,
    /// How long an operation waits for a free connection, or for the database to be reached; 3 seconds unless set.
    pub connect_timeout: Duration,
    /// How long a statement may take, waiting for locks included; 5 seconds unless set.
    pub statement_timeout: Duration,
    /// Whether the connections lead to PgBouncer in transaction mode: then each operation is a transaction of its own, and
    /// nothing is kept in a session.
    pub pgbouncer: bool,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 8,
            connect_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(5),
            pgbouncer: false,
        }
    }
}

/// A store in a PostgreSQL database.
///
/// A read is one statement, and one round trip. So is a commit, whatever it checks and writes: an event with its shifts, its
/// receipt and its notices is one statement, durable when it returns (unless the database is told otherwise by
/// `synchronous_commit`). Behind PgBouncer both are four round trips: the transaction begins, the statement is prepared, it
/// runs, the transaction ends. Counting a request is one round trip either way. A connection that comes back to the pool is
/// asked for a sign of life, which nobody waits for.
///
/// No process keeps anything that another needs, so any number of them can share the database.
#[derive(Debug, Clone)]
pub struct PostgresStore {
    primary: Primary,
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
        Ok(Self { primary })
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
        const WHAT: &str = "committing a change set";
        let mut attempt = 1;
        loop {
            let row = self.primary.transaction("commit", change::statements(&change)?).await;
            match row {
                Ok(None) => {
                    // Processes commit each for itself; it is the database that gathers them into one sync.
                    observe::note_batch(1);
                    return Ok(());
                }
                Ok(Some(row)) => {
                    let row = texts(&row).map_err(|error| postgres_error(WHAT, error))?;
                    return Err(CommitError::Refused(require::refusal(&change.requires, &row)?));
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
        let row: Option<[String; 1]> = self.primary.one("purge", what, sql).await?;
        let [count] = row.ok_or_else(|| StoreError::failed(what, "the statement gave no row"))?;
        count.parse().map_err(|error| StoreError::failed(what, error))
    }

    /// One statement and one round trip: the row of the caller is locked by it, so each request gets a number of its own.
    async fn count(&self, caller: Caller, now: Timestamp) -> Result<Option<Window>, StoreError> {
        const WHAT: &str = "counting a request";
        let (organization, caller) = match caller {
            Caller::Token(organization, token) => (organization.uuid(), token.to_string()),
            Caller::Address(address) => (OrganizationId::NONE.uuid(), address.to_string()),
            Caller::Visitor(address) => (OrganizationId::NONE.uuid(), format!("visitor {address}")),
        };
        let second = now.as_second();
        let sql = if self.primary.is_behind_pgbouncer() {
            // Without parameters the statement and the transaction around it are one round trip. Ids, addresses and numbers
            // can stand in a text as they are.
            let text = count_text(&format!("'{organization}'"), &format!("'{caller}'"), &second.to_string());
            Sql::of(Dialect::Postgres, &text, vec![])
        } else {
            let text = count_text("$1", "$2", "$3");
            Sql::of(Dialect::Postgres, &text, values![organization, caller, second])
        };
        let row = self.primary.one("count", WHAT, sql).await?;
        let [opened_at, requests] =
            row.ok_or_else(|| StoreError::failed(WHAT, "the statement gave no row"))?;
        let failed = |error: std::num::ParseIntError| StoreError::failed(WHAT, error);
        let opened_at = Timestamp::from_second(opened_at.parse().map_err(failed)?);
        let opened_at = opened_at.map_err(|error| StoreError::failed(WHAT, error))?;
        Ok(Some(Window { opened_at, requests: requests.parse().map_err(failed)? }))
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

/// How long to wait before the next try, so that those who were in each other's way do not meet again.
fn pause(attempt: u32) -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis(u64::from(random % (10 * attempt)))
}

fn count_text(organization: &str, caller: &str, second: &str) -> String {
    let is_open = format!("abs({second} - w.opened_at) < {}", signup_core::allowance::WINDOW_S);
    format!(
        "INSERT INTO windows AS w (organization_id, caller, opened_at, requests) \
         VALUES ({organization}, {caller}, {second}, 1) \
         ON CONFLICT (organization_id, caller) DO UPDATE SET \
         requests = CASE WHEN {is_open} THEN w.requests + 1 ELSE 1 END, \
         opened_at = CASE WHEN {is_open} THEN w.opened_at ELSE {second} END \
         RETURNING CAST(w.opened_at AS TEXT), CAST(w.requests AS TEXT)"
    )
}

store!(PostgresStore);
