//! Lists: their order, filters and pages.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Returns `count` events numbered from `first`, spread over 5 days; every third is a draft.
fn some_events(first: u32, count: u32) -> Vec<Event> {
    let date = |number: u32| format!("2027-06-{:02}", 1 + number * 7 % 5);
    let event = |number| Event { is_published: number % 3 != 0, ..event_on(1, number, &date(number), "UTC") };
    (first..first + count).map(event).collect()
}

fn in_list_order(mut events: Vec<Event>) -> Vec<EventId> {
    events.sort_by_key(|event| std::cmp::Reverse((event.dates.starts_at(), event.id)));
    events.into_iter().map(|event| event.id).collect()
}

fn ids(page: &Page<Event>) -> Vec<EventId> {
    page.items.iter().map(|event| event.id).collect()
}

fn beside(event: &Event, side: Side) -> Option<Position<(Timestamp, EventId)>> {
    Some(Position { key: (event.dates.starts_at(), event.id), side })
}

async fn page(
    store: &dyn Store,
    position: Option<Position<(Timestamp, EventId)>>,
    limit: u32,
) -> Page<Event> {
    let query = EventQuery { is_published: None, position, limit };
    store.events(organization_id(1), &query).await.unwrap()
}

/// Events are listed latest start first, equal starts by descending id. The start is an instant, not a date.
pub async fn events_come_latest_start_first_then_by_descending_id(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = [
        event_on(1, 4, "2027-06-05", "Pacific/Kiritimati"),
        event_on(1, 2, "2027-06-05", "UTC"),
        event_on(1, 3, "2027-06-05", "UTC"),
        event_on(1, 1, "2027-06-04", "America/Los_Angeles"),
        event_on(1, 5, "1970-01-01", "Pacific/Kiritimati"),
    ];
    commit(&*store, insert(events.clone())).await;
    let numbers = [3, 2, 4, 1, 5];
    // 2027-06-04 in Los Angeles starts at 07:00Z on the 4th, 2027-06-05 in Kiritimati at 10:00Z on the 4th.
    assert_eq!(ids(&page(&*store, None, 9).await), numbers.map(|number| EventId::new(uuid(number))));
}

/// A walk returns every event that exists throughout exactly once, even if events are inserted and deleted meanwhile.
pub async fn a_walk_shows_each_event_once_under_inserts_and_deletions(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let there = some_events(1000, 25);
    commit(&*store, insert(there.clone())).await;
    let mut doomed = some_events(3000, 12);
    commit(&*store, insert(doomed.clone())).await;
    let (mut seen, mut position, mut inserted) = (vec![], None, 0);
    loop {
        let page = page(&*store, position, 4).await;
        for id in ids(&page) {
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
            commit(&*store, insert(some_events(1 + inserted, 3))).await;
            commit(&*store, insert(some_events(2000 + inserted, 3))).await;
            inserted += 3;
        }
        if let Some(event) = doomed.pop() {
            write(&*store, vec![put(event.clone(), deleted(&event, at(0)))]).await;
        }
        position = page.next;
        if position.is_none() {
            break;
        }
    }
    assert!(doomed.len() < 8, "{} events were not deleted", doomed.len());
    let expected = in_list_order(there);
    let walked: Vec<_> = seen.iter().copied().filter(|id| expected.contains(id)).collect();
    assert_eq!(walked, expected);
}

/// A walk back returns the same pages as the walk forward.
pub async fn a_walk_back_shows_the_same_pages(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    commit(&*store, insert(some_events(1, 23))).await;
    let mut pages = vec![page(&*store, None, 5).await];
    while let Some(below) = pages[pages.len() - 1].next {
        assert!(pages.len() < 5, "23 events make 5 pages");
        pages.push(page(&*store, Some(below), 5).await);
    }
    assert_eq!(pages.len(), 5);
    for both in pages.windows(2).rev() {
        assert!(both[1].previous.is_some());
        assert_eq!(page(&*store, both[1].previous, 5).await, both[0]);
    }
}

