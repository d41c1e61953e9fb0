//! The schema refuses by itself what the library would never write.

use rstest::rstest;
use sqlx::error::DatabaseError;

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine};

/// Runs a statement that has to break a constraint.
async fn assert_refused(database: &Database, engine: Engine, sql: &str) {
    let sql = match engine {
        Sqlite => sql.replace("new_id()", "randomblob(16)").replace("new_digest()", "randomblob(32)"),
        Postgres => sql
            .replace("new_id()", "gen_random_uuid()")
            .replace("new_digest()", "sha256(gen_random_uuid()::text::bytea)")
            .replace("x'00'", "'\\x00'::bytea"),
    };
    let error = database.run(&sql).await.map(|rows| panic!("{sql} changed {rows} rows")).unwrap_err();
    let code = error.as_database_error().and_then(DatabaseError::code).unwrap_or_default().into_owned();
    let is_constraint = match engine {
        // https://sqlite.org/rescode.html#constraint
        Sqlite => code.parse::<u32>().unwrap() & 0xff == 19,
        // https://www.postgresql.org/docs/current/errcodes-appendix.html: integrity constraint violation, data exception,
        // and what is of another type
        Postgres => code.starts_with("23") || code.starts_with("22") || code == "42804",
    };
    assert!(is_constraint, "{sql}: {error}");
}

