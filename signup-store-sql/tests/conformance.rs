//! The suite that every store passes, on SQLite; and that SQLite answers as memory does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use proptest::test_runner::{Config, TestRunner};
use signup_core::Store;
use signup_core::conformance::model;
use signup_store_memory::MemoryStore;
use signup_store_sql::SqliteStore;
use tempfile::TempDir;

async fn fresh() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
    (Arc::new(store), folder)
}

signup_core::conformance_tests!(fresh);

/// Whatever is done, in whichever order, memory and SQLite answer the same.
#[test]
fn memory_and_sqlite_give_equal_answers() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100);
    let config = Config { cases, max_shrink_iters: 200, ..Config::with_source_file(file!()) };
    TestRunner::new(config)
        .run(&model::steps(), |steps| {
            runtime.block_on(async {
                let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
                let (sqlite, _folder) = fresh().await;
                model::run(&memory, &sqlite, &steps).await;
            });
            Ok(())
        })
        .unwrap();
}
