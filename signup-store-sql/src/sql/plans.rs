//! The index that each list, count and step must use, on both engines.
//!
//! The tables of PostgreSQL have as many rows as those of a large organization, and statistics. Its plans are those for any values,
//! which a connection keeps. SQLite chooses a plan by the indexes alone.

use signup_core::{
    ActivityId, ActivityQuery, DeliveryId, DeliveryQuery, EmailAddress, EventId, EventKey, EventQuery,
    OpenShift, OrganizationId, Position, Purge, Requirement, ShiftId, Side, SignupId, SignupQuery,
    SignupStatus, Timestamp, Total, Unique, VolunteerKey, VolunteerQuery, WebhookId,
};

use super::purge::Portion;
use super::read::{
    activity_page_query, delivery_page_query, due_deliveries_query, due_notices_query,
    failed_notices_queries, messages_query, oldest_pending_query, page_query, page_with_shifts_query,
    people_queries, signup_page_query, signups_in_full_query, volunteer_page_query,
};
use super::{Dialect, Statement, require};
use crate::records::notice::QueuePosition;

/// A statement, and the indexes that it must use. An index of a primary key has the name that PostgreSQL gives it.
struct Planned {
    name: String,
    statement: Statement,
    indexes: Vec<&'static str>,
    /// Whether nothing is sorted, so that a page costs the same wherever it is.
    is_page: bool,
}

const NOW: Timestamp = Timestamp::UNIX_EPOCH;
const OWNER: OrganizationId = OrganizationId::NONE;

