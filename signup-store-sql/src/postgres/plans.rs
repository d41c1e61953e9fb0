//! Tests of query plans: each statement is a range of an index.

use jiff::Timestamp;
use rstest::rstest;
use signup_core::{
    CancelledBy, EmailAddress, EventId, EventQuery, NoticeId, OrganizationId, Position, Purge, ShiftId, Side,
    SignupId, SignupQuery, SignupStatus,
};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use uuid::Uuid;

use super::options::PLANNER;
use crate::sql::purge::steps;
use crate::sql::read::{due_notices_query, page_query, signup_page_query};
use crate::sql::{Dialect, Statement, Value, values};
use crate::test_cluster::Cluster;

/// Inserts 20,000 events of one organization. A tenth of them are drafts.
const MANY_EVENTS: &str = "INSERT INTO organizations (id, name, slug, plan, version, created_at) \
     VALUES ('00000000-0000-0000-0000-000000000001', 'Many', 'many', 'pro', 1, 0); \
     INSERT INTO events (organization_id, id, title, slug, is_virtual, start_date, timezone, is_published, \
     version, gate, created_at, updated_at, starts_at, ends_at) \
     SELECT '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'Event', 'event-' || n, FALSE, \
     '2027-06-05', 'UTC', n % 10 > 0, 1, 1, 0, 0, n, n + 86400 FROM generate_series(1, 20000) n; ANALYZE";

/// Returns the generic plan of a statement with parameters of `types`. The connections of the store use the same plans.
async fn plan(connection: &mut PgConnection, sql: Statement, types: &str, values: &str) -> String {
    let prepare = format!(
        "SET plan_cache_mode = force_generic_plan; DEALLOCATE ALL; PREPARE statement ({types}) AS {}",
        sql.text
    );
    connection.execute(AssertSqlSafe(prepare)).await.unwrap();
    let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE statement ({values})"));
    let steps = connection.fetch_all(explain).await.unwrap();
    steps.iter().map(|step| step.get::<String, _>(0)).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_page_costs_the_same_wherever_it_is() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = PgConnection::connect(&cluster.database().await).await.unwrap();
    connection.execute(MANY_EVENTS).await.unwrap();
    for (is_published, index) in [
        (None, "events_by_start"),
        (Some(true), "published_events_by_start"),
        (Some(false), "drafts_by_start"),
    ] {
        for side in [None, Some(Side::Below), Some(Side::Above)] {
            let starts_at = Timestamp::from_second(10_000).unwrap();
            let position = side.map(|side| Position { key: (starts_at, EventId::NONE), side });
            let mut wanted = EventQuery::new();
            (wanted.is_published, wanted.position) = (is_published, position);
            let page = page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
            let plan = match side {
                Some(_) => {
                    let values = "gen_random_uuid(), 10000, gen_random_uuid()";
                    plan(&mut connection, page, "uuid, bigint, uuid", values).await
                }
                None => plan(&mut connection, page, "uuid", "gen_random_uuid()").await,
            };
            // The page is a range of the index, and so is the check of the other side.
            let is_range = |line: &&str| line.contains(&format!(" using {index} on events"));
            let ranges = plan.lines().filter(is_range).count();
            assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
            let conditions = plan.matches("ROW(starts_at, id)").count();
            assert_eq!(conditions, if side.is_some() { 2 } else { 0 }, "{plan}");
            assert!(!["Sort", "Seq Scan", "Filter:"].iter().any(|step| plan.contains(step)), "{plan}");
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
     capacity, filled, position, version, gate, created_at, updated_at) SELECT organization_id, id, id, 'Shift', 0, 60, \
     20000, 20000, 0, 1, 1, 0, 0 FROM events; \
     INSERT INTO signups (organization_id, id, event_id, shift_id, name, email, email_key, answers, status, \
     shift_version, version, created_at, mailed_at) SELECT organization_id, gen_random_uuid(), event_id, id, 'Ada', \
     'ada@example.org', n || '@example.org', '[]', 'confirmed', 1, 1, 0, 0 FROM (SELECT * FROM shifts LIMIT 1) s, \
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

async fn plan_of_signups(connection: &mut PgConnection, sql: Statement) -> String {
    let parameter = |value: &Value| match value {
        Value::Uuid(_) => ("uuid", "gen_random_uuid()"),
        Value::Text(_) => ("text", "'a'"),
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
                let plan = plan_of_signups(&mut connection, page).await;
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
    let plan = plan_of_signups(&mut connection, page).await;
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
        let plan = plan_of_signups(&mut connection, page).await;
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
