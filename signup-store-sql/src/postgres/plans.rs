//! Tests of query plans: each statement is a range of an index.

use jiff::Timestamp;
use rstest::rstest;
use signup_core::{
    ActivityId, ActivityQuery, CancelledBy, DeliveryId, DeliveryQuery, DeliveryStatus, EmailAddress, EventId,
    EventKey, EventQuery, NoticeId, OpenShift, OrganizationId, Position, Purge, ShiftId, Side, SignupId,
    SignupQuery, SignupStatus, WebhookId,
};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use uuid::Uuid;

use super::options::PLANNER;
use crate::sql::purge::steps;
use crate::sql::read::{
    activity_page_query, delivery_page_query, due_deliveries_query, due_notices_query, oldest_pending_query,
    page_query, page_with_shifts_query, people_queries, signup_page_query,
};
use crate::sql::{Dialect, Statement, Value, values};
use crate::test_cluster::Cluster;

/// Inserts 20,000 events of one organization. A tenth of them are drafts.
const MANY_EVENTS: &str = "INSERT INTO organizations (id, name, slug, plan, version, gate, created_at) \
     VALUES ('00000000-0000-0000-0000-000000000001', 'Many', 'many', 'pro', 1, 1, 0); \
     INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, is_published, \
     version, gate, created_at, updated_at, starts_at, ends_at, cancelled_at, length_class) \
     SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'Event', 'event-' || n, FALSE, \
     '2027-06-05', 'UTC', n % 10 > 0, 1, 1, 0, 0, n, n + 86400, CASE n % 7 WHEN 1 THEN 5 END, \
     CASE n % 10 WHEN 3 THEN n % 3 ELSE 0 END FROM generate_series(1, 20000) n; ANALYZE";

/// Returns the generic plan of a statement with parameters of `types`. The connections of the store use the same plans.
async fn plan(connection: &mut PgConnection, sql: Statement, types: &str, values: &str) -> String {
    let list = |of: &str| if of.is_empty() { String::new() } else { format!("({of})") };
    let prepare = format!(
        "SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL; PREPARE statement {} AS {}",
        list(types),
        sql.text
    );
    connection.execute(AssertSqlSafe(prepare)).await.unwrap();
    let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE statement {}", list(values)));
    let steps = connection.fetch_all(explain).await.unwrap();
    steps.iter().map(|step| step.get::<String, _>(0)).collect::<Vec<_>>().join("\n")
}

/// Returns each query of a list, with the number of index ranges on each side of a position.
fn queries() -> Vec<(EventQuery, usize)> {
    let all = EventQuery::new;
    let day = |text: &str| text.parse().unwrap();
    let of_period = || all().from_date(day("2027-06-05")).to_date(day("2027-06-06"));
    let active = || all().published().cancelled(false).ends_after(Timestamp::UNIX_EPOCH).soonest();
    let open_shift = OpenShift { after: Timestamp::UNIX_EPOCH, exists: true };
    vec![
        (all(), 1),
        (all().soonest(), 1),
        (all().to_date(day("2027-06-05")), 1),
        (all().published(), 2),
        (all().drafts().soonest(), 2),
        (all().cancelled(true), 2),
        (all().cancelled(false), 2),
        (all().published().cancelled(false), 1),
        (all().drafts().cancelled(true).soonest(), 1),
        (of_period(), 3),
        (of_period().soonest(), 3),
        (of_period().published(), 4),
        (active(), 3),
        (active().open_shift(open_shift), 3),
    ]
}

