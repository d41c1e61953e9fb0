//! Deletion: what a deleted event or a deleted shift hides, what stays readable, and how an event is restored.

use std::slice;
use std::sync::Arc;

use super::family::{Family, listed, parts, read_all, seen, with_family};
use super::records::*;
use crate::*;

fn deleted_shift(shift: &Shift) -> Shift {
    Shift { deleted_at: Some(at(5)), ..next_shift(shift) }
}

/// A deleted event is missing, and so are its shifts, its questions and its sign-ups. Another event stays, and so do the links of
/// its mails: they also show what their address has at other events.
/// When a put takes the deletion back, everything is as before.
pub async fn a_deleted_event_hides_all_that_belongs_to_it(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let (event, link) = (&family.full.event, &family.links[0]);
    let digest = Unique::Link(link.digest);
    let other = Family::new(1, 2);
    let mut others = parts(other.full.clone());
    others.extend(other.signups.iter().cloned().map(Record::from));
    let before = seen(&*store, &family).await;
    assert!(before.iter().all(|(_, records)| !records.is_empty()), "{before:?}");
    let deleted = deleted(event, at(5));
    write(&*store, vec![put(event.clone(), deleted.clone())]).await;
    for (what, records) in seen(&*store, &family).await {
        assert_eq!(records, [], "{what}");
    }
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), None, "a deleted event has no page");
    let found = store.holder(&digest, Deleted::Excluded).await.unwrap();
    assert_eq!(found, Some(link.clone().into()), "its links are found");
    commit(&*store, insert(others)).await;
    let events = store.events(event.organization, &EventQuery::new()).await.unwrap().items;
    assert_eq!(events, slice::from_ref(&other.full.event), "a list omits deleted events only");
    assert_eq!(listed(&*store, SignupQuery::new()).await, other.signups, "so does the list of sign-ups");
    write(&*store, vec![put(other.full.event.clone(), super::records::deleted(&other.full.event, at(5)))])
        .await;
    write(&*store, vec![put(deleted, event.clone())]).await;
    assert_eq!(seen(&*store, &family).await, before, "a restored event is as before");
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap().as_ref(), Some(&family.full));
    let found = store.deleted_events(event.organization, None, 9).await.unwrap();
    assert_eq!(found.len(), 1, "a restored event is not listed as deleted");
    store.purge(Purge::Deleted(at(99)), 99).await.unwrap();
    assert_eq!(seen(&*store, &family).await, before, "a restored event is not purged");
}

/// The owner of a deleted event, the deleted records themselves, and what mails and operators need of its sign-ups stay
/// readable. Its slug stays in use.
pub async fn what_mails_and_operators_need_of_a_deleted_event_stays(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let Family { organization, full, signups, notices, .. } = &family;
    let (owner, event) = (organization.id, deleted(&full.event, at(5)));
    write(&*store, vec![put(full.event.clone(), event.clone())]).await;
    assert_eq!(store.owner(Kind::Event, event.id.uuid()).await.unwrap(), Some(owner));
    assert_eq!(store.deleted_events(owner, None, 9).await.unwrap(), slice::from_ref(&event));
    let records = family.records().into_iter();
    let expected: Vec<_> = records
        .map(|record| if record.kind() == Kind::Event { event.clone().into() } else { record })
        .collect();
    assert_eq!(read_all(&*store, &expected).await, expected, "deleted records are read if the caller asks");
    let taken = Err(Refusal::Taken(Box::new(event.clone().into())));
    let free = check(&*store, vec![absent(Unique::EventSlug(event.slug.clone()))]).await;
    assert_eq!(free, taken, "the slug of a deleted event stays in use");
    let slug = Unique::EventSlug(event.slug.clone());
    assert_eq!(store.holder(&slug, Deleted::Excluded).await.unwrap(), None, "the slug finds no event");
    assert_eq!(store.holder(&slug, Deleted::Included).await.unwrap(), Some(event.clone().into()));
    for (signup, shift) in signups.iter().zip([0, 0, 1]) {
        let in_full = SignupInFull::new(
            organization.clone(),
            event.clone(),
            full.shifts[shift].shift.clone(),
            signup.clone(),
        );
        assert_eq!(store.signup_in_full(owner, signup.id).await.unwrap(), Some(in_full), "in full");
        let query = SignupQuery::new().email(signup.email.clone()).with_deleted();
        assert_eq!(listed(&*store, query).await, slice::from_ref(signup), "by address");
    }
    let all = SignupQuery::new().with_deleted();
    let of_shift = all.clone().of_shift(full.shifts[0].id);
    for (query, expected) in [
        (all.clone().of_event(event.id), &signups[..]),
        (of_shift.clone(), &signups[..2]),
        (of_shift.status(SignupStatus::Confirmed), &signups[..1]),
        (all.status(SignupStatus::Cancelled), &signups[1..2]),
    ] {
        assert_eq!(listed(&*store, query.clone()).await, expected, "{query:?}");
    }
    let due = NoticeQuery::Due { now: at(9), latest: at(99) };
    assert_eq!(store.notices(due, 9).await.unwrap(), notices, "its mails are delivered");
}

