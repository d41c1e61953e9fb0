//! Tests of query plans: the statement of a page reads only the rows of the page, wherever the page is.

use jiff::Timestamp;
use signup_core::{EventId, EventQuery, NoticeId, OrganizationId, Position, Side};
use sqlx::{Connection as _, Row as _, SqliteConnection};

use crate::SqliteStore;
use crate::sql::read::{due_notices_query, page_query};
use crate::sql::require;
use crate::sql::rows::Rows;
use crate::sql::{Dialect, Sql};

async fn plan(connection: &mut SqliteConnection, sql: Sql) -> String {
    let mut explained = Sql::new(Dialect::Sqlite);
    explained.push("EXPLAIN QUERY PLAN ");
    explained.push(&sql.text);
    let text = sqlx::AssertSqlSafe(explained.text.to_owned());
    let steps = sqlx::query(text).fetch_all(connection).await.unwrap();
    steps.iter().map(|step| step.get::<String, _>("detail")).collect::<Vec<_>>().join("\n")
}

/// A page is a range of an index for each filter and direction. No row is sorted or skipped.
#[tokio::test]
async fn a_page_costs_the_same_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    for (is_published, index) in [
        (None, "events_by_start (organization_id=?"),
        (Some(true), "events_by_publication_and_start (organization_id=? AND is_published=?"),
    ] {
        for (side, range) in [
            (None, ""),
            (Some(Side::Below), " AND (starts_at,id)<(?,?)"),
            (Some(Side::Above), " AND (starts_at,id)>(?,?)"),
        ] {
            let position =
                side.map(|side| Position { starts_at: Timestamp::UNIX_EPOCH, id: EventId::NONE, side });
            let mut wanted = EventQuery::new();
            (wanted.is_published, wanted.position) = (is_published, position);
            let page = page_query(Dialect::Sqlite, OrganizationId::NONE, &wanted);
            let plan = plan(&mut connection, page).await;
            assert!(plan.contains(&format!("SEARCH events USING INDEX {index}{range})")), "{plan}");
            assert!(!plan.contains("B-TREE") && !plan.contains("SCAN events"), "{plan}");
            // The check of the other side is a range, too.
            assert_eq!(
                plan.matches("SEARCH events USING").count(),
                1 + usize::from(side.is_some()),
                "{plan}"
            );
        }
    }
    store.close().await;
}

/// The cost does not depend on the number of notices that are not due.
#[tokio::test]
async fn due_notices_are_ranges_of_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    let plan =
        plan(&mut connection, due_notices_query(Dialect::Sqlite, (0, 9), (-1, NoticeId::NONE), 50)).await;
    for range in ["(due_at,id)>(?,?) AND due_at<?", "due_at>?"] {
        let search = format!("SEARCH notices USING INDEX due_notices ({range})");
        assert_eq!(plan.matches(&search).count(), 1, "{plan}");
    }
    assert!(!plan.contains("B-TREE") && !plan.contains("SCAN notices"), "{plan}");
    store.close().await;
}

#[tokio::test]
async fn active_events_are_counted_in_an_index_of_published_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
    let mut sql = Sql::new(Dialect::Sqlite);
    let requirement = signup_core::Requirement::ActiveEventsBelow {
        organization: OrganizationId::NONE,
        limit: 5,
        now: Timestamp::UNIX_EPOCH,
    };
    let mut rows = Rows::default();
    let (check, row) = require::row(&requirement, 0, 0);
    rows.push(0, row);
    check.statement(Dialect::Sqlite).append(&mut sql, rows, None);
    let plan = plan(&mut connection, sql).await;
    assert!(plan.contains("USING COVERING INDEX published_events_by_end"), "{plan}");
    store.close().await;
}
