//! The one writer of an SQLite file: commits batches of change sets, and then answers each.
//!
//! SQLite has one writer at a time, and the cost of a write is the durable commit. So change sets that arrive during a
//! commit form the next batch, which is one transaction. The batcher puts only change sets into a batch that do not
//! conflict. A change set that is refused writes nothing. If a statement of a batch fails, the batch is rolled back, and each
//! of its change sets is committed alone, so the others are not affected. If the failure has ended the transaction, as that
//! of a full disk does, the whole batch fails. No caller is answered before its change is durable.
//!
//! **Invariant:** nothing else in this process writes to the file. SQLite's own lock excludes other processes.

use std::collections::VecDeque;
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use signup_core::{ChangeSet, CommitError, Keys, Purge, StoreError};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::error::{is_io_error, store_error};
use super::opened::OpenedFiles;
use super::purge;
use super::script;
use crate::batch::{Batcher, Limits, Next, Work};
use crate::sql::change::{Prepared, prepare};
use crate::sql::commit::{self, Verdict, answer};
use crate::sql::observe;

/// The most requests of one transaction. This bounds how long the first of a batch waits for the last. Creates on 64
/// connections reach 1.14 times the rate of batches of 64, and 3.8 times the rate of one commit for each.
const BATCH: usize = 32;
/// The most values of one transaction with several change sets. SQLite takes at most 32,766 values in one statement
/// (<https://sqlite.org/limits.html#max_variable_number>). This also bounds the memory of a prepared script.
const MAX_VALUES: usize = 8192;
/// The most requests that wait. A caller that arrives later waits for a place.
const WAITING: usize = 1024;
/// The longest time from a request to its answer. Longer than [`BUSY_TIMEOUT`](super::options::BUSY_TIMEOUT), so that a request survives a
/// long write of another process.
const MAX_WAIT: Duration = Duration::from_secs(30);
const WHAT: &str = "writing to the database";
/// Fills 16 pages and frees them. Freed pages are overwritten, so they are written, too.
const TRY: &str = "BEGIN IMMEDIATE; INSERT INTO meta (name, value) VALUES ('try', hex(randomblob(32768))); \
     DELETE FROM meta WHERE name = 'try'; COMMIT";

/// Handle to the writer. Dropping the last handle closes the connection.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) batcher: Batcher<WriteWork>,
    /// Raised after each transaction, before its requests are answered.
    pub(super) version: Arc<AtomicU64>,
}

impl Writer {
    /// Creates the writer on a connection of its own. `options` open another connection after a failure.
    pub(super) fn new(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        files: Arc<OpenedFiles>,
    ) -> Self {
        let version = Arc::new(AtomicU64::new(0));
        let work = WriteWork { connection: Some(connection), options, files, version: Arc::clone(&version) };
        let limits = Limits { batch: BATCH, waiting: WAITING, max_wait: MAX_WAIT, yields: 0 };
        Self { batcher: Batcher::new(WHAT, limits, vec![work]), version }
    }

    pub(super) async fn commit(&self, set: ChangeSet) -> Result<(), CommitError> {
        let (keys, change) = prepare(set)?;
        self.batcher.submit(keys, Request::Commit(change)).await?.map(|_| ())
    }

    /// Removes at most `limit` records for good, and returns how many were removed.
    pub(super) async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        self.submit(Request::Purge(purge, limit)).await
    }

    /// Writes like [`Backend::try_write`](crate::sql::store::Backend::try_write).
    pub(super) async fn try_write(&self) -> Result<(), StoreError> {
        self.submit(Request::Try).await.map(drop)
    }

    async fn submit(&self, request: Request) -> Result<Removed, StoreError> {
        self.batcher.submit(Keys::new(), request).await?.map_err(|error| match error {
            CommitError::Failed(error) => error,
            refused => StoreError::failed(WHAT, refused),
        })
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
    Commit(Prepared),
    /// What is removed, and the most records.
    Purge(Purge, u32),
    /// Writes something, and removes it again.
    Try,
}

/// The number of records that were removed; 0 for a change set.
type Removed = u64;

type Waiting = commit::Waiting<Request, Removed>;

/// The connection that writes.
pub(super) struct WriteWork {
    /// `None` during a transaction, and after a failure that left the connection in an unknown state.
    connection: Option<SqliteConnection>,
    options: SqliteConnectOptions,
    files: Arc<OpenedFiles>,
    version: Arc<AtomicU64>,
}

impl Work for WriteWork {
    type Keys = Keys;
    type Request = Request;
    type Answer = Result<Removed, CommitError>;

