//! Tests of query plans: each statement is a range of an index.

use jiff::Timestamp;
use rstest::rstest;
use signup_core::{
    ActivityId, ActivityQuery, CancelledBy, DeliveryId, DeliveryQuery, DeliveryStatus, EmailAddress, EventId,
    EventKey, EventQuery, NoticeId, OpenShift, OrganizationId, Position, Purge, Requirement, ShiftId, Side,
    SignupId, SignupQuery, SignupStatus, Total, WebhookId,
};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _, SqliteConnection};

use crate::SqliteStore;
use crate::sql::given_rows::GivenRows;
use crate::sql::purge::steps;
use crate::sql::read::{
    activity_page_query, delivery_page_query, due_deliveries_query, due_notices_query, oldest_pending_query,
    page_query, page_with_shifts_query, people_queries, signup_page_query,
};
use crate::sql::require;
use crate::sql::{Dialect, Statement};

/// Creates a database, and returns a connection to it. The folder exists until it is dropped.
async fn database() -> (tempfile::TempDir, SqliteConnection) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    SqliteStore::open(&path).await.unwrap().close().await;
    let connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    (folder, connection)
}

async fn plan(connection: &mut SqliteConnection, sql: Statement) -> String {
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", sql.text));
    let steps = connection.fetch_all(explain).await.unwrap();
    steps.iter().map(|step| step.get::<String, _>("detail")).collect::<Vec<_>>().join("\n")
}

/// Each part of a list is a range of an index, and so is each part of the other side of a position. Nothing is sorted: the parts
/// are merged.
#[rstest]
#[tokio::test]
async fn a_page_costs_the_same_wherever_it_is(#[values(false, true)] with_shifts: bool) {
    let (_folder, mut connection) = database().await;
    let all = EventQuery::new;
    let day = |text: &str| text.parse().unwrap();
    let of_period = || all().from_date(day("2027-06-05")).to_date(day("2027-06-06"));
    let to_come = |events: EventQuery| events.cancelled(false).ends_after(Timestamp::UNIX_EPOCH).soonest();
    let active = || to_come(all().published());
    let open_shift = OpenShift { after: Timestamp::UNIX_EPOCH, exists: true };
    let (every, current, cancelled) =
        ("events_by_start", "current_events_by_start", "cancelled_events_by_start");
    for (query, indexes, is_of_period) in [
        (all(), vec![every], false),
        (all().soonest(), vec![every], false),
        (all().published(), vec![current, cancelled], false),
        (all().drafts().soonest(), vec![current, cancelled], false),
        (all().cancelled(true), vec![cancelled, cancelled], false),
        (all().cancelled(false), vec![current, current], false),
        (all().published().cancelled(false), vec![current], false),
        (of_period(), vec![every], true),
        (of_period().soonest(), vec![every], true),
        (of_period().published(), vec![current, cancelled], true),
        (active(), vec![current], true),
        (to_come(all().drafts()), vec![current], true),
        (active().open_shift(open_shift), vec![current], true),
    ] {
        for side in [None, Some(Side::Below), Some(Side::Above)] {
            let key = EventKey { order: query.order, starts_at: Timestamp::UNIX_EPOCH, id: EventId::NONE };
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key, side });
            let page = if with_shifts { page_with_shifts_query } else { page_query };
            let plan = plan(&mut connection, page(Dialect::Sqlite, OrganizationId::NONE, &wanted)).await;
            let sides = 1 + usize::from(side.is_some());
            let ranges_of =
                |index: &str| plan.matches(&format!("SEARCH events USING INDEX {index} (")).count();
            for index in [every, current, cancelled] {
                let parts = indexes.iter().filter(|found| **found == index).count();
                assert_eq!(ranges_of(index), parts * sides, "{query:?} {index}\n{plan}");
            }
            let long = if is_of_period { 2 * sides } else { 0 };
            assert_eq!(ranges_of("long_events_by_start"), long, "{query:?}\n{plan}");
            let searches = plan.matches("SEARCH events ").count();
            assert_eq!(searches, indexes.len() * sides + long, "{query:?}\n{plan}");
            let bounded = plan.lines().filter(|line| line.contains("(starts_at,id)")).count();
            let is_bounded = side.is_some() || is_of_period;
            assert_eq!(bounded, if is_bounded { searches } else { 0 }, "{query:?}\n{plan}");
            assert!(!plan.contains("B-TREE") && !plan.contains("SCAN events"), "{query:?}\n{plan}");
        }
    }
}

