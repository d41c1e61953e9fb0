//! PostgreSQL: JSON that callers send is carried forward from earlier versions.

use signup_core::LocationData;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};

use crate::records::Engine::Postgres;
use crate::records::{Database, at};

/// jsonb gives the largest double back as 309 digits.
#[tokio::test]
async fn location_data_that_an_earlier_version_stored_on_postgres_is_read_exactly() {
    let Some((database, records)) = Database::first_version(Postgres).await else { return };
    let text = r#"{"a":[1.7976931348623157e308,-1.7976931348623157e308,5e-324,2.2250738585072014e-308,0.1]}"#;
    database.run(&format!("UPDATE events SET location_data = '{text}'")).await.unwrap();
    let store = database.open().await.unwrap();
    let full = store.event_in_full(records.event.organization, records.event.id).await.unwrap().unwrap();
    let expected = LocationData::new(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(full.location_data, Some(expected));
}

/// A rolling upgrade: a server of the version before keeps its sessions, with the functions that they have compiled, and
/// writes jsonb.
#[tokio::test]
async fn a_session_of_the_version_before_goes_on_after_the_json_migration() {
    let Some((database, records)) = Database::version(Postgres, 4).await else { return };
    let mut old = PgConnection::connect(database.path().to_str().unwrap()).await.unwrap();
    let key = &records.receipt.key;
    let receipt = format!(
        "SELECT CAST(outcome AS TEXT) FROM locked_receipts('{}', '{}', '{}', '{}')",
        key.organization,
        key.token,
        key.operation,
        key.key.as_str(),
    );
    let outcome = async |old: &mut PgConnection| {
        let rows = old.fetch_all(sqlx::query(sqlx::AssertSqlSafe(receipt.clone()))).await.unwrap();
        rows.iter().map(|row| row.get::<String, _>(0)).collect::<Vec<_>>()
    };
    assert_eq!(outcome(&mut old).await.len(), 1);
    let store = database.open().await.unwrap();
    assert_eq!(outcome(&mut old).await.len(), 1);
    let writes = [
        r#"UPDATE events SET location_data = CAST('{"a": 1}' AS jsonb)"#,
        "UPDATE receipts SET outcome = CAST(outcome AS jsonb)",
    ];
    for write in writes {
        old.execute(write).await.unwrap();
    }
    assert!(store.receipt(key, at(0)).await.unwrap().is_some());
    let full = store.event_in_full(records.event.organization, records.event.id).await.unwrap().unwrap();
    assert_eq!(full.location_data.map(|data| data.to_json()), Some(r#"{"a":1}"#.to_owned()));
}
