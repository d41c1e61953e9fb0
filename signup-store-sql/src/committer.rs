//! The one writer: it takes what is waiting, commits all of it at once, and then answers each.
//!
//! SQLite has one writer at a time, and its cost is the durable commit. So change sets wait in a queue while a commit is
//! under way, and the next commit takes all that have gathered. Each runs in a savepoint of its own: one that is refused,
//! or fails, takes nothing from its neighbours. Nobody is answered before the commit that holds the change is durable.
//!
//! **Invariant:** nothing else writes through this process; other processes are kept apart by SQLite's own lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tokio::sync::{mpsc, oneshot};

use crate::error::{is_io_error, store_error};
use crate::row::texts;
use crate::{change, observe, require};

const APPLYING: &str = "applying a change set";
/// The most that one commit takes: a bound on how long the first of a batch waits for the last.
const MOST_IN_A_BATCH: usize = 256;
/// How many may wait. Who comes later waits for a place, which is what slows callers down to what the disk can do.
const MOST_WAITING: usize = 1024;

/// Hands work to the writer. Dropping the last one ends the writer, after what is waiting.
#[derive(Debug, Clone)]
pub(crate) struct Committer {
    work: mpsc::Sender<Work>,
    commits: Arc<AtomicU64>,
}

#[derive(Debug)]
enum Work {
    Commit(ChangeSet, oneshot::Sender<Result<(), CommitError>>),
    PurgeReceipts { now: Timestamp, limit: u32, purged: oneshot::Sender<Result<u64, StoreError>> },
    Close(oneshot::Sender<()>),
}

/// What to tell whom, once the commit is durable.
enum Answer {
    Commit(Result<(), CommitError>, oneshot::Sender<Result<(), CommitError>>),
    Purged(Result<u64, StoreError>, oneshot::Sender<Result<u64, StoreError>>),
}

impl Committer {
    /// Starts the writer on a connection of its own.
    pub(crate) fn start(connection: SqliteConnection, options: SqliteConnectOptions) -> Self {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let commits = Arc::new(AtomicU64::new(0));
        let writer = Writer { connection: Some(connection), options, commits: Arc::clone(&commits) };
        // The task ends with the last sender; nobody has to wait for it.
        drop(tokio::spawn(writer.run(receiver)));
        Self { work: sender, commits }
    }

    /// How many commits were made: fewer than change sets, when many came at once.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(crate) async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let (sender, answer) = oneshot::channel();
        self.work.send(Work::Commit(change, sender)).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
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

    async fn commit_all(&mut self, batch: Vec<Work>) -> Trust {
        let mut trust = Trust::Kept;
        let answers = match self.try_commit_all(batch).await {
            Ok(answers) => answers,
            Err((answers, error)) => {
                // Whether the batch was committed is unknown, and so is the connection's state: a new one is clean.
                tracing::error!(error = %with_sources(&error), "a commit failed");
                self.connection = None;
                if is_io_error(&error) {
                    tracing::error!(
                        "the disk failed: nothing more is written before the database is opened anew"
                    );
                    trust = Trust::Lost;
                }
                let error = Arc::new(error);
                answers.into_iter().map(|answer| answer.failed(&error)).collect()
            }
        };
        for answer in answers {
            answer.send();
        }
        trust
    }

    async fn try_commit_all(&mut self, batch: Vec<Work>) -> Result<Vec<Answer>, (Vec<Answer>, StoreError)> {
        let mut answers = Vec::with_capacity(batch.len());
        let mut batch = batch.into_iter();
        let result = self.try_batch(&mut batch, &mut answers).await;
        match result {
            Ok(()) => Ok(answers),
            Err(error) => {
                // Those that were not reached fail with the others.
                answers.extend(batch.map(Work::unanswered));
                Err((answers, error))
            }
        }
    }

