//! The one writer of an SQLite file: commits batches of change sets, and then answers each.
//!
//! SQLite has one writer at a time, and the cost of a write is the durable commit. So change sets that arrive during a
//! commit form the next batch, which is one transaction. A change set that is refused writes nothing. If a change set
//! fails, the batch is rolled back and runs again with a savepoint for each, so the others are not affected. No caller is
//! answered before its change is durable.
//!
//! **Invariant:** nothing else in this process writes to the file. SQLite's own lock excludes other processes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::error::{is_io_error, store_error};
use super::script::{self, Change};
use crate::batch::{Batcher, Limits, Next, Pending, Work};
use crate::sql::observe;

/// The most requests of one transaction. This bounds how long the first of a batch waits for the last.
const BATCH: usize = 256;
/// The most requests that wait. A caller that arrives later waits for a place.
const WAITING: usize = 1024;
/// From a request to its answer. Longer than [`BUSY_TIMEOUT`](super::options::BUSY_TIMEOUT), so that a request survives a
/// long write of another process.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// How many callers are answered before other tasks get a turn. Each caller that is answered has work to do, and reads would
/// wait for all of it.
const ANSWERS_IN_A_ROW: usize = 2;

const WHAT: &str = "writing to the database";

/// Handle to the writer. Dropping the last handle closes the connection.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    batcher: Batcher<WriteWork>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    /// Creates the writer on a connection of its own. `options` open another connection after a failure.
    pub(super) fn new(connection: SqliteConnection, options: SqliteConnectOptions) -> Self {
        let commits = Arc::new(AtomicU64::new(0));
        let work = WriteWork { connection: Some(connection), options, commits: Arc::clone(&commits) };
        let limits = Limits { batch: BATCH, waiting: WAITING, max_wait: MAX_WAIT };
        Self { batcher: Batcher::new(WHAT, limits, vec![work]), commits }
    }

    /// How many transactions were committed: fewer than change sets, if many arrived at once.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(super) async fn commit(&self, set: ChangeSet) -> Result<(), CommitError> {
        self.batcher.submit((), Request::Commit(Change::new(set)?)).await?.map(|_| ())
    }

    pub(super) async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let purged = self.batcher.submit((), Request::PurgeReceipts { now, limit }).await?;
        purged.map_err(|error| match error {
            CommitError::Failed(error) => error,
            refused => StoreError::failed(WHAT, refused),
        })
    }

    /// Checks that the writer takes requests.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.batcher.check()
    }

    /// Waits until the writer takes no more requests.
    pub(super) async fn stopped(&self) {
        self.batcher.stopped().await;
    }

    /// Finishes the requests that wait, and closes the connection.
    pub(super) async fn close(&self) {
        for work in self.batcher.close().await {
            if let Some(connection) = work.connection
                && let Err(error) = connection.close().await
            {
                tracing::warn!(%error, "the database was not closed cleanly; no data is lost");
            }
        }
    }
}

/// A request to the writer.
pub(super) enum Request {
    Commit(Change),
    PurgeReceipts { now: Timestamp, limit: u32 },
}

/// The number of receipts that were removed; 0 for a change set.
type Answer = Result<u64, CommitError>;

impl Request {
    const fn change(&self) -> Option<&Change> {
        match self {
            Self::Commit(change) => Some(change),
            Self::PurgeReceipts { .. } => None,
        }
    }

    const fn change_mut(&mut self) -> Option<&mut Change> {
        match self {
            Self::Commit(change) => Some(change),
            Self::PurgeReceipts { .. } => None,
        }
    }
}

type Waiting = Pending<Request, Answer>;

/// The connection that writes.
pub(super) struct WriteWork {
    /// `None` during a batch, and after a failure that left the connection in an unknown state.
    connection: Option<SqliteConnection>,
    options: SqliteConnectOptions,
    commits: Arc<AtomicU64>,
}

impl Work for WriteWork {
    type Keys = ();
    type Request = Request;
    type Answer = Answer;

