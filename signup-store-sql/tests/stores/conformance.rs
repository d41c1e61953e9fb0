//! The suite that every store passes, on both engines.

use std::sync::Arc;

use signup_core::Store;
use signup_store_memory::MemoryStore;

#[cfg(feature = "sqlite")]
mod sqlite {
    use signup_store_sql::SqliteStore;
    use tempfile::TempDir;

    use super::*;

    async fn fresh() -> Option<(Arc<dyn Store>, TempDir)> {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        Some((Arc::new(store), folder))
    }

    signup_core::conformance_tests!(fresh, reference: MemoryStore::new);
}

#[cfg(feature = "postgres")]
mod postgres {
    use signup_store_sql::test_cluster::Cluster;
    use signup_store_sql::{PostgresOptions, PostgresStore};
    use sqlx::PgPool;
    use tokio::sync::OnceCell;

    use super::*;

    async fn fresh() -> Option<(Arc<dyn Store>, ())> {
        let url = Cluster::shared()?.database().await;
        let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap();
        Some((Arc::new(store), ()))
    }

    /// Returns the same store each time, emptied: a database for each list of operations would fill a disk.
    fn emptied() -> impl AsyncFn() -> Option<(Arc<dyn Store>, ())> {
        // Every other table refers to organizations.
        const EMPTY: &str = "TRUNCATE organizations, receipts, activity, people, sign_in_codes CASCADE";
        let database = OnceCell::<(Arc<dyn Store>, PgPool)>::new();
        async move || {
            let cluster = Cluster::shared()?;
            let open = async || {
                let url = cluster.database().await;
                let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await;
                (Arc::new(store.unwrap()) as Arc<dyn Store>, PgPool::connect(&url).await.unwrap())
            };
            let (store, pool) = database.get_or_init(open).await;
            sqlx::query(EMPTY).execute(pool).await.unwrap();
            Some((Arc::clone(store), ()))
        }
    }

    signup_core::conformance_tests!(fresh, reference: MemoryStore::new, model: emptied());
}
