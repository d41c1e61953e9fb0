//! How connections to an SQLite file are opened.

use std::path::Path;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};

use super::error::is_busy;
use crate::sql::pool::{Bounds, ConnectionPool};

/// How long a statement waits for a write of another process before it fails.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a read waits for a free connection before it fails.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of statements that each connection keeps prepared. A statement of another shape is prepared for each use. The
/// statement for an event with 500 shifts takes some hundred KB.
const PREPARED: usize = 64;
/// The length of the write-ahead log, in pages of 4 KiB, at which a commit copies it into the file: 16 MB. The default of SQLite is
/// a quarter of that. A page that changes often is copied once for each checkpoint, so longer logs copy less: with this length,
/// patches of a shift reach 1.08 times the rate, sign-ups 1.10 and creates 1.13. The p99 of sign-ups is 21 ms in place of 15.
const CHECKPOINT_PAGES: &str = "4000";
/// The size in bytes to which the write-ahead log shrinks after a reader has kept it from being copied: 16 MiB, about
/// [`CHECKPOINT_PAGES`]. Without a limit, the file keeps the largest size that it ever had.
const LOG_BYTES: &str = "16777216";
/// The number of connections for reads. Each has a thread, so more connections are slower on a small machine.
pub(super) const READERS: u32 = 2;

/// Returns the options of the connection that writes.
pub(super) fn writer_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        .pragma("journal_size_limit", LOG_BYTES)
        // Overwrites what is deleted, such as the data of an erased person, also in pages that are no longer used.
        .pragma("secure_delete", "ON")
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(PREPARED)
        .disable_statement_logging()
}

/// Opens a connection. Retries for 2 s while another process switches a new file to WAL mode: the busy timeout does not
/// cover that switch.
pub(super) async fn connect(options: &SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
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

/// Opens the connections for reads. All are opened at once, because later the process may have no free file descriptor.
pub(super) async fn open_readers(
    options: SqliteConnectOptions,
) -> sqlx::Result<ConnectionPool<SqliteConnection>> {
    let bounds =
        Bounds { connections: READERS, wait: READ_TIMEOUT, age: Duration::MAX, is_tried_again: |_| false };
    let pool = ConnectionPool::new(options, bounds);
    let mut opened = vec![];
    for _ in 0..READERS {
        opened.push(pool.acquire().await?);
    }
    opened.into_iter().for_each(|pooled| pool.release(pooled));
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn pragma(connection: &mut SqliteConnection, name: &str) -> String {
        let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(connection).await.unwrap()
    }

    #[tokio::test]
    async fn the_writer_syncs_every_commit() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = connect(&writer_options(&folder.path().join("signup.db"))).await.unwrap();
        assert_eq!(pragma(&mut writer, "journal_mode").await, "wal");
        assert_eq!(pragma(&mut writer, "synchronous").await, "2", "FULL");
        assert_eq!(pragma(&mut writer, "foreign_keys").await, "1");
        let busy_timeout = sqlx::query_scalar::<_, i64>("PRAGMA busy_timeout").fetch_one(&mut writer).await;
        assert_eq!(busy_timeout.unwrap(), 10_000);
    }

    /// A reader keeps the log from being copied, however long it grows.
    #[tokio::test]
    async fn the_log_shrinks_after_a_reader_has_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("signup.db");
        let mut writer = connect(&writer_options(&file)).await.unwrap();
        sqlx::raw_sql("CREATE TABLE t (a BLOB)").execute(&mut writer).await.unwrap();
        let mut reader = connect(&writer_options(&file).read_only(true)).await.unwrap();
        sqlx::raw_sql("BEGIN; SELECT * FROM t").execute(&mut reader).await.unwrap();
        let write = "INSERT INTO t VALUES (randomblob(1000000))";
        for _ in 0..24 {
            sqlx::raw_sql(write).execute(&mut writer).await.unwrap();
        }
        let length = || std::fs::metadata(folder.path().join("signup.db-wal")).unwrap().len();
        let limit = LOG_BYTES.parse().unwrap();
        assert!(length() > limit, "{} bytes", length());
        sqlx::raw_sql("COMMIT").execute(&mut reader).await.unwrap();
        // The first commit copies the log, and the second one begins it again.
        for _ in 0..2 {
            sqlx::raw_sql(write).execute(&mut writer).await.unwrap();
        }
        assert!(length() <= limit, "{} bytes", length());
    }

    #[tokio::test]
    async fn the_file_keeps_nothing_that_was_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("signup.db");
        let mut writer = connect(&writer_options(&file)).await.unwrap();
        // The long text fills pages of its own, which no table uses afterwards.
        let sql = "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('kept text'), ('deleted text'), \
                   (replace(hex(zeroblob(9999)), '00', 'deleted text')); PRAGMA wal_checkpoint(TRUNCATE); \
                   DELETE FROM t WHERE a LIKE 'deleted text%'; PRAGMA wal_checkpoint(TRUNCATE)";
        sqlx::raw_sql(sql).execute(&mut writer).await.unwrap();
        let content = std::fs::read(&file).unwrap();
        let has = |text: &str| content.windows(text.len()).any(|part| part == text.as_bytes());
        assert_eq!((has("kept text"), has("deleted text")), (true, false));
    }
}
