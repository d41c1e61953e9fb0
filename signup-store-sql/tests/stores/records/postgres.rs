//! Databases on the PostgreSQL server of the tests.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use signup_core::Store;
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{OpenError, PostgresOptions, PostgresStore};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::Place;

struct Server {
    cluster: &'static Cluster,
    url: String,
    store: PostgresStore,
}

/// `None` where PostgreSQL is not installed.
pub(super) async fn place() -> Option<Box<dyn Place>> {
    let cluster = Cluster::shared()?;
    let url = cluster.database().await;
    let store = open(&url).await.unwrap();
    Some(Box::new(Server { cluster, url, store }))
}

async fn open(url: &str) -> Result<PostgresStore, OpenError> {
    PostgresStore::open(&url.parse().unwrap(), PostgresOptions::default()).await
}

#[async_trait]
impl Place for Server {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn reopened(self: Box<Self>) -> Box<dyn Place> {
        Box::new(Self { store: open(&self.url).await.unwrap(), ..*self })
    }

    async fn without_tables(self: Box<Self>) -> Box<dyn Place> {
        Box::new(Self { url: self.cluster.empty_database(), ..*self })
    }

    async fn close(&self) {
        self.store.close().await;
    }

    async fn open(&self) -> Result<Arc<dyn Store>, OpenError> {
        Ok(Arc::new(open(&self.url).await?))
    }

    async fn open_for_management(&self) -> Result<Arc<dyn Store>, OpenError> {
        let url = self.url.parse().unwrap();
        Ok(Arc::new(PostgresStore::open_for_management(&url, PostgresOptions::default()).await?))
    }

    async fn run(&self, sql: AssertSqlSafe<String>) -> sqlx::Result<u64> {
        let mut stranger = PgConnection::connect(&self.url).await?;
        Ok(sqlx::query(sql).execute(&mut stranger).await?.rows_affected())
    }

    async fn texts(&self, sql: AssertSqlSafe<String>) -> Vec<String> {
        let mut stranger = PgConnection::connect(&self.url).await.unwrap();
        sqlx::query_scalar(sql).fetch_all(&mut stranger).await.unwrap()
    }

    fn path(&self) -> PathBuf {
        (&self.url).into()
    }
}