    async fn run(&mut self, mut batch: Vec<Waiting>) -> Next {
        let mut answers = self.try_batch(&mut batch, Isolation::Transaction).await;
        if let Err(Failure::RolledBack(error)) = answers {
            tracing::error!(error = %with_sources(&error), "a batch failed: it runs again with savepoints");
            answers = self.try_batch(&mut batch, Isolation::Savepoints).await;
        }
        let error = match answers {
            Ok(answers) => {
                // A task of its own, so that the next batch begins at once. The task ends by itself.
                drop(tokio::spawn(answer_each(batch, answers)));
                return Next::default();
            }
            Err(Failure::Unknown(error) | Failure::RolledBack(error)) => error,
        };
        // The connection was dropped with the failed transaction. The next batch opens another one.
        tracing::error!(error = %with_sources(&error), "a commit failed");
        let disk = if is_io_error(&error) { DiskState::Unknown } else { DiskState::Known };
        let error = Arc::new(StoreError::unavailable("committing a batch", error));
        batch.into_iter().for_each(|waiting| waiting.fail(&error));
        match disk {
            DiskState::Known => Next::default(),
            DiskState::Unknown => {
                tracing::error!("the disk failed: nothing is written until the database is opened again");
                Next { stop: true, ..Next::default() }
            }
        }
    }
}

/// Answers callers a few at a time.
async fn answer_each(batch: Vec<Waiting>, answers: Vec<Answer>) {
    for (place, (waiting, answer)) in batch.into_iter().zip(answers).enumerate() {
        if place > 0 && place % ANSWERS_IN_A_ROW == 0 {
            tokio::task::yield_now().await;
        }
        waiting.answer(answer);
    }
}

/// Whether reads show what is on the disk. After a failed sync the system may return pages that are not on the disk. Only
/// recovery shows what is, when the database is opened again.
enum DiskState {
    Known,
    Unknown,
}

/// How the requests of a transaction are isolated from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Isolation {
    /// Not at all: a request that fails takes the transaction with it.
    Transaction,
    /// Each has a savepoint, for two more calls.
    Savepoints,
}

/// Why a batch was not committed.
enum Failure {
    /// It is unknown whether the batch was committed.
    Unknown(StoreError),
    /// A request failed, and the transaction was rolled back.
    RolledBack(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Unknown(error)
    }
}

impl WriteWork {
    /// Runs a batch in one transaction. Returns the answers once the transaction is durable.
    ///
    /// The connection is kept only if the transaction has ended, so the next batch never finds one that is open.
    async fn try_batch(
        &mut self,
        batch: &mut [Waiting],
        isolation: Isolation,
    ) -> Result<Vec<Answer>, Failure> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let connection = self.options.connect().await;
                connection.map_err(|error| store_error("opening the database again", error))?
            }
        };
        let answers = transaction(&mut connection, batch, isolation).await;
        if matches!(answers, Ok(_) | Err(Failure::RolledBack(_))) {
            self.connection = Some(connection);
        }
        let answers = answers?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        let requests = batch.iter().map(|waiting| &waiting.request).zip(&answers);
        let committed = requests.filter(|(request, answer)| request.change().is_some() && answer.is_ok());
        observe::note_batch(committed.count());
        Ok(answers)
    }
}

async fn transaction(
    connection: &mut SqliteConnection,
    batch: &mut [Waiting],
    isolation: Isolation,
) -> Result<Vec<Answer>, Failure> {
    run(connection, "BEGIN IMMEDIATE").await?;
    let mut answers = Vec::with_capacity(batch.len());
    while answers.len() < batch.len() {
        let rest = &mut batch[answers.len()..];
        match isolation {
            Isolation::Transaction => {
                let changes = rest.iter().map_while(|waiting| waiting.request.change());
                let next = script::next_script(changes);
                answers.append(&mut run_or_roll_back(connection, &mut rest[..next]).await?);
            }
            Isolation::Savepoints => answers.push(run_in_savepoint(connection, &mut rest[..1]).await?),
        }
    }
    run(connection, "COMMIT").await?;
    Ok(answers)
}