/// Each part of a list is a range of an index, and so is each part of the other side of a position. Nothing is sorted. The only
/// rows that are read and skipped are those that a filter refuses.
#[rstest]
#[tokio::test]
async fn a_page_costs_the_same_wherever_it_is(#[values(false, true)] with_shifts: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    for (query, parts) in queries() {
        for side in [None, Some(Side::Below), Some(Side::Above)] {
            let starts_at = Timestamp::from_second(10_000).unwrap();
            let key = EventKey { order: query.order, starts_at, id: EventId::NONE };
            let mut wanted = query;
            wanted.position = side.map(|side| Position { key, side });
            let page = if with_shifts { page_with_shifts_query } else { page_query };
            let page = page(Dialect::Postgres, OrganizationId::NONE, &wanted);
            let plan = plan_of(&mut connection, page).await;
            let is_filtered = query.from.is_some() || query.to.is_some() || query.ends_after.is_some();
            let ranges: Vec<_> = plan.lines().filter(|line| line.contains("_by_start on events")).collect();
            let sides = 1 + usize::from(side.is_some());
            assert_eq!(ranges.len(), parts * sides, "{query:?}\n{plan}");
            let long = ranges.iter().filter(|line| line.contains("long_events_by_start")).count();
            let has_begin = query.from.is_some() || query.ends_after.is_some();
            assert_eq!(long, if has_begin { 2 * sides } else { 0 }, "{query:?}\n{plan}");
            let is_of_flag = query.is_published.is_some() || query.is_cancelled.is_some();
            let all = ranges.iter().any(|line| line.contains(" using events_by_start"));
            assert_eq!(all, !is_of_flag, "{query:?}\n{plan}");
            // The parts are merged, and the shifts of each event are looked up.
            assert!(!["Sort  (", "Seq Scan"].iter().any(|step| plan.contains(step)), "{query:?}\n{plan}");
            assert_eq!(plan.contains("Merge Append"), parts > 1, "{query:?}\n{plan}");
            let of_event = "Index Cond: ((organization_id = e_1.organization_id) AND (event_id = e_1.id))";
            assert_eq!(plan.contains(of_event), with_shifts, "{query:?}\n{plan}");
            let is_filtered = is_filtered || with_shifts;
            assert_eq!(plan.contains("Filter:"), is_filtered, "{query:?}\n{plan}");
            // The bounds of the ranges are conditions of the indexes.
            let conditions: Vec<_> = plan.lines().filter(|line| line.contains("Index Cond:")).collect();
            let bounded = conditions.iter().filter(|line| line.contains("ROW(starts_at, id)")).count();
            let unbounded = query.from.is_none() && query.to.is_none() && query.ends_after.is_none();
            let expected = if side.is_none() && unbounded { 0 } else { ranges.len() };
            assert!(bounded >= expected, "{query:?}\n{plan}");
        }
    }
}

/// The start of parallel workers takes longer than the count of the active events of a large organization.
#[tokio::test]
async fn the_count_of_active_events_starts_no_parallel_workers() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    let cheap =
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_index_scan_size = 0";
    connection.execute(cheap).await.unwrap();
    // The query of the function `count_of_active_events`.
    let count = "SELECT count(*) FROM events WHERE organization_id = $1 AND is_published AND cancelled_at IS NULL \
         AND deleted_at IS NULL AND ends_at > $2";
    let count = Statement::of(Dialect::Postgres, count, values![Uuid::nil(), 0_i64]);
    let plan = plan(&mut connection, count, "uuid, bigint", "gen_random_uuid(), 0").await;
    assert!(plan.contains("using active_events_by_end on events"), "{plan}");
    assert!(!plan.contains("Gather"), "{plan}");
}

/// Inserts a shift for each event of [`MANY_EVENTS`], and 20,000 sign-ups for one of the shifts.
const MANY_SIGNUPS: &str = "INSERT INTO shifts (organization_id, id, event_id, title, start_minute, end_minute, \
     capacity, filled, position, version, gate, created_at, updated_at, ends_at) SELECT organization_id, id, id, 'Shift', 0, 60, \
     20000, 20000, 0, 1, 1, 0, 0, 0 FROM events; \
     INSERT INTO signups (organization_id, id, event_id, shift_id, name, name_key, email, email_key, answers, status, \
     told, version, created_at, repeated_at) SELECT organization_id, gen_random_uuid(), event_id, id, 'Ada', 'ada', \
     'ada@example.org', n || '@example.org', '[]', 'confirmed', '{}', 1, 0, 0 FROM (SELECT * FROM shifts LIMIT 1) s, \
     generate_series(1, 20000) n";

