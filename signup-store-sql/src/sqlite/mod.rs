//! Opening an SQLite database, and the store on it.

mod cache;
mod cached;
mod error;
mod lock;
mod migrations;
mod query;
mod script;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    ChangeSet, CommitError, Digest, EmailAddress, Event, EventId, EventInFull, EventPage, EventQuery, Notice,
    NoticeCounts, NoticeId, Organization, OrganizationId, Question, Receipt, ReceiptKey, RequestCounter,
    Shift, ShiftId, Signup, SignupId, Store, StoreError, Token, TokenId,
};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Sqlite};

use crate::sql::error::OpenError;
use crate::sql::observe::count_round_trips;
use crate::sql::pool::Queue;
use crate::sql::read::{self, Reader};
use crate::sql::row::{self, Cell, Column, Records, texts};
use crate::sql::store::store;
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Sql};
use cache::Cache;
use error::{is_busy, store_error};
use query::query;
use writer::Writer;

pub use lock::ServingLock;

/// How long a statement waits for another process's write before it fails.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a read waits for a free connection, or for another's read of the same, before it fails.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// How many texts the writer keeps prepared: those of change sets of other shapes are prepared anew. One of an event with
/// 500 shifts takes some hundred KB.
const PREPARED: usize = 64;
/// Connections that read. More are slower on a small machine: each has a thread of its own.
const READERS: u32 = 2;

/// A store in one SQLite file.
///
/// What was committed survives the loss of power: the journal is a write-ahead log, synced at every commit
/// (`journal_mode=WAL`, `synchronous=FULL`). Reads have connections of their own and never wait for the writer. What they gave
/// is kept in bounded memory until this process or another commits.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    readers: Readers,
    writer: Writer,
}

impl SqliteStore {
    /// Opens the database at `path`, creates the file if it does not exist, and migrates its tables to this version.
    ///
    /// # Errors
    /// If the file cannot be opened or is no database, and [`OpenError::Newer`] if a newer version has written it.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path.as_ref(), SortKeys::Derive).await
    }

    /// Opens the database for a management command, as [`open`](Self::open) does, but leaves the stored starts of events as
    /// they are: only a process that serves derives them again when its zone data is another release.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_for_management(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(path.as_ref(), SortKeys::Keep).await
    }

    async fn open_with(path: &Path, keys: SortKeys) -> Result<Self, OpenError> {
        let name = || path.display().to_string();
        // An absolute path is a path: SQLite would take `:memory:` and `file:…` for something else.
        let file = std::path::absolute(path).map_err(|source| OpenError::Path { path: name(), source })?;
        let cannot_open = |source| OpenError::Open { path: name(), source };
        let options = writer_options(&file);
        let mut migrating = connect(&options).await.map_err(cannot_open)?;
        migrations::prepare(&mut migrating, &name(), keys).await?;
        migrating.close().await.map_err(cannot_open)?;
        // From here on the file is there: were it taken away, an empty one in its place would only hide that. What a statement
        // may have to take back is kept in memory: for one that writes several change sets it would go to a file, page by page.
        // (A migration may have more to sort than there is memory.)
        let options = options.create_if_missing(false).pragma("temp_store", "MEMORY");
        let writer = connect(&options).await.map_err(cannot_open)?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(READ_TIMEOUT)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().read_only(true));
        // All are opened now: later the process may have no descriptor left for one.
        let mut opened = vec![];
        for _ in 0..READERS {
            opened.push(readers.acquire().await.map_err(cannot_open)?);
        }
        drop(opened);
        let cache = Cache::new(&file);
        let writer = Writer::new(writer, options);
        Ok(Self { readers: Readers { queue: Queue::new(readers), cache: Some(Arc::new(cache)) }, writer })
    }

    /// The same, without memory of what was read: every read is a statement. For measuring what that costs.
    #[must_use]
    pub fn uncached(self) -> Self {
        Self { readers: Readers { cache: None, ..self.readers }, ..self }
    }

    /// How many commits this store has made: fewer than change sets, when many came at once.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    /// Connections that are open, the writer's included, and those that are in use, the writer's always.
    pub fn connections(&self) -> (u32, u32) {
        let open = self.readers.queue.pool.size();
        let idle = u32::try_from(self.readers.queue.pool.num_idle()).unwrap_or(u32::MAX);
        (open + 1, open.saturating_sub(idle) + 1)
    }

    /// Waits until the store can no longer write: it was closed, or the disk failed when something was to be made durable.
    /// Then what is on the disk is known only to whoever opens the database anew, so a server ends, and is started again.
    pub async fn ended(&self) {
        self.writer.stopped().await;
    }

    /// Closes all connections, after the reads under way and the commits that wait. One file remains.
    ///
    /// The writer closes last: SQLite folds the write-ahead log into the database when its last connection closes, which a
    /// read-only connection cannot do (<https://sqlite.org/wal.html#read_only_databases>).
    pub async fn close(&self) {
        self.readers.queue.pool.close().await;
        self.writer.close().await;
    }
}

/// How the one connection that writes is opened.
pub(crate) fn writer_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(PREPARED)
        .disable_statement_logging()
}