fn planned(dialect: Dialect) -> Vec<Planned> {
    let mut planned = vec![];
    let mut add = |name: &str, statement, indexes: &[&'static str], is_page| {
        planned.push(Planned { name: name.to_owned(), statement, indexes: indexes.to_vec(), is_page });
    };
    let sides = [None, Some(Side::Below), Some(Side::Above)];
    let (every, by_publication, cancelled, duration) =
        ("events_by_start", "events_by_publication", "cancelled_events_by_start", "events_by_duration");
    // PostgreSQL knows that most events are published, and reads the index of all events for these.
    let all = EventQuery::new;
    let day = "2027-06-05".parse().unwrap();
    let to_come = |events: EventQuery| events.cancelled(false).ends_after(NOW).soonest();
    let open_shift = OpenShift { after: NOW, exists: true };
    for (name, query, indexes) in [
        ("events", all(), &[every][..]),
        ("the soonest events", all().soonest(), &[every]),
        ("published events", all().published(), &[]),
        ("cancelled events", all().cancelled(true), &[cancelled]),
        ("drafts", all().drafts().cancelled(false), &[by_publication]),
        ("events of a day", all().from_date(day).to_date(day), &[every, duration]),
        ("events to come", to_come(all().published()), &[duration]),
        ("events with an open shift", to_come(all().published()).open_shift(open_shift), &[duration]),
    ] {
        for side in sides {
            let key = EventKey { order: query.order, starts_at: NOW, id: EventId::NONE };
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key, side });
            add(name, page_query(dialect, OWNER, &wanted), indexes, true);
            let with_shifts = [indexes, &["shifts_by_event"]].concat();
            add(name, page_with_shifts_query(dialect, OWNER, &wanted), &with_shifts, true);
        }
    }
    let by_external_id = all().external_id("a".parse().unwrap());
    let page = page_query(dialect, OWNER, &by_external_id);
    add("the event with an external id", page, &["events_by_external_id"], false);
    let cancelled = || SignupQuery::new().status(SignupStatus::Cancelled);
    let job = || SignupQuery::new().with_deleted();
    let search = || SignupQuery::new().search("ada".parse().unwrap());
    let waiting = SignupQuery::new().status(SignupStatus::Waitlisted).of_shift(ShiftId::NONE);
    let address = SignupQuery::new().email(EmailAddress::new("ada@example.org").unwrap());
    for (name, query, index, is_page) in [
        ("sign-ups", cancelled(), "signups_pkey", true),
        ("sign-ups of an event", cancelled().of_event(EventId::NONE), "signups_by_event", true),
        ("sign-ups of a shift", cancelled().of_shift(ShiftId::NONE), "signups_by_shift", true),
        ("a waiting list", waiting.above(None, 200), "signups_that_wait", true),
        ("a portion of an event", job().of_event(EventId::NONE), "signups_by_event", true),
        ("a portion of a shift", job().of_shift(ShiftId::NONE), "signups_by_shift", true),
        ("a search in an event", search().of_event(EventId::NONE), "signups_by_event", true),
        ("a search in a shift", search().of_shift(ShiftId::NONE), "signups_by_shift", true),
        ("sign-ups of an address", address, "signups_by_address", false),
    ] {
        for side in sides {
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key: SignupId::NONE, side });
            add(name, signup_page_query(dialect, OWNER, &wanted), &[index, "shifts_pkey"], is_page);
            add(name, signups_in_full_query(dialect, OWNER, &wanted), &[index, "shifts_pkey"], false);
        }
    }
    let new = VolunteerQuery::new;
    let searched = || new().search("ada".parse().unwrap());
    for query in [new(), new().by_name(), searched(), searched().by_name()] {
        for side in sides {
            let (name, email) = (query.is_by_name.then(String::new), "ada@example.org".parse().unwrap());
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key: VolunteerKey { name, email }, side });
            let page = volunteer_page_query(dialect, OWNER, &wanted);
            let of_page = if query.is_by_name { &["signups_by_name"][..] } else { &[] };
            // A search looks at each sign-up, in any order.
            let indexes = [of_page, &["signups_by_address", "shifts_pkey"]].concat();
            add("volunteers", page, &indexes, query.search.is_none());
        }
    }
    let one = signups_in_full_query(dialect, OWNER, &SignupQuery::new().only(SignupId::NONE));
    add("a sign-up in full", one, &["signups_pkey", "shifts_pkey"], false);
    let activity = || ActivityQuery::new().of_type("signup.*".parse().unwrap());
    for (query, index) in
        [(activity(), "activity_pkey"), (activity().of_event(EventId::NONE), "activity_by_event")]
    {
        for side in sides {
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key: ActivityId::NONE, side });
            add("activity", activity_page_query(dialect, OWNER, &wanted), &[index], true);
        }
    }
    for side in sides {
        let mut wanted = DeliveryQuery::new();
        wanted.position = side.map(|side| Position { key: DeliveryId::NONE, side });
        let page = delivery_page_query(dialect, OWNER, WebhookId::NONE, &wanted);
        add("deliveries", page, &["deliveries_by_webhook"], true);
    }
    let due = ["pending_deliveries", "pending_tests", "deliveries_in_flight", "deliveries_pkey"];
    add("due deliveries", due_deliveries_query(dialect, NOW, 64), &due, false);
    let oldest = ["pending_deliveries_by_creation"];
    add("the oldest pending delivery", oldest_pending_query(dialect), &oldest, false);
    let due = due_notices_query(dialect, (0, 9), QueuePosition::START, 50);
    add("due notices", due, &["due_notices", "due_reminders"], true);
    let failed = ["failed_notices_of_organization", "failed_notices_by_event"];
    for (query, index) in failed_notices_queries(dialect).into_iter().zip(failed) {
        // PostgreSQL expects few notices for an event, and sorts them.
        add("failed notices", query, &[index], false);
    }
    for (query, index) in people_queries(dialect).into_iter().zip([
        "memberships_pkey",
        "memberships_by_person",
        "sign_ins_pkey",
    ]) {
        add("people", query, &[index], false);
    }
    add("the messages of an event", messages_query(dialect), &["messages_by_event"], false);
    for purge in [Purge::Expired(NOW), Purge::FailedNotices(NOW), Purge::Deleted(NOW)] {
        for statement in Portion::new(dialect, purge, 100).statements() {
            add("a purge", statement, &[], false);
        }
    }
    let [email_key, person_key] = ["ada@example.org", "ada"].map(str::to_owned);
    let place = Unique::Place(OWNER, ShiftId::NONE, email_key.clone(), person_key);
    let below = |total| Requirement::Below { total, bound: 5, now: NOW };
    for (name, requirement, index) in [
        ("active events", below(Total::ActiveEvents(OWNER)), "active_events_by_end"),
        ("messages", below(Total::Messages(OWNER, EventId::NONE)), "messages_by_event"),
        ("deliveries in flight", below(Total::InFlight(OWNER, WebhookId::NONE)), "deliveries_in_flight"),
        ("filled places", below(Total::Filled(OWNER, ShiftId::NONE)), "shifts_pkey"),
        (
            "people who wait",
            Requirement::AtLeast { total: Total::Waiting(OWNER, ShiftId::NONE), bound: 5, now: NOW },
            "shifts_pkey",
        ),
        (
            "places of an address",
            below(Total::PlacesOf(OWNER, ShiftId::NONE, email_key)),
            "one_place_for_a_person",
        ),
        ("a place", Requirement::Absent { unique: place, now: NOW }, "one_place_for_a_person"),
    ] {
        add(name, require::queries(dialect, &[requirement]).remove(0), &[index], false);
    }
    planned
}