/// The planner settings of the store's connections.
async fn connect(cluster: &Cluster) -> PgConnection {
    let mut connection = PgConnection::connect(&cluster.database().await).await.unwrap();
    for (name, value) in PLANNER {
        connection.execute(AssertSqlSafe(format!("SET {name} = {value}"))).await.unwrap();
    }
    connection
}

/// Connects to a database with many events and sign-ups. The planner knows of the sign-ups only if they are analyzed.
async fn filled(cluster: &Cluster, is_analyzed: bool) -> PgConnection {
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    connection.execute(MANY_SIGNUPS).await.unwrap();
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    connection
}

/// Returns the plan of a statement, with any values of its parameters.
async fn plan_of(connection: &mut PgConnection, sql: Statement) -> String {
    let parameter = |value: &Value| match value {
        Value::Uuid(_) => ("uuid", "gen_random_uuid()"),
        Value::Text(_) => ("text", "'a'"),
        Value::Integer(_) => ("bigint", "10000"),
        Value::Bytes(_) => ("bytea", "'\\x00'"),
        Value::Date(_) => ("date", "'2027-06-05'"),
        value => panic!("{value:?}"),
    };
    let (types, values): (Vec<_>, Vec<_>) = sql.values.iter().map(parameter).unzip();
    plan(connection, sql, &types.join(", "), &values.join(", ")).await
}

/// A page is a range of the index of its scope, whether or not the planner knows of the table. That also holds for a fan-out,
/// which reads sign-ups for deleted events, too. The shift of each sign-up is looked up by its key. Of the events only deleted
/// ones are looked up.
#[rstest]
#[tokio::test]
async fn a_page_of_sign_ups_costs_the_same_wherever_it_is(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let of_live_events = SignupQuery::new().status(SignupStatus::Cancelled);
    let fan_out = SignupQuery::new().with_deleted().cancelled_by(CancelledBy::EventCancellation);
    for (all, looks_up_events) in [(of_live_events, true), (fan_out, false)] {
        for (query, index) in [
            (all.clone(), "signups_pkey"),
            (all.clone().of_event(EventId::NONE), "signups_by_event"),
            (all.of_shift(ShiftId::NONE), "signups_by_shift"),
        ] {
            for side in [None, Some(Side::Below), Some(Side::Above)] {
                let mut wanted = query.clone();
                wanted.position = side.map(|side| Position { key: SignupId::NONE, side });
                let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
                let plan = plan_of(&mut connection, page).await;
                let is_range = |line: &&str| line.contains(&format!(" using {index} on signups u"));
                let ranges = plan.lines().filter(is_range).count();
                assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
                assert_eq!(plan.matches(" on signups").count(), ranges, "{plan}");
                assert_eq!(plan.matches("using shifts_pkey on shifts").count(), ranges, "{plan}");
                // All conditions but those of the filter are in the range of the index. The status depends on the shift.
                let filters = plan.matches(" Filter: ((($2 IS NULL) OR (CASE WHEN (shifts").count();
                assert_eq!(filters, ranges, "{plan}");
                let events = plan.matches("using deleted_events on events d").count();
                assert_eq!(events, if looks_up_events { ranges } else { 0 }, "{plan}");
                assert_eq!(plan.matches(" Filter: ((SubPlan").count(), events, "{plan}");
                assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
            }
        }
    }
}

/// A search looks at the sign-ups of its event or of its shift.
#[rstest]
#[tokio::test]
async fn a_search_reads_the_sign_ups_of_its_scope(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let all = SignupQuery::new().search("ada".parse().unwrap());
    for (query, index) in [
        (all.clone().of_event(EventId::NONE), "signups_by_event"),
        (all.of_shift(ShiftId::NONE), "signups_by_shift"),
    ] {
        let wanted = query.at(Position { key: SignupId::NONE, side: Side::Below });
        let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
        let plan = plan_of(&mut connection, page).await;
        assert_eq!(plan.matches(&format!(" using {index} on signups u")).count(), 2, "{plan}");
        assert_eq!(plan.matches(" on signups").count(), 2, "{plan}");
        assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
    }
}