/// A page has the position of a neighbouring page exactly if that page has events, for every position, page size and
/// filter.
pub async fn a_page_has_positions_exactly_where_the_list_continues(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = some_events(1, 9);
    commit(&*store, insert(events.clone())).await;
    for is_published in [None, Some(true), Some(false)] {
        let list: Vec<_> = events
            .iter()
            .filter(|event| is_published.is_none_or(|flag| event.is_published == flag))
            .collect();
        let list = in_list_order(list.into_iter().cloned().collect());
        for (event, side, limit) in events
            .iter()
            .flat_map(|event| [Side::Below, Side::Above].map(|side| (event, side)))
            .flat_map(|(event, side)| [1, 2, 9].map(|limit| (event, side, limit)))
        {
            let query = EventQuery { is_published, position: beside(event, side), limit };
            let page = store.events(organization_id(1), &query).await.unwrap();
            let key = |id: &EventId| {
                let event = events.iter().find(|event| event.id == *id).unwrap();
                (event.dates.starts_at(), event.id)
            };
            let here = (event.dates.starts_at(), event.id);
            let on_side: Vec<_> = list
                .iter()
                .copied()
                .filter(|id| if side == Side::Below { key(id) < here } else { key(id) > here })
                .collect();
            let size = on_side.len().min(limit as usize);
            let expected =
                if side == Side::Below { &on_side[..size] } else { &on_side[on_side.len() - size..] };
            assert_eq!(ids(&page), expected, "{query:?}");
            let rest = on_side.len() > size;
            let others = on_side.len() < list.len();
            let (above, below) = if side == Side::Below { (others, rest) } else { (rest, others) };
            let edge = |event: Option<&Event>, goes_on: bool, side| {
                event.filter(|_| goes_on).and_then(|event| beside(event, side))
            };
            assert_eq!(page.previous, edge(page.items.first(), above, Side::Above), "{query:?}");
            assert_eq!(page.next, edge(page.items.last(), below, Side::Below), "{query:?}");
        }
    }
}

/// The filter selects published events, drafts, or both.
pub async fn the_filter_is_exact(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let events = some_events(1, 12);
    commit(&*store, insert(events.clone())).await;
    for is_published in [None, Some(true), Some(false)] {
        let query = EventQuery { is_published, position: None, limit: 100 };
        let page = store.events(organization_id(1), &query).await.unwrap();
        let expected =
            events.iter().filter(|event| is_published.is_none_or(|flag| event.is_published == flag));
        assert_eq!(ids(&page), in_list_order(expected.cloned().collect()), "{is_published:?}");
        assert_eq!((page.previous, page.next), (None, None));
    }
}

/// Shifts are listed by start, end and position. Start and end are instants. A clock change can order instants
/// differently from wall times.
pub async fn shifts_come_in_running_order(store: Arc<dyn Store>) {
    // Clocks jump from 02:00 to 03:00: 02:30 is the same instant as 03:30, and 02:15 is after 03:10.
    let event = event_on(1, 1, "2026-03-08", "America/New_York");
    let shift = |number, start, end| Shift {
        hours: Hours::parse(Some(start), Some(end)).unwrap(),
        ..shift(&event, number, 1)
    };
    let shifts = vec![
        shift(0, "03:30", "05:00"),
        shift(1, "02:30", "05:00"),
        shift(2, "02:15", "05:00"),
        shift(3, "03:10", "05:00"),
        shift(4, "03:30", "04:00"),
        shift(5, "00:00", "01:00"),
    ];
    commit(&*store, insert::<Record>([organization(1).into(), event.clone().into()])).await;
    commit(&*store, insert(shifts)).await;
    let listed = store.shifts(event.organization, event.id).await.unwrap().unwrap();
    let order: Vec<_> = listed.iter().map(|shift| shift.position).collect();
    assert_eq!(order, [5, 3, 2, 4, 0, 1]);
    let full = store.event_in_full(&event.key()).await.unwrap().unwrap();
    assert_eq!(full.shifts, listed, "in full");
    let full = store.event_by_slug(&event.slug).await.unwrap().unwrap();
    assert_eq!(full.shifts, listed, "the event with the slug has its shifts in running order");
}

