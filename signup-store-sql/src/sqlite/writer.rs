//! The one writer of an SQLite file: a task that commits change sets, and then answers each.
//!
//! SQLite has one writer at a time, and the cost of a write is the durable commit. So the task takes all change sets that wait
//! into one transaction. Each is checked and written in a savepoint of its own, one after the other. No caller is answered before
//! the transaction is durable.
//!
//! A change set that is refused or fails is rolled back to its savepoint, and the others are not affected. A failure such as that
//! of a full disk may have ended the whole transaction. Then the change set that failed is answered, and the others start again.
//!
//! **Invariant:** nothing else in this process writes to the file. SQLite's own lock excludes other processes.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use signup_core::{ChangeSet, CommitError, Purge, StoreError};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::mpsc;

use super::error::{is_io_error, store_error};
use super::opened::OpenedFiles;
use super::purge;
use super::version::Version;
use crate::sql::queue::{self, RequestQueue};
use crate::sql::runner::StatementRunner as _;
use crate::sql::{Dialect, Statement, observe, require, write};

/// The most change sets of one transaction. This bounds how long the first of a batch waits for the last.
const BATCH: usize = 32;
/// The longest time from a request to its answer. Longer than [`BUSY_TIMEOUT`](super::options::BUSY_TIMEOUT), so that a request
/// survives a long write of another process.
const MAX_WAIT: Duration = Duration::from_secs(30);
const WHAT: &str = "writing to the database";
/// Fills 16 pages and frees them. Freed pages are overwritten, so they are written, too.
const TRY: &str = "BEGIN IMMEDIATE; INSERT INTO meta (name, value) VALUES ('try', hex(randomblob(32768))); \
     DELETE FROM meta WHERE name = 'try'; COMMIT";

/// Handle to the writer. Dropping the last handle closes the connection.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) queue: RequestQueue<Request, Done>,
}

impl Writer {
    /// Starts the writer on a connection of its own. `options` open another connection after a failure. A commit raises
    /// the version.
    pub(super) fn new(
        connection: SqliteConnection,
        options: SqliteConnectOptions,
        files: Arc<OpenedFiles>,
        version: Version,
    ) -> Self {
        let (queue, requests) = RequestQueue::new(WHAT, MAX_WAIT);
        let task = Task { connection: Some(connection), options, files, version };
        drop(tokio::spawn(task.run(requests)));
        Self { queue }
    }

    pub(super) async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.queue.submit(Request::Commit(change)).await?.map(drop)
    }

    /// Removes at most `limit` records for good, and returns how many were removed.
    pub(super) async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        self.submit(Request::Purge(purge, limit)).await
    }

    /// Writes like [`Backend::try_write`](crate::sql::store::Backend::try_write).
    pub(super) async fn try_write(&self) -> Result<(), StoreError> {
        self.submit(Request::Try).await.map(drop)
    }

    /// Finishes the requests that wait, and closes the connection.
    pub(super) async fn close(&self) {
        let is_open = self.queue.check().is_ok();
        if let Err(error) = self.submit(Request::Close).await
            && is_open
        {
            tracing::warn!(%error, "the writer did not end in time; no data is lost");
        }
    }

    async fn submit(&self, request: Request) -> Result<u64, StoreError> {
        self.queue.submit(request).await?.map_err(|error| match error {
            CommitError::Failed(error) => error,
            refused => StoreError::failed(WHAT, refused),
        })
    }
}

/// A request to the writer.
#[derive(Debug)]
pub(super) enum Request {
    Commit(ChangeSet),
    /// What is removed, and the most records.
    Purge(Purge, u32),
    /// Writes something, and removes it again.
    Try,
    /// Takes no more requests, and closes the connection.
    Close,
}

/// The number of records that a purge removed; 0 for any other request.
type Done = Result<u64, CommitError>;

type Waiting = queue::Waiting<Request, Done>;