/// Inserts 20,000 people, each a member of the organization of [`MANY_EVENTS`] or of one of their own, and signed in.
const MANY_PEOPLE: &str = "INSERT INTO people (id, email, email_key, name, generation, version, created_at) \
     SELECT gen_random_uuid(), n || '@example.org', n || '@example.org', 'Ada', 1, 1, 0 FROM generate_series(1, 20000) n; \
     INSERT INTO organizations (id, name, slug, plan, version, gate, created_at) \
     SELECT id, 'One', email, 'free', 1, 1, 0 FROM people; \
     INSERT INTO memberships (organization_id, person_id, role, version, created_at) SELECT id, id, 'owner', 1, 0 FROM people; \
     INSERT INTO memberships (organization_id, person_id, role, version, created_at) \
     SELECT '00000000-0000-0000-0000-000000000001', id, 'admin', 1, 0 FROM people LIMIT 20; \
     INSERT INTO sign_ins (digest, person_id, generation, version, created_at, used_at, expires_at) \
     SELECT sha256(CAST(CAST(id AS text) AS bytea)), id, 1, 1, 0, 0, 0 FROM people";

/// Each record is looked up by an index: what a page of the console reads does not depend on the number of people.
#[rstest]
#[tokio::test]
async fn people_are_found_by_indexes(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    connection.execute(MANY_PEOPLE).await.unwrap();
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    for query in people_queries(Dialect::Postgres) {
        let plan = plan_of(&mut connection, query).await;
        assert!(!["Seq Scan", "Hash", "Merge", "Sort"].iter().any(|step| plan.contains(step)), "{plan}");
    }
}

/// Inserts 20,000 messages to the volunteers of one of the events of [`MANY_EVENTS`].
const MANY_MESSAGES: &str = "INSERT INTO messages (organization_id, event_id, id, subject, text, sender_id, sender_name, created_at, \
     counts_until) SELECT organization_id, id, gen_random_uuid(), 'Bring gloves', 'It will be cold.', gen_random_uuid(), 'Ada', n, n \
     FROM (SELECT * FROM events LIMIT 1) e, generate_series(1, 20000) n";

/// The count does not depend on the number of messages that no longer count.
#[rstest]
#[tokio::test]
async fn messages_are_counted_by_a_range_of_an_index(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    connection.execute(MANY_MESSAGES).await.unwrap();
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    // The query of the function `count_of_messages`.
    let count =
        "SELECT count(*) FROM messages WHERE organization_id = $1 AND event_id = $2 AND counts_until > $3";
    let count = Statement::of(Dialect::Postgres, count, values![Uuid::nil(), Uuid::nil(), 0_i64]);
    let plan = plan_of(&mut connection, count).await;
    let range = "Index Cond: ((organization_id = $1) AND (event_id = $2) AND (counts_until > $3))";
    assert!(plan.contains("using messages_by_event on messages") && plan.contains(range), "{plan}");
    assert!(!plan.contains("Filter:"), "{plan}");
}

/// Inserts 20,000 activities of one of the events of [`MANY_EVENTS`].
const MUCH_ACTIVITY: &str = "INSERT INTO activity (organization_id, id, type, created_at, actor, event_id, changes, expires_at) \
     SELECT organization_id, gen_random_uuid(), 'event.updated', n, '{\"type\": \"system\"}', id, '[]', n \
     FROM (SELECT * FROM events LIMIT 1) e, generate_series(1, 20000) n";

