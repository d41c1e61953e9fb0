//! Updates of events: what they change, what they keep, and which events count as active.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Returns the update of an event whose `is_published`, `cancelled_at` or days may have changed.
fn update(event: &Event) -> Write {
    Write::UpdateEvent { event: Box::new(event.clone()), may_change_activity: true }
}

fn dates(first: &str, last: Option<&str>, zone: &str) -> EventDates {
    let first = Day::new(first.parse().unwrap(), zone.parse().unwrap());
    EventDates { first, last: last.map(|date| date.parse().unwrap()) }
}

/// An update changes every field of an event but the id, the organization, the slug and the time of creation. Location data
/// stays, and so do other events.
pub async fn an_update_keeps_slug_creation_time_and_location_data(store: Arc<dyn Store>) {
    let (event, other) = (event(1, 1), event(1, 2));
    let data = Some(r#"{"place_id": "x"}"#.parse::<LocationData>().unwrap());
    let inserts = vec![
        Write::InsertOrganization(organization(1)),
        Write::InsertEvent { event: Box::new(event.clone()), location_data: data.clone() },
        insert_event(&other),
    ];
    write(&*store, inserts).await;
    let edited = Event {
        title: Title::new("Winter drive").unwrap(),
        description: Some(Description::new("Bring gloves.").unwrap()),
        location: Some(EventLocation::new("2 Main St").unwrap()),
        is_virtual: true,
        latitude: Some(Latitude::new(40.5).unwrap()),
        longitude: Some(Longitude::new(-74.5).unwrap()),
        dates: dates("2027-12-05", Some("2027-12-07"), "Europe/Madrid"),
        is_published: false,
        theme: Some(Theme::GoldenHour),
        badge_label: Some(BadgeLabel::new("Families").unwrap()),
        cancelled_at: Some(at(7)),
        cancellation_reason: Some(CancellationReason::new("Flood").unwrap()),
        version: 2,
        updated_at: at(8),
        ..event.clone()
    };
    for edited in [edited, Event { version: 3, ..event.clone() }] {
        let sent = Event { slug: "changed".to_owned(), created_at: at(9), ..edited.clone() };
        write(&*store, vec![update(&sent)]).await;
        let mut full = EventInFull::new(edited, vec![], vec![]);
        full.location_data = data.clone();
        let found = store.event_in_full(event.organization, event.id).await.unwrap();
        assert_eq!(found.as_ref(), Some(&full), "an update changes every field that can change");
        assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), Some(full), "the slug stays");
        assert_eq!(store.event_by_slug("changed").await.unwrap(), None);
        assert_eq!(store.event(other.organization, other.id).await.unwrap(), Some(other.clone()));
    }
}