/// A change set of a transaction, and the caller that waits for it.
struct Commit {
    change: ChangeSet,
    waiting: queue::Waiting<(), Done>,
}

/// The disk failed, so nothing more is written: after a failed sync the system may return pages that are not on the disk. Only
/// recovery shows what is, when the database is opened again.
struct DiskFailed;

/// The connection that writes.
struct Task {
    /// `None` during a transaction, and after a failure that left the connection in an unknown state.
    connection: Option<SqliteConnection>,
    options: SqliteConnectOptions,
    files: Arc<OpenedFiles>,
    version: Version,
}

impl Task {
    async fn run(mut self, mut requests: mpsc::Receiver<Waiting>) {
        let (mut batch, mut closing) = (vec![], vec![]);
        while requests.recv_many(&mut batch, BATCH).await > 0 {
            let (mut commits, mut others) = (vec![], vec![]);
            for waiting in batch.drain(..).filter(|waiting| !waiting.is_abandoned()) {
                match waiting.split() {
                    (Request::Commit(change), waiting) => commits.push(Commit { change, waiting }),
                    (Request::Close, waiting) => {
                        requests.close();
                        closing.push(waiting);
                    }
                    other => others.push(other),
                }
            }
            let mut ended = self.commit(commits).await;
            for (request, waiting) in others {
                if ended.is_ok() {
                    ended = self.alone(request, waiting).await;
                }
            }
            if ended.is_err() {
                tracing::error!("the disk failed: nothing is written until the database is opened again");
                // The requests that wait are dropped.
                return;
            }
        }
        if let Some(connection) = self.connection
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the database was not closed cleanly; no data is lost");
        }
        closing.into_iter().for_each(|waiting| waiting.answer(Ok(0)));
    }

    /// Commits change sets in one transaction, and answers each.
    async fn commit(&mut self, mut batch: Vec<Commit>) -> Result<(), DiskFailed> {
        while !batch.is_empty() {
            let (failed, error) = match self.transaction(&batch).await {
                Ok(answers) => {
                    observe::note_batch(answers.iter().filter(|answer| answer.is_ok()).count());
                    for (commit, answer) in batch.into_iter().zip(answers) {
                        commit.waiting.answer(answer.map(|()| 0));
                    }
                    return Ok(());
                }
                Err(Failure { index, error }) => match index {
                    Some(index) => (vec![batch.remove(index)], error),
                    None => (std::mem::take(&mut batch), error),
                },
            };
            tracing::error!(%error, source = ?error.source(), "a commit failed");
            failed.into_iter().for_each(|commit| commit.waiting.answer(Err(error.clone().into())));
            if is_io_error(&error) {
                batch.into_iter().for_each(|commit| commit.waiting.answer(Err(error.clone().into())));
                return Err(DiskFailed);
            }
        }
        Ok(())
    }

    /// Runs change sets in one transaction. Returns the answer to each once the transaction is durable.
    ///
    /// The connection is kept only if the transaction has ended, so the next transaction never finds one that is open.
    async fn transaction(&mut self, batch: &[Commit]) -> Result<Vec<Result<(), CommitError>>, Failure> {
        let whole = |error| Failure { index: None, error };
        self.files.check().map_err(whole)?;
        let mut connection = self.connect().await.map_err(whole)?;
        execute(&mut connection, "BEGIN IMMEDIATE").await.map_err(whole)?;
        let mut answers = vec![];
        for (index, commit) in batch.iter().enumerate() {
            let statements = match write::statements(Dialect::Sqlite, &commit.change.writes) {
                Ok(statements) => statements,
                Err(error) => {
                    answers.push(Err(CommitError::Failed(error)));
                    continue;
                }
            };
            let answer = apply(&mut connection, &commit.change, statements).await;
            let undone = match &answer {
                Ok(()) => Ok(()),
                // An error here shows that the transaction has ended.
                Err(_) => execute(&mut connection, "ROLLBACK TO change; RELEASE change").await,
            };
            match (answer, undone) {
                (Err(CommitError::Failed(error)), undone) if undone.is_err() || is_io_error(&error) => {
                    return Err(Failure { index: Some(index), error });
                }
                (_, Err(error)) => return Err(Failure { index: Some(index), error }),
                (answer, Ok(())) => answers.push(answer),
            }
        }
        let committed = sqlx::raw_sql("COMMIT").execute(&mut connection).await;
        // Also after a failure, because a commit that failed may have taken effect.
        self.version.raise();
        committed.map_err(|error| whole(StoreError::unavailable(WHAT, error)))?;
        self.connection = Some(connection);
        self.files.check().map_err(whole)?;
        Ok(answers)
    }

    /// Runs a request that is a transaction of its own, and answers it.
    async fn alone(&mut self, request: Request, waiting: queue::Waiting<(), Done>) -> Result<(), DiskFailed> {
        let result = self.run_alone(request).await;
        let ended = if result.as_ref().is_err_and(is_io_error) { Err(DiskFailed) } else { Ok(()) };
        waiting.answer(result.map_err(CommitError::Failed));
        ended
    }

    async fn run_alone(&mut self, request: Request) -> Result<u64, StoreError> {
        self.files.check()?;
        let mut connection = self.connect().await?;
        let result = match request {
            Request::Purge(purge, limit) => purge::run(&mut connection, purge, limit).await,
            _ => execute(&mut connection, TRY).await.map(|()| 0),
        };
        self.version.raise();
        // After an error the connection is kept only if there was a transaction to roll back.
        if result.is_ok() || execute(&mut connection, "ROLLBACK").await.is_ok() {
            self.connection = Some(connection);
        }
        result
    }

    async fn connect(&mut self) -> Result<SqliteConnection, StoreError> {
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => {
                let opened = self.options.connect().await;
                opened.map_err(|error| store_error("opening the database again", error))
            }
        }
    }
}