#[rstest]
#[tokio::test]
async fn values_out_of_range_are_refused(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    let long = |length| "x".repeat(length);
    let assignments = [
        ("organizations", format!("name = '{}'", long(256))),
        ("organizations", "plan = 'gold'".to_owned()),
        ("organizations", "version = 0".to_owned()),
        ("organizations", "gate = 0".to_owned()),
        ("tokens", "digest = x'00'".to_owned()),
        ("tokens", "expires_at = created_at".to_owned()),
        ("tokens", "expires_at = created_at + 366 * 86400".to_owned()),
        ("tokens", "scopes = ''".to_owned()),
        ("tokens", "version = 0".to_owned()),
        ("events", "title = ''".to_owned()),
        ("events", format!("title = '{}'", long(256))),
        ("events", "slug = ''".to_owned()),
        ("events", format!("slug = '{}'", long(256))),
        ("events", "description = ''".to_owned()),
        ("events", format!("description = '{}'", long(65_536))),
        ("events", "location = ''".to_owned()),
        ("events", format!("location = '{}'", long(2_049))),
        ("events", "badge_label = ''".to_owned()),
        ("events", format!("badge_label = '{}'", long(256))),
        ("events", "timezone = ''".to_owned()),
        ("events", "theme = 'plaid'".to_owned()),
        ("events", "is_virtual = 2".to_owned()),
        ("events", "is_published = NULL".to_owned()),
        ("events", "is_published = 'perhaps'".to_owned()),
        ("events", "latitude = 90.5".to_owned()),
        ("events", "latitude = -90.5".to_owned()),
        ("events", "longitude = 181".to_owned()),
        ("events", "longitude = -181".to_owned()),
        ("events", "gate = 0".to_owned()),
        ("location_data", "data = '[]'".to_owned()),
        ("events", "end_date = '2027-03-13'".to_owned()),
        ("events", "ends_at = starts_at - 1".to_owned()),
        ("events", "version = 0".to_owned()),
        ("events", "cancellation_reason = ''".to_owned()),
        ("events", format!("cancellation_reason = '{}'", long(1_001))),
        ("shifts", format!("title = '{}'", long(256))),
        ("shifts", format!("description = '{}'", long(2_001))),
        ("shifts", format!("location = '{}'", long(256))),
        ("shifts", "capacity = -1".to_owned()),
        ("shifts", "capacity = 1000001".to_owned()),
        ("shifts", "minimum = 0".to_owned()),
        ("shifts", "filled = -1".to_owned()),
        ("shifts", "end_minute = start_minute".to_owned()),
        ("shifts", "end_minute = 1441".to_owned()),
        ("shifts", "ends_next_day = (1 = 1)".to_owned()),
        ("shifts", "day = 0".to_owned()),
        ("shifts", "version = 0".to_owned()),
        ("shifts", "gate = 0".to_owned()),
        ("shifts", "closed_at = 1".to_owned()),
        ("shifts", "closed_at = 1, closed_by = 'nobody'".to_owned()),
        ("questions", "kind = 'number'".to_owned()),
        ("questions", "options = '{}'".to_owned()),
        ("questions", "required = 2".to_owned()),
        ("questions", "version = 0".to_owned()),
        ("shifts", "gathering_due_at = 1".to_owned()),
        ("shifts", "gathering_first_at = 1, gathering_due_at = 1".to_owned()),
        ("signups", "status = 'perhaps'".to_owned()),
        ("signups", "status = 'cancelled', cancelled_by = 'volunteer'".to_owned()),
        ("signups", "status = 'cancelled', cancelled_at = 1".to_owned()),
        ("signups", "status = 'cancelled', cancelled_at = 1, cancelled_by = 'nobody'".to_owned()),
        ("signups", "cancelled_at = 1".to_owned()),
        ("signups", "cancelled_by = 'volunteer'".to_owned()),
        ("signups", "told = '1'".to_owned()),
        ("signups", "version = 0".to_owned()),
        ("signups", format!("email = '{}'", long(255))),
        ("signups", "answers = '1'".to_owned()),
        ("receipts", format!("idempotency_key = '{}'", long(256))),
        ("receipts", "outcome = '{'".to_owned()),
        ("notices", "cause = 'so'".to_owned()),
        ("notices", "signup_id = id, event_id = NULL, shift_id = NULL".to_owned()),
        ("webhooks", format!("url = '{}'", long(2_049))),
        ("webhooks", "description = ''".to_owned()),
        ("webhooks", format!("description = '{}'", long(256))),
        ("webhooks", "types = '{}'".to_owned()),
        ("webhooks", "former_secret = 'a'".to_owned()),
        ("webhooks", "former_until = 1".to_owned()),
        ("webhooks", "disabled_reason = 'gone'".to_owned()),
        ("webhooks", "disabled_at = 1, disabled_reason = 'tired'".to_owned()),
        ("webhooks", "version = 0".to_owned()),
        ("deliveries", "is_test = 2".to_owned()),
        ("deliveries", "status = 'perhaps'".to_owned()),
        ("deliveries", "status = 'delivered', ended_at = 1".to_owned()),
        ("deliveries", "status = 'failed', due_at = NULL".to_owned()),
        ("deliveries", "due_at = NULL".to_owned()),
        ("deliveries", "ended_at = 1".to_owned()),
        ("deliveries", "leased_until = due_at + 1".to_owned()),
        ("deliveries", "attempts = -1".to_owned()),
        ("deliveries", format!("last_error = '{}'", long(256))),
        ("deliveries", "version = 0".to_owned()),
        ("people", "email = 'a@'".to_owned()),
        ("people", format!("email = '{}'", long(255))),
        ("people", "email_key = NULL".to_owned()),
        ("people", "name = ''".to_owned()),
        ("people", format!("name = '{}'", long(256))),
        ("people", "generation = 0".to_owned()),
        ("people", "version = 0".to_owned()),
        ("memberships", "role = 'guest'".to_owned()),
        ("memberships", "version = 0".to_owned()),
        ("invitations", "email = 'a@'".to_owned()),
        ("invitations", format!("email = '{}'", long(255))),
        ("invitations", "email_key = NULL".to_owned()),
        ("invitations", "email = NULL, email_key = NULL".to_owned()),
        ("invitations", "name = NULL".to_owned()),
        ("invitations", "name = ''".to_owned()),
        ("invitations", format!("name = '{}'", long(256))),
        ("invitations", "role = 'guest'".to_owned()),
        ("invitations", "digest = x'00'".to_owned()),
        ("invitations", "version = 0".to_owned()),
        ("sign_in_codes", "browser = x'00'".to_owned()),
        ("sign_in_codes", "email = 'a@'".to_owned()),
        ("sign_in_codes", format!("email = '{}'", long(255))),
        ("sign_in_codes", "digest = x'00'".to_owned()),
        ("sign_in_codes", "tries = -1".to_owned()),
        ("sign_in_codes", "version = 0".to_owned()),
        ("sign_ins", "digest = x'00'".to_owned()),
        ("sign_ins", "generation = 0".to_owned()),
        ("sign_ins", "version = 0".to_owned()),
        ("messages", "subject = ''".to_owned()),
        ("messages", format!("subject = '{}'", long(151))),
        ("messages", "text = ''".to_owned()),
        ("messages", format!("text = '{}'", long(5_001))),
        ("messages", "sender_name = ''".to_owned()),
        ("messages", format!("sender_name = '{}'", long(256))),
    ];
    // What a type of PostgreSQL takes in another form, or keeps in another size.
    let of_sqlite = [
        ("location_data", format!("data = '{{\"a\":\"{}\"}}'", long(16_384))),
        ("events", "start_date = '2027-3-14'".to_owned()),
        ("deliveries", "activity = '[]'".to_owned()),
    ];
    let of_sqlite = of_sqlite.into_iter().filter(|_| engine == Sqlite);
    for (table, assignment) in assignments.into_iter().chain(of_sqlite) {
        assert_refused(&database, engine, &format!("UPDATE {table} SET {assignment}")).await;
    }
}

