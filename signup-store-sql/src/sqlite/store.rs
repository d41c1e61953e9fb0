//! The store in an SQLite file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use signup_core::{ChangeSet, CommitError, Purge, RequestCounter, StoreError};
use sqlx::Connection as _;

use super::cache::Cache;
use super::file::{check_folder, create_if_missing};
use super::migrations;
use super::opened::OpenedFiles;
use super::options::{connect, open_readers, writer_options};
use super::readers::Readers;
use super::version::{Poll, Version};
use super::writer::Writer;
use crate::sql::error::OpenError;
use crate::sql::read::Reader as _;
use crate::sql::store::{Backend, CachedRead, SqlStore};
use crate::sql::zone_data::SortKeys;
use crate::sql::{Dialect, Statement};

/// A store in one SQLite file.
///
/// - A commit that returned survives a loss of power. The journal is a write-ahead log that is synced at every commit
///   (`journal_mode=WAL`, `synchronous=FULL`).
/// - Reads have connections of their own and never wait for the writer.
/// - While a file of the database is deleted, moved away or replaced, every operation fails with an unavailable error. Reads notice
///   it within 250 ms.
/// - Results of frequent reads are cached in bounded memory. A cached result is never older than the last commit of this
///   process, and misses commits of other processes for at most a second.
/// - Requests are not counted: [`request_counter`](signup_core::Store::request_counter) is `None`. One process serves a file
///   and counts in its own memory.
///
/// A clone is a handle to the same store. The methods are documented at [`SqlStore`].
pub type SqliteStore = SqlStore<SqliteBackend>;

/// The SQLite backend of a [`SqlStore`].
#[derive(Debug, Clone)]
pub struct SqliteBackend {
    readers: Readers,
    writer: Writer,
    cache: Cache,
    files: Arc<OpenedFiles>,
}

impl SqlStore<SqliteBackend> {
    /// Opens the database at `path`. Creates the file if it does not exist, and migrates its tables to this version. Only the
    /// owner of a new file may read it and the files that SQLite makes beside it.
    ///
    /// Derives the stored sort keys of events again if another release of the time zone data made them.
    ///
    /// # Errors
    /// Returns [`OpenError::Newer`] if a newer version has written the database, [`OpenError::Unreleased`] if a version before
    /// 1.0.0 has, and another error if the file cannot be opened or is not an SQLite database.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        create_if_missing(path)?;
        Self::open_with(path, SortKeys::Derive).await
    }

    /// Opens the database for a management command: like [`open`](Self::open), but makes no file, and leaves the sort keys as
    /// they are. The command may be of another version than the server beside it.
    ///
    /// # Errors
    /// Returns [`OpenError::Missing`] if there is no file at `path`, [`OpenError::Folder`] if there is not even its folder, and the
    /// errors of [`open`](Self::open).
    pub async fn open_for_management(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        if path.try_exists().is_ok_and(|exists| !exists) {
            check_folder(path)?;
            return Err(OpenError::Missing { path: path.display().to_string() });
        }
        Self::open_with(path, SortKeys::Keep).await
    }

    async fn open_with(path: &Path, keys: SortKeys) -> Result<Self, OpenError> {
        let name = || path.display().to_string();
        // SQLite gives `:memory:` and `file:…` a special meaning, but never an absolute path.
        let file = std::path::absolute(path).map_err(|source| OpenError::Path { path: name(), source })?;
        let cannot_open = |source| OpenError::Open { path: name(), source };
        let no_file = |source| OpenError::Path { path: name(), source };
        let database = OpenedFiles::database(&file).map_err(no_file)?;
        let options = writer_options(&file);
        let mut migrating = connect(&options).await.map_err(cannot_open)?;
        migrations::prepare(&mut migrating, &name(), keys).await?;
        migrating.close().await.map_err(cannot_open)?;
        // From here on the file exists. If it is deleted, a new empty file in its place would only hide the loss.
        // Temporary data stays in memory: otherwise the rollback data of a savepoint would go to a file, page by page. A migration
        // may have to sort more than fits into memory.
        let options = options.create_if_missing(false).pragma("temp_store", "MEMORY");
        let writer = connect(&options).await.map_err(cannot_open)?;
        let reading = options.clone().read_only(true);
        let readers = open_readers(reading.clone()).await.map_err(cannot_open)?;
        let polling = connect(&reading).await.map_err(cannot_open)?;
        // The log and its index exist from the first of the connections above on.
        let files = Arc::new(database.with_log().map_err(no_file)?);
        let version = Version::default();
        let poll = Arc::new(Poll::new(version.clone(), polling, Arc::clone(&files)));
        Ok(Self::new(SqliteBackend {
            readers: Readers { pool: Arc::new(readers), poll },
            writer: Writer::new(writer, options, Arc::clone(&files), version),
            cache: Cache::new(),
            files,
        }))
    }

    /// Returns the number of open connections, and the number of those in use. Both include the connection of the writer
    /// and the one that polls for commits of other processes.
    pub fn connections(&self) -> (u32, u32) {
        let (open, used) = self.backend.readers.pool.count();
        (open + 2, used + 2)
    }

    /// Waits until the store can no longer write: it was closed, or the disk failed during a commit.
    ///
    /// After a disk failure only opening the database again shows what is on the disk. So a server exits, and is started
    /// again.
    pub async fn ended(&self) {
        self.backend.writer.queue.closed().await;
    }

    /// Closes all connections, after the reads in progress and the waiting commits. One file remains.
    ///
    /// The writer closes last. SQLite moves the write-ahead log into the database when the last connection closes, which a
    /// read-only connection cannot do (<https://sqlite.org/wal.html#read_only_databases>).
    pub async fn close(&self) {
        self.backend.readers.pool.close(Duration::MAX).await;
        self.backend.readers.poll.close().await;
        self.backend.writer.close().await;
    }
}

