//! Puts and removals: what is read after them, and what follows an event that is put.

use std::sync::Arc;

use super::family::{Family, parts, read_all, with_family};
use super::records::*;
use crate::*;

fn dates(first: &str, zone: &str) -> EventDates {
    EventDates { first: Day::new(first.parse().unwrap(), zone.parse().unwrap()), last: None }
}

/// Returns the record with other values in the fields that a store derives.
fn underived(record: &Record) -> Record {
    match record.clone() {
        Record::Shift(shift) => {
            let occupancy = Occupancy { filled: 77, waitlisted: 77, ..shift.occupancy };
            Shift { occupancy, ..*shift }.into()
        }
        record => record,
    }
}

/// A record that is put in place of another is read back whole, and no other record changes. What a store derives is ignored:
/// an edit of a shift keeps `filled`. This holds in both directions, so optional fields are set and removed.
pub async fn a_put_replaces_the_whole_record_and_no_other(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let records = family.records();
    let data = EventLocationData {
        organization: family.organization.id,
        event: family.full.event.id,
        data: r#"{"another": [1]}"#.parse().unwrap(),
    };
    for after in family.edited().into_iter().chain([data.into()]) {
        let key = after.entity().key();
        let place = records.iter().position(|record| record.entity().key() == key).unwrap();
        for (before, after) in [(&records[place], &after), (&after, &records[place])] {
            write(&*store, vec![put(underived(before), underived(after))]).await;
            let mut expected = records.clone();
            expected[place].clone_from(after);
            assert_eq!(read_all(&*store, &expected).await, expected, "{key:?}");
        }
    }
}

/// The lists of an event's records follow a put and a removal: questions by their positions, and location data with the event
/// in full.
pub async fn an_event_in_full_follows_its_records(store: Arc<dyn Store>) {
    let Family { full, .. } = with_family(&*store).await;
    let [first, second] = [&full.questions[0], &full.questions[1]];
    let moved = Question { position: 9, version: 2, ..first.clone() };
    let data = parts(full.clone()).remove(1);
    let other: LocationData = "{}".parse().unwrap();
    let (organization, event) = (full.event.organization, full.event.id);
    let other_data = EventLocationData { organization, event, data: other.clone() };
    let questions = vec![second.clone(), moved.clone()];
    let moved_full = EventInFull { questions: questions.clone(), ..full.clone() };
    let without_data = EventInFull { location_data: None, ..moved_full.clone() };
    let with_other = EventInFull { location_data: Some(other), ..moved_full.clone() };
    let with_one = EventInFull { questions: questions[..1].to_vec(), ..with_other.clone() };
    for (change, expected) in [
        (put(first.clone(), moved.clone()), moved_full),
        (Write::Remove(data), without_data),
        (Write::insert(other_data), with_other),
        (Write::Remove(moved.into()), with_one),
    ] {
        write(&*store, vec![change.clone()]).await;
        let found = store.event_in_full(&RecordKey::Event(organization, event)).await.unwrap();
        assert_eq!(found.as_ref(), Some(&expected), "{change:?}");
        assert_eq!(store.event_by_slug(&full.event.slug).await.unwrap(), Some(expected), "{change:?}");
    }
}

/// A removed record is gone. Other records stay, and so do the answers to a removed question, and the links and the recipient of
/// the address of a removed sign-up.
pub async fn a_removed_record_is_gone_and_others_stay(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let mut left = family.records();
    let Family { token, full, signups, links, receipt, notices, .. } = family;
    let removed: [Vec<Record>; 7] = [
        vec![notices[0].clone().into()],
        vec![full.questions[0].clone().into()],
        vec![signups[0].clone().into()],
        vec![signups[1].clone().into()],
        vec![links[1].clone().into()],
        vec![token.into()],
        vec![receipt.into()],
    ];
    for gone in removed {
        write(&*store, vec![Write::Remove(gone[0].clone())]).await;
        left.retain(|record| !gone.contains(record));
        if gone[0] == signups[0].clone().into() {
            let mut shift = full.shifts[0].shift.clone();
            shift.occupancy.filled = 0;
            let place = left.iter().position(|record| record.entity().key() == shift.key()).unwrap();
            left[place] = shift.into();
        }
        assert_eq!(read_all(&*store, &gone).await, [], "{gone:?}");
        assert_eq!(read_all(&*store, &left).await, left, "only the record is removed: {gone:?}");
    }
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 1, failed: 0 });
    let signups = store.signups(organization_id(1), &SignupQuery::new()).await.unwrap().items;
    assert_eq!(signups.len(), 1, "a list has no removed sign-ups");
}