/// The event with an external id is looked up by it, whatever else the query selects.
#[rstest]
#[tokio::test]
async fn an_event_is_found_by_its_external_id(#[values(false, true)] with_shifts: bool) {
    let (_folder, mut connection) = database().await;
    let all = EventQuery::new().external_id("a".parse().unwrap());
    let key = EventKey { order: all.order, starts_at: Timestamp::UNIX_EPOCH, id: EventId::NONE };
    let of_period = all.clone().published().from_date("2027-06-05".parse().unwrap());
    for (query, searches) in
        [(all.clone(), 1), (of_period, 1), (all.at(Position { key, side: Side::Below }), 2)]
    {
        let page = if with_shifts { page_with_shifts_query } else { page_query };
        let plan = plan(&mut connection, page(Dialect::Sqlite, OrganizationId::NONE, &query)).await;
        let search =
            "SEARCH events USING INDEX events_by_external_id (organization_id=? AND held_external_id=?)";
        assert_eq!(plan.matches(search).count(), searches, "{query:?}\n{plan}");
        assert_eq!(plan.matches("SEARCH events ").count(), searches, "{query:?}\n{plan}");
    }
}

/// A page is a range of the index of its scope, also for a fan-out, which reads sign-ups for deleted events, too. The shift of
/// each sign-up is looked up by its key. Of the events only deleted ones are looked up.
#[tokio::test]
async fn a_page_of_sign_ups_costs_the_same_wherever_it_is() {
    let (_folder, mut connection) = database().await;
    let of_live_events = SignupQuery::new().status(SignupStatus::Cancelled);
    let fan_out = SignupQuery::new().with_deleted().cancelled_by(CancelledBy::EventCancellation);
    for (all, looks_up_events) in [(of_live_events, true), (fan_out, false)] {
        for (query, index, (key, values)) in [
            (all.clone(), "sqlite_autoindex_signups_1", ("id", "?")),
            (all.clone().of_event(EventId::NONE), "signups_by_event", ("(event_id,id)", "(?,?)")),
            (all.clone().of_shift(ShiftId::NONE), "signups_by_shift", ("(shift_id,id)", "(?,?)")),
            (
                all.of_event(EventId::NONE).of_shift(ShiftId::NONE),
                "signups_by_shift",
                ("(shift_id,id)", "(?,?)"),
            ),
        ] {
            for side in [None, Some(Side::Below), Some(Side::Above)] {
                let mut wanted = query.clone();
                wanted.position = side.map(|side| Position { key: SignupId::NONE, side });
                let page = signup_page_query(Dialect::Sqlite, OrganizationId::NONE, &wanted);
                let plan = plan(&mut connection, page).await;
                // The page, and the check of the other side.
                let ranges = 1 + usize::from(side.is_some());
                let range = format!("organization_id=? AND {key}>{values} AND {key}<{values}");
                let search = format!("SEARCH u USING INDEX {index} ({range})");
                assert_eq!(plan.matches(&search).count(), ranges, "{plan}");
                let events = plan.matches("SEARCH d USING INDEX deleted_events").count();
                assert_eq!(events, if looks_up_events { ranges } else { 0 }, "{plan}");
                let shift =
                    "SEARCH s USING INDEX sqlite_autoindex_shifts_1 (organization_id=? AND id=?) LEFT-JOIN";
                assert_eq!(plan.matches(shift).count(), ranges, "{plan}");
                assert!(!plan.contains("B-TREE") && !plan.contains("SCAN signups"), "{plan}");
            }
        }
    }
}

/// A search looks at the sign-ups of its event or of its shift.
#[tokio::test]
async fn a_search_reads_the_sign_ups_of_its_scope() {
    let (_folder, mut connection) = database().await;
    let all = SignupQuery::new().search("ada".parse().unwrap());
    for (query, index) in [
        (all.clone().of_event(EventId::NONE), "signups_by_event"),
        (all.of_shift(ShiftId::NONE), "signups_by_shift"),
    ] {
        let wanted = query.at(Position { key: SignupId::NONE, side: Side::Below });
        let page = signup_page_query(Dialect::Sqlite, OrganizationId::NONE, &wanted);
        let plan = plan(&mut connection, page).await;
        assert_eq!(plan.matches(&format!("SEARCH u USING INDEX {index} ")).count(), 2, "{plan}");
        assert!(!plan.contains("B-TREE") && !plan.contains("SCAN signups"), "{plan}");
    }
}

/// Each record is looked up by an index: what a page of the console reads does not depend on the number of people.
#[tokio::test]
async fn people_are_found_by_indexes() {
    let (_folder, mut connection) = database().await;
    for query in people_queries(Dialect::Sqlite) {
        let plan = plan(&mut connection, query).await;
        assert!(!plan.contains("SCAN") && !plan.contains("B-TREE"), "{plan}");
        assert!(!plan.contains("AUTOMATIC"), "{plan}");
    }
}

