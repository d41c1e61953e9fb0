//! The engines, and the filling of a new database.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use signup_core::Store;
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore, SqliteStore};
use sqlx::sqlite::{SqliteConnectOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;

use crate::population::{Population, Words};

pub(crate) enum Engine {
    Sqlite { folder: TempDir, files: AtomicU32 },
    Postgres(Cluster),
}

impl Engine {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite { folder: tempfile::tempdir().unwrap(), files: AtomicU32::new(0) }
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// Opens a store on a new database with these records. On PostgreSQL, also returns the URL of the database.
    pub(crate) async fn store(&self, population: Population) -> (Arc<dyn Store>, Option<String>) {
        match self {
            Self::Sqlite { folder, files } => {
                let file = folder.path().join(format!("{}.db", files.fetch_add(1, Ordering::Relaxed)));
                SqliteStore::open(&file).await.unwrap().close().await;
                fill_sqlite(&file, population).await;
                (Arc::new(SqliteStore::open(&file).await.unwrap().uncached()), None)
            }
            Self::Postgres(cluster) => {
                let url = cluster.database().await;
                fill_postgres(&url, population).await;
                let urls = [url.parse().unwrap()];
                let store = PostgresStore::open(&urls, PostgresOptions::default()).await.unwrap();
                (Arc::new(store), Some(url))
            }
        }
    }
}

async fn fill_sqlite(file: &Path, population: Population) {
    let words = Words {
        id: |number| format!("unhex(printf('%032x', {number}))"),
        numbers: |last| {
            format!(
                "(WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {last}) SELECT n FROM t)"
            )
        },
        day: |days| format!("date('1970-01-01', '+' || ({days}) || ' days')"),
        no: "0",
    };
    // This connection does not wait for the disk, because the file is synced as a whole below.
    let options = SqliteConnectOptions::new().filename(file).synchronous(SqliteSynchronous::Off);
    let options = options.pragma("cache_size", "-262144").disable_statement_logging();
    let mut connection = options.connect().await.unwrap();
    for sql in population.statements(&words) {
        connection.execute(AssertSqlSafe(sql)).await.unwrap();
    }
    connection.close().await.unwrap();
    // Write the file to the disk now. Otherwise later commits would wait for these pages.
    std::fs::File::open(file).unwrap().sync_all().unwrap();
}

async fn fill_postgres(url: &str, population: Population) {
    let words = Words {
        id: |number| format!("CAST(lpad(to_hex({number}), 32, '0') AS uuid)"),
        numbers: |last| format!("generate_series(CAST(1 AS bigint), {last}) n"),
        day: |days| format!("DATE '1970-01-01' + CAST({days} AS integer)"),
        no: "FALSE",
    };
    let mut connection = PgConnection::connect(url).await.unwrap();
    for sql in population.statements(&words) {
        connection.execute(AssertSqlSafe(sql)).await.unwrap();
    }
    connection.close().await.unwrap();
    settle_postgres(url).await;
}

/// Updates the statistics of the planner. Writes the pages to the disk now, as on SQLite.
pub(crate) async fn settle_postgres(url: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    connection.execute("VACUUM ANALYZE").await.unwrap();
    connection.execute("CHECKPOINT").await.unwrap();
    connection.close().await.unwrap();
}