impl Backend for SqliteBackend {
    type Reader = Readers;

    fn reader(&self) -> &Readers {
        &self.readers
    }

    async fn cached<V: Clone + fmt::Debug + Send + Sync + 'static>(
        &self,
        wanted: CachedRead,
        read: impl Future<Output = Result<V, StoreError>> + Send,
    ) -> Result<V, StoreError> {
        let version = self.readers.poll.version().await?;
        self.cache.get(version, wanted, read).await
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.writer.commit(change).await
    }

    async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        self.writer.purge(purge, limit).await
    }

    fn request_counter(_store: &SqliteStore) -> Option<&dyn RequestCounter> {
        None
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.writer.queue.check()?;
        self.files.check()?;
        let sql = Statement::of(Dialect::Sqlite, "SELECT name FROM meta LIMIT 1", vec![]);
        let _row: Option<[String; 1]> = self.readers.row("checking the database", sql).await?;
        Ok(())
    }

    /// The wait for the queue, or for the lock, takes longer than the caller waits.
    async fn try_write(&self) -> Result<bool, StoreError> {
        self.writer.try_write().await.map(|()| true)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use signup_core::Store;
    use signup_core::conformance::records::{insert, organization};

    use super::*;
    use crate::sqlite::ServingLock;
    use crate::sqlite::options::READERS;

    #[tokio::test]
    async fn every_connection_is_open_from_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        let (open, _) = store.connections();
        assert_eq!(open, READERS + 2, "those of the writer and of the version as well");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_may_read_a_new_file_and_those_beside_it() {
        use std::os::unix::fs::PermissionsExt as _;

        for takes_lock in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("signup.db");
            let _lock = takes_lock.then(|| ServingLock::take(&path).unwrap());
            let store = SqliteStore::open(&path).await.unwrap();
            let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
            assert_eq!(files.len(), if takes_lock { 4 } else { 3 }, "{files:?}");
            for file in files {
                assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
            }
            store.close().await;
        }
    }

    /// The writer may add no page to the file, as on a full disk. Later, another process frees some pages.
    #[tokio::test]
    async fn a_store_is_not_ready_after_a_write_to_a_full_disk_until_a_write_succeeds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let mut store = SqliteStore::open(&path).await.unwrap();
        let mut other = connect(&writer_options(&path)).await.unwrap();
        sqlx::raw_sql("CREATE TABLE filling (text TEXT); INSERT INTO filling VALUES (hex(zeroblob(200000)))")
            .execute(&mut other)
            .await
            .unwrap();
        let options = writer_options(&path).pragma("max_page_count", "1");
        let full = connect(&options).await.unwrap();
        store.backend.writer =
            Writer::new(full, options, Arc::clone(&store.backend.files), Version::default());
        store.check().await.unwrap();
        let mut number = 0;
        while store.commit(insert([organization(number)])).await.is_ok() {
            number += 1;
        }
        assert!(store.check().await.unwrap_err().is_unavailable());
        let reads: &dyn Store = &store;
        assert_eq!(reads.organizations(None, 1).await.unwrap().len(), 1, "reads go on");
        sqlx::raw_sql("DROP TABLE filling").execute(&mut other).await.unwrap();
        store.check().await.unwrap();
        store.commit(insert([organization(number)])).await.unwrap();
    }

    /// The check before the transaction finds the file, and the transaction succeeds.
    #[tokio::test]
    async fn a_commit_to_a_file_that_is_deleted_meanwhile_is_not_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let mut store = SqliteStore::open(&path).await.unwrap();
        let options = writer_options(&path);
        let mut deleting = connect(&options).await.unwrap();
        let hook = move || std::fs::remove_file(&path).is_ok();
        deleting.lock_handle().await.unwrap().set_commit_hook(hook);
        store.backend.writer =
            Writer::new(deleting, options, Arc::clone(&store.backend.files), Version::default());
        let CommitError::Failed(error) = store.commit(insert([organization(1)])).await.unwrap_err() else {
            panic!("nothing fails");
        };
        assert!(format!("{error:?}").contains("signup.db was deleted"), "{error:?}");
    }

    /// A management command holds the lock of the writer, so no commit and no check finds out whether a write would succeed.
    #[tokio::test]
    async fn a_store_that_waits_for_the_writer_is_ready() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let mut other = connect(&writer_options(&path)).await.unwrap();
        sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
        store.has_failed.store(true, Ordering::Release);
        let waiting = tokio::spawn({
            let store = store.clone();
            async move { store.commit(insert([organization(1)])).await }
        });
        store.check().await.unwrap();
        assert!(!waiting.is_finished(), "the lock is held");
        sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
        waiting.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no").join("signup.db");
        let errors = [
            SqliteStore::open(&path).await.unwrap_err(),
            SqliteStore::open_for_management(&path).await.unwrap_err(),
            ServingLock::take(&path).unwrap_err(),
        ];
        let says = format!("the folder {} does not exist", folder.path().join("no").display());
        for error in errors {
            assert!(error.to_string().ends_with(&says), "{error}");
        }
    }

    #[tokio::test]
    async fn a_reader_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        let mut pooled = store.backend.readers.pool.acquire().await.unwrap();
        let error = sqlx::query("DELETE FROM meta").execute(&mut pooled.connection).await.unwrap_err();
        assert!(error.to_string().contains("readonly"), "{error}");
    }
}
