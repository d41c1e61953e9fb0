//! Lists of events: their order, filters and pages.

use std::sync::Arc;

use super::pages::{page_at, sides};
use super::records::*;
use crate::*;

/// Returns `count` events numbered from `first`, spread over 5 days; every third is a draft.
fn some_events(first: u32, count: u32) -> Vec<Event> {
    let date = |number: u32| format!("2027-06-{:02}", 1 + number * 7 % 5);
    let event = |number| Event { is_published: number % 3 != 0, ..event_on(1, number, &date(number), "UTC") };
    (first..first + count).map(event).collect()
}

/// Returns events that last from a day to more than a year, in several zones. Some are drafts, and some are cancelled.
fn varied_events() -> Vec<Event> {
    let days = [
        ("2025-01-01", Some("2027-06-04")),
        ("2026-06-05", Some("2027-06-05")),
        ("2027-05-01", Some("2027-06-03")),
        ("2027-05-29", Some("2027-06-02")),
        ("2027-05-30", Some("2027-06-04")),
        ("2027-06-01", None),
        ("2027-06-02", Some("2027-06-02")),
        ("2027-06-03", None),
        ("2027-06-04", Some("2027-06-05")),
        ("2027-06-04", None),
        ("2027-06-05", Some("2030-06-05")),
        ("2027-06-05", None),
        ("2027-06-05", None),
        ("2027-09-01", None),
    ];
    let zones = ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"];
    let events = (1..).zip(days).map(|(number, (first, last))| {
        let mut event = event_on(1, number, first, zones[number as usize % zones.len()]);
        event.dates.last = last.map(|last| last.parse().unwrap());
        event.is_published = number % 4 != 0;
        event.cancelled_at = (number % 5 == 0).then(|| at(1));
        event
    });
    events.collect()
}

/// Returns a query for each combination of filters, and for some of them with each order.
fn filters() -> Vec<EventQuery> {
    let flags = [None, Some(true), Some(false)];
    let date = |text: &str| text.parse().ok();
    let periods: [(Option<EventDate>, Option<EventDate>); 5] = [
        (None, None),
        (date("2027-06-03"), None),
        (None, date("2027-06-03")),
        (date("2027-06-03"), date("2027-06-04")),
        (date("2031-01-01"), None),
    ];
    // The second is the end of the one-day event that begins on 2027-06-03 in UTC-7.
    let instants = [None, "2027-06-04T07:00:00Z".parse().ok()];
    let mut queries = vec![];
    for (is_published, is_cancelled) in flags.iter().flat_map(|one| flags.map(|other| (*one, other))) {
        for ((from, to), instant) in periods.iter().flat_map(|period| instants.map(|end| (*period, end))) {
            let filter = EventQuery { is_published, is_cancelled, from, to, limit: 99, ..EventQuery::new() };
            for &order in EventOrder::ALL {
                queries.push(EventQuery { order, ends_after: instant, ..filter.clone() });
                queries.extend(instant.map(|_| EventQuery { order, inactive_at: instant, ..filter.clone() }));
            }
        }
    }
    queries
}

/// Returns whether a query selects an event. Looks at each day of the event.
fn is_selected(query: &EventQuery, event: &Event) -> bool {
    let first = event.dates.first.date();
    let mut days = (0..event.dates.days()).filter_map(|day| first.plus_days(day.into()));
    let is_in =
        |day: EventDate| query.from.is_none_or(|from| day >= from) && query.to.is_none_or(|to| day <= to);
    days.any(is_in)
        && query.is_published.is_none_or(|flag| event.is_published == flag)
        && query.is_cancelled.is_none_or(|flag| event.cancelled_at.is_some() == flag)
        && query.ends_after.is_none_or(|instant| event.dates.ends_at() > instant)
        && query.inactive_at.is_none_or(|instant| {
            !event.is_published || event.cancelled_at.is_some() || event.dates.ends_at() <= instant
        })
}

fn key(event: &Event, order: EventOrder) -> EventKey {
    EventKey { order, starts_at: event.dates.starts_at(), id: event.id }
}

/// Sorts events from the top of the list to its bottom.
fn in_list_order(order: EventOrder, events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut events: Vec<_> = events.into_iter().collect();
    events.sort_by_key(|event| (event.dates.starts_at(), event.id));
    if order == EventOrder::Latest {
        events.reverse();
    }
    events
}

fn ids(events: &[Event]) -> Vec<EventId> {
    events.iter().map(|event| event.id).collect()
}

async fn page(store: &dyn Store, query: &EventQuery) -> Page<Event> {
    store.events(organization_id(1), query).await.unwrap()
}