/// Deleted events are listed by ascending id, after any id, up to any limit. Events that are not deleted are not listed.
pub async fn deleted_events_are_listed_by_id(store: Arc<dyn Store>) {
    let events: Vec<_> = (1..6).map(|number| event(1, number)).collect();
    let foreign = event(2, 6);
    commit(&*store, insert([1, 2].map(organization))).await;
    commit(&*store, insert(events.iter().chain([&foreign]).cloned())).await;
    for event in [&events[4], &events[0], &foreign, &events[2]] {
        write(&*store, vec![put(event.clone(), deleted(event, at(5)))]).await;
    }
    let list = async |after: Option<u32>, limit| {
        let after = after.map(|number| EventId::new(uuid(number)));
        let found = store.deleted_events(organization_id(1), after, limit).await.unwrap();
        found.into_iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let ids =
        |numbers: &[u32]| -> Vec<_> { numbers.iter().map(|number| EventId::new(uuid(*number))).collect() };
    assert_eq!(list(None, 9).await, ids(&[1, 3, 5]), "deleted events come by id");
    assert_eq!(list(None, 2).await, ids(&[1, 3]), "the limit counts deleted events of the organization");
    assert_eq!(list(Some(1), 1).await, ids(&[3]), "deleted events after the given id");
    assert_eq!(list(Some(5), 9).await, []);
}

/// A deleted shift is missing, and the event keeps its other shifts. The sign-ups for the deleted shift stay readable, also in
/// lists.
pub async fn a_deleted_shift_is_missing_and_its_sign_ups_stay(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let Family { organization, full, signups, .. } = &family;
    let (owner, event) = (organization.id, &full.event);
    let [gone, left] = [&full.shifts[0].shift, &full.shifts[1].shift];
    let deleted = deleted_shift(gone);
    write(&*store, vec![put(gone.clone(), deleted.clone())]).await;
    assert_eq!(store.get::<Shift>(gone.key()).await.unwrap(), None, "a deleted shift is missing");
    assert_eq!(store.shift_with_event(owner, gone.id).await.unwrap(), None, "with its event");
    let expected = EventInFull { shifts: full.shifts[1..].to_vec(), ..full.clone() };
    assert_eq!(store.shifts(owner, event.id).await.unwrap().as_ref(), Some(&expected.shifts));
    for key in [event.key(), gone.key()] {
        assert_eq!(store.event_in_full(&key).await.unwrap().as_ref(), Some(&expected), "in full by {key:?}");
    }
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), Some(expected), "by slug");
    assert_eq!(store.get::<Shift>(left.key()).await.unwrap().as_ref(), Some(left));
    assert_eq!(store.owner(Kind::Shift, gone.id.uuid()).await.unwrap(), Some(owner));
    for (query, expected) in [
        (SignupQuery::new(), &signups[..]),
        (SignupQuery::new().of_event(event.id), &signups[..]),
        (SignupQuery::new().of_shift(gone.id), &signups[..2]),
        (SignupQuery::new().of_shift(gone.id).status(SignupStatus::Confirmed), &signups[..1]),
    ] {
        assert_eq!(listed(&*store, query.clone()).await, expected, "{query:?}");
    }
    for signup in &signups[..2] {
        assert_eq!(store.get::<Signup>(signup.key()).await.unwrap().as_ref(), Some(signup));
        let in_full = SignupInFull::new(organization.clone(), event.clone(), deleted.clone(), signup.clone());
        assert_eq!(store.signup_in_full(owner, signup.id).await.unwrap(), Some(in_full), "with the shift");
    }
}

/// A requirement finds a deleted record at the version and the gate that the deletion left, and no longer at the ones before.
pub async fn a_deleted_record_is_at_its_next_version(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let deleted = deleted(&event, at(5));
    let deleted_shift = deleted_shift(&shift);
    let writes = vec![put(shift.clone(), deleted_shift.clone()), put(event.clone(), deleted.clone())];
    write(&*store, writes).await;
    let holds = vec![
        unchanged(&deleted),
        gate_unchanged(&deleted),
        unchanged(&deleted_shift),
        gate_unchanged(&deleted_shift),
    ];
    assert_eq!(check(&*store, holds).await, Ok(()));
    for (stale, key) in [
        (unchanged(&event), event.key()),
        (gate_unchanged(&event), event.key()),
        (unchanged(&shift), shift.key()),
        (gate_unchanged(&shift), shift.key()),
    ] {
        assert_eq!(check(&*store, vec![stale.clone()]).await, Err(Refusal::Changed(key)), "{stale:?}");
    }
}

/// A sign-up for a deleted shift of a deleted event is cancelled and removed like any other.
pub async fn a_sign_up_of_a_deleted_event_is_cancelled_and_removed(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let [first, second] = [1, 2].map(|number| signup(&shift, number));
    let writes = vec![
        Write::insert(first.clone()),
        Write::insert(second.clone()),
        put(shift.clone(), deleted_shift(&shift)),
        put(event.clone(), deleted(&event, at(5))),
    ];
    write(&*store, writes).await;
    let gone = cancelled(first.clone(), at(6));
    for (change, signups, filled) in [
        (put(first.clone(), gone.clone()), vec![gone.clone(), second.clone()], 1),
        (Write::Remove(second.into()), vec![gone.clone()], 0),
        (Write::Remove(gone.into()), vec![], 0),
    ] {
        let requires = vec![unchanged(&deleted(&event, at(5)))];
        commit(&*store, ChangeSet { requires, writes: vec![change] }).await;
        assert_eq!(listed(&*store, SignupQuery::new().with_deleted()).await, signups);
        let found = store.record(&shift.key(), Deleted::Included).await.unwrap().unwrap();
        assert_eq!(Shift::try_from(found).unwrap().occupancy.filled, filled, "its place is free");
    }
}
