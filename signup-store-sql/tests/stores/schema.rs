//! The schema refuses by itself what the library would never write.

use rstest::rstest;
use sqlx::error::DatabaseError;

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine};

/// The codes of a broken constraint on SQLite (<https://sqlite.org/rescode.html>) and on PostgreSQL
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
const CHECK: &[&str] = &["275", "23514"];
const UNIQUE: &[&str] = &["1555", "2067", "23505"];
const FOREIGN_KEY: &[&str] = &["787", "23503"];

/// Runs a statement that has to break a constraint.
async fn assert_refused(database: &Database, engine: Engine, sql: &str, codes: &[&str]) {
    let sql = match engine {
        Sqlite => sql.replace("new_id()", "randomblob(16)").replace("new_digest()", "randomblob(32)"),
        Postgres => sql
            .replace("new_id()", "gen_random_uuid()")
            .replace("new_digest()", "sha256(gen_random_uuid()::text::bytea)"),
    };
    let error = database.run(&sql).await.map(|rows| panic!("{sql} changed {rows} rows")).unwrap_err();
    let code = error.as_database_error().and_then(DatabaseError::code).unwrap_or_default();
    assert!(codes.contains(&&*code), "{sql}: {error}");
}

#[rstest]
#[tokio::test]
async fn what_an_index_or_a_total_relies_on_is_checked(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    for (table, assignment) in [
        ("shifts", "filled = -1"),
        ("shifts", "waitlisted = -1"),
        ("signups", "status = 'perhaps'"),
        ("signups", "cancelled_at = 1"),
        ("deliveries", "due_at = NULL"),
    ] {
        assert_refused(&database, engine, &format!("UPDATE {table} SET {assignment}"), CHECK).await;
    }
}

#[rstest]
#[tokio::test]
async fn what_has_to_be_unique_is(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    for (table, id, columns) in [
        ("organizations", "id", "name, slug, plan, version, gate, created_at"),
        (
            "tokens",
            "id",
            "organization_id, name, digest, scopes, version, created_at, created_by, expires_at",
        ),
        (
            "events",
            "id",
            "organization_id, title, slug, is_virtual, start_date, timezone, language, is_published, reminders_enabled, version, gate, \
             created_at, updated_at, starts_at, ends_at",
        ),
        ("people", "id", "email, email_key, name, generation, version, created_at"),
    ] {
        let copy = format!("INSERT INTO {table} ({id}, {columns}) SELECT new_id(), {columns} FROM {table}");
        assert_refused(&database, engine, &copy, UNIQUE).await;
    }
    let link = "INSERT INTO links (organization_id, event_id, email_key, digest, expires_at) \
         SELECT organization_id, event_id, 'bob@example.org', digest, expires_at FROM links";
    assert_refused(&database, engine, link, UNIQUE).await;
    for (table, columns) in [
        ("receipts", "organization_id, caller_id, operation, idempotency_key, outcome, expires_at"),
        ("memberships", "organization_id, person_id, role, version, created_at"),
        ("sign_in_codes", "browser, email, digest, tries, version, expires_at"),
        ("sign_ins", "digest, person_id, generation, version, created_at, used_at, expires_at"),
    ] {
        let copy = format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}");
        assert_refused(&database, engine, &copy, UNIQUE).await;
    }
    // Each copy repeats one unique value. The first copy has the same address and another link. The second one, for a first owner,
    // has the same link and no address.
    for invited in ["email, email_key, name, new_digest()", "NULL, NULL, NULL, digest"] {
        let invitation = format!(
            "INSERT INTO invitations (organization_id, id, role, version, created_at, expires_at, email, email_key, name, digest) \
             SELECT organization_id, new_id(), role, version, created_at, expires_at, {invited} FROM invitations"
        );
        assert_refused(&database, engine, &invitation, UNIQUE).await;
    }
}

#[rstest]
#[tokio::test]
async fn a_record_belongs_to_what_is_there_and_to_the_same_organization(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    for sql in [
        "UPDATE tokens SET organization_id = new_id()",
        "UPDATE location_data SET event_id = new_id()",
        "UPDATE shifts SET event_id = new_id()",
        "UPDATE shifts SET organization_id = new_id()",
        "UPDATE questions SET event_id = new_id()",
        "UPDATE signups SET shift_id = new_id()",
        "UPDATE links SET organization_id = new_id()",
        "UPDATE notices SET event_id = new_id()",
        "UPDATE webhooks SET organization_id = new_id()",
        "UPDATE deliveries SET webhook_id = new_id()",
        "UPDATE deliveries SET organization_id = new_id()",
        "UPDATE memberships SET organization_id = new_id()",
        "UPDATE invitations SET organization_id = new_id()",
        "UPDATE sign_ins SET person_id = new_id()",
        "UPDATE messages SET event_id = new_id()",
        "UPDATE messages SET organization_id = new_id()",
    ] {
        assert_refused(&database, engine, sql, FOREIGN_KEY).await;
    }
}