    async fn try_batch(
        &mut self,
        batch: &mut std::vec::IntoIter<Work>,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StoreError> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => {
                let connection = self.options.connect().await;
                none.insert(connection.map_err(|error| store_error("opening the database anew", error))?)
            }
        };
        run(connection, "BEGIN IMMEDIATE; SAVEPOINT change").await?;
        for work in batch {
            match work {
                Work::Commit(change, sender) => {
                    let script = change::script(&change).and_then(|script| {
                        script.into_sqlite().map_err(|error| store_error(APPLYING, error))
                    });
                    let script = match script {
                        Ok(script) => script,
                        // Nothing was run, and there is nothing to undo.
                        Err(error) => {
                            answers.push(Answer::Commit(Err(error.into()), sender));
                            continue;
                        }
                    };
                    let applied = apply(connection, &change, script).await;
                    let undone = match &applied {
                        Ok(()) => Ok(()),
                        Err(error) => undo(connection, error).await,
                    };
                    // Nobody is forgotten, not even if the transaction is lost.
                    answers.push(Answer::Commit(applied, sender));
                    undone?;
                }
                Work::PurgeReceipts { now, limit, purged } => {
                    answers.push(Answer::Purged(purge_receipts(connection, now, limit).await, purged));
                }
                Work::Close(_) => {}
            }
        }
        run(connection, "COMMIT").await?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        let changes = answers.iter().filter(|answer| matches!(answer, Answer::Commit(Ok(()), _))).count();
        observe::note_batch(changes);
        Ok(())
    }
}

/// Checks and writes one change set: one hand-off to the thread that SQLite runs on, whatever it has to do. If that is not
/// well, what it did is still there, in the savepoint `change`.
async fn apply(
    connection: &mut SqliteConnection,
    change: &ChangeSet,
    (text, arguments): (AssertSqlSafe<String>, SqliteArguments),
) -> Result<(), CommitError> {
    let failed = |error| store_error(APPLYING, error);
    observe::count_round_trips("commit", 1);
    let broken = sqlx::query_with(text, arguments).fetch_optional(connection).await.map_err(failed)?;
    let Some(broken) = broken else { return Ok(()) };
    Err(CommitError::Refused(require::refusal(&change.requires, &texts(&broken).map_err(failed)?)?))
}

/// Takes back what a change set did that was refused, or failed. That fails if what went wrong has ended the transaction, as
/// a full disk does.
async fn undo(connection: &mut SqliteConnection, cause: &CommitError) -> Result<(), StoreError> {
    if let CommitError::Failed(error) = cause {
        tracing::error!(error = %with_sources(error), "a change set failed");
    }
    run(connection, "ROLLBACK TO change").await
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

impl Work {
    fn unanswered(self) -> Answer {
        match self {
            Self::Commit(_, sender) => Answer::Commit(Ok(()), sender),
            Self::PurgeReceipts { purged, .. } => Answer::Purged(Ok(0), purged),
            Self::Close(_) => unreachable!("a request to close is taken out of the batch first"),
        }
    }
}

impl Answer {
    /// The same answer, if the batch was not known to be committed.
    fn failed(self, error: &Arc<StoreError>) -> Self {
        let failed = || StoreError::unavailable("committing a batch", Arc::clone(error));
        match self {
            // Refused or not, it was decided on what may not be there.
            Self::Commit(_, sender) => Self::Commit(Err(failed().into()), sender),
            Self::Purged(_, sender) => Self::Purged(Err(failed()), sender),
        }
    }

    fn send(self) {
        // Who has gone away needs no answer.
        match self {
            Self::Commit(result, sender) => drop(sender.send(result)),
            Self::Purged(result, sender) => drop(sender.send(result)),
        }
    }
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

    use signup_core::{Name, Organization, OrganizationId, Plan, Store as _, WebAddress, Write};
    use uuid::Uuid;

    use super::*;
    use crate::SqliteStore;
    use crate::sqlite::writer_options;

    async fn database() -> (tempfile::TempDir, PathBuf, SqliteConnectOptions) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        SqliteStore::open(&path).await.unwrap().close().await;
        let options = writer_options(&path);
        (folder, path, options)
    }

    fn insert(number: usize) -> ChangeSet {
        let organization = Organization {
            id: OrganizationId::new(Uuid::from_u128(number as u128)),
            name: Name::new("Riverside Food Bank").unwrap(),
            slug: number.to_string(),
            sport: None,
            public_url: Some(WebAddress::new(&"x".repeat(2000)).unwrap()),
            plan: Plan::Free,
            created_at: Timestamp::UNIX_EPOCH,
        };
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
        let committer = Committer::start(small, options);
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
        let committer = Committer::start(failing, options);
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
}
