//! Plans of the lists and the counts of events.

use jiff::Timestamp;
use rstest::rstest;
use signup_core::{EventId, EventKey, EventQuery, OpenShift, OrganizationId, Position, Side};
use sqlx::Executor as _;
use uuid::Uuid;

use super::{MANY_EVENTS, connect, plan, plan_of};
use crate::sql::read::{page_query, page_with_shifts_query};
use crate::sql::{Dialect, Statement, values};
use crate::test_cluster::Cluster;

/// Returns each query of a list, with the number of index ranges on each side of a position.
fn queries() -> Vec<(EventQuery, usize)> {
    let all = EventQuery::new;
    let day = |text: &str| text.parse().unwrap();
    let of_period = || all().from_date(day("2027-06-05")).to_date(day("2027-06-06"));
    let to_come = |events: EventQuery| events.cancelled(false).ends_after(Timestamp::UNIX_EPOCH).soonest();
    let active = || to_come(all().published());
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
        (to_come(all().drafts()), 3),
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
            let mut wanted = query.clone();
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

/// The event with an external id is looked up by it, whatever else the query selects.
#[rstest]
#[tokio::test]
async fn an_event_is_found_by_its_external_id(#[values(false, true)] with_shifts: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = connect(cluster).await;
    connection.execute(MANY_EVENTS).await.unwrap();
    let all = EventQuery::new().external_id("a".parse().unwrap());
    let key = EventKey { order: all.order, starts_at: Timestamp::UNIX_EPOCH, id: EventId::NONE };
    let of_period = all.clone().published().from_date("2027-06-05".parse().unwrap());
    for (query, searches) in
        [(all.clone(), 1), (of_period, 1), (all.at(Position { key, side: Side::Below }), 2)]
    {
        let page = if with_shifts { page_with_shifts_query } else { page_query };
        let plan = plan_of(&mut connection, page(Dialect::Postgres, OrganizationId::NONE, &query)).await;
        let lookups = plan.matches("using events_by_external_id on events").count();
        assert_eq!(lookups, searches, "{query:?}\n{plan}");
        assert!(!plan.contains("_by_start on events"), "{query:?}\n{plan}");
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