/// Events are listed latest start first, equal starts by descending id, or in the opposite order. The start is an instant, not
/// a date.
pub async fn events_come_latest_or_soonest_start_first_then_by_id(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = [
        event_on(1, 4, "2027-06-05", "Pacific/Kiritimati"),
        event_on(1, 2, "2027-06-05", "UTC"),
        event_on(1, 3, "2027-06-05", "UTC"),
        event_on(1, 1, "2027-06-04", "America/Los_Angeles"),
        event_on(1, 5, "1970-01-01", "Pacific/Kiritimati"),
    ];
    commit(&*store, insert(events.clone())).await;
    let mut expected = [3, 2, 4, 1, 5].map(|number| EventId::new(uuid(number)));
    // 2027-06-04 in Los Angeles starts at 07:00Z on the 4th, 2027-06-05 in Kiritimati at 10:00Z on the 4th.
    assert_eq!(ids(&page(&*store, &EventQuery::new()).await.items), expected);
    expected.reverse();
    assert_eq!(ids(&page(&*store, &EventQuery::new().soonest()).await.items), expected, "the opposite order");
}

/// A walk in either order returns every event that exists throughout exactly once, even if events are inserted and deleted
/// meanwhile.
pub async fn a_walk_shows_each_event_once_under_inserts_and_deletions(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let there = some_events(1000, 25);
    commit(&*store, insert(there.clone())).await;
    let period = EventQuery::new().from_date("2027-06-02".parse().unwrap()).cancelled(false);
    for (walk, query) in (1..).zip([EventQuery::new(), EventQuery::new().soonest(), period.soonest()]) {
        let mut doomed = some_events(10_000 * walk + 3000, 12);
        commit(&*store, insert(doomed.clone())).await;
        let (mut query, mut seen, mut inserted) = (query.limit(4), vec![], 0);
        loop {
            let page = page(&*store, &query).await;
            for id in ids(&page.items) {
                assert!(!seen.contains(&id), "a walk returns no event twice, so it ends: {id} came again");
                seen.push(id);
            }
            assert!(
                page.next.is_none() || !page.items.is_empty(),
                "a page with a position below has events: {:?}",
                page.next
            );
            if inserted < 30 {
                // Inserts lower and higher ids, so that some land before the walk's position and some after it.
                commit(&*store, insert(some_events(100 * walk + 1 + inserted, 3))).await;
                commit(&*store, insert(some_events(10_000 * walk + 2000 + inserted, 3))).await;
                inserted += 3;
            }
            if let Some(event) = doomed.pop() {
                write(&*store, vec![put(event.clone(), deleted(&event, at(0)))]).await;
            }
            let Some(below) = page.next else { break };
            query = query.at(below);
        }
        assert!(doomed.len() < 8, "{} events were not deleted", doomed.len());
        let selected = there.iter().filter(|event| is_selected(&query, event)).cloned();
        let expected = ids(&in_list_order(query.order, selected));
        let walked: Vec<_> = seen.iter().copied().filter(|id| expected.contains(id)).collect();
        assert_eq!(walked, expected);
    }
}

/// A page has the position of a neighbouring page exactly if that page has events, for every position, page size and order,
/// whatever the filter is.
pub async fn a_page_has_positions_exactly_where_the_list_continues(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = varied_events();
    commit(&*store, insert(events.clone())).await;
    let some = filters().into_iter().enumerate().filter(|(number, _)| number % 7 == 0);
    for filter in some.map(|(_, filter)| filter) {
        let list: Vec<_> = events.iter().filter(|event| is_selected(&filter, event)).cloned().collect();
        let list = in_list_order(filter.order, list);
        for here in &events {
            for (side, limit) in sides([2, 99]) {
                let key = |event: &Event| key(event, filter.order);
                let position = Position { key: key(here), side };
                let query = filter.clone().limit(limit).at(position);
                let expected = page_at(&list, position, limit, key, |event| key(event) > position.key);
                assert_eq!(page(&*store, &query).await, expected, "{query:?}");
            }
        }
    }
}

/// A list has exactly the events that the flags, the period and the end select: an event is in a period if one of its days, read
/// in its own zone, is.
pub async fn the_filters_are_exact(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = varied_events();
    commit(&*store, insert(events.clone())).await;
    let mut lengths = std::collections::BTreeSet::new();
    for query in filters() {
        let selected = events.iter().filter(|event| is_selected(&query, event)).cloned();
        let expected = in_list_order(query.order, selected);
        lengths.insert(expected.len());
        assert_eq!(page(&*store, &query).await, Page::new(expected, None, None), "{query:?}");
    }
    assert!(lengths.len() > 8 && lengths.contains(&events.len()), "the filters differ: {lengths:?}");
}