/// Runs the requests of one script. If they fail, rolls the transaction back: a failure that ended the transaction, such as
/// a full disk, would leave later requests to be committed one by one, and a half change set with them.
async fn run_or_roll_back(
    connection: &mut SqliteConnection,
    requests: &mut [Waiting],
) -> Result<Vec<Answer>, Failure> {
    let error = match run_requests(connection, requests).await {
        Ok(answers) => return Ok(answers),
        Err(error) => error,
    };
    if is_io_error(&error) {
        return Err(Failure::Unknown(error));
    }
    match run(connection, "ROLLBACK").await {
        Ok(()) => Err(Failure::RolledBack(error)),
        Err(_) => Err(Failure::Unknown(error)),
    }
}

/// Runs one request. If the request fails, undoes its writes. Fails itself if the failure has ended the transaction.
async fn run_in_savepoint(
    connection: &mut SqliteConnection,
    request: &mut [Waiting],
) -> Result<Answer, StoreError> {
    run(connection, "SAVEPOINT request").await?;
    let answer = match run_requests(connection, request).await {
        Ok(mut answers) => answers.remove(0),
        Err(error) => {
            if is_io_error(&error) || run(connection, "ROLLBACK TO request").await.is_err() {
                return Err(error);
            }
            Err(error.into())
        }
    };
    run(connection, "RELEASE request").await?;
    Ok(answer)
}

/// Runs the requests of one script: all of them, or those up to the first refusal. After an error the writes must be undone.
async fn run_requests(
    connection: &mut SqliteConnection,
    requests: &mut [Waiting],
) -> Result<Vec<Answer>, StoreError> {
    if let Some(Request::PurgeReceipts { now, limit }) = requests.first().map(|waiting| &waiting.request) {
        let purged = purge_receipts(connection, *now, *limit).await?;
        return Ok(vec![Ok(purged)]);
    }
    let changes = requests.iter_mut().filter_map(|waiting| waiting.request.change_mut()).collect();
    let applied = script::apply(connection, changes).await?;
    Ok(applied.into_iter().map(|applied| applied.map(|()| 0)).collect())
}

async fn run(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), StoreError> {
    observe::count_round_trips("commit", 1);
    let done = sqlx::query(sql).execute(connection).await;
    done.map(|_| ()).map_err(|error| store_error(sql, error))
}

