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
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use signup_core::{ChangeSet, CommitError, Wrapped, Wrapper, async_trait};
    use signup_store_sql::test_cluster::Cluster;
    use signup_store_sql::{PostgresOptions, PostgresStore};
    use sqlx::PgPool;
    use tokio::sync::OnceCell;

    use super::*;

    async fn open(url: &str) -> PostgresStore {
        PostgresStore::open(&url.parse().unwrap(), PostgresOptions::default()).await.unwrap()
    }

    /// The stores of two processes on one database, which commit by turns. So the locks of the database are tested, too, and not
    /// only those in a process.
    #[derive(Debug)]
    struct Processes {
        stores: [PostgresStore; 2],
        commits: AtomicUsize,
    }

    #[async_trait]
    impl Wrapper for Processes {
        fn inner(&self) -> &dyn Store {
            &self.stores[0]
        }

        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.stores[self.commits.fetch_add(1, Relaxed) % 2].commit(change).await
        }
    }

    async fn fresh() -> Option<(Arc<dyn Store>, ())> {
        let url = Cluster::shared()?.database().await;
        let stores = [open(&url).await, open(&url).await];
        Some((Arc::new(Wrapped(Processes { stores, commits: AtomicUsize::new(0) })), ()))
    }

    /// Returns the same store each time, emptied: a database for each list of operations would fill a disk.
    fn emptied() -> impl AsyncFn() -> Option<(Arc<dyn Store>, ())> {
        // Every other table refers to organizations.
        const EMPTY: &str = "TRUNCATE organizations, receipts, activity, people, sign_in_codes CASCADE";
        let database = OnceCell::<(Arc<dyn Store>, PgPool)>::new();
        async move || {
            let cluster = Cluster::shared()?;
            let opened = async || {
                let url = cluster.database().await;
                (Arc::new(open(&url).await) as Arc<dyn Store>, PgPool::connect(&url).await.unwrap())
            };
            let (store, pool) = database.get_or_init(opened).await;
            sqlx::query(EMPTY).execute(pool).await.unwrap();
            Some((Arc::clone(store), ()))
        }
    }

    signup_core::conformance_tests!(fresh, reference: MemoryStore::new, model: emptied());
}