    async fn run(&mut self, batch: Vec<Waiting>) -> Next {
        let mut groups = groups(batch);
        while let Some(mut group) = groups.pop_front() {
            if group.is_empty() {
                continue;
            }
            let error = match self.transaction(&mut group).await {
                Ok(verdicts) => {
                    groups.push_front(answer(group, verdicts));
                    continue;
                }
                Err(Failure::RolledBack(error)) if group.len() > 1 => {
                    tracing::error!(%error, source = ?error.source(), "a batch failed: its change sets go alone");
                    group.into_iter().rev().for_each(|waiting| groups.push_front(vec![waiting]));
                    continue;
                }
                Err(Failure::RolledBack(error) | Failure::Away(error)) => {
                    let error = Arc::new(error);
                    group.into_iter().for_each(|waiting| waiting.fail(&error));
                    continue;
                }
                Err(Failure::Unknown(error)) => error,
            };
            // The connection was dropped. The next transaction opens another.
            tracing::error!(%error, source = ?error.source(), "a commit failed");
            // After a failed sync the system may return pages that are not on the disk. Only recovery shows what is, when
            // the database is opened again.
            let stop = is_io_error(&error);
            let error = Arc::new(StoreError::unavailable("committing a batch", error));
            group.into_iter().for_each(|waiting| waiting.fail(&error));
            if stop {
                tracing::error!("the disk failed: nothing is written until the database is opened again");
                groups.into_iter().flatten().for_each(|waiting| waiting.fail(&error));
                return Next { stop, ..Next::default() };
            }
        }
        Next::default()
    }
}

/// Splits a batch into groups, each of which is a transaction. A purge, or a large change set, is a group of its own.
fn groups(batch: Vec<Waiting>) -> VecDeque<Vec<Waiting>> {
    let (mut groups, mut group, mut values) = (VecDeque::new(), vec![], 0);
    for waiting in batch {
        let its_values = match &waiting.request {
            Request::Commit(change) => change.values(),
            Request::Purge(..) | Request::Try => MAX_VALUES,
        };
        if values + its_values > MAX_VALUES && !group.is_empty() {
            groups.push_back(std::mem::take(&mut group));
            values = 0;
        }
        values += its_values;
        group.push(waiting);
    }
    groups.push_back(group);
    groups
}

/// Why a transaction was not committed.
enum Failure {
    /// The transaction could not be rolled back. It may have been committed.
    Unknown(StoreError),
    /// A request failed, and the transaction was rolled back.
    RolledBack(StoreError),
    /// A file of the database is not in its place. Nothing was written, or it was written to a file that no path leads to.
    Away(StoreError),
}

impl WriteWork {
    /// Runs requests in one transaction: a purge, or change sets that do not conflict. Returns the verdicts once
    /// the transaction is durable.
    ///
    /// The connection is kept only if the transaction has ended, so the next transaction never finds one that is open.
    async fn transaction(&mut self, group: &mut [Waiting]) -> Result<Vec<Verdict<Removed>>, Failure> {
        self.files.check().map_err(Failure::Away)?;
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self
                .options
                .connect()
                .await
                .map_err(|error| Failure::Unknown(store_error("opening the database again", error)))?,
        };
        let result = run(&mut connection, group).await;
        // Also after a failure, because a commit that failed may have taken effect.
        self.version.fetch_add(1, Ordering::AcqRel);
        let result = match result {
            Err(error) if is_io_error(&error) => return Err(Failure::Unknown(error)),
            // A failure such as a full disk may have ended the transaction, or the commit itself may have failed. Then
            // there is nothing to roll back.
            Err(error) => match sqlx::query("ROLLBACK").execute(&mut connection).await {
                Ok(_) => Err(Failure::RolledBack(error)),
                Err(_) => return Err(Failure::Unknown(error)),
            },
            Ok(verdicts) => Ok(verdicts),
        };
        self.connection = Some(connection);
        let verdicts = result?;
        self.files.check().map_err(Failure::Away)?;
        if matches!(group, [Waiting { request: Request::Commit(_), .. }, ..]) {
            observe::note_batch(&verdicts);
        }
        Ok(verdicts)
    }
}