/// Why a transaction was not committed.
struct Failure {
    /// The index of the change set whose error ended the transaction. `None` if the transaction could not be begun or committed: a
    /// commit that failed may have taken effect.
    index: Option<usize>,
    error: StoreError,
}

/// Checks one change set and runs its `statements` in a savepoint, which is released. After an error the savepoint may be there, or
/// the whole transaction may have ended.
async fn apply(
    connection: &mut SqliteConnection,
    change: &ChangeSet,
    statements: Vec<Statement>,
) -> Result<(), CommitError> {
    let mut script = Statement::of(Dialect::Sqlite, "SAVEPOINT change", vec![]);
    let queries = require::queries(Dialect::Sqlite, &change.requires);
    if !queries.is_empty() {
        queries.into_iter().for_each(|query| append(&mut script, query));
        let broken = run(connection, script).await?;
        if let Some(refusal) = require::refusal(&change.requires, broken)? {
            return Err(CommitError::Refused(refusal));
        }
        script = Statement::new(Dialect::Sqlite);
    }
    statements.into_iter().for_each(|statement| append(&mut script, statement));
    append(&mut script, Statement::of(Dialect::Sqlite, "RELEASE change", vec![]));
    let _none: Vec<[String; 0]> = run(connection, script).await?;
    Ok(())
}

/// Appends a statement to a script, which is one call of the library.
fn append(script: &mut Statement, statement: Statement) {
    if !script.text.is_empty() {
        script.push(";\n");
    }
    script.push(&statement.text);
    script.values.extend(statement.values);
}

async fn run<const N: usize>(
    connection: &mut SqliteConnection,
    script: Statement,
) -> Result<Vec<[String; N]>, StoreError> {
    observe::count_round_trips("commit", 1);
    connection.rows(WHAT, script).await
}

/// Runs statements without values.
async fn execute(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), StoreError> {
    let done = sqlx::raw_sql(sql).execute(connection).await;
    done.map(drop).map_err(|error| store_error(WHAT, error))
}

#[cfg(test)]
mod tests;
