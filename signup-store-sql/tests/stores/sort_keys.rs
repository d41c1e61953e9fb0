//! Lists follow the stored sort keys.

use rstest::rstest;
use signup_core::{EventId, EventQuery};

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine, event, insert, uuid};

/// The order, the limit and the positions follow the stored start, even if newer zone data derives another.
#[rstest]
#[tokio::test]
async fn a_walk_follows_the_stored_starts(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    let events: Vec<_> = (0..12_u32).map(|n| event(100 + n, &format!("2027-05-{:02}", 1 + n))).collect();
    database.store.commit(insert(events.clone())).await.unwrap();
    // The first day of every third event now starts 30 days later, as it would by much newer zone data.
    for event in events.iter().step_by(3) {
        let start = event.dates.starts_at().as_second();
        let moved = format!(
            "UPDATE events SET starts_at = {}, ends_at = ends_at + 2592000 WHERE slug = '{}'",
            start + 2_592_000,
            event.slug
        );
        assert_eq!(database.run(&moved).await.unwrap(), 1);
    }
    let mut expected: Vec<_> = (0..12).step_by(3).rev().chain((0..12).rev().filter(|n| n % 3 != 0)).collect();
    expected.iter_mut().for_each(|n| *n += 100);
    let list = async |position| {
        let mut query = EventQuery::new().limit(5);
        query.position = position;
        database.store.events(records.organization.id, &query).await.unwrap()
    };
    let (mut pages, mut position) = (vec![], None);
    for _ in 0..3 {
        let page = list(position).await;
        position = page.next;
        pages.push(page);
    }
    assert_eq!(position, None, "13 events make 3 pages");
    let walked = pages.iter().flat_map(|page| &page.items).filter(|event| event.id != records.event.id);
    assert!(walked.map(|event| event.id).eq(expected.iter().map(|n| EventId::new(uuid(*n)))));
    assert_eq!(list(pages[1].previous).await, pages[0]);
}
