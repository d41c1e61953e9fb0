//! Tests of query plans: each statement is a range of an index.

mod deliveries;
mod events;
mod signups;

use jiff::Timestamp;
use rstest::rstest;
use signup_core::{ActivityId, ActivityQuery, EventId, NoticeId, OrganizationId, Position, Purge, Side};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use uuid::Uuid;

use super::options::PLANNER;
use crate::sql::purge::steps;
use crate::sql::read::{activity_page_query, due_notices_query, people_queries};
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

/// The planner settings of the store's connections.
async fn connect(cluster: &Cluster) -> PgConnection {
    let mut connection = PgConnection::connect(&cluster.database().await).await.unwrap();
    for (name, value) in PLANNER {
        connection.execute(AssertSqlSafe(format!("SET {name} = {value}"))).await.unwrap();
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

/// Inserts a shift for each event of [`MANY_EVENTS`], and 20,000 sign-ups for one of the shifts.
const MANY_SIGNUPS: &str = "INSERT INTO shifts (organization_id, id, event_id, title, start_minute, end_minute, \
     capacity, filled, position, version, gate, created_at, updated_at, ends_at) SELECT organization_id, id, id, 'Shift', 0, 60, \
     20000, 20000, 0, 1, 1, 0, 0, 0 FROM events; \
     INSERT INTO signups (organization_id, id, event_id, shift_id, name, search_key, email, email_key, answers, status, \
     told, version, created_at, repeated_at) SELECT organization_id, gen_random_uuid(), event_id, id, 'Ada', 'ada', \
     'ada@example.org', n || '@example.org', '[]', 'confirmed', '{}', 1, 0, 0 FROM (SELECT * FROM shifts LIMIT 1) s, \
     generate_series(1, 20000) n";

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
    let count = "SELECT count(*) FROM messages WHERE organization_id = $1 AND event_id = $2 AND counts_until > $3 AND counts_until <= $4";
    let count = Statement::of(Dialect::Postgres, count, values![Uuid::nil(), Uuid::nil(), 0_i64, 9_i64]);
    let plan = plan_of(&mut connection, count).await;
    let range = "Index Cond: ((organization_id = $1) AND (event_id = $2) AND (counts_until > $3) AND (counts_until <= $4))";
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

/// A plan may be made when the queue is empty, and used when one organization has many notices.
#[rstest]
#[tokio::test]
async fn a_notice_is_locked_by_its_id(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    if is_analyzed {
        connection.execute("ANALYZE").await.unwrap();
    }
    // The query of the function `lock_in_order`.
    let lock = "SELECT 1 FROM notices n WHERE n.organization_id = $1 AND n.id = $2 FOR NO KEY UPDATE";
    let lock = Statement::of(Dialect::Postgres, lock, values![Uuid::nil(), Uuid::nil()]);
    let plan = plan_of(&mut connection, lock).await;
    assert!(plan.contains("Index Scan using notices_pkey on notices"), "{plan}");
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