/// A put of an event with other days or another zone moves the instants of its shifts, wherever they are read. Their hours stay.
pub async fn shifts_take_their_day_from_their_event(store: Arc<dyn Store>) {
    let event = event_on(1, 1, "2026-03-07", "America/New_York");
    let shift_at = |number, start| Shift {
        hours: Hours::parse(Some(start), Some("05:00")).unwrap(),
        ..shift(&event, number, 1)
    };
    // On the 8th, clocks jump from 02:00 to 03:00: 02:15 is the instant of 03:15, which is after 03:10.
    let shifts = [shift_at(1, "02:15"), shift_at(2, "03:10")];
    let volunteer = signup(&shifts[0], 1);
    let [one, other] = shifts.clone().map(Record::from);
    let inserts = [organization(1).into(), event.clone().into(), one, other, volunteer.clone().into()];
    commit(&*store, insert::<Record>(inserts)).await;
    let owner = event.organization;
    let moved = Event { dates: dates("2026-03-08", "America/New_York"), is_virtual: true, ..next(&event) };
    write(&*store, vec![put(event, moved.clone())]).await;
    let follow = |shift: &Shift| {
        let occupancy = Occupancy { filled: u32::from(shift.id == volunteer.shift), ..shift.occupancy };
        ScheduledShift::of(Shift { occupancy, ..shift.clone() }, &moved)
    };
    let expected = vec![follow(&shifts[1]), follow(&shifts[0])];
    let listed = store.shifts(owner, moved.id).await.unwrap();
    assert_eq!(listed, Some(expected.clone()), "the shifts move with the event, into their new order");
    let full = store.event_in_full(&moved.key()).await.unwrap().unwrap();
    assert_eq!(full.shifts, expected, "in full");
    assert_eq!(store.event_by_slug(&moved.slug).await.unwrap().unwrap().shifts, expected, "by slug");
    for ScheduledShift { shift, .. } in expected {
        // The record keeps the end with which it was put.
        let shift = Shift { ends_at: shifts[0].ends_at, ..shift };
        assert_eq!(store.get::<Shift>(shift.key()).await.unwrap(), Some(shift.clone()), "one shift");
        let found = store.shift_with_event(owner, shift.id).await.unwrap();
        assert_eq!(found, Some((shift, moved.clone())), "a shift with its event");
    }
    let in_full = store.signup_in_full(owner, volunteer.id).await.unwrap().unwrap();
    assert_eq!(in_full.shift, follow(&shifts[0]), "the shift of a sign-up");
    let in_madrid = Event { dates: dates("2026-03-08", "Europe/Madrid"), ..next(&moved) };
    write(&*store, vec![put(moved, in_madrid.clone())]).await;
    let listed = store.shifts(owner, in_madrid.id).await.unwrap().unwrap();
    let found = listed.into_iter().find(|found| found.id == shifts[0].id).unwrap();
    let instant = "2026-03-08T01:15:00Z".parse().unwrap();
    let found = (found.hours, found.interval().start);
    assert_eq!(found, (shifts[0].hours, instant), "a new zone moves instants");
}

/// A put moves an event in the lists: by its start, and between the published events and the drafts.
pub async fn an_event_moves_in_the_lists(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let days = ["2027-06-01", "2027-06-02", "2027-06-03"];
    let events: Vec<_> = (1..).zip(days).map(|(number, day)| event_on(1, number, day, "UTC")).collect();
    commit(&*store, insert(events.clone())).await;
    let list = async |query: EventQuery| {
        let page = store.events(organization_id(1), &query).await.unwrap();
        page.items.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let [one, two, three] = [1, 2, 3].map(|number| EventId::new(uuid(number)));
    assert_eq!(list(EventQuery::new()).await, [three, two, one]);
    let edited = Event { dates: dates("2027-06-09", "UTC"), is_published: false, ..next(&events[0]) };
    write(&*store, vec![put(events[0].clone(), edited.clone())]).await;
    assert_eq!(list(EventQuery::new()).await, [one, three, two], "a later start moves the event up");
    assert_eq!(list(EventQuery::new().published()).await, [three, two], "a draft is not published");
    assert_eq!(list(EventQuery::new().drafts()).await, [one], "a draft is listed");
    let first = store.events(organization_id(1), &EventQuery::new().limit(1)).await.unwrap();
    let second = EventQuery::new().limit(1).at(first.next.unwrap());
    assert_eq!(list(second).await, [three], "the position of the moved event leads to the next page");
    write(&*store, vec![put(edited, events[0].clone())]).await;
    assert_eq!(list(EventQuery::new().published()).await, [three, two, one], "it is published again");
    assert_eq!(list(EventQuery::new().drafts()).await, []);
}
