//! The suite that every store passes, on both engines; and that they answer as memory does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use proptest::test_runner::{Config, TestRunner};
use signup_core::Store;
use signup_core::conformance::model;
use signup_store_memory::MemoryStore;

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

mod postgres {
    use signup_store_sql::throwaway::Cluster;
    use signup_store_sql::{PostgresOptions, PostgresStore};

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
        equal_answers(fresh);
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