/// Asserts that the plan of a statement uses its indexes, and reads no table as a whole.
fn assert_plan(planned: &Planned, plan: &str, scans: &[&str], sort: &str) {
    let Planned { name, statement, indexes, is_page } = planned;
    let text = &statement.text;
    for index in indexes {
        let is_used = |line: &str| line.split([' ', '(']).any(|word| word == *index);
        assert!(plan.lines().any(is_used), "{name} without {index}\n{text}\n{plan}");
    }
    for scan in scans {
        assert!(!plan.lines().any(|line| line.trim().ends_with(scan)), "{name}: {scan}\n{text}\n{plan}");
    }
    assert!(!is_page || !plan.contains(sort), "{name}: {sort}\n{text}\n{plan}");
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn each_read_on_sqlite_uses_its_index() {
    use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _, SqliteConnection};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    crate::SqliteStore::open(&path).await.unwrap().close().await;
    let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    for planned in planned(Dialect::Sqlite) {
        let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", planned.statement.text));
        let steps = connection.fetch_all(explain).await.unwrap();
        let steps = steps.iter().map(|step| step.get::<String, _>("detail").replace("sqlite_autoindex_", ""));
        let plan = steps.collect::<Vec<_>>().join("\n");
        // SQLite numbers the indexes of a table. The keys of these tables are the first ones.
        let plan = ["signups", "shifts", "activity", "memberships", "sign_ins"]
            .iter()
            .fold(plan, |plan, table| plan.replace(&format!("{table}_1"), &format!("{table}_pkey")));
        let plan = plan.replace("deliveries_1", "deliveries_pkey");
        let scans = ["events", "shifts", "signups", "notices", "activity", "deliveries", "s", "a"]
            .map(|table| format!("SCAN {table}"));
        assert_plan(&planned, &plan, &scans.each_ref().map(String::as_str), "B-TREE FOR ORDER BY");
    }
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn each_read_on_postgres_uses_its_index() {
    use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};

    use super::Value;

    let Some(cluster) = crate::test_cluster::Cluster::shared() else { return };
    let mut connection = PgConnection::connect(&cluster.database().await).await.unwrap();
    connection.execute(MANY).await.unwrap();
    connection.execute("ANALYZE; SET plan_cache_mode = force_generic_plan").await.unwrap();
    for planned in planned(Dialect::Postgres) {
        let parameter = |value: &Value| match value {
            Value::Uuid(_) => ("uuid", "gen_random_uuid()"),
            Value::Text(_) => ("text", "'a'"),
            Value::Integer(_) => ("bigint", "10000"),
            Value::Flag(_) => ("boolean", "FALSE"),
            Value::Bytes(_) => ("bytea", "'\\x00'"),
            Value::Date(_) => ("date", "'2027-06-05'"),
            value => panic!("{value:?}"),
        };
        let (types, values): (Vec<_>, Vec<_>) = planned.statement.values.iter().map(parameter).unzip();
        let list = |of: Vec<&str>| if of.is_empty() { String::new() } else { format!("({})", of.join(", ")) };
        let text = &planned.statement.text;
        let prepare = format!("DEALLOCATE ALL; PREPARE statement {} AS {text}", list(types));
        connection.execute(AssertSqlSafe(prepare)).await.unwrap();
        let explain = format!("EXPLAIN (COSTS OFF) EXECUTE statement {}", list(values));
        let steps = connection.fetch_all(AssertSqlSafe(explain)).await.unwrap();
        let plan = steps.iter().map(|step| step.get::<String, _>(0)).collect::<Vec<_>>().join("\n");
        let scans =
            ["events", "shifts", "signups", "notices", "activity", "deliveries", "people", "memberships"];
        let scans = scans.map(|table| format!("Seq Scan on {table}"));
        assert!(!scans.iter().any(|scan| plan.contains(scan.as_str())), "{}\n{text}\n{plan}", planned.name);
        assert_plan(&planned, &plan, &[], "->  Sort");
    }
}

