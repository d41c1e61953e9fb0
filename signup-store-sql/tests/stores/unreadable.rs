//! Stored values that cannot be read: what fails, and what the error names.

use rstest::rstest;
use signup_core::conformance::records as conformance;
use signup_core::{Deleted, Entity as _, Event, EventQuery, NoticeQuery, Record};

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine, ORGANIZATION, insert};

const EVERY_EVENT: EventQuery = EventQuery::new();

/// Unreadable location data fails only the read that needs it.
#[rstest]
#[tokio::test]
async fn lists_do_not_read_location_data(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    database.run(r#"UPDATE location_data SET data = '{"a": 1e999}'"#).await.unwrap();
    let (organization, id) = (records.event.organization, records.event.id);
    let page = database.store.events(organization, &EVERY_EVENT).await.unwrap();
    assert_eq!(page.items.len(), 1);
    assert!(database.store.get::<Event>(records.event.key()).await.unwrap().is_some());
    assert!(database.store.shifts(organization, id).await.unwrap().is_some());
    let error =
        database.store.event_in_full(&signup_core::RecordKey::Event(organization, id)).await.unwrap_err();
    assert!(error.to_string().contains(&format!("location_data.data of {id}")), "{error}");
}

#[rstest]
#[tokio::test]
async fn a_value_that_cannot_be_read_is_named_by_table_column_and_id(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    database.run("UPDATE events SET timezone = 'Nowhere/Land'").await.unwrap();
    let (organization, id) = (records.event.organization, records.event.id);
    let error = database.store.record(&records.event.key(), Deleted::Excluded).await.unwrap_err();
    assert!(error.is_corrupt());
    assert!(error.to_string().contains(&format!("events.timezone of {id}")), "{error}");
    let error = database.store.shifts(organization, id).await.unwrap_err();
    assert!(error.is_corrupt());
}

/// A record with such a row would have lost a part of its state without an error.
#[rstest]
#[case(
    "deliveries",
    "ended_at",
    "UPDATE deliveries SET status = 'delivered', due_at = NULL, leased_until = NULL"
)]
#[case("shifts", "closed_by", "UPDATE shifts SET closed_at = 1")]
#[case("notices", "failed_at", "UPDATE notices SET failed_at = 1, reason = NULL")]
#[case("webhooks", "former_until", "UPDATE webhooks SET former_secret = secret, former_until = NULL")]
#[case("invitations", "name", "UPDATE invitations SET name = NULL")]
#[case(
    "signups",
    "cancelled_by",
    "UPDATE signups SET cancelled_by = NULL, status = 'cancelled', cancelled_at = 1"
)]
#[tokio::test]
async fn a_row_that_has_one_of_two_values_is_unreadable(
    #[values(Sqlite, Postgres)] engine: Engine,
    #[case] table: &str,
    #[case] column: &str,
    #[case] damage: &str,
) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    assert!(database.run(damage).await.unwrap() > 0);
    let key = match table {
        "deliveries" => records.delivery.key(),
        "shifts" => records.shifts[0].key(),
        "notices" => records.notice.key(),
        "webhooks" => records.webhook.key(),
        "invitations" => records.invitation.key(),
        _ => records.signup.key(),
    };
    let error = database.store.record(&key, Deleted::Excluded).await.unwrap_err();
    assert!(error.is_corrupt(), "{error:?}");
    assert!(error.to_string().contains(&format!("{table}.{column} of ")), "{error}");
}

/// A delivery that cannot be read delays no other webhook.
#[rstest]
#[tokio::test]
async fn a_delivery_that_cannot_be_read_is_left_out_of_the_due_ones(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    let other = conformance::webhook(ORGANIZATION, 70);
    let due = conformance::delivery(&other, 71);
    database.store.commit(insert::<Record>([other.into(), due.clone().into()])).await.unwrap();
    let damage = "UPDATE deliveries SET activity = '{}' WHERE webhook_id <> (SELECT id FROM webhooks ORDER BY id DESC LIMIT 1)";
    assert_eq!(database.run(damage).await.unwrap(), 1);
    let now = due.created_at;
    assert_eq!(database.store.due_deliveries(now, 9).await.unwrap(), [due]);
    let error = database.store.record(&records.delivery.key(), Deleted::Excluded).await.unwrap_err();
    assert!(
        error.to_string().contains(&format!("deliveries.activity of {}", records.delivery.id)),
        "{error}"
    );
}

/// More notices than a page of the queue are unreadable, one of them by a text that fails the whole statement on SQLite.
#[rstest]
#[tokio::test]
async fn a_notice_that_cannot_be_read_is_left_out_of_the_due_ones(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    let shift = &records.shifts[0];
    let damaged = (500..600).map(|number| Record::from(conformance::notice(shift, number)));
    database.store.commit(insert(damaged)).await.unwrap();
    database.run(r#"UPDATE notices SET cause = '{"kind": "rumour"}'"#).await.unwrap();
    if engine == Sqlite {
        let not_unicode = "UPDATE notices SET cause = CAST(x'7b226b696e64223a22ff227d' AS TEXT) WHERE id = (SELECT max(id) FROM notices)";
        assert_eq!(database.run(not_unicode).await.unwrap(), 1);
    }
    let due = conformance::notice(shift, 600);
    database.store.commit(insert::<Record>([due.clone().into()])).await.unwrap();
    let due_at = due.due_at.unwrap();
    let query = NoticeQuery::Due { now: due_at, latest: due_at };
    assert_eq!(database.store.notices(query, 9).await.unwrap(), [due]);
}
