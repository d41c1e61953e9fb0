//! Opening: what is kept, what is migrated, what is refused.

use rstest::rstest;
use signup_core::EventQuery;
use signup_store_sql::OpenError;

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Address, Database, Engine, event, insert, migrations_folder, organization};

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

/// Every version before 1.0.0 has another first migration. Some have further ones.
#[rstest]
#[tokio::test]
async fn a_database_from_an_unreleased_version_is_refused_and_stays_as_it_is(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[values(0, 2)] further_migrations: u32,
) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    database.close().await;
    database
        .run("UPDATE _sqlx_migrations SET description = 'initial', checksum = digest FROM links")
        .await
        .unwrap();
    for version in 2..2 + further_migrations {
        let migrated = format!(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             SELECT {version}, 'later', TRUE, checksum, 0 FROM _sqlx_migrations WHERE version = 1"
        );
        database.run(&migrated).await.unwrap();
    }
    // No migration of this version may create a table again.
    database.run("DROP TABLE notices").await.unwrap();
    let before = contents(&database, engine).await;
    for opened in [database.open().await, database.open_for_management().await] {
        let error = opened.unwrap_err();
        assert!(matches!(error, OpenError::Unreleased { .. }), "{error:?}");
        assert!(error.to_string().contains("before 1.0.0"), "{error}");
    }
    assert_eq!(contents(&database, engine).await, before);
}

/// Returns the tables, the migrations and the sign-ups of a database.
async fn contents(database: &Database, engine: Engine) -> Vec<String> {
    let tables = match engine {
        Sqlite => "SELECT name || ' ' || sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name",
        Postgres => {
            "SELECT CAST(relname AS text) FROM pg_class WHERE relnamespace = CAST('public' AS regnamespace) \
             ORDER BY relname"
        }
    };
    let migrations = "SELECT version || ' ' || description FROM _sqlx_migrations ORDER BY version";
    let mut contents = vec![];
    for query in [tables, migrations, "SELECT email FROM signups"] {
        contents.extend(database.texts(query).await);
    }
    contents
}

#[rstest]
#[tokio::test]
async fn a_new_database_has_the_migration_of_every_file(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(database) = Database::new(engine).await else { return };
    let mut files: Vec<_> = std::fs::read_dir(migrations_folder(engine))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let names = match engine {
        Sqlite => "printf('%04d_%s.sql', version, replace(description, ' ', '_'))",
        Postgres => "to_char(version, 'FM0000') || '_' || replace(description, ' ', '_') || '.sql'",
    };
    let migrated = database.texts(&format!("SELECT {names} FROM _sqlx_migrations ORDER BY version")).await;
    assert_eq!(migrated, files);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn many_may_open_a_new_database_at_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(empty) = Address::without_tables(engine) else { return };
    let empty = std::sync::Arc::new(empty);
    let openings: Vec<_> = (0..8_u32)
        .map(|number| {
            let empty = std::sync::Arc::clone(&empty);
            tokio::spawn(async move {
                let store = empty.open().await.unwrap();
                store.commit(insert([organization(number)])).await.unwrap();
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
    database.store.commit(insert([other.clone()])).await.unwrap();
    let (starts_at, ends_at) = (other.dates.starts_at().as_second(), other.dates.ends_at().as_second());
    let derived =
        format!("UPDATE events SET title = title WHERE starts_at = {starts_at} AND ends_at = {ends_at}");
    assert_eq!(database.run(&derived).await.unwrap(), 1);
    let tampered = format!("UPDATE events SET starts_at = 0, ends_at = 1 WHERE starts_at = {starts_at}");
    assert_eq!(database.run(&tampered).await.unwrap(), 1);
    let ends: i64 = records.shifts.iter().map(|shift| shift.ends_at.as_second()).sum();
    let derived_ends =
        format!("UPDATE meta SET value = value WHERE {ends} = (SELECT SUM(ends_at) FROM shifts)");
    assert_ne!(database.run(&derived_ends).await.unwrap(), 0);
    assert_ne!(database.run("UPDATE shifts SET ends_at = 1").await.unwrap(), 0);

    // By the recorded release, all is as it should be: nothing is derived.
    let database = database.reopened().await;
    assert_eq!(database.run(&derived).await.unwrap(), 0);
    database.run("UPDATE meta SET value = '1999z' WHERE name = 'zone_data'").await.unwrap();
    // A management command may be of another version than the servers: it leaves the starts alone.
    drop(database.open_for_management().await.unwrap());
    assert_eq!(database.run(&derived).await.unwrap(), 0);
    assert_eq!(database.run(&derived_ends).await.unwrap(), 0);
    let database = database.reopened().await;
    assert_eq!(database.run(&derived).await.unwrap(), 1);
    assert_ne!(database.run(&derived_ends).await.unwrap(), 0, "the ends of the shifts are derived, too");
    let release = signup_core::zone_data_version();
    let recorded = format!("UPDATE meta SET value = value WHERE name = 'zone_data' AND value = '{release}'");
    assert_eq!(database.run(&recorded).await.unwrap(), 1);
    let query = EventQuery::new().limit(10);
    let page = database.store.events(records.organization.id, &query).await.unwrap();
    assert_eq!(page.items, [other, records.event]);
}
