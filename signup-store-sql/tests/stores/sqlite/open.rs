//! SQLite: what cannot be opened, and what a close leaves behind.

use signup_core::{CommitError, Deleted, Entity as _};
use signup_store_sql::SqliteStore;

use crate::records::{Database, Engine, insert, organization};

#[tokio::test]
async fn what_is_no_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let text = "Not a database, but long enough to be taken for the first page of one. ".repeat(100);
    std::fs::write(&path, &text).unwrap();
    let error = SqliteStore::open(&path).await.unwrap_err();
    assert!(error.to_string().contains("notes.txt"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn after_a_close_the_file_alone_holds_every_commit() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    // Several reads at once open every connection that reads.
    let reads = (0..8).map(|_| database.store.organizations(None, 10));
    futures_util::future::join_all(reads)
        .await
        .into_iter()
        .for_each(|read| assert_eq!(read.unwrap().len(), 1));
    database.close().await;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.db");
    std::fs::copy(database.path(), &copy).unwrap();
    let store = SqliteStore::open(&copy).await.unwrap();
    records.assert_stored(&store).await;
    store.close().await;
}

#[tokio::test]
async fn a_closed_store_is_unavailable_and_leaves_one_file() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    database.close().await;
    let read = database.store.record(&records.organization.key(), Deleted::Excluded).await;
    assert!(read.unwrap_err().is_unavailable());
    let CommitError::Failed(error) = database.store.commit(insert([organization(9)])).await.unwrap_err()
    else {
        panic!("a closed store cannot refuse");
    };
    assert!(error.is_unavailable());
    assert!(!database.path().with_extension("db-wal").exists(), "the journal was folded into the database");
}
