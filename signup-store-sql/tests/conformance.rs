//! The suite that every store passes, on both engines; and that they answer as memory does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use proptest::test_runner::{Config, TestRunner};
use signup_core::Store;
use signup_core::conformance::model;
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

    signup_core::conformance_tests!(fresh);

    /// Whatever is done, in whichever order, memory and SQLite answer the same.
    #[test]
    fn memory_and_sqlite_give_equal_answers() {
        equal_answers(fresh);
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use signup_store_sql::throwaway::Cluster;
    use signup_store_sql::{PostgresOptions, PostgresStore};
    use sqlx::PgPool;

    use super::*;

    async fn fresh() -> Option<(Arc<dyn Store>, ())> {
        let url = Cluster::shared()?.database().await;
        let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap();
        Some((Arc::new(store), ()))
    }

    signup_core::conformance_tests!(fresh);

    /// Whatever is done, in whichever order, memory and PostgreSQL answer the same.
    #[test]
    fn memory_and_postgres_give_equal_answers() {
        const EMPTY: &str =
            "TRUNCATE organizations, tokens, events, shifts, questions, signups, receipts, notices";
        // One database for all cases: a thousand of them would fill a disk.
        let database = tokio::sync::OnceCell::<(Arc<dyn Store>, PgPool)>::new();
        equal_answers(async || {
            let cluster = Cluster::shared()?;
            let open = async || {
                let url = cluster.database().await;
                let store = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await;
                (Arc::new(store.unwrap()) as Arc<dyn Store>, PgPool::connect(&url).await.unwrap())
            };
            let (store, pool) = database.get_or_init(open).await;
            sqlx::query(EMPTY).execute(pool).await.unwrap();
            Some((Arc::clone(store), ()))
        });
    }
}

/// Drives random operations through a store of memory and one of `fresh`.
fn equal_answers<Guard>(fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100);
    let config = Config { cases, max_shrink_iters: 200, ..Config::with_source_file(file!()) };
    TestRunner::new(config)
        .run(&model::steps(), |steps| {
            runtime.block_on(async {
                let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
                let Some((store, _guard)) = fresh().await else { return };
                model::run(&memory, &store, &steps).await;
            });
            Ok(())
        })
        .unwrap();
}
