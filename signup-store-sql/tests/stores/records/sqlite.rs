//! Databases in SQLite files.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use signup_core::Store;
use signup_store_sql::{OpenError, SqliteStore};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use tempfile::TempDir;

use super::{Database, Place};

/// A file in a folder, which goes with it.
struct File {
    folder: TempDir,
    store: SqliteStore,
}

pub(super) async fn place() -> Box<dyn Place> {
    open(tempfile::tempdir().unwrap()).await
}

async fn open(folder: TempDir) -> Box<dyn Place> {
    let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
    Box::new(File { folder, store })
}

#[async_trait]
impl Place for File {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn reopened(self: Box<Self>) -> Box<dyn Place> {
        open(self.folder).await
    }

    async fn without_tables(self: Box<Self>) -> Box<dyn Place> {
        std::fs::remove_file(self.path()).unwrap();
        self
    }

    async fn close(&self) {
        self.store.close().await;
    }

    async fn open(&self) -> Result<Arc<dyn Store>, OpenError> {
        Ok(Arc::new(SqliteStore::open(&self.path()).await?))
    }

    async fn open_for_management(&self) -> Result<Arc<dyn Store>, OpenError> {
        Ok(Arc::new(SqliteStore::open_for_management(&self.path()).await?))
    }

    async fn run(&self, sql: AssertSqlSafe<String>) -> sqlx::Result<u64> {
        let mut stranger = stranger(&self.path()).await;
        Ok(sqlx::query(sql).execute(&mut stranger).await?.rows_affected())
    }

    async fn texts(&self, sql: AssertSqlSafe<String>) -> Vec<String> {
        let mut stranger = stranger(&self.path()).await;
        sqlx::query_scalar(sql).fetch_all(&mut stranger).await.unwrap()
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("signup.db")
    }
}

impl Database {
    /// The store, of an SQLite database.
    pub(crate) fn sqlite_store(&self) -> &SqliteStore {
        let place: &dyn Any = &*self.place;
        let Some(file) = place.downcast_ref::<File>() else { panic!("this is no SQLite database") };
        &file.store
    }
}

/// A connection to an SQLite file as any other program would make it.
pub(crate) async fn stranger(path: &Path) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap()
}