/// An update of the days or the zone moves the instants of the shifts, wherever they are read. Their hours stay.
pub async fn an_update_moves_the_instants_of_the_shifts(store: Arc<dyn Store>) {
    let event = event_on(1, 1, "2026-03-07", "America/New_York");
    let shift_at = |number, start| Shift {
        hours: Hours::parse(Some(start), Some("05:00")).unwrap(),
        ..shift(&event, number, 1)
    };
    // On the 8th, clocks jump from 02:00 to 03:00: 02:15 is the instant of 03:15, which is after 03:10.
    let shifts = [shift_at(1, "02:15"), shift_at(2, "03:10")];
    let volunteer = signup(&shifts[0], 1);
    let inserts = vec![
        Write::InsertOrganization(organization(1)),
        insert_event(&event),
        Write::InsertShifts(shifts.to_vec()),
        Write::InsertSignup(Box::new(volunteer.clone())),
    ];
    write(&*store, inserts).await;
    let owner = event.organization;
    let moved = Event { dates: dates("2026-03-08", None, "America/New_York"), is_virtual: true, ..event };
    write(&*store, vec![update(&moved)]).await;
    let follow = |shift: &Shift| Shift {
        day: moved.dates.first.clone(),
        is_virtual: true,
        occupancy: Occupancy { filled: u32::from(shift.id == volunteer.shift), ..shift.occupancy },
        ..shift.clone()
    };
    let expected = vec![follow(&shifts[1]), follow(&shifts[0])];
    let listed = store.shifts(owner, moved.id).await.unwrap();
    assert_eq!(listed, Some(expected.clone()), "the shifts move with the event, into their new order");
    let full = store.event_in_full(owner, moved.id).await.unwrap().unwrap();
    assert_eq!(full.shifts, expected, "in full");
    assert_eq!(store.event_by_slug(&moved.slug).await.unwrap().unwrap().shifts, expected, "by slug");
    for shift in expected {
        assert_eq!(store.shift(owner, shift.id).await.unwrap(), Some(shift.clone()), "one shift");
        let found = store.shift_with_event(owner, shift.id).await.unwrap();
        assert_eq!(found, Some((shift, moved.clone())), "a shift with its event");
    }
    let in_full = store.signup_in_full(owner, volunteer.id).await.unwrap().unwrap();
    assert_eq!(in_full.shift, follow(&shifts[0]), "the shift of a sign-up");
    let in_madrid = Event { dates: dates("2026-03-08", None, "Europe/Madrid"), ..moved };
    write(&*store, vec![update(&in_madrid)]).await;
    let found = store.shift(owner, shifts[0].id).await.unwrap().unwrap();
    let instant = "2026-03-08T01:15:00Z".parse().unwrap();
    assert_eq!(
        (found.hours, found.interval().start),
        (shifts[0].hours, instant),
        "a new zone moves instants"
    );
}