/// Questions are listed by position, equal positions by id, wherever they are read.
pub async fn questions_come_by_position_then_by_id(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let questions = [(2, 7), (4, 3), (3, 3), (1, 9)].map(|(number, at)| question(&event, number, at));
    commit(&*store, insert(questions.clone())).await;
    let expected = [2, 1, 0, 3].map(|index: usize| questions[index].clone());
    let full = store.event_in_full(&event.key()).await.unwrap().unwrap();
    assert_eq!(full.questions, expected, "the event in full has its questions by position");
    let full = store.event_by_slug(&event.slug).await.unwrap().unwrap();
    assert_eq!(full.questions, expected, "by slug");
}

/// 500 shifts, the maximum of one create, are created in one commit and read back in order.
pub async fn five_hundred_shifts_are_created_at_once(store: Arc<dyn Store>) {
    let event = event(1, 1);
    let shifts: Vec<_> = (0..500).map(|number| shift(&event, number, 1 + number)).collect();
    let mut change = insert::<Record>([organization(1).into(), event.clone().into()]);
    shifts.iter().for_each(|shift| change.insert(shift.clone()));
    commit(&*store, change).await;
    let listed = store.shifts(event.organization, event.id).await.unwrap().unwrap();
    assert_eq!(listed.into_iter().map(|found| found.shift).collect::<Vec<_>>(), shifts);
}

/// Organizations, sign-ups and notices are listed by ascending id, after any id, up to any limit.
pub async fn organizations_and_signups_and_notices_are_listed_by_id(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 9).await;
    for number in [3, 2] {
        let records: [Record; 3] =
            [organization(number).into(), signup(&shift, number).into(), notice(&shift, number).into()];
        commit(&*store, insert(records)).await;
    }
    let organizations = store.organizations(Some(organization_id(1)), 1).await.unwrap();
    assert_eq!(organizations, vec![organization(2)]);
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 3);
    assert_eq!(store.organizations(None, 2).await.unwrap(), vec![organization(1), organization(2)]);
    let of_event = SignupQuery::new().of_event(event.id);
    assert_eq!(ascending(&*store, &of_event, None, 9).await, vec![signup(&shift, 2), signup(&shift, 3)]);
    assert_eq!(ascending(&*store, &of_event, Some(2), 9).await, vec![signup(&shift, 3)]);
    assert_eq!(ascending(&*store, &of_event, None, 1).await, vec![signup(&shift, 2)], "up to the limit");
    let first = store.notices(NoticeQuery::Queued(None), 1).await.unwrap();
    assert_eq!(first, vec![notice(&shift, 2)]);
    let after = NoticeQuery::Queued(Some(NoticeId::new(uuid(2))));
    assert_eq!(store.notices(after, 9).await.unwrap(), vec![notice(&shift, 3)]);
}

/// Returns the `limit` sign-ups with the lowest ids above that of the sign-up `after`, by ascending id.
async fn ascending(store: &dyn Store, query: &SignupQuery, after: Option<u32>, limit: u32) -> Vec<Signup> {
    let query = query.clone().above(after.map(|number| SignupId::new(uuid(number))), limit);
    store.signups(organization_id(1), &query).await.unwrap().ascending()
}

