//! The one writer: it takes what is waiting, commits all of it at once, and then answers each.
//!
//! SQLite has one writer at a time, and its cost is the durable commit. So change sets wait in a queue while a commit is
//! under way, and the next commit takes all that have gathered. One that is refused writes nothing. One that fails, which
//! none should, has the batch done again, with a savepoint for each, so that it takes nothing from its neighbours. Nobody is
//! answered before the commit that holds the change is durable.
//!
//! **Invariant:** nothing else writes through this process; other processes are kept apart by SQLite's own lock.

mod hand_off;
mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::{mpsc, oneshot};

use super::error::{is_io_error, store_error};
use crate::sql::observe;
use hand_off::Change;
use work::{Done, Work};

/// The most that one commit takes: a bound on how long the first of a batch waits for the last.
const MOST_IN_A_BATCH: usize = 256;
/// How many may wait. Who comes later waits for a place, which is what slows callers down to what the disk can do.
const MOST_WAITING: usize = 1024;
/// How many are told at a time that they are committed, while there are reads. Each has much to do then, and comes again: a
/// read waits for these few, and not for a whole batch.
const TOLD_AT_ONCE: usize = 2;

/// Hands work to the writer. Dropping the last one ends the writer, after what is waiting.
#[derive(Debug, Clone)]
pub(crate) struct Committer {
    work: mpsc::Sender<Work>,
    handed_in: Arc<AtomicU64>,
    commits: Arc<AtomicU64>,
}

impl Committer {
    /// Starts the writer on a connection of its own. `reads` counts what is read of what many ask for.
    pub(crate) fn start(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        reads: Arc<AtomicU64>,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let commits = Arc::new(AtomicU64::new(0));
        let writer = Writer {
            connection: Some(connection),
            options,
            commits: Arc::clone(&commits),
            reads_before: reads.load(Ordering::Relaxed),
            reads,
        };
        // The task ends with the last sender; nobody has to wait for it.
        drop(tokio::spawn(writer.run(receiver)));
        Self { work: sender, handed_in: Arc::default(), commits }
    }

    /// How many commits were made: fewer than change sets, when many came at once.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(crate) async fn commit(&self, set: ChangeSet) -> Result<(), CommitError> {
        let (answer, committed) = oneshot::channel();
        let change = Change::new(set, self.handed_in.fetch_add(1, Ordering::Relaxed), answer)?;
        self.work.send(Work::Commit(change)).await.map_err(|_| ended())?;
        committed.await.map_err(|_| ended())?
    }

    pub(crate) async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let (purged, answer) = oneshot::channel();
        self.work.send(Work::PurgeReceipts { now, limit, purged }).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Whether the writer takes commits.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.work.is_closed() { Err(ended()) } else { Ok(()) }
    }

    /// Waits until the writer has ended.
    pub(crate) async fn ended(&self) {
        self.work.closed().await;
    }

    /// Ends the writer after what is waiting, and waits for that.
    pub(crate) async fn close(&self) {
        let (sender, closed) = oneshot::channel();
        if self.work.send(Work::Close(sender)).await.is_ok() {
            // An error means that the writer has ended already.
            drop(closed.await);
        }
    }
}

fn ended() -> StoreError {
    StoreError::unavailable("handing a change to the writer", "the writer has ended")
}

/// Whether what the system says of the file can still be believed. After a sync that failed it may hand out pages that are
/// not on the disk; only recovery, by whoever opens the database next, tells what is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Kept,
    Lost,
}

struct Writer {
    /// `None` after a failure that left the connection in an unknown state.
    connection: Option<SqliteConnection>,
    options: SqliteConnectOptions,
    commits: Arc<AtomicU64>,
    reads: Arc<AtomicU64>,
    /// How many reads there were when the last commit was made.
    reads_before: u64,
}

