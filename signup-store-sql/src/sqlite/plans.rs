//! Tests of query plans: each statement is a range of an index.

use jiff::Timestamp;
use signup_core::{
    CancelledBy, EmailAddress, EventId, EventQuery, NoticeId, OrganizationId, Position, Purge, Requirement,
    ShiftId, Side, SignupId, SignupQuery, SignupStatus, Total,
};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _, SqliteConnection};

use crate::SqliteStore;
use crate::sql::given_rows::GivenRows;
use crate::sql::purge::steps;
use crate::sql::read::{due_notices_query, page_query, signup_page_query};
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

/// A page is a range of an index for each filter and direction. No row is sorted or skipped.
#[tokio::test]
async fn a_page_costs_the_same_wherever_it_is() {
    let (_folder, mut connection) = database().await;
    for (is_published, index) in [
        (None, "events_by_start (organization_id=?"),
        (Some(true), "events_by_publication_and_start (organization_id=? AND is_published=?"),
    ] {
        for (side, range) in [
            (None, ""),
            (Some(Side::Below), " AND (starts_at,id)<(?,?)"),
            (Some(Side::Above), " AND (starts_at,id)>(?,?)"),
        ] {
            let position = side.map(|side| Position { key: (Timestamp::UNIX_EPOCH, EventId::NONE), side });
            let mut wanted = EventQuery::new();
            (wanted.is_published, wanted.position) = (is_published, position);
            let page = page_query(Dialect::Sqlite, OrganizationId::NONE, &wanted);
            let plan = plan(&mut connection, page).await;
            assert!(plan.contains(&format!("SEARCH events USING INDEX {index}{range})")), "{plan}");
            assert!(!plan.contains("B-TREE") && !plan.contains("SCAN events"), "{plan}");
            // The page is a range, and so is the check of the other side.
            let ranges = plan.matches("SEARCH events USING").count();
            assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
        }
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

#[tokio::test]
async fn active_events_are_counted_in_an_index_of_their_own() {
    let (_folder, mut connection) = database().await;
    let mut sql = Statement::new(Dialect::Sqlite);
    let total = Total::ActiveEvents(OrganizationId::NONE);
    let requirement = Requirement::Below { total, bound: 5, now: Timestamp::UNIX_EPOCH };
    let mut rows = GivenRows::default();
    let (check, row) = require::rows(&requirement, 0, |_| 0).remove(0);
    rows.push(0, row);
    check.template(Dialect::Sqlite).append(&mut sql, rows, None);
    let plan = plan(&mut connection, sql).await;
    assert!(plan.contains("USING COVERING INDEX active_events_by_end"), "{plan}");
}
