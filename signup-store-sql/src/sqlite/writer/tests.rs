use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::join_all;
use jiff::Timestamp;
use signup_core::conformance::records::{self, event, organization, shift};
use signup_core::{Name, Organization, OrganizationId, Store, WebAddress};
use uuid::Uuid;

use super::*;
use crate::SqliteStore;
use crate::sqlite::options::writer_options;

async fn database() -> (tempfile::TempDir, PathBuf, SqliteConnectOptions) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    SqliteStore::open(&path).await.unwrap().close().await;
    let options = writer_options(&path);
    (folder, path, options)
}

fn writer(connection: SqliteConnection, options: SqliteConnectOptions, path: &Path) -> Writer {
    let files = OpenedFiles::database(path).unwrap().with_log().unwrap();
    Writer::new(connection, options, Arc::new(files), Version::default())
}

/// Inserts a draft into the organization of number 1. Such change sets share a batch.
fn draft(number: u32) -> ChangeSet {
    let mut event = event(1, number);
    event.is_published = false;
    records::insert([event])
}

/// Inserts an organization with a long address.
fn insert(number: usize) -> ChangeSet {
    let id = OrganizationId::new(Uuid::from_u128(number as u128));
    let name = Name::new("Riverside Food Bank").unwrap();
    let mut organization = Organization::new(id, name, number.to_string(), Timestamp::UNIX_EPOCH);
    organization.public_url =
        Some(WebAddress::new(&format!("https://{}.example", "x".repeat(2000))).unwrap());
    records::insert([organization])
}

async fn organizations(store: &dyn Store) -> usize {
    store.organizations(None, u32::MAX).await.unwrap().len()
}

#[tokio::test]
async fn change_sets_that_wait_share_a_transaction() {
    let (_folder, path, options) = database().await;
    let mut counting = options.connect().await.unwrap();
    let transactions = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&transactions);
    let hook = move || count.fetch_add(1, Ordering::Relaxed) < u32::MAX;
    counting.lock_handle().await.unwrap().set_commit_hook(hook);
    let writer = writer(counting, options, &path);
    writer.commit(records::insert([organization(1)])).await.unwrap();
    let large = |number| {
        let mut change = draft(number);
        let event = event(1, number);
        let shifts = (0..100).map(|place| shift(&event, number * 1000 + place, 5));
        shifts.for_each(|shift| change.insert(shift));
        change
    };
    let answers = join_all((1..=32).map(|number| writer.commit(large(number)))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(transactions.load(Ordering::Relaxed), 2);
    writer.close().await;
    let store = SqliteStore::open(&path).await.unwrap();
    let event = event(1, 32);
    let shifts = store.shifts(event.organization, event.id).await.unwrap().unwrap();
    assert_eq!(shifts.len(), 100);
}

/// A full disk may end the transaction of a whole batch. The writer then goes on with a clean connection.
#[tokio::test]
async fn a_full_disk_loses_nothing_and_ends_nothing() {
    let (_folder, path, options) = database().await;
    let mut small = options.connect().await.unwrap();
    // Twice as many pages as there are: room for some change sets, and not for all.
    let pages = sqlx::query_scalar::<_, i64>("PRAGMA page_count").fetch_one(&mut small).await.unwrap();
    let limit = format!("PRAGMA max_page_count = {}", pages * 2);
    sqlx::query(sqlx::AssertSqlSafe(limit)).execute(&mut small).await.unwrap();
    let writer = writer(small, options, &path);
    let mut number = 1;
    let error = loop {
        match writer.commit(insert(number)).await {
            Ok(()) => number += 1,
            Err(error) => break error,
        }
        assert!(number < 10_000, "the disk is full at some point");
    };
    let CommitError::Failed(error) = error else { panic!("{error:?}") };
    assert!(error.is_unavailable(), "{error:?}");
    writer.close().await;
    let store = SqliteStore::open(&path).await.unwrap();
    store.commit(insert(number)).await.unwrap();
    assert_eq!(organizations(&store).await, number);
}

/// No caller of the failed batch is told that its change is committed. The next batch is committed.
#[tokio::test]
async fn a_failed_commit_fails_its_batch_and_no_other() {
    let (_folder, path, options) = database().await;
    // As in a store, another connection keeps the write-ahead log when that of the writer is closed.
    let _reader = options.connect().await.unwrap();
    let mut failing = options.connect().await.unwrap();
    let mut commits = 0;
    let fails_once = move || {
        commits += 1;
        commits != 2
    };
    failing.lock_handle().await.unwrap().set_commit_hook(fails_once);
    let writer = writer(failing, options, &path);
    writer.commit(records::insert([organization(1)])).await.unwrap();
    // Both arrive before the batch takes its requests.
    let (one, other) = tokio::join!(writer.commit(draft(1)), writer.commit(draft(2)));
    for answer in [one, other] {
        let Err(CommitError::Failed(error)) = answer else { panic!("{answer:?}") };
        assert!(error.is_unavailable());
    }
    // The connection that took the place of the failing one commits.
    writer.commit(insert(4)).await.unwrap();
    writer.close().await;
    assert_eq!(organizations(&SqliteStore::open(&path).await.unwrap()).await, 2);
}

/// A failure that ends the transaction, as that of a full disk does, must not leave what comes after it to be committed
/// by itself.
#[tokio::test]
async fn a_purge_that_ends_the_transaction_leaves_nothing_half_done() {
    let (_folder, path, options) = database().await;
    let mut failing = options.connect().await.unwrap();
    let setup = "INSERT INTO receipts (organization_id, caller_id, operation, idempotency_key, outcome, expires_at) \
         VALUES (zeroblob(16), zeroblob(16), 'create-event', 'k', '{}', 1); \
         CREATE TEMP TRIGGER full BEFORE DELETE ON receipts BEGIN SELECT RAISE(ROLLBACK, 'full'); END";
    sqlx::raw_sql(setup).execute(&mut failing).await.unwrap();
    // The log stays the same file while the writer opens the database again, as it does beside the readers of a store.
    let mut reader = options.connect().await.unwrap();
    sqlx::raw_sql("SELECT count(*) FROM receipts").execute(&mut reader).await.unwrap();
    let writer = writer(failing, options, &path);
    let (first, purged, second) = tokio::join!(
        writer.commit(insert(1)),
        writer.purge(Purge::Expired(Timestamp::MAX), 10),
        writer.commit(insert(2))
    );
    let error = purged.unwrap_err();
    assert!(format!("{error:?}").contains("full"), "the cause is named: {error:?}");
    writer.close().await;
    let there = organizations(&SqliteStore::open(&path).await.unwrap()).await;
    assert_eq!(there, usize::from(first.is_ok()) + usize::from(second.is_ok()));
    drop(reader);
}