impl Writer {
    async fn run(mut self, mut waiting: mpsc::Receiver<Work>) {
        let mut batch = Vec::new();
        while waiting.recv_many(&mut batch, MOST_IN_A_BATCH).await > 0 {
            let mut close = None;
            let mut work = Vec::with_capacity(batch.len());
            for item in batch.drain(..) {
                match item {
                    Work::Close(sender) => close = Some(sender),
                    item => work.push(item),
                }
            }
            if !work.is_empty() && self.commit_all(work).await == Trust::Lost {
                return;
            }
            if let Some(sender) = close {
                waiting.close();
                if let Some(connection) = self.connection.take()
                    && let Err(error) = connection.close().await
                {
                    tracing::warn!(%error, "the database was not closed cleanly; nothing is lost by that");
                }
                if sender.send(()).is_err() {
                    tracing::debug!("nobody waits for the database to close");
                }
                return;
            }
        }
    }

    async fn commit_all(&mut self, mut batch: Vec<Work>) -> Trust {
        let mut done = self.try_batch(&mut batch, Care::None).await;
        if let Err(Failure::OfPart(error)) = done {
            tracing::error!(error = %with_sources(&error), "a part of a batch failed: it is tried again with care");
            done = self.try_batch(&mut batch, Care::Savepoints).await;
        }
        let error = match done {
            Ok(done) => {
                self.tell(batch.into_iter().zip(done)).await;
                return Trust::Kept;
            }
            Err(Failure::OfBatch(error) | Failure::OfPart(error)) => error,
        };
        // Whether the batch was committed is unknown, and so is the connection's state: a new one is clean.
        tracing::error!(error = %with_sources(&error), "a commit failed");
        self.connection = None;
        let trust = if is_io_error(&error) {
            tracing::error!("the disk failed: nothing more is written before the database is opened anew");
            Trust::Lost
        } else {
            Trust::Kept
        };
        let error = Arc::new(error);
        for work in batch {
            work.fail(&error);
        }
        trust
    }

    /// Tells what became of each: a few at a time if anything was read since the last commit, with a turn for whoever waits
    /// for one in between.
    async fn tell(&mut self, done: impl Iterator<Item = (Work, Done)> + Send) {
        let reads = self.reads.load(Ordering::Relaxed);
        let are_there_reads = std::mem::replace(&mut self.reads_before, reads) != reads;
        for (number, (work, done)) in done.enumerate() {
            if are_there_reads && number > 0 && number % TOLD_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
            work.answer(done);
        }
    }

    /// Does all of it in one transaction; says what became of each, once that is durable.
    async fn try_batch(&mut self, batch: &mut [Work], care: Care) -> Result<Vec<Done>, Failure> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let connection = self.options.connect().await;
                none.insert(connection.map_err(|error| store_error("opening the database anew", error))?)
            }
        };
        run(connection, "BEGIN IMMEDIATE").await?;
        let mut all = Vec::with_capacity(batch.len());
        while all.len() < batch.len() {
            let rest = &mut batch[all.len()..];
            match care {
                Care::None => {
                    let alike = hand_off::alike(rest.iter_mut().map_while(Work::change));
                    all.append(&mut try_work(connection, &mut rest[..alike]).await?);
                }
                Care::Savepoints => all.append(&mut work_with_care(connection, &mut rest[..1]).await?),
            }
        }
        run(connection, "COMMIT").await?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        observe::note_batch(all.iter().filter(|done| matches!(done, Done::Commit(Ok(())))).count());
        Ok(all)
    }
}

/// How the parts of a batch are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Not at all: one that fails, which none should, takes the transaction with it.
    None,
    /// Each has a savepoint to go back to, for two more hand-offs.
    Savepoints,
}

/// Why a batch did not come to its end.
enum Failure {
    /// What became of it is not known.
    OfBatch(StoreError),
    /// A part of it failed; all that was done is undone.
    OfPart(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::OfBatch(error)
    }
}