/// Connects; waits while another process does what the busy timeout does not wait for: turning the new file's journal into
/// a write-ahead log.
async fn connect(options: &SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
    const PAUSE: Duration = Duration::from_millis(20);
    const ATTEMPTS: u32 = 100;
    let mut attempt = 1;
    loop {
        match options.connect().await {
            Err(error) if attempt < ATTEMPTS && is_busy(&error) => {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            connected => return connected,
        }
    }
}

/// The connections that read, and what they have read lately.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    queue: Queue<Sqlite>,
    cache: Option<Arc<Cache>>,
}

/// One JSON array of the records, each of which is an array of its columns.
#[derive(Debug)]
pub(crate) struct Json(String);

impl Records for Json {
    fn read<T>(
        &self,
        _columns: &[Column],
        read: impl FnMut(&[Cell<'_>]) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        row::all(&self.0, read)
    }
}

impl Reader for Readers {
    type Records = Json;

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn records(&self, what: &'static str, sql: Sql) -> Result<Json, StoreError> {
        let row = self.row(what, sql).await?;
        let [json] = row.ok_or_else(|| StoreError::failed(what, "the statement gave no row"))?;
        Ok(Json(json))
    }

    async fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Sql,
    ) -> Result<Option<[String; N]>, StoreError> {
        let failed = |error| store_error(what, error);
        let (text, arguments) = query(sql).map_err(failed)?;
        let mut lent = self.queue.wait().await.map_err(failed)?;
        let read = sqlx::query_with(text, arguments).fetch_optional(&mut *lent.connection);
        // In a box the state of a statement that runs stays where it is when the futures around it are moved.
        let row = Box::pin(read).await.map_err(failed)?;
        self.queue.hand_on(lent);
        count_round_trips("read", 1);
        row.map(|row| texts(&row)).transpose().map_err(failed)
    }
}

impl SqliteStore {
    const fn reader(&self) -> &Readers {
        &self.readers
    }

    async fn commit_change(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.writer.commit(change).await
    }

    async fn purge_old_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.writer.purge_receipts(now, limit).await
    }

    /// One process serves a file and counts for itself.
    #[expect(clippy::unused_self, reason = "a store that processes share has a counter of its own")]
    const fn counter(&self) -> Option<&dyn RequestCounter> {
        None
    }

    async fn answers(&self) -> Result<(), StoreError> {
        self.writer.check()?;
        let sql = Sql::of(Dialect::Sqlite, "SELECT name FROM meta LIMIT 1", vec![]);
        let _row: Option<[String; 1]> = self.readers.row("looking whether the database answers", sql).await?;
        Ok(())
    }
}

store!(SqliteStore, cached);

#[cfg(test)]
mod tests {
    use super::*;

    async fn pragma(connection: &mut SqliteConnection, name: &str) -> String {
        let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(connection).await.unwrap()
    }

    #[tokio::test]
    async fn what_is_committed_survives_the_loss_of_power() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = connect(&writer_options(&folder.path().join("signup.db"))).await.unwrap();
        assert_eq!(pragma(&mut writer, "journal_mode").await, "wal");
        assert_eq!(pragma(&mut writer, "synchronous").await, "2", "FULL");
        assert_eq!(pragma(&mut writer, "foreign_keys").await, "1");
        let busy_timeout = sqlx::query_scalar::<_, i64>("PRAGMA busy_timeout").fetch_one(&mut writer).await;
        assert_eq!(busy_timeout.unwrap(), 10_000);
    }

    #[tokio::test]
    async fn every_connection_is_open_from_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        let (open, _) = store.connections();
        assert_eq!(open, READERS + 1, "the writer as well");
    }

    #[tokio::test]
    async fn a_reader_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        let error = sqlx::query("DELETE FROM meta").execute(&store.readers.queue.pool).await.unwrap_err();
        assert!(error.to_string().contains("readonly"), "{error}");
    }

    /// A coordinate survives the way through SQL's text. (Of zero SQLite keeps no sign, and nothing is asked of it.)
    #[tokio::test]
    async fn a_coordinate_reads_back_to_the_last_bit() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        // A plain generator is random enough for digits, and fails the same way each time.
        let mut state = 1_u64;
        let degrees: Vec<f64> = (0..100_000)
            .map(|n| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // 52 random bits from 1 to 2, moved to another size each time.
                f64::from_bits((state >> 12) | 0x3ff0_0000_0000_0000) * 2_f64.powi(6 - n % 60)
            })
            .chain([0.0, -0.0, 90.0, -180.0, 5e-324, 0.1, 1e-9, 179.999_999_999_999_97])
            .collect();
        for batch in degrees.chunks(100) {
            let row = format!("json_array({})", vec!["format('%!.17g', ?)"; batch.len()].join(", "));
            let mut query = sqlx::query_scalar::<_, String>(sqlx::AssertSqlSafe(format!("SELECT {row}")));
            for degrees in batch {
                query = query.bind(degrees);
            }
            let json = query.fetch_one(&mut connection).await.unwrap();
            let texts: Vec<String> = serde_json::from_str(&json).unwrap();
            for (text, degrees) in texts.iter().zip(batch) {
                let read = text.parse::<f64>().unwrap();
                assert!(read == *degrees, "{text} for {degrees:?}");
            }
        }
    }
}