/// An update moves an event in the lists: by its start, and between the published events and the drafts.
pub async fn an_update_moves_the_event_in_the_lists(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let days = ["2027-06-01", "2027-06-02", "2027-06-03"];
    let events: Vec<_> = (1..).zip(days).map(|(number, day)| event_on(1, number, day, "UTC")).collect();
    write(&*store, events.iter().map(insert_event).collect()).await;
    let list = async |query: EventQuery| {
        let page = store.events(organization_id(1), &query).await.unwrap();
        page.events.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let [one, two, three] = [1, 2, 3].map(|number| EventId::new(uuid(number)));
    assert_eq!(list(EventQuery::new()).await, [three, two, one]);
    let edited = Event { dates: dates("2027-06-09", None, "UTC"), is_published: false, ..events[0].clone() };
    write(&*store, vec![update(&edited)]).await;
    assert_eq!(list(EventQuery::new()).await, [one, three, two], "a later start moves the event up");
    assert_eq!(list(EventQuery::new().published()).await, [three, two], "a draft is not published");
    assert_eq!(list(EventQuery::new().drafts()).await, [one], "a draft is listed");
    let first = store.events(organization_id(1), &EventQuery::new().limit(1)).await.unwrap();
    let second = EventQuery::new().limit(1).at(first.below.unwrap());
    assert_eq!(list(second).await, [three], "the position of the moved event leads to the next page");
    write(&*store, vec![update(&events[0])]).await;
    assert_eq!(list(EventQuery::new().published()).await, [three, two, one], "it is published again");
    assert_eq!(list(EventQuery::new().drafts()).await, []);
}

/// An update, a cancellation, a deletion and a restoration change whether an event is active. A cancelled event and a deleted
/// event are not.
pub async fn active_events_follow_each_change(store: Arc<dyn Store>) {
    let other = event(1, 2);
    let event = event(1, 1);
    let (organization, id) = (event.organization, event.id);
    let cancelled = Event { cancelled_at: Some(at(3)), ..super::records::event(1, 3) };
    let foreign = super::records::event(2, 4);
    let mut writes =
        [1, 2].map(|number| Write::InsertOrganization(super::records::organization(number))).to_vec();
    writes.extend([&event, &other, &cancelled, &foreign].map(insert_event));
    write(&*store, writes).await;
    let end = event.dates.ends_at();
    let active = async |now| {
        let below = vec![Requirement::ActiveEventsBelow { organization, limit: 0, now }];
        match try_write(&*store, below, vec![]).await {
            Err(Refusal::ActiveEvents { count }) => count,
            found => panic!("{found:?}"),
        }
    };
    assert_eq!(active(at(0)).await, 2, "a cancelled event is not active");
    let draft = Event { is_published: false, ..event.clone() };
    let gone = Event { cancelled_at: Some(at(4)), ..event.clone() };
    let longer =
        Event { dates: dates("2027-06-05", Some("2027-06-07"), "America/New_York"), ..event.clone() };
    let delete = Write::DeleteEvent { organization, event: id, at: at(5) };
    let restore = |event: &Event| Write::RestoreEvent(Box::new(event.clone()));
    let changes = [
        (update(&draft), 1, 0, "a draft is not active"),
        (update(&event), 2, 0, "a published event is active"),
        (update(&gone), 1, 0, "a cancelled event is not active"),
        (update(&longer), 2, 1, "an event is active until its new end"),
        (delete.clone(), 1, 0, "a deleted event is not active"),
        (restore(&draft), 1, 0, "a draft is restored"),
        (delete.clone(), 1, 0, "a deleted draft"),
        (restore(&event), 2, 0, "a restored event is active"),
        (delete, 1, 0, "deleted again"),
        (restore(&longer), 2, 1, "an event is restored with other days"),
    ];
    for (change, count, later, what) in changes {
        write(&*store, vec![change]).await;
        assert_eq!((active(at(0)).await, active(end).await), (count, later), "{what}");
    }
    let retitled = Event { title: Title::new("Edited").unwrap(), version: 2, ..longer };
    let unmarked = Write::UpdateEvent { event: Box::new(retitled), may_change_activity: false };
    write(&*store, vec![unmarked]).await;
    assert_eq!(active(at(0)).await, 2, "an update without the mark keeps the total");
}

/// Location data is replaced and removed, and is read with the event in full only.
pub async fn location_data_is_replaced_and_removed(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let other = super::records::event(1, 2);
    write(&*store, vec![insert_event(&other)]).await;
    let organization = event.organization;
    let data_of = async |event: &Event| {
        let full = store.event_in_full(organization, event.id).await.unwrap().unwrap();
        let by_slug = store.event_by_slug(&event.slug).await.unwrap().unwrap();
        assert_eq!(full.location_data, by_slug.location_data);
        full.location_data
    };
    for data in [Some(r#"{"a": 1}"#), Some(r#"{"b": 2}"#), None] {
        let location_data = data.map(|data| data.parse::<LocationData>().unwrap());
        let set = Write::SetLocationData { organization, event: event.id, location_data };
        let Write::SetLocationData { location_data, .. } = set.clone() else { panic!("{set:?}") };
        write(&*store, vec![set]).await;
        assert_eq!(data_of(&event).await, location_data, "location data is replaced");
        assert_eq!(data_of(&other).await, None, "another event keeps its data");
        assert_eq!(store.event(organization, event.id).await.unwrap(), Some(event.clone()));
    }
}

/// A change of an event is refused if its version is stale.
pub async fn a_stale_version_of_an_event_is_refused(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let requires = |version| {
        vec![Requirement::EventAtVersion { organization: event.organization, event: event.id, version }]
    };
    let edited = Event { version: 2, updated_at: at(5), ..event.clone() };
    assert_eq!(try_write(&*store, requires(1), vec![update(&edited)]).await, Ok(()));
    let refused = try_write(&*store, requires(1), vec![update(&event)]).await;
    assert_eq!(refused, Err(Refusal::EventChanged), "the version is stale");
    assert_eq!(try_write(&*store, requires(2), vec![]).await, Ok(()));
    assert_eq!(store.event(event.organization, event.id).await.unwrap(), Some(edited));
}