/// Does what goes into one hand-off. If it fails, the transaction is rolled back, and nothing more may be done on this try:
/// what came after a failure that ended the transaction, as a full disk does, would be committed by itself, half a change set
/// too.
async fn try_work(connection: &mut SqliteConnection, work: &mut [Work]) -> Result<Vec<Done>, Failure> {
    let error = match run_work(connection, work).await {
        Ok(done) => return Ok(done),
        Err(error) => error,
    };
    if is_io_error(&error) {
        return Err(Failure::OfBatch(error));
    }
    match run(connection, "ROLLBACK").await {
        Ok(()) => Err(Failure::OfPart(error)),
        Err(_) => Err(Failure::OfBatch(error)),
    }
}

/// Does a part of a batch; if it fails, what it wrote is taken back. That is an error of the batch if what went wrong has
/// ended the transaction.
async fn work_with_care(
    connection: &mut SqliteConnection,
    work: &mut [Work],
) -> Result<Vec<Done>, StoreError> {
    run(connection, "SAVEPOINT part").await?;
    let done = match run_work(connection, work).await {
        Ok(done) => done,
        Err(error) => {
            if is_io_error(&error) || run(connection, "ROLLBACK TO part").await.is_err() {
                return Err(error);
            }
            vec![work[0].failed(error)]
        }
    };
    run(connection, "RELEASE part").await?;
    Ok(done)
}

/// Does what goes into one hand-off: all of it, or all up to what is refused. After an error, what it wrote has to be undone.
async fn run_work(connection: &mut SqliteConnection, work: &mut [Work]) -> Result<Vec<Done>, StoreError> {
    if let [Work::PurgeReceipts { now, limit, .. }] = work {
        let purged = purge_receipts(connection, *now, *limit).await?;
        return Ok(vec![Done::Purged(Ok(purged))]);
    }
    let applied = hand_off::apply(connection, work.iter_mut().filter_map(Work::change).collect()).await?;
    Ok(applied.into_iter().map(Done::Commit).collect())
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
    // In one order, whoever purges: by expiry, and equal ones by key.
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
        let committer = Committer::start(small, options, Arc::default());
        let mut number = 1;
        let error = loop {
            match committer.commit(insert(number)).await {
                Ok(()) => number += 1,
                Err(error) => break error,
            }
            assert!(number < 10_000, "the disk is full at some point");
        };
        let CommitError::Failed(error) = error else { panic!("{error:?}") };
        assert!(error.is_unavailable(), "{error:?}");
        committer.close().await;
        let store = SqliteStore::open(&path).await.unwrap();
        store.commit(insert(number)).await.unwrap();
        assert_eq!(organizations(&store).await, number);
    }

    /// After a commit that failed nobody of its batch is told that all is well, and the next batch is committed.
    #[tokio::test]
    async fn a_failed_commit_fails_its_batch_and_no_other() {
        let (_folder, path, options) = database().await;
        let mut failing = options.connect().await.unwrap();
        failing.lock_handle().await.unwrap().set_commit_hook(|| false);
        let committer = Committer::start(failing, options, Arc::default());
        let (first, second) = tokio::join!(committer.commit(insert(1)), committer.commit(insert(2)));
        for answer in [first, second] {
            let Err(CommitError::Failed(error)) = answer else { panic!("{answer:?}") };
            assert!(error.is_unavailable());
        }
        assert_eq!(committer.commits(), 0);
        // The connection that took the place of the failing one commits.
        committer.commit(insert(3)).await.unwrap();
        assert_eq!(committer.commits(), 1);
        committer.close().await;
        assert_eq!(organizations(&SqliteStore::open(&path).await.unwrap()).await, 1);
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
        let committer = Committer::start(failing, options, Arc::default());
        let (first, purged, second) = tokio::join!(
            committer.commit(insert(1)),
            committer.purge_receipts(Timestamp::MAX, 10),
            committer.commit(insert(2))
        );
        let error = purged.unwrap_err();
        assert!(with_sources(&error).contains("full"), "the cause is named: {error:?}");
        committer.close().await;
        let there = organizations(&SqliteStore::open(&path).await.unwrap()).await;
        assert_eq!(there, usize::from(first.is_ok()) + usize::from(second.is_ok()));
    }
}