/// A page is a range of the index of its scope. Activity of another type is skipped.
#[rstest]
#[tokio::test]
async fn a_page_of_activity_costs_the_same_wherever_it_is(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    connection.execute(MUCH_ACTIVITY).await.unwrap();
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    let all = ActivityQuery::new().of_type("signup.*".parse().unwrap());
    for (query, index) in [(all.clone(), "activity_pkey"), (all.of_event(EventId::NONE), "activity_by_event")]
    {
        for side in [None, Some(Side::Below), Some(Side::Above)] {
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key: ActivityId::NONE, side });
            let page = activity_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
            let plan = plan_of(&mut connection, page).await;
            let ranges = plan.matches(&format!(" using {index} on activity a")).count();
            assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
            // All conditions but those of the type are in the range of the index.
            let filters = plan.matches(" Filter: ((($4 IS NULL)").count();
            assert_eq!((filters, plan.matches(" Filter:").count()), (ranges, ranges), "{plan}");
            assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
        }
    }
}

/// Inserts 2,000 webhooks, 100,000 pending deliveries to one of them, one to each of a hundred others, and 20,000 that have ended.
const MANY_DELIVERIES: &str = "INSERT INTO webhooks (organization_id, id, url, types, secret, version, created_at, updated_at) \
     SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'https://example.org/', '[\"*\"]', '', 1, 0, 0 \
     FROM generate_series(1, 2000); \
     INSERT INTO deliveries (organization_id, id, webhook_id, activity, is_test, status, due_at, ended_at, attempts, version, \
     created_at, expires_at) SELECT w.organization_id, gen_random_uuid(), w.id, '{}', FALSE, \
     CASE WHEN n > 100000 THEN 'failed' ELSE 'pending' END, CASE WHEN n <= 100000 THEN n END, CASE WHEN n > 100000 THEN n END, \
     0, 1, n, n FROM (SELECT * FROM webhooks LIMIT 1) w, generate_series(1, 120000) n; \
     INSERT INTO deliveries (organization_id, id, webhook_id, activity, is_test, status, due_at, attempts, version, created_at, \
     expires_at) SELECT organization_id, gen_random_uuid(), id, '{}', FALSE, 'pending', 0, 0, 1, 0, 0 \
     FROM webhooks LIMIT 100";

/// Connects to a database with many deliveries. The planner knows of them only if they are analyzed.
async fn with_deliveries(cluster: &Cluster, is_analyzed: bool) -> PgConnection {
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    connection.execute(MANY_DELIVERIES).await.unwrap();
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    connection
}

/// A page is a range of the index of the webhook. Deliveries with another state are skipped.
#[rstest]
#[tokio::test]
async fn a_page_of_deliveries_costs_the_same_wherever_it_is(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = with_deliveries(cluster, is_analyzed).await;
    let all = DeliveryQuery::new().status(DeliveryStatus::Failed);
    for side in [None, Some(Side::Below), Some(Side::Above)] {
        let mut wanted = all.clone();
        wanted.position = side.map(|side| Position { key: DeliveryId::NONE, side });
        let page = delivery_page_query(Dialect::Postgres, OrganizationId::NONE, WebhookId::NONE, &wanted);
        let plan = plan_of(&mut connection, page).await;
        let ranges = plan.matches(" using deliveries_by_webhook on deliveries d").count();
        assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
        assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
    }
}

#[rstest]
#[tokio::test]
async fn due_deliveries_are_found_by_their_place(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = with_deliveries(cluster, is_analyzed).await;
    let due = due_deliveries_query(Dialect::Postgres, Timestamp::UNIX_EPOCH, 64);
    let plan = plan_of(&mut connection, due).await;
    let searches = [
        ("Index Scan using webhooks_id_key on webhooks w", 1),
        ("Index Only Scan using deliveries_in_flight on deliveries f", 1),
        ("AND (leased_until > $1))", 1),
        ("Index Only Scan using pending_deliveries on deliveries n", 4),
        ("Index Only Scan using pending_tests on deliveries n", 4),
        ("AND (due_at <= $1))", 8),
        ("Index Scan using deliveries_pkey on deliveries d", 1),
        ("Sort  (", 1),
        // Of the webhooks: that there is one, and that it has a place for another request.
        (" Filter:", 5),
        ("Seq Scan", 0),
    ];
    for (search, count) in searches {
        assert_eq!(plan.matches(search).count(), count, "{search}\n{plan}");
    }
}

