//! Opening: what is kept, what is carried forward, what is refused.

use rstest::rstest;
use signup_core::{CancelledBy, EventQuery, Signup, SignupScope, Write};
use signup_store_sql::OpenError;

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine, at, event, organization, writes};

#[rstest]
#[tokio::test]
async fn everything_is_there_after_opening_again(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    records.assert_stored(&*database.store).await;
    let database = database.reopened().await;
    records.assert_stored(&*database.store).await;
}

#[rstest]
#[tokio::test]
async fn a_database_from_a_newer_version_is_refused_and_says_so(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    database.close().await;
    let migrated = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         SELECT 9999, 'from the future', TRUE, checksum, 0 FROM _sqlx_migrations LIMIT 1";
    database.run(migrated).await.unwrap();
    let error = database.open().await.unwrap_err();
    assert!(matches!(error, OpenError::Newer { version: 9999, .. }), "{error:?}");
    assert!(error.to_string().contains("newer version"), "{error}");
    // Nothing was changed: the version that wrote it goes on with it.
    database.run("DELETE FROM _sqlx_migrations WHERE version = 9999").await.unwrap();
    records.assert_stored(&*database.open().await.unwrap()).await;
}

/// The tables of the first version, with a sign-up and what it queued, are carried forward: the mail is due, and is about
/// that sign-up.
#[rstest]
#[tokio::test]
async fn what_the_first_version_has_stored_is_carried_forward(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::first_version(engine).await else { return };
    let store = database.open().await.unwrap();
    let signup = store.signup(records.organization.id, records.signup.id).await.unwrap().unwrap();
    assert_eq!((signup.email.as_str(), signup.mailed_at), ("Ada@example.org", signup.created_at));
    assert_eq!(signup.shift_version, 0, "of any change they are told");
    let due = store.due_notices(signup.created_at, at(99), 9).await.unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].version, due[0].attempts, &due[0].failure), (1, 0, &None));
    assert_eq!(due[0].cause.signup(), Some(signup.id));
    let receipt = store.receipt(&records.receipt.key, at(0)).await.unwrap();
    assert_eq!(receipt, Some(records.receipt), "a key is answered as before");
    let Signup { organization, event, shift, id: signup, .. } = signup;
    let erase = Write::EraseSignup { organization, event, shift, signup };
    store.commit(writes([erase])).await.unwrap();
    assert_eq!(store.notice(due[0].id).await.unwrap(), None, "the notice is known to be about the sign-up");
}

/// Events had no version, and only volunteers cancelled sign-ups.
#[rstest]
#[tokio::test]
async fn a_database_without_versions_and_causes_is_carried_forward(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let before = if engine == Sqlite { 4 } else { 6 };
    let Some((database, records)) = Database::version(engine, before).await else { return };
    database.run("UPDATE signups SET status = 'cancelled', cancelled_at = 5").await.unwrap();
    let store = database.open().await.unwrap();
    let organization = records.organization.id;
    let event = store.event(organization, records.event.id).await.unwrap().unwrap();
    assert_eq!((event.version, event.cancelled_at, event.cancellation_reason), (1, None, None));
    assert_eq!(store.deleted_events(organization, None, 9).await.unwrap(), []);
    assert_eq!(
        store.shifts(organization, records.event.id).await.unwrap().map(|shifts| shifts.len()),
        Some(1)
    );
    let signup = store.signup(organization, records.signup.id).await.unwrap().unwrap();
    assert_eq!(signup.cancelled_by, Some(CancelledBy::Volunteer));
    for (by, expected) in [(CancelledBy::Volunteer, vec![signup]), (CancelledBy::Operator, vec![])] {
        let scope = SignupScope::Event(records.event.id);
        let found = store.signups_cancelled_by(organization, scope, by, None, 9).await.unwrap();
        assert_eq!(found, expected);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn many_may_open_a_new_database_at_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(empty) = Database::without_tables(engine).await else { return };
    let empty = std::sync::Arc::new(empty);
    let openings: Vec<_> = (0..8_u32)
        .map(|number| {
            let empty = std::sync::Arc::clone(&empty);
            tokio::spawn(async move {
                let store = empty.open().await.unwrap();
                let insert = Write::InsertOrganization(organization(number));
                store.commit(writes([insert])).await.unwrap();
            })
        })
        .collect();
    for opening in openings {
        opening.await.unwrap();
    }
    assert_eq!(empty.open().await.unwrap().organizations(None, 10).await.unwrap().len(), 8);
}

#[rstest]
#[tokio::test]
async fn a_serving_process_alone_derives_sort_keys_again_under_other_zone_data(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    let other = event(11, "2027-03-15");
    let insert = Write::InsertEvent { event: Box::new(other.clone()), location_data: None };
    database.store.commit(writes([insert])).await.unwrap();
    let (starts_at, ends_at) = (other.dates.starts_at().as_second(), other.dates.ends_at().as_second());
    let derived =
        format!("UPDATE events SET title = title WHERE starts_at = {starts_at} AND ends_at = {ends_at}");
    assert_eq!(database.run(&derived).await.unwrap(), 1);
    let tampered = format!("UPDATE events SET starts_at = 0, ends_at = 1 WHERE starts_at = {starts_at}");
    assert_eq!(database.run(&tampered).await.unwrap(), 1);

    // By the recorded release, all is as it should be: nothing is derived.
    let database = database.reopened().await;
    assert_eq!(database.run(&derived).await.unwrap(), 0);
    database.run("UPDATE meta SET value = '1999z' WHERE name = 'zone_data'").await.unwrap();
    // A management command may be of another version than the servers: it leaves the starts alone.
    drop(database.open_for_management().await);
    assert_eq!(database.run(&derived).await.unwrap(), 0);
    let database = database.reopened().await;
    assert_eq!(database.run(&derived).await.unwrap(), 1);
    let release = signup_core::zone::zone_data_version();
    let recorded = format!("UPDATE meta SET value = value WHERE name = 'zone_data' AND value = '{release}'");
    assert_eq!(database.run(&recorded).await.unwrap(), 1);
    let query = EventQuery::new().limit(10);
    let page = database.store.events(records.organization.id, &query).await.unwrap();
    assert_eq!(page.events, [other, records.event]);
}