/// A page is a range of the index of its scope. Activity of another type is skipped.
#[tokio::test]
async fn a_page_of_activity_costs_the_same_wherever_it_is() {
    let (_folder, mut connection) = database().await;
    let all = ActivityQuery::new().of_type("signup.*".parse().unwrap());
    for (query, index) in
        [(all.clone(), "sqlite_autoindex_activity_1"), (all.of_event(EventId::NONE), "activity_by_event")]
    {
        for side in [None, Some(Side::Below), Some(Side::Above)] {
            let mut wanted = query.clone();
            wanted.position = side.map(|side| Position { key: ActivityId::NONE, side });
            let page = activity_page_query(Dialect::Sqlite, OrganizationId::NONE, &wanted);
            let plan = plan(&mut connection, page).await;
            let ranges = 1 + usize::from(side.is_some());
            assert_eq!(plan.matches(&format!("SEARCH a USING INDEX {index}")).count(), ranges, "{plan}");
            assert!(!plan.contains("B-TREE") && !plan.contains("SCAN activity"), "{plan}");
        }
    }
}

/// A page is a range of the index of the webhook. Deliveries with another state are skipped.
#[tokio::test]
async fn a_page_of_deliveries_costs_the_same_wherever_it_is() {
    let (_folder, mut connection) = database().await;
    let all = DeliveryQuery::new().status(DeliveryStatus::Failed);
    for side in [None, Some(Side::Below), Some(Side::Above)] {
        let mut wanted = all.clone();
        wanted.position = side.map(|side| Position { key: DeliveryId::NONE, side });
        let page = delivery_page_query(Dialect::Sqlite, OrganizationId::NONE, WebhookId::NONE, &wanted);
        let plan = plan(&mut connection, page).await;
        let range = "(organization_id=? AND (webhook_id,id)>(?,?) AND (webhook_id,id)<(?,?))";
        let search = format!("SEARCH d USING INDEX deliveries_by_webhook {range}");
        assert_eq!(plan.matches(&search).count(), 1 + usize::from(side.is_some()), "{plan}");
        assert!(!plan.contains("B-TREE") && !plan.contains("SCAN deliveries"), "{plan}");
    }
}

/// The searches of the webhooks with pending deliveries. The only scan of deliveries ends at the first row.
const WAITING: [&str; 2] = [
    "SCAN deliveries USING COVERING INDEX pending_deliveries",
    "SEARCH n USING COVERING INDEX pending_deliveries (webhook_id>?)",
];

/// The cost depends on the number of webhooks with pending deliveries, and not on how many deliveries wait. What is sorted are the
/// webhooks, and the few deliveries that were found.
#[tokio::test]
async fn due_deliveries_are_found_by_their_place() {
    let (_folder, mut connection) = database().await;
    let due = due_deliveries_query(Dialect::Sqlite, Timestamp::UNIX_EPOCH, 64);
    let plan = plan(&mut connection, due).await;
    let (due, late) = ("(webhook_id=? AND due_at>? AND due_at<?)", "(webhook_id=? AND due_at>?)");
    let in_flight =
        "deliveries_in_flight (organization_id=? AND webhook_id=? AND leased_until>? AND leased_until<?)";
    let searches = [
        (WAITING[0].to_owned(), 1),
        (WAITING[1].to_owned(), 1),
        ("SEARCH w USING INDEX sqlite_autoindex_webhooks_1 (id=?)".to_owned(), 1),
        (format!("SEARCH f USING COVERING INDEX {in_flight}"), 1),
        (format!("SEARCH n USING COVERING INDEX pending_deliveries {due}"), 4),
        (format!("SEARCH n USING COVERING INDEX pending_deliveries {late}"), 1),
        (format!("SEARCH n USING INDEX pending_tests {due}"), 4),
        (format!("SEARCH n USING INDEX pending_tests {late}"), 1),
        ("SEARCH d USING INDEX sqlite_autoindex_deliveries_1 (organization_id=? AND id=?)".to_owned(), 2),
    ];
    for (search, count) in &searches {
        assert_eq!(plan.matches(search).count(), *count, "{search}\n{plan}");
    }
    assert_eq!(plan.matches("USING ").count(), 16, "{plan}");
    assert_eq!(plan.matches("B-TREE").count(), 5, "{plan}");
}