#[rstest]
#[tokio::test]
async fn the_oldest_pending_delivery_of_each_webhook_is_the_first_of_an_index(
    #[values(false, true)] is_analyzed: bool,
) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = with_deliveries(cluster, is_analyzed).await;
    let plan = plan_of(&mut connection, oldest_pending_query(Dialect::Postgres)).await;
    assert!(plan.contains("Index Scan using webhooks_id_key on webhooks w"), "{plan}");
    assert!(plan.contains("Index Only Scan using pending_deliveries_by_creation on deliveries n"), "{plan}");
    assert!(!["Sort", "Seq Scan", "Materialize"].iter().any(|step| plan.contains(step)), "{plan}");
}

#[rstest]
#[tokio::test]
async fn sign_ups_of_an_event_and_a_shift_are_the_range_of_the_shift(
    #[values(false, true)] is_analyzed: bool,
) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let of_both = SignupQuery::new().of_event(EventId::NONE).of_shift(ShiftId::NONE);
    let wanted = of_both.at(Position { key: SignupId::NONE, side: Side::Below });
    let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
    let plan = plan_of(&mut connection, page).await;
    assert_eq!(plan.matches(" using signups_by_shift on signups u").count(), 2, "{plan}");
    assert_eq!(plan.matches(" on signups").count(), 2, "{plan}");
    assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
}

/// Each step starts at the end of an index, and finds children by an index of their parent, whatever the planner knows of the
/// tables.
#[rstest]
#[tokio::test]
async fn a_purge_reads_no_more_than_it_may_remove(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let at = Timestamp::UNIX_EPOCH;
    for purge in [Purge::Expired(at), Purge::FailedNotices(at), Purge::Deleted(at)] {
        for step in steps(Dialect::Postgres, purge) {
            let plan = plan(&mut connection, step.statement(100), "bigint, bigint", "100, 0").await;
            assert!(!["Seq Scan", "Hash", "Merge"].iter().any(|step| plan.contains(step)), "{plan}");
            assert!(plan.contains("Tid Scan on"), "{plan}");
            for line in plan.lines().filter(|line| line.contains("Index Cond: ")) {
                assert!(!line.ends_with("(organization_id = events.organization_id)"), "{plan}");
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn sign_ups_of_an_address_are_found_by_the_address(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let all = SignupQuery::new().email(EmailAddress::new("ada@example.org").unwrap());
    for query in [all.clone(), all.clone().of_event(EventId::NONE), all.of_shift(ShiftId::NONE)] {
        let wanted = query.at(Position { key: SignupId::NONE, side: Side::Below });
        let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
        let plan = plan_of(&mut connection, page).await;
        assert!(plan.contains("using signups_by_address on signups"), "{plan}");
        assert_eq!(plan.matches(" on signups").count(), 1, "{plan}");
    }
}

#[tokio::test]
async fn due_notices_are_ranges_of_an_index() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = PgConnection::connect(&cluster.database().await).await.unwrap();
    connection.execute("SET enable_seqscan = off").await.unwrap();
    let due = due_notices_query(Dialect::Postgres, (0, 9), (-1, NoticeId::NONE), 50);
    let values = "0, 9, -1, gen_random_uuid()";
    let plan = plan(&mut connection, due, "bigint, bigint, bigint, uuid", values).await;
    for range in ["due_at <= $1", "due_at > $2"] {
        let condition = format!("Index Cond: (({range}) AND (ROW(due_at, id) > ROW($3, $4)))");
        assert_eq!(plan.matches(&condition).count(), 1, "{plan}");
    }
    assert_eq!(plan.matches("Index Scan using due_notices on notices").count(), 2, "{plan}");
    assert!(!plan.contains("Sort") && !plan.contains("Filter:"), "{plan}");
}
