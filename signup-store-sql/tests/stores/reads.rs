//! Reads return the written values, and an unreadable value is an error that names its place.

use rstest::rstest;
use signup_core::{
    BadgeLabel, Description, EventId, EventLocation, EventQuery, Latitude, LocationData, Longitude, Theme,
    Write,
};

use crate::records::Engine::{Postgres, Sqlite};
use crate::records::{Database, Engine, event, shift, uuid, with, writes};

#[rstest]
#[tokio::test]
async fn every_field_of_an_event_reads_back_exactly(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    let data = r#"{"b":[1.5,null,{"x":"\u2028\"\\"}],"a":18446744073709551615,"n":1e-300}"#;
    let mut full = event(11, "2027-03-14");
    full.description =
        Some(Description::new(" \"quoted\" \\ and\r\n\tlines, \u{1F98A}\u{7f}\u{2028} ").unwrap());
    full.location = Some(EventLocation::new("https://example.org/?a=$1&b=';--").unwrap());
    full.is_virtual = true;
    full.latitude = Some(Latitude::new(f64::from_bits(0x4044_5b2d_0e56_0419)).unwrap());
    full.longitude = Some(Longitude::new(-73.985_428_000_000_01).unwrap());
    full.is_published = false;
    full.theme = Some(Theme::GoldenHour);
    full.badge_label = Some(BadgeLabel::new("é".repeat(255).as_str()).unwrap());
    full.dates.last = Some("2027-03-15".parse().unwrap());
    let data = Some(LocationData::new(serde_json::from_str(data).unwrap()).unwrap());
    let insert = Write::InsertEvent { event: Box::new(full.clone()), location_data: data.clone() };
    database.store.commit(writes([insert])).await.unwrap();
    let found = database.store.event_in_full(full.organization, full.id).await.unwrap().unwrap();
    assert_eq!((&found.event, found.location_data), (&full, data));
    assert_eq!(database.store.event(full.organization, full.id).await.unwrap(), Some(full.clone()));
    let drafts = EventQuery::new().drafts().limit(1);
    assert_eq!(database.store.events(full.organization, &drafts).await.unwrap().events, [full]);
}

#[rstest]
#[tokio::test]
async fn a_value_that_cannot_be_read_is_named_by_table_column_and_id(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    database.run("UPDATE events SET timezone = 'Nowhere/Land'").await.unwrap();
    let (organization, id) = (records.event.organization, records.event.id);
    let error = database.store.event(organization, id).await.unwrap_err();
    assert!(error.is_corrupt());
    assert!(error.to_string().contains(&format!("events.timezone of {id}")), "{error}");
    let error = database.store.shifts(organization, id).await.unwrap_err();
    assert!(error.is_corrupt());

    database.run("UPDATE tokens SET scopes = 'everything'").await.unwrap();
    let error = database.store.token_by_digest(&records.token.digest).await.unwrap_err();
    assert!(error.to_string().contains(&format!("tokens.scopes of {}", records.token.id)), "{error}");
}

#[rstest]
#[tokio::test]
async fn shifts_come_in_running_order_and_an_unknown_event_is_none(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some((database, _)) = Database::filled(engine).await else { return };
    let event = event(11, "2027-03-14");
    let hours = |start, end| signup_core::Hours::parse(start, end).unwrap();
    let mut shifts =
        vec![shift(60, &event, 0), shift(61, &event, 1), shift(62, &event, 2), shift(63, &event, 3)];
    shifts[0].hours = hours(Some("10:00"), None);
    shifts[1].hours = hours(None, Some("11:00"));
    shifts[2].hours = hours(None, Some("10:00"));
    shifts[3].hours = hours(None, Some("11:00"));
    let (organization, store) = (event.organization, &database.store);
    store
        .commit(writes([Write::InsertEvent { event: Box::new(event.clone()), location_data: None }]))
        .await
        .unwrap();
    assert_eq!(store.shifts(organization, event.id).await.unwrap(), Some(vec![]));
    assert_eq!(store.questions(organization, event.id).await.unwrap(), Some(vec![]));
    store.commit(writes([Write::InsertShifts(shifts.clone())])).await.unwrap();
    let order: Vec<_> = store.shifts(organization, event.id).await.unwrap().unwrap();
    assert_eq!(order.iter().map(|shift| shift.position).collect::<Vec<_>>(), [2, 1, 3, 0]);
    let nobody = signup_core::OrganizationId::new(uuid(99));
    assert_eq!(store.shifts(nobody, event.id).await.unwrap(), None);
    assert_eq!(store.questions(nobody, event.id).await.unwrap(), None);
}

#[rstest]
#[tokio::test]
async fn pages_meet_without_gap_or_overlap_in_both_directions(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    let store = &database.store;
    // Three events on each day, so that equal starts lie on the edges of pages.
    let events: Vec<_> = (0..30_u32)
        .map(|n| {
            let event = event(100 + n, &format!("2027-05-{:02}", 1 + n / 3));
            with(event, |event| event.is_published = n % 2 == 0)
        })
        .collect();
    let inserts =
        events.iter().map(|event| Write::InsertEvent { event: Box::new(event.clone()), location_data: None });
    store.commit(writes(inserts)).await.unwrap();
    for is_published in [None, Some(true), Some(false)] {
        let mut expected: Vec<_> = events.iter().chain([&records.event]).collect();
        expected.retain(|event| is_published.is_none_or(|is| event.is_published == is));
        expected.sort_by_key(|event| std::cmp::Reverse((event.dates.starts_at(), event.id)));
        let (mut position, mut pages) = (None, Vec::new());
        loop {
            let mut query = EventQuery::new().limit(4);
            (query.is_published, query.position) = (is_published, position);
            let page = store.events(records.organization.id, &query).await.unwrap();
            assert_eq!(page.above.is_some(), position.is_some());
            position = page.below;
            pages.push(page);
            if position.is_none() {
                break;
            }
        }
        assert!(pages.iter().flat_map(|page| &page.events).eq(expected.iter().copied()));
        for (upper, lower) in pages.iter().zip(&pages[1..]) {
            let mut query = EventQuery::new().limit(4);
            (query.is_published, query.position) = (is_published, lower.above);
            assert_eq!(store.events(records.organization.id, &query).await.unwrap(), *upper);
        }
    }
}

/// The order, the limit and the positions follow the stored start, even if newer zone data derives another.
#[rstest]
#[tokio::test]
async fn a_walk_follows_the_stored_starts(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some((database, records)) = Database::filled(engine).await else { return };
    let events: Vec<_> = (0..12_u32).map(|n| event(100 + n, &format!("2027-05-{:02}", 1 + n))).collect();
    let inserts =
        events.iter().map(|event| Write::InsertEvent { event: Box::new(event.clone()), location_data: None });
    database.store.commit(writes(inserts)).await.unwrap();
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
        position = page.below;
        pages.push(page);
    }
    assert_eq!(position, None, "13 events make 3 pages");
    let walked = pages.iter().flat_map(|page| &page.events).filter(|event| event.id != records.event.id);
    assert!(walked.map(|event| event.id).eq(expected.iter().map(|n| EventId::new(uuid(*n)))));
    assert_eq!(list(pages[1].above).await, pages[0]);
}