/// The events with an open shift, and those without one, are told apart: a shift is open if it is not closed, ends after an
/// instant and has fewer confirmed sign-ups than its capacity. A deleted shift does not count.
pub async fn events_are_selected_by_their_open_shifts(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = [1, 2, 3, 4, 5, 6].map(|number| event(1, number));
    commit(&*store, insert(events.clone())).await;
    // From 09:00 to 12:00 and from 13:00 to 15:00.
    let morning = |of: usize, number| shift(&events[of], number, 1);
    let afternoon = |of: usize, number| {
        let hours = Hours::parse(Some("13:00"), Some("15:00")).unwrap();
        ScheduledShift::of(Shift { hours, ..shift(&events[of], number, 1) }, &events[of]).shift
    };
    // The first is open all day, the second until noon. The third is full, the fourth has a deleted shift, the fifth a closed
    // one, the sixth none.
    let full = [afternoon(1, 3), morning(2, 4), afternoon(2, 5)];
    let gone = Shift { deleted_at: Some(at(1)), ..morning(3, 6) };
    let closing =
        Some(Closing { at: at(1), by: CancelledBy::EventCancellation, reason: None, is_silent: false });
    let closed = Shift { closing, ..morning(4, 8) };
    let open = [morning(0, 1), afternoon(0, 7), morning(1, 2), gone, closed];
    commit(&*store, insert(full.clone())).await;
    commit(&*store, insert(open.clone())).await;
    commit(&*store, insert((1..).zip(&full).map(|(number, shift)| signup(shift, number)))).await;
    let [noon, end] = [&open[0], &open[1]].map(|shift| shift.ends_at);
    let second = SignedDuration::from_secs(1);
    for (after, numbers) in [
        (at(0), vec![1, 2]),
        (noon - second, vec![1, 2]),
        (noon, vec![1]),
        (end - second, vec![1]),
        (end, vec![]),
    ] {
        for exists in [true, false] {
            let query = EventQuery::new().soonest().open_shift(OpenShift { after, exists });
            let found = ids(&page(&*store, &query).await.items);
            let expected = (1..=6).filter(|number| numbers.contains(number) == exists);
            let expected: Vec<_> = expected.map(|number| EventId::new(uuid(number))).collect();
            assert_eq!(found, expected, "{query:?}");
            let with_shifts = store.events_with_shifts(organization_id(1), &query).await.unwrap().items;
            let found: Vec<_> = with_shifts.iter().map(|found| found.event.id).collect();
            assert_eq!(found, expected, "with shifts: {query:?}");
        }
    }
}

/// A list has only the event that has an external id, if the other filters select the event, too. An event of another organization
/// and a deleted event are not listed.
pub async fn an_event_is_found_by_its_external_id(store: Arc<dyn Store>) {
    commit(&*store, insert([1, 2].map(organization))).await;
    let with_id = |mut event: Event, id: &str| {
        event.external_id = id.parse().ok();
        event
    };
    let events =
        [with_id(event(1, 1), "a"), with_id(event(1, 2), "A"), event(1, 3), with_id(event(2, 4), "b")];
    commit(&*store, insert(events.clone())).await;
    commit(&*store, insert([with_id(deleted(&event(1, 5), at(5)), "c")])).await;
    let query = |id: &str| EventQuery::new().external_id(id.parse().unwrap());
    let key = key(&events[0], EventOrder::Latest);
    let [below, above] = [Side::Below, Side::Above].map(|side| query("A").at(Position { key, side }));
    let period = query("A").from_date("2027-06-05".parse().unwrap());
    for (query, is_found) in [
        (query("A"), true),
        (query("A").soonest(), true),
        (query("A").published().cancelled(false), true),
        (period.clone(), true),
        (period.from_date("2027-06-06".parse().unwrap()), false),
        (query("A").drafts(), false),
        (query("A").cancelled(true), false),
        // The event with the higher id is above.
        (above, true),
        (below, false),
        (query("b"), false),
        (query("c"), false),
        (query("d"), false),
    ] {
        let expected = is_found.then(|| events[1].clone()).into_iter().collect();
        assert_eq!(page(&*store, &query).await, Page::new(expected, None, None), "{query:?}");
    }
}

/// The list of events with their shifts has the same pages as the list of events, and the shifts of each event in running order.
pub async fn a_page_of_events_with_shifts_has_the_shifts_of_each_event(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = varied_events();
    commit(&*store, insert(events.clone())).await;
    let late = |number: u32, event: &Event| {
        let hours = Hours::parse(Some("07:00"), None).unwrap();
        ScheduledShift::of(Shift { hours, ..shift(event, 100 + number, 1) }, event).shift
    };
    // Every third event has no shift.
    let with = events.iter().zip(1..).filter(|(_, number)| number % 3 > 0);
    let shifts = with.flat_map(|(event, number)| [shift(event, number, 2), late(number, event)]);
    let shifts: Vec<_> = shifts.collect();
    commit(&*store, insert(shifts.clone())).await;
    commit(&*store, insert([signup(&shifts[0], 1)])).await;
    let gone = next_shift(&shifts[3]);
    write(&*store, vec![put(shifts[3].clone(), Shift { deleted_at: Some(at(1)), ..gone })]).await;
    for filter in filters().into_iter().step_by(5) {
        let mut query = filter.limit(3);
        loop {
            let expected = page(&*store, &query).await;
            let found = store.events_with_shifts(organization_id(1), &query).await.unwrap();
            assert_eq!((found.previous, found.next), (expected.previous, expected.next), "{query:?}");
            let mut items = vec![];
            for event in expected.items {
                let shifts = store.shifts(event.organization, event.id).await.unwrap().unwrap();
                items.push(EventWithShifts::new(event, shifts));
            }
            assert_eq!(found.items, items, "{query:?}");
            let Some(below) = expected.next else { break };
            query = query.at(below);
        }
    }
}