/// A large organization: 20,000 events, of which a tenth are drafts, with a shift each. One of the events has 20,000 sign-ups,
/// notices, messages and activities, and each other has one. There are 20,000 people who are signed in, 2,000 webhooks with 25
/// deliveries each, and 50,000 deliveries to one of them.
#[cfg(feature = "postgres")]
const MANY: &str = "INSERT INTO organizations (id, name, slug, plan, version, gate, created_at) \
     VALUES ('00000000-0000-0000-0000-000000000001', 'Many', 'many', 'pro', 1, 1, 0); \
     INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, language, is_published, \
     reminders_enabled, version, gate, created_at, updated_at, starts_at, ends_at, cancelled_at) \
     SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'Event', 'event-' || n, FALSE, \
     '2027-06-05', 'UTC', 'en', n % 10 > 0, TRUE, 1, 1, 0, 0, n, n + 86400, CASE n % 7 WHEN 1 THEN 5 END \
     FROM generate_series(1, 20000) n; \
     INSERT INTO shifts (organization_id, id, event_id, title, start_minute, end_minute, \
     capacity, filled, position, version, gate, created_at, updated_at, ends_at) SELECT organization_id, id, id, 'Shift', 0, 60, \
     20000, 20000, 0, 1, 1, 0, 0, 0 FROM events; \
     INSERT INTO signups (organization_id, id, event_id, shift_id, name, search_key, email, email_key, name_order, person_key, \
     answers, status, told, version, created_at, repeated_at) SELECT organization_id, gen_random_uuid(), event_id, id, 'Ada', 'ada', \
     'ada@example.org', n || '@example.org', n || '', 'ada', '[]', 'confirmed', '{}', 1, 0, 0 FROM (SELECT * FROM shifts LIMIT 1) s, \
     generate_series(1, 20000) n; \
     INSERT INTO signups (organization_id, id, event_id, shift_id, name, search_key, email, email_key, name_order, person_key, \
     answers, status, told, version, created_at, repeated_at) SELECT organization_id, gen_random_uuid(), event_id, id, 'Ada', 'ada', \
     'ada@example.org', id || '@example.org', id::text, 'ada', '[]', 'confirmed', '{}', 1, 0, 0 FROM shifts; \
     INSERT INTO notices (organization_id, id, event_id, can_wait, cause, version, attempts, created_at, due_at) \
     SELECT s.organization_id, gen_random_uuid(), s.event_id, TRUE, '{}', 1, 0, n, n FROM (SELECT * FROM shifts LIMIT 1) s, \
     generate_series(1, 20000) n; \
     INSERT INTO notices (organization_id, id, event_id, can_wait, cause, version, attempts, created_at, due_at) \
     SELECT organization_id, id, event_id, TRUE, '{}', 1, 0, 0, 0 FROM shifts; \
     INSERT INTO notices (organization_id, id, event_id, can_wait, cause, version, attempts, created_at, remind_at) \
     SELECT organization_id, gen_random_uuid(), event_id, TRUE, '{}', 1, 0, 0, 1 FROM shifts; \
     INSERT INTO notices (organization_id, id, event_id, can_wait, cause, version, attempts, created_at, failed_at, reason) \
     SELECT s.organization_id, gen_random_uuid(), s.event_id, TRUE, '{}', 1, 0, n, n, '' FROM (SELECT * FROM shifts LIMIT 1) s, \
     generate_series(1, 20000) n; \
     INSERT INTO notices (organization_id, id, event_id, can_wait, cause, version, attempts, created_at, failed_at, reason) \
     SELECT organization_id, gen_random_uuid(), event_id, TRUE, '{}', 1, 0, 0, 0, '' FROM shifts; \
     INSERT INTO messages (organization_id, event_id, id, subject, text, sender_id, sender_name, created_at, counts_until) \
     SELECT organization_id, id, gen_random_uuid(), 'Bring gloves', 'It will be cold.', gen_random_uuid(), 'Ada', n, n \
     FROM (SELECT * FROM events LIMIT 1) e, generate_series(1, 20000) n; \
     INSERT INTO messages (organization_id, event_id, id, subject, text, sender_id, sender_name, created_at, counts_until) \
     SELECT organization_id, id, id, 'Bring gloves', 'It will be cold.', id, 'Ada', 0, 0 FROM events; \
     INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, changes, expires_at) \
     SELECT organization_id, gen_random_uuid(), 'event.updated', n, '{\"type\": \"system\"}', id, '[]', n \
     FROM (SELECT * FROM events LIMIT 1) e, generate_series(1, 20000) n; \
     INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, changes, expires_at) \
     SELECT organization_id, id, 'event.created', 0, '{\"type\": \"system\"}', id, '[]', 0 FROM events; \
     INSERT INTO people (id, email, email_key, name, generation, version, created_at) \
     SELECT gen_random_uuid(), n || '@example.org', n || '@example.org', 'Ada', 1, 1, 0 FROM generate_series(1, 20000) n; \
     INSERT INTO organizations (id, name, slug, plan, version, gate, created_at) \
     SELECT id, 'One', email, 'free', 1, 1, 0 FROM people; \
     INSERT INTO memberships (organization_id, person_id, role, version, created_at) SELECT id, id, 'owner', 1, 0 FROM people; \
     INSERT INTO memberships (organization_id, person_id, role, version, created_at) \
     SELECT '00000000-0000-0000-0000-000000000001', id, 'admin', 1, 0 FROM people LIMIT 20; \
     INSERT INTO sign_ins (digest, person_id, generation, version, created_at, used_at, expires_at) \
     SELECT sha256(CAST(CAST(id AS text) AS bytea)), id, 1, 1, 0, 0, 0 FROM people; \
     INSERT INTO webhooks (organization_id, id, url, types, secret, version, created_at, updated_at) \
     SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'https://example.org/', '[\"*\"]', '', 1, 0, 0 \
     FROM generate_series(1, 2000); \
     INSERT INTO deliveries (organization_id, id, webhook_id, activity, is_test, status, due_at, ended_at, attempts, version, \
     created_at, expires_at) SELECT w.organization_id, gen_random_uuid(), w.id, '{}', FALSE, \
     CASE WHEN n > 40000 THEN 'failed' ELSE 'pending' END, CASE WHEN n <= 40000 THEN n END, CASE WHEN n > 40000 THEN n END, \
     0, 1, n, n FROM (SELECT * FROM webhooks LIMIT 1) w, generate_series(1, 50000) n; \
     INSERT INTO deliveries (organization_id, id, webhook_id, activity, is_test, status, due_at, attempts, version, created_at, \
     expires_at) SELECT organization_id, gen_random_uuid(), id, '{}', FALSE, 'pending', n, 0, 1, n, n \
     FROM webhooks, generate_series(1, 25) n";