/// Failed notices are listed by ascending id, after any id, up to any limit.
pub async fn failed_notices_are_listed_by_id(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let failure = Some(NoticeFailure::new(at(9), "550 no such user"));
    let failed = [1, 2, 3].map(|number| Notice { failure: failure.clone(), ..notice(&shift, number) });
    commit(&*store, insert([2, 0, 1].map(|index: usize| failed[index].clone()))).await;
    let list = async |after: Option<u32>, limit| {
        let after = after.map(|number| NoticeId::new(uuid(number)));
        store.notices(NoticeQuery::Failed(after), limit).await.unwrap()
    };
    assert_eq!(list(None, 9).await, failed);
    assert_eq!(list(None, 2).await, failed[..2]);
    assert_eq!(list(Some(1), 1).await, failed[1..2], "failed notices after the given id");
    assert_eq!(list(Some(3), 9).await, []);
}

/// The sign-ups of an event are those for its own shifts.
pub async fn the_sign_ups_of_another_event_are_not_listed(store: Arc<dyn Store>) {
    let (here, here_shift) = with_shift(&store, 9).await;
    let there = event(1, 2);
    let there_shift = shift(&there, 2, 9);
    let records: [Record; 4] = [
        there.clone().into(),
        there_shift.clone().into(),
        signup(&there_shift, 1).into(),
        signup(&here_shift, 2).into(),
    ];
    commit(&*store, insert(records)).await;
    let list =
        async |event: &Event| ascending(&*store, &SignupQuery::new().of_event(event.id), None, 9).await;
    assert_eq!(list(&here).await, vec![signup(&here_shift, 2)], "only the sign-ups of the event");
    assert_eq!(list(&there).await, vec![signup(&there_shift, 1)]);
}

/// The confirmed sign-ups of a shift are listed by ascending id, after any id, up to any limit.
pub async fn the_confirmed_sign_ups_of_a_shift_are_listed_by_id(store: Arc<dyn Store>) {
    let (event, here) = with_shift(&store, 9).await;
    let elsewhere = shift(&event, 2, 9);
    commit(&*store, insert([elsewhere.clone()])).await;
    commit(&*store, insert([4, 2, 3, 1].map(|number| signup(&here, number)))).await;
    commit(&*store, insert([signup(&elsewhere, 5)])).await;
    let third = signup(&here, 3);
    write(&*store, vec![put(third.clone(), cancelled(third, at(5)))]).await;
    let confirmed = SignupQuery::new().of_shift(here.id).status(SignupStatus::Confirmed);
    let list = async |after, limit| ascending(&*store, &confirmed, after, limit).await;
    assert_eq!(list(None, 2).await, vec![signup(&here, 1), signup(&here, 2)]);
    assert_eq!(list(Some(2), 9).await, vec![signup(&here, 4)]);
    assert_eq!(list(None, 3).await.len(), 3, "the limit counts confirmed sign-ups only");
    assert_eq!(list(Some(4), 9).await, vec![]);
}

/// The sign-ups of an address are found in any case, cancelled ones included. The sign-ups of another address are not
/// found.
pub async fn the_sign_ups_of_an_address_are_found_in_any_case(store: Arc<dyn Store>) {
    let (event, here) = with_shift(&store, 9).await;
    let elsewhere = shift(&event, 2, 9);
    commit(&*store, insert([elsewhere.clone()])).await;
    let of = |email: &str, shift: &Shift, number| Signup {
        email: EmailAddress::new(email).unwrap(),
        ..signup(shift, number)
    };
    let (first, second) = (of("Ada@example.org", &here, 1), of("ada@EXAMPLE.org", &elsewhere, 2));
    let other = of("adam@example.org", &here, 0);
    commit(&*store, insert([second.clone(), first.clone(), other])).await;
    let gone = cancelled(first.clone(), at(5));
    write(&*store, vec![put(first, gone.clone())]).await;
    let of_ada = SignupQuery::new().email(EmailAddress::new("ADA@example.org").unwrap());
    assert_eq!(ascending(&*store, &of_ada, None, 9).await, vec![gone.clone(), second]);
    let first = ascending(&*store, &of_ada, None, 1).await;
    assert_eq!(first, vec![gone], "the limit counts sign-ups of the address only");
}