#[rstest]
#[tokio::test]
async fn what_has_to_be_unique_is(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    for (table, id, columns) in [
        ("organizations", "id", "name, slug, plan, version, gate, created_at"),
        ("tokens", "id", "organization_id, name, digest, scopes, version, created_at, expires_at"),
        (
            "events",
            "id",
            "organization_id, title, slug, is_virtual, start_date, timezone, is_published, version, gate, created_at, updated_at, \
             starts_at, ends_at",
        ),
        ("people", "id", "email, email_key, name, generation, version, created_at"),
    ] {
        let copy = format!("INSERT INTO {table} ({id}, {columns}) SELECT new_id(), {columns} FROM {table}");
        assert_refused(&database, engine, &copy).await;
    }
    let link = "INSERT INTO links (organization_id, event_id, shift_id, signup_id, digest) \
         SELECT organization_id, event_id, shift_id, new_id(), digest FROM links";
    assert_refused(&database, engine, link).await;
    for (table, columns) in [
        ("receipts", "organization_id, caller_id, operation, idempotency_key, outcome, expires_at"),
        ("memberships", "organization_id, person_id, role, version, created_at"),
        ("sign_in_codes", "browser, email, digest, tries, version, expires_at"),
        ("sign_ins", "digest, person_id, generation, version, created_at, used_at, expires_at"),
    ] {
        let copy = format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM {table}");
        assert_refused(&database, engine, &copy).await;
    }
    // Each copy repeats one unique value. The first copy has the same address and another link. The second one, for a first owner,
    // has the same link and no address.
    for invited in ["email, email_key, name, new_digest()", "NULL, NULL, NULL, digest"] {
        let invitation = format!(
            "INSERT INTO invitations (organization_id, id, role, version, created_at, expires_at, email, email_key, name, digest) \
             SELECT organization_id, new_id(), role, version, created_at, expires_at, {invited} FROM invitations"
        );
        assert_refused(&database, engine, &invitation).await;
    }
}

const SIGNUP: &str = "INSERT INTO signups (organization_id, id, event_id, shift_id, name, search_key, email, email_key, answers, \
     told, version, repeated_at, status, created_at, cancelled_at, cancelled_by) SELECT organization_id, new_id(), \
     event_id, shift_id, name, search_key, email, email_key, answers, told, version, repeated_at";

#[rstest]
#[tokio::test]
async fn an_address_holds_one_confirmed_place_on_a_shift(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    let confirmed = format!("{SIGNUP}, 'confirmed', created_at, NULL, NULL FROM signups");
    let cancelled = format!("{SIGNUP}, 'cancelled', created_at, 1, 'volunteer' FROM signups");
    assert_refused(&database, engine, &confirmed).await;
    let run = async |sql: String| {
        let sql = if engine == Sqlite {
            sql.replace("new_id()", "randomblob(16)")
        } else {
            sql.replace("new_id()", "gen_random_uuid()")
        };
        assert!(database.run(&sql).await.unwrap() > 0);
    };
    run(cancelled).await;
    run("UPDATE signups SET status = 'cancelled', cancelled_at = 1, cancelled_by = 'volunteer'".to_owned())
        .await;
    run(format!("{confirmed} LIMIT 1")).await;
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
        "UPDATE links SET shift_id = new_id()",
        "UPDATE notices SET shift_id = new_id()",
        "UPDATE webhooks SET organization_id = new_id()",
        "UPDATE deliveries SET webhook_id = new_id()",
        "UPDATE deliveries SET organization_id = new_id()",
        "UPDATE memberships SET organization_id = new_id()",
        "UPDATE invitations SET organization_id = new_id()",
        "UPDATE sign_ins SET person_id = new_id()",
        "UPDATE messages SET event_id = new_id()",
        "UPDATE messages SET organization_id = new_id()",
    ] {
        assert_refused(&database, engine, sql).await;
    }
}