async fn purge_receipts(
    connection: &mut SqliteConnection,
    now: Timestamp,
    limit: u32,
) -> Result<u64, StoreError> {
    // The order that every store purges in: by expiry, equal ones by key.
    let purged = sqlx::query(
        "DELETE FROM receipts WHERE rowid IN (SELECT rowid FROM receipts WHERE expires_at <= $1 \
         ORDER BY expires_at, organization_id, token_id, operation, idempotency_key LIMIT $2)",
    );
    let purged = purged.bind(now.as_second()).bind(limit).execute(connection).await;
    purged.map(|done| done.rows_affected()).map_err(|error| store_error("purging receipts", error))
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use signup_core::{Name, Organization, OrganizationId, Store as _, WebAddress, Write};
    use uuid::Uuid;

    use super::*;
    use crate::SqliteStore;
    use crate::sqlite::options::writer_options;

    async fn database() -> (tempfile::TempDir, PathBuf, SqliteConnectOptions) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        SqliteStore::open(&path).await.unwrap().close().await;
        let options = writer_options(&path);
        (folder, path, options)
    }

    fn insert(number: usize) -> ChangeSet {
        let id = OrganizationId::new(Uuid::from_u128(number as u128));
        let name = Name::new("Riverside Food Bank").unwrap();
        let mut organization = Organization::new(id, name, number.to_string(), Timestamp::UNIX_EPOCH);
        organization.public_url = Some(WebAddress::new(&"x".repeat(2000)).unwrap());
        ChangeSet { requires: vec![], writes: vec![Write::InsertOrganization(organization)] }
    }

    async fn organizations(store: &SqliteStore) -> usize {
        store.organizations(None, u32::MAX).await.unwrap().len()
    }

    /// A full disk may end the transaction of a whole batch. The writer then goes on with a clean connection.
    #[tokio::test]
    async fn a_full_disk_loses_nothing_and_ends_nothing() {
        let (_folder, path, options) = database().await;
        let mut small = options.connect().await.unwrap();
        // Twice as many pages as there are: room for some change sets, and not for all.
        let pages = sqlx::query_scalar::<_, i64>("PRAGMA page_count").fetch_one(&mut small).await.unwrap();
        let limit = format!("PRAGMA max_page_count = {}", pages * 2);
        sqlx::query(sqlx::AssertSqlSafe(limit)).execute(&mut small).await.unwrap();
        let writer = Writer::new(small, options);
        let mut number = 1;
        let error = loop {
            match writer.commit(insert(number)).await {
                Ok(()) => number += 1,
                Err(error) => break error,
            }
            assert!(number < 10_000, "the disk is full at some point");
        };
        let CommitError::Failed(error) = error else { panic!("{error:?}") };
        assert!(error.is_unavailable(), "{error:?}");
        writer.close().await;
        let store = SqliteStore::open(&path).await.unwrap();
        store.commit(insert(number)).await.unwrap();
        assert_eq!(organizations(&store).await, number);
    }

    /// No caller of the failed batch is told that its change is committed. The next batch is committed.
    #[tokio::test]
    async fn a_failed_commit_fails_its_batch_and_no_other() {
        let (_folder, path, options) = database().await;
        let mut failing = options.connect().await.unwrap();
        let mut commits = 0;
        let fails_once = move || {
            commits += 1;
            commits != 2
        };
        failing.lock_handle().await.unwrap().set_commit_hook(fails_once);
        let writer = Writer::new(failing, options);
        // The second and the third arrive while the first is committed, and share the next batch.
        let (first, second, third) =
            tokio::join!(writer.commit(insert(1)), writer.commit(insert(2)), writer.commit(insert(3)));
        first.unwrap();
        for answer in [second, third] {
            let Err(CommitError::Failed(error)) = answer else { panic!("{answer:?}") };
            assert!(error.is_unavailable());
        }
        assert_eq!(writer.commits(), 1);
        // The connection that took the place of the failing one commits.
        writer.commit(insert(4)).await.unwrap();
        assert_eq!(writer.commits(), 2);
        writer.close().await;
        assert_eq!(organizations(&SqliteStore::open(&path).await.unwrap()).await, 2);
    }

    /// A failure that ends the transaction, as that of a full disk does, must not leave what comes after it to be committed
    /// by itself.
    #[tokio::test]
    async fn a_purge_that_ends_the_transaction_leaves_nothing_half_done() {
        let (_folder, path, options) = database().await;
        let mut failing = options.connect().await.unwrap();
        let setup = "INSERT INTO receipts VALUES (zeroblob(16), zeroblob(16), 'create-event', 'k', '{}', 1); \
             CREATE TEMP TRIGGER full BEFORE DELETE ON receipts BEGIN SELECT RAISE(ROLLBACK, 'full'); END";
        sqlx::raw_sql(setup).execute(&mut failing).await.unwrap();
        let writer = Writer::new(failing, options);
        let (first, purged, second) = tokio::join!(
            writer.commit(insert(1)),
            writer.purge_receipts(Timestamp::MAX, 10),
            writer.commit(insert(2))
        );
        let error = purged.unwrap_err();
        assert!(with_sources(&error).contains("full"), "the cause is named: {error:?}");
        writer.close().await;
        let there = organizations(&SqliteStore::open(&path).await.unwrap()).await;
        assert_eq!(there, usize::from(first.is_ok()) + usize::from(second.is_ok()));
    }
}