#[tokio::test]
async fn the_oldest_pending_delivery_of_each_webhook_is_the_first_of_an_index() {
    let (_folder, mut connection) = database().await;
    let plan = plan(&mut connection, oldest_pending_query(Dialect::Sqlite)).await;
    let first = "SEARCH n USING INDEX pending_deliveries_by_creation (webhook_id=?)";
    let webhook = "SEARCH w USING INDEX sqlite_autoindex_webhooks_1 (id=?)";
    for search in [WAITING[0], WAITING[1], webhook, first] {
        assert_eq!(plan.matches(search).count(), 1, "{search}\n{plan}");
    }
    assert_eq!(plan.matches("USING ").count(), 4, "{plan}");
    assert!(!plan.contains("B-TREE"), "{plan}");
}

/// Each step starts at the end of an index, and finds children by an index of their parent.
#[tokio::test]
async fn a_purge_reads_no_more_than_it_may_remove() {
    let (_folder, mut connection) = database().await;
    let at = Timestamp::UNIX_EPOCH;
    for purge in [Purge::Expired(at), Purge::FailedNotices(at), Purge::Deleted(at)] {
        for step in steps(Dialect::Sqlite, purge) {
            let plan = plan(&mut connection, step.statement(100)).await;
            // The only scans are those of the marked events by their own index, and of the first of them.
            let marked = ["SCAN events USING INDEX purged_events", "SCAN p"];
            let is_scan = |line: &&str| line.starts_with("SCAN ") && !marked.contains(line);
            assert_eq!(plan.lines().find(is_scan), None, "{plan}");
            assert!(!plan.contains("TEMP B-TREE FOR ORDER BY"), "{plan}");
            assert!(!plan.contains("(organization_id=?)"), "{plan}");
        }
    }
}

#[tokio::test]
async fn sign_ups_of_an_address_are_found_by_the_address() {
    let (_folder, mut connection) = database().await;
    let all = SignupQuery::new().email(EmailAddress::new("ada@example.org").unwrap());
    for query in [all.clone(), all.clone().of_event(EventId::NONE), all.of_shift(ShiftId::NONE)] {
        let wanted = query.at(Position { key: SignupId::NONE, side: Side::Below });
        let page = signup_page_query(Dialect::Sqlite, OrganizationId::NONE, &wanted);
        let plan = plan(&mut connection, page).await;
        let search = "SEARCH u USING INDEX signups_by_address (organization_id=? AND email_key=?)";
        assert_eq!(plan.matches(search).count(), 1, "{plan}");
        assert_eq!(plan.matches("INDEX signups_by").count(), 1, "{plan}");
    }
}

/// The cost does not depend on the number of notices that are not due.
#[tokio::test]
async fn due_notices_are_ranges_of_an_index() {
    let (_folder, mut connection) = database().await;
    let due = due_notices_query(Dialect::Sqlite, (0, 9), (-1, NoticeId::NONE), 50);
    let plan = plan(&mut connection, due).await;
    for range in ["(due_at,id)>(?,?) AND due_at<?", "due_at>?"] {
        let search = format!("SEARCH notices USING INDEX due_notices ({range})");
        assert_eq!(plan.matches(&search).count(), 1, "{plan}");
    }
    assert!(!plan.contains("B-TREE") && !plan.contains("SCAN notices"), "{plan}");
}

#[rstest]
#[case(Total::ActiveEvents(OrganizationId::NONE), "active_events_by_end (organization_id=? AND ends_at>?)")]
#[case(Total::Webhooks(OrganizationId::NONE), "sqlite_autoindex_webhooks_2 (organization_id=?)")]
#[case(
    Total::Messages(OrganizationId::NONE, EventId::NONE),
    "messages_by_event (organization_id=? AND event_id=? AND counts_until>? AND counts_until<?)"
)]
#[case(
    Total::InFlight(OrganizationId::NONE, WebhookId::NONE),
    "deliveries_in_flight (organization_id=? AND webhook_id=? AND leased_until>? AND leased_until<?)"
)]
#[tokio::test]
async fn a_total_is_counted_in_an_index(#[case] total: Total, #[case] index: &str) {
    let (_folder, mut connection) = database().await;
    let mut sql = Statement::new(Dialect::Sqlite);
    let requirement = Requirement::Below { total, bound: 5, now: Timestamp::UNIX_EPOCH };
    let mut rows = GivenRows::default();
    let (check, row) = require::rows(&requirement, 0, |_| 0).remove(0);
    rows.push(0, row);
    check.template(rows.columns(), Dialect::Sqlite).append(&mut sql, rows, None);
    let plan = plan(&mut connection, sql).await;
    assert!(plan.contains(&format!("USING COVERING INDEX {index}")), "{plan}");
}
