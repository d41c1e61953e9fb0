//! The schema refuses by itself what the library would never write.

use sqlx::error::DatabaseError;
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::records::Database;

/// Runs a statement that has to break a constraint.
async fn assert_refused(stranger: &mut SqliteConnection, sql: &str) {
    let error = sqlx::query(AssertSqlSafe(sql.to_owned())).execute(stranger).await;
    let error = error.map(|done| panic!("{sql} changed {} rows", done.rows_affected())).unwrap_err();
    let code = error.as_database_error().and_then(DatabaseError::code).unwrap_or_default().into_owned();
    // https://sqlite.org/rescode.html#constraint
    assert_eq!(code.parse::<u32>().unwrap() & 0xff, 19, "{sql}: {error}");
}

#[tokio::test]
async fn values_out_of_range_are_refused() {
    let (database, _) = Database::filled().await;
    let mut stranger = database.stranger().await;
    let long = |length| "x".repeat(length);
    let assignments = [
        ("organizations", format!("name = '{}'", long(256))),
        ("organizations", "plan = 'gold'".to_owned()),
        ("tokens", "digest = x'00'".to_owned()),
        ("tokens", "expires_at = created_at".to_owned()),
        ("tokens", "expires_at = created_at + 366 * 86400".to_owned()),
        ("tokens", "scopes = ''".to_owned()),
        ("events", "title = ''".to_owned()),
        ("events", format!("title = '{}'", long(256))),
        ("events", format!("description = '{}'", long(65_536))),
        ("events", format!("location = '{}'", long(2_049))),
        ("events", format!("badge_label = '{}'", long(256))),
        ("events", "theme = 'plaid'".to_owned()),
        ("events", "is_virtual = 2".to_owned()),
        ("events", "is_published = NULL".to_owned()),
        ("events", "is_published = 'yes'".to_owned()),
        ("events", "latitude = 90.5".to_owned()),
        ("events", "longitude = -181".to_owned()),
        ("events", "location_data = '[]'".to_owned()),
        ("events", format!("location_data = '{{\"a\":\"{}\"}}'", long(16_384))),
        ("events", "start_date = '2027-3-14'".to_owned()),
        ("events", "end_date = '2027-03-13'".to_owned()),
        ("events", "ends_at = starts_at - 1".to_owned()),
        ("shifts", format!("title = '{}'", long(256))),
        ("shifts", format!("location = '{}'", long(256))),
        ("shifts", "capacity = 0".to_owned()),
        ("shifts", "capacity = 1000001".to_owned()),
        ("shifts", "filled = -1".to_owned()),
        ("shifts", "end_minute = start_minute".to_owned()),
        ("shifts", "end_minute = 1441".to_owned()),
        ("shifts", "version = 0".to_owned()),
        ("questions", "kind = 'number'".to_owned()),
        ("questions", "options = '{}'".to_owned()),
        ("questions", "required = 2".to_owned()),
        ("signups", "status = 'perhaps'".to_owned()),
        ("signups", "status = 'cancelled'".to_owned()),
        ("signups", "cancelled_at = 1".to_owned()),
        ("signups", format!("email = '{}'", long(255))),
        ("signups", "answers = '1'".to_owned()),
        ("receipts", format!("idempotency_key = '{}'", long(256))),
        ("receipts", "outcome = '{'".to_owned()),
        ("notices", "cause = 'so'".to_owned()),
    ];
    for (table, assignment) in assignments {
        assert_refused(&mut stranger, &format!("UPDATE {table} SET {assignment}")).await;
    }
}

#[tokio::test]
async fn what_has_to_be_unique_is() {
    let (database, _) = Database::filled().await;
    let mut stranger = database.stranger().await;
    for (table, id, columns) in [
        ("organizations", "id", "name, slug, plan, created_at"),
        ("tokens", "id", "organization_id, name, digest, scopes, created_at, expires_at"),
        (
            "events",
            "id",
            "organization_id, title, slug, is_virtual, start_date, timezone, is_published, created_at, updated_at, \
             starts_at, ends_at",
        ),
    ] {
        let copy =
            format!("INSERT INTO {table} ({id}, {columns}) SELECT randomblob(16), {columns} FROM {table}");
        assert_refused(&mut stranger, &copy).await;
    }
    let receipt = "organization_id, token_id, operation, idempotency_key, outcome, expires_at";
    assert_refused(
        &mut stranger,
        &format!("INSERT INTO receipts ({receipt}) SELECT {receipt} FROM receipts"),
    )
    .await;
}

const SIGNUP: &str = "INSERT INTO signups (organization_id, id, event_id, shift_id, name, email, email_key, answers, \
     status, secret, created_at, cancelled_at) SELECT organization_id, randomblob(16), event_id, shift_id, name, email, \
     email_key, answers";

#[tokio::test]
async fn an_address_holds_one_confirmed_place_on_a_shift() {
    let (database, _) = Database::filled().await;
    let mut stranger = database.stranger().await;
    let confirmed = format!("{SIGNUP}, 'confirmed', randomblob(32), created_at, NULL FROM signups");
    let cancelled = format!("{SIGNUP}, 'cancelled', randomblob(32), created_at, 1 FROM signups");
    let same_secret = format!("{SIGNUP}, 'cancelled', secret, created_at, 1 FROM signups");
    assert_refused(&mut stranger, &confirmed).await;
    assert_refused(&mut stranger, &same_secret).await;
    sqlx::query(AssertSqlSafe(cancelled)).execute(&mut stranger).await.unwrap();
    sqlx::query("UPDATE signups SET status = 'cancelled', cancelled_at = 1")
        .execute(&mut stranger)
        .await
        .unwrap();
    let again = format!("{confirmed} LIMIT 1");
    sqlx::query(AssertSqlSafe(again)).execute(&mut stranger).await.unwrap();
}

#[tokio::test]
async fn a_record_belongs_to_what_is_there_and_to_the_same_organization() {
    let (database, _) = Database::filled().await;
    let mut stranger = database.stranger().await;
    for sql in [
        "UPDATE tokens SET organization_id = randomblob(16)",
        "UPDATE shifts SET event_id = randomblob(16)",
        "UPDATE shifts SET organization_id = randomblob(16)",
        "UPDATE questions SET event_id = randomblob(16)",
        "UPDATE signups SET shift_id = randomblob(16)",
        "UPDATE notices SET shift_id = randomblob(16)",
        "DELETE FROM organizations",
        "DELETE FROM events",
    ] {
        assert_refused(&mut stranger, sql).await;
    }
}
