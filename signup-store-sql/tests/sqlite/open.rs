//! Opening: what is kept, what is carried forward, what is refused.

use signup_core::{EventQuery, Store};
use signup_store_sql::{OpenError, SqliteStore};

use crate::records::{Database, event, organization, stranger, writes};

#[tokio::test]
async fn everything_is_there_after_opening_again() {
    let (database, records) = Database::filled().await;
    records.assert_stored(&database.store).await;
    let database = database.reopened().await;
    records.assert_stored(&database.store).await;
}

#[tokio::test]
async fn a_database_from_a_newer_version_is_refused_and_says_so() {
    let (database, records) = Database::filled().await;
    database.store.close().await;
    let migrated = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, x'00', 0)";
    let mut stranger = database.stranger().await;
    sqlx::query(migrated).execute(&mut stranger).await.unwrap();
    let error = SqliteStore::open(&database.path()).await.unwrap_err();
    assert!(matches!(error, OpenError::Newer { version: 9999, .. }), "{error:?}");
    assert!(error.to_string().contains("newer version"), "{error}");
    // Nothing was changed: the version that wrote it goes on with it.
    sqlx::query("DELETE FROM _sqlx_migrations WHERE version = 9999").execute(&mut stranger).await.unwrap();
    records.assert_stored(&SqliteStore::open(&database.path()).await.unwrap()).await;
}

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
async fn a_folder_that_is_not_there_is_an_error_that_names_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let error = SqliteStore::open(&folder.path().join("nowhere/signup.db")).await.unwrap_err();
    assert!(error.to_string().contains("nowhere/signup.db"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_may_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let openings: Vec<_> = (0..8_u32)
        .map(|number| {
            let path = path.clone();
            tokio::spawn(async move {
                let store = SqliteStore::open(&path).await.unwrap();
                let insert = signup_core::Write::InsertOrganization(organization(number));
                store.commit(writes([insert])).await.unwrap();
                store.close().await;
            })
        })
        .collect();
    for opening in openings {
        opening.await.unwrap();
    }
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(store.organizations(None, 10).await.unwrap().len(), 8);
}

#[tokio::test]
async fn sort_keys_are_derived_anew_when_the_zone_data_is_another() {
    let (database, records) = Database::filled().await;
    let other = event(11, "2027-03-15");
    let insert = signup_core::Write::InsertEvent(Box::new(other.clone()));
    database.store.commit(writes([insert])).await.unwrap();
    let mut stranger = stranger(&database.path()).await;
    let tamper = "UPDATE events SET starts_at = 0, ends_at = 1 WHERE id = $1";
    sqlx::query(tamper).bind(other.id.uuid()).execute(&mut stranger).await.unwrap();

    // By the recorded release, all is as it should be: nothing is derived.
    let database = database.reopened().await;
    assert_eq!(keys(&mut stranger, &other).await, (0, 1));
    sqlx::query("UPDATE meta SET value = '1999z' WHERE name = 'zone_data'")
        .execute(&mut stranger)
        .await
        .unwrap();
    let database = database.reopened().await;
    let dates = &other.dates;
    assert_eq!(
        keys(&mut stranger, &other).await,
        (dates.starts_at().as_second(), dates.ends_at().as_second())
    );
    let recorded = sqlx::query_scalar::<_, String>("SELECT value FROM meta WHERE name = 'zone_data'");
    let recorded = recorded.fetch_one(&mut stranger).await.unwrap();
    assert_eq!(recorded, signup_core::hours::zone_data_version());
    let query = EventQuery { is_published: None, position: None, limit: 10 };
    let page = database.store.events(records.organization.id, &query).await.unwrap();
    assert_eq!(page.events, [other, records.event]);
}

async fn keys(stranger: &mut sqlx::SqliteConnection, event: &signup_core::Event) -> (i64, i64) {
    let keys = sqlx::query_as("SELECT starts_at, ends_at FROM events WHERE id = $1");
    keys.bind(event.id.uuid()).fetch_one(stranger).await.unwrap()
}

#[tokio::test]
async fn a_closed_store_is_unavailable_and_leaves_one_file() {
    let (database, records) = Database::filled().await;
    database.store.close().await;
    let read = database.store.organization(records.organization.id).await;
    assert!(read.unwrap_err().is_unavailable());
    let signup_core::CommitError::Failed(error) = database.store.commit(writes([])).await.unwrap_err() else {
        panic!("a closed store cannot refuse");
    };
    assert!(error.is_unavailable());
    assert!(!database.path().with_extension("db-wal").exists(), "the journal was folded into the database");
}