async fn run(
    connection: &mut SqliteConnection,
    group: &mut [Waiting],
) -> Result<Vec<Verdict<Removed>>, StoreError> {
    let mut changes = vec![];
    for waiting in group {
        match &mut waiting.request {
            Request::Commit(change) => changes.push(change),
            Request::Purge(purge, limit) => {
                return Ok(vec![Verdict::Committed(purge::run(connection, *purge, *limit).await?)]);
            }
            Request::Try => {
                let tried = sqlx::raw_sql(TRY).execute(connection).await;
                tried.map_err(|error| store_error("trying to write to the database", error))?;
                return Ok(vec![Verdict::Committed(0)]);
            }
        }
    }
    let verdicts = script::commit(connection, &mut changes).await?;
    Ok(verdicts.into_iter().map(|verdict| verdict.map(|()| 0)).collect())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use futures_util::future::join_all;
    use jiff::Timestamp;
    use signup_core::conformance::records::{self, event, organization, shift};
    use signup_core::{Name, Organization, OrganizationId, Store as _, WebAddress};
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

    fn writer(connection: SqliteConnection, options: SqliteConnectOptions, path: &Path) -> Writer {
        let files = OpenedFiles::database(path).unwrap().with_log().unwrap();
        Writer::new(connection, options, Arc::new(files))
    }

    /// Inserts a draft into the organization of number 1. Such change sets share a batch.
    fn draft(number: u32) -> ChangeSet {
        let mut event = event(1, number);
        event.is_published = false;
        records::insert([event])
    }

    /// Inserts an organization with a long address.
    fn insert(number: usize) -> ChangeSet {
        let id = OrganizationId::new(Uuid::from_u128(number as u128));
        let name = Name::new("Riverside Food Bank").unwrap();
        let mut organization = Organization::new(id, name, number.to_string(), Timestamp::UNIX_EPOCH);
        organization.public_url =
            Some(WebAddress::new(&format!("https://{}.example", "x".repeat(2000))).unwrap());
        records::insert([organization])
    }

    async fn organizations(store: &SqliteStore) -> usize {
        store.organizations(None, u32::MAX).await.unwrap().len()
    }

    /// All together have more values than one statement may have. None is committed alone.
    #[tokio::test]
    async fn a_batch_of_many_rows_is_several_transactions() {
        let (_folder, path, options) = database().await;
        let writer = writer(options.connect().await.unwrap(), options, &path);
        writer.commit(records::insert([organization(1)])).await.unwrap();
        let large = |number| {
            let mut change = draft(number);
            let event = event(1, number);
            let shifts = (0..100).map(|place| shift(&event, number * 1000 + place, 5));
            shifts.for_each(|shift| change.insert(shift));
            change
        };
        let answers = join_all((1..=32).map(|number| writer.commit(large(number)))).await;
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        let transactions = writer.version.load(Ordering::Acquire) - 1;
        assert!((2..=16).contains(&transactions), "{transactions} transactions");
        writer.close().await;
        let store = SqliteStore::open(&path).await.unwrap();
        let event = event(1, 32);
        let shifts = store.shifts(event.organization, event.id).await.unwrap().unwrap();
        assert_eq!(shifts.len(), 100);
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
        let writer = writer(small, options, &path);
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
        // As in a store, another connection keeps the write-ahead log when that of the writer is closed.
        let _reader = options.connect().await.unwrap();
        let mut failing = options.connect().await.unwrap();
        let mut commits = 0;
        let fails_once = move || {
            commits += 1;
            commits != 2
        };
        failing.lock_handle().await.unwrap().set_commit_hook(fails_once);
        let writer = writer(failing, options, &path);
        writer.commit(records::insert([organization(1)])).await.unwrap();
        // Both arrive before the batch takes its requests.
        let (one, other) = tokio::join!(writer.commit(draft(1)), writer.commit(draft(2)));
        for answer in [one, other] {
            let Err(CommitError::Failed(error)) = answer else { panic!("{answer:?}") };
            assert!(error.is_unavailable());
        }
        // The connection that took the place of the failing one commits.
        writer.commit(insert(4)).await.unwrap();
        writer.close().await;
        assert_eq!(organizations(&SqliteStore::open(&path).await.unwrap()).await, 2);
    }

    /// A failure that ends the transaction, as that of a full disk does, must not leave what comes after it to be committed
    /// by itself.
    #[tokio::test]
    async fn a_purge_that_ends_the_transaction_leaves_nothing_half_done() {
        let (_folder, path, options) = database().await;
        let mut failing = options.connect().await.unwrap();
        let setup = "INSERT INTO receipts (organization_id, caller_id, operation, idempotency_key, outcome, expires_at) \
             VALUES (zeroblob(16), zeroblob(16), 'create-event', 'k', '{}', 1); \
             CREATE TEMP TRIGGER full BEFORE DELETE ON receipts BEGIN SELECT RAISE(ROLLBACK, 'full'); END";
        sqlx::raw_sql(setup).execute(&mut failing).await.unwrap();
        // The log stays the same file while the writer opens the database again, as it does beside the readers of a store.
        let mut reader = options.connect().await.unwrap();
        sqlx::raw_sql("SELECT count(*) FROM receipts").execute(&mut reader).await.unwrap();
        let writer = writer(failing, options, &path);
        let (first, purged, second) = tokio::join!(
            writer.commit(insert(1)),
            writer.purge(Purge::Expired(Timestamp::MAX), 10),
            writer.commit(insert(2))
        );
        let error = purged.unwrap_err();
        assert!(format!("{error:?}").contains("full"), "the cause is named: {error:?}");
        writer.close().await;
        let there = organizations(&SqliteStore::open(&path).await.unwrap()).await;
        assert_eq!(there, usize::from(first.is_ok()) + usize::from(second.is_ok()));
        drop(reader);
    }
}
