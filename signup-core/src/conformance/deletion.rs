//! Deletion: what a deleted event or a deleted shift hides, what stays readable, and how an event is restored.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// An event with everything that belongs to it.
struct Family {
    full: EventInFull,
    signups: Vec<Signup>,
    notice: Notice,
}

/// Inserts the organization 1, and its event 1 with two shifts, a question, a confirmed and a cancelled sign-up for the shift
/// 1, a sign-up for the shift 2, and a notice.
async fn with_family(store: &dyn Store) -> Family {
    let event = event(1, 1);
    let [one, other] = [1, 2].map(|number| shift(&event, number, 5));
    let question = question(&event, 1, 0);
    let answers = vec![answer(1, "S")];
    let first = Signup { answers, ..signup(&one, 1) };
    let (gone, second) = (signup(&one, 2), signup(&other, 3));
    let notice = notice(&one, 1);
    let data = Some(r#"{"place_id": "x"}"#.parse::<LocationData>().unwrap());
    let mut writes = vec![
        Write::InsertOrganization(organization(1)),
        Write::InsertEvent { event: Box::new(event.clone()), location_data: data.clone() },
        Write::InsertShifts(vec![one.clone(), other.clone()]),
        Write::InsertQuestions(vec![question.clone()]),
        Write::InsertNotices(vec![notice.clone()]),
    ];
    writes.extend([&first, &gone, &second].map(|signup| Write::InsertSignup(Box::new(signup.clone()))));
    writes.push(cancel(&gone, at(4)));
    write(store, writes).await;
    let [one, other] =
        [one, other].map(|shift| Shift { occupancy: Occupancy { filled: 1, ..shift.occupancy }, ..shift });
    let mut full = EventInFull::new(event, vec![one, other], vec![question]);
    full.location_data = data;
    Family { full, signups: vec![first, cancelled(gone, at(4)), second], notice }
}

fn delete_event(event: &Event, time: i64) -> Write {
    Write::DeleteEvent { organization: event.organization, event: event.id, at: at(time) }
}

fn delete_shift(shift: &Shift, time: i64) -> Write {
    Write::DeleteShift { organization: shift.organization, shift: shift.id, at: at(time) }
}

fn restore(event: &Event) -> Write {
    Write::RestoreEvent(Box::new(event.clone()))
}

async fn listed(store: &dyn Store, query: SignupQuery) -> Vec<Signup> {
    store.signup_page(organization_id(1), &query).await.unwrap().signups
}

/// A deleted event is missing, and so are its shifts, its questions and its sign-ups. Another event stays.
pub async fn a_deleted_event_hides_all_that_belongs_to_it(store: Arc<dyn Store>) {
    let Family { full, signups, .. } = with_family(&*store).await;
    let (event, other) = (&full.event, event(1, 2));
    let (shift, signup) = (&full.shifts[0], &signups[0]);
    let other_shift = super::records::shift(&other, 9, 1);
    let other_signup = super::records::signup(&other_shift, 9);
    let writes = vec![
        insert_event(&other),
        Write::InsertShifts(vec![other_shift]),
        Write::InsertSignup(Box::new(other_signup.clone())),
        delete_event(event, 5),
    ];
    write(&*store, writes).await;
    let owner = event.organization;
    assert_eq!(store.event(owner, event.id).await.unwrap(), None, "a deleted event is missing");
    assert_eq!(store.event_in_full(owner, event.id).await.unwrap(), None, "in full");
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), None, "a deleted event has no page");
    for query in [EventQuery::new(), EventQuery::new().published()] {
        let events = store.events(owner, &query).await.unwrap();
        assert_eq!(events, EventPage::new(vec![other.clone()]), "a list omits deleted events");
    }
    assert_eq!(store.shifts(owner, event.id).await.unwrap(), None);
    assert_eq!(store.shift(owner, shift.id).await.unwrap(), None, "the shift of a deleted event is missing");
    assert_eq!(store.shift_with_event(owner, shift.id).await.unwrap(), None, "with its event");
    assert_eq!(store.questions(owner, event.id).await.unwrap(), None);
    let question = store.question(owner, full.questions[0].id).await.unwrap();
    assert_eq!(question, None, "the question of a deleted event is missing");
    assert_eq!(store.signups(owner, event.id, None, 9).await.unwrap(), vec![], "no sign-ups of the event");
    assert_eq!(store.signup(owner, signup.id).await.unwrap(), None, "the sign-up is missing");
    let by_secret = store.signup_by_secret(&signup.secret).await.unwrap();
    assert_eq!(by_secret, None, "the secret finds no sign-up of a deleted event");
    let list = listed(&*store, SignupQuery::new()).await;
    assert_eq!(list, vec![other_signup], "the list of sign-ups omits those of a deleted event");
    for query in [
        SignupQuery::new().of_event(event.id),
        SignupQuery::new().of_shift(shift.id),
        SignupQuery::new().email(signup.email.clone()),
    ] {
        assert_eq!(listed(&*store, query.clone()).await, vec![], "{query:?}");
    }
}

/// The owner of a deleted event, the deleted event itself, and what mails and operators need of its sign-ups stay readable.
pub async fn what_mails_and_operators_need_of_a_deleted_event_stays(store: Arc<dyn Store>) {
    let Family { full, signups, notice } = with_family(&*store).await;
    let event = &full.event;
    write(&*store, vec![delete_event(event, 5)]).await;
    let owner = event.organization;
    assert_eq!(store.event_owner(event.id).await.unwrap(), Some(owner));
    let deleted = DeletedEvent::new(event.clone(), at(5));
    assert_eq!(store.deleted_event(owner, event.id).await.unwrap(), Some(deleted.clone()));
    assert_eq!(store.deleted_events(owner, None, 9).await.unwrap(), vec![deleted]);
    for (signup, shift) in signups.iter().zip([0, 0, 1]) {
        let (organization, shift) = (organization(1), full.shifts[shift].clone());
        let mut expected = SignupInFull::new(organization, event.clone(), shift, signup.clone());
        expected.is_event_deleted = true;
        let found = store.signup_in_full(owner, signup.id).await.unwrap();
        assert_eq!(found, Some(expected), "a sign-up of a deleted event stays readable in full");
        let found = store.signups_of_address(owner, &signup.email, 9).await.unwrap();
        assert_eq!(found, vec![signup.clone()], "an address finds the sign-ups of deleted events");
    }
    let confirmed = store.confirmed_signups(owner, full.shifts[0].id, None, 9).await.unwrap();
    assert_eq!(confirmed, signups[..1], "the fan-out of a change finds the volunteers");
    for scope in [SignupScope::Event(event.id), SignupScope::Shift(full.shifts[0].id)] {
        let cancelled = store.signups_cancelled_by(owner, scope, CancelledBy::Volunteer, None, 9);
        assert_eq!(cancelled.await.unwrap(), signups[1..2], "{scope:?}");
    }
    assert_eq!(store.notice(notice.id).await.unwrap(), Some(notice.clone()));
    assert_eq!(store.due_notices(at(9), at(99), 9).await.unwrap(), vec![notice], "its mails are delivered");
}

/// Deleted events are listed by ascending id, after any id, up to any limit. Events that are not deleted are not listed.
pub async fn deleted_events_are_listed_by_id(store: Arc<dyn Store>) {
    let events: Vec<_> = (1..6).map(|number| event(1, number)).collect();
    let foreign = event(2, 6);
    let mut writes = [1, 2].map(|number| Write::InsertOrganization(organization(number))).to_vec();
    writes.extend(events.iter().chain([&foreign]).map(insert_event));
    writes.extend([&events[4], &events[0], &foreign, &events[2]].map(|event| delete_event(event, 5)));
    write(&*store, writes).await;
    let list = async |after: Option<u32>, limit| {
        let after = after.map(|number| EventId::new(uuid(number)));
        let found = store.deleted_events(organization_id(1), after, limit).await.unwrap();
        found.into_iter().map(|found| found.event.id).collect::<Vec<_>>()
    };
    let ids =
        |numbers: &[u32]| -> Vec<_> { numbers.iter().map(|number| EventId::new(uuid(*number))).collect() };
    assert_eq!(list(None, 9).await, ids(&[1, 3, 5]), "deleted events come by id");
    assert_eq!(list(None, 2).await, ids(&[1, 3]), "the limit counts deleted events of the organization");
    assert_eq!(list(Some(1), 1).await, ids(&[3]), "deleted events after the given id");
    assert_eq!(list(Some(5), 9).await, []);
    let found = store.deleted_event(organization_id(1), events[1].id).await.unwrap();
    assert_eq!(found, None, "an event that is not deleted is no deleted event");
}

/// The slug of a deleted event stays in use.
pub async fn a_deleted_event_keeps_its_slug(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    write(&*store, vec![delete_event(&event, 5)]).await;
    let free = vec![Requirement::EventSlugFree(event.slug)];
    let refused = try_write(&*store, free, vec![]).await;
    assert_eq!(refused, Err(Refusal::SlugTaken), "the slug of a deleted event stays in use");
}

/// A deleted event is at no version. Only a deleted event is deleted.
pub async fn a_deleted_event_is_at_no_version(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let (organization, id) = (event.organization, event.id);
    let at_version = vec![Requirement::EventAtVersion { organization, event: id, version: 1 }];
    let deleted = vec![Requirement::EventDeleted { organization, event: id, version: 1 }];
    let other = vec![Requirement::EventDeleted { organization, event: id, version: 2 }];
    let refused = Err(Refusal::EventChanged);
    assert_eq!(try_write(&*store, at_version.clone(), vec![]).await, Ok(()));
    assert_eq!(try_write(&*store, deleted.clone(), vec![]).await, refused, "the event is not deleted");
    write(&*store, vec![delete_event(&event, 5)]).await;
    assert_eq!(try_write(&*store, at_version, vec![]).await, refused, "a deleted event is at no version");
    assert_eq!(try_write(&*store, deleted.clone(), vec![]).await, Ok(()), "the event is deleted");
    assert_eq!(try_write(&*store, other, vec![]).await, refused, "the deleted event is at another version");
    write(&*store, vec![restore(&event)]).await;
    assert_eq!(try_write(&*store, deleted, vec![]).await, refused, "the event is restored");
}

/// An update of a deleted event changes nothing. A repeated deletion keeps the first time.
pub async fn an_update_of_a_deleted_event_changes_nothing(store: Arc<dyn Store>) {
    let Family { full, .. } = with_family(&*store).await;
    let event = &full.event;
    write(&*store, vec![delete_event(event, 5)]).await;
    let edited = Event { title: Title::new("Edited").unwrap(), version: 2, ..event.clone() };
    let (organization, id) = (event.organization, event.id);
    let writes = vec![
        Write::UpdateEvent { event: Box::new(edited), may_change_activity: false },
        Write::SetLocationData { organization, event: id, location_data: None },
        delete_event(event, 6),
    ];
    write(&*store, writes).await;
    let found = store.deleted_event(organization, id).await.unwrap();
    assert_eq!(found, Some(DeletedEvent::new(event.clone(), at(5))), "a deleted event stays unchanged");
    write(&*store, vec![restore(event)]).await;
    assert_eq!(store.event_in_full(organization, id).await.unwrap(), Some(full), "its location data stays");
}

/// A restored event is as it was before its deletion, with everything that belongs to it.
pub async fn a_restored_event_is_as_before(store: Arc<dyn Store>) {
    let Family { full, signups, .. } = with_family(&*store).await;
    let (event, shift) = (&full.event, &full.shifts[0]);
    write(&*store, vec![delete_event(event, 5)]).await;
    write(&*store, vec![restore(event)]).await;
    let owner = event.organization;
    assert_eq!(
        store.event_in_full(owner, event.id).await.unwrap(),
        Some(full.clone()),
        "the event is as before"
    );
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), Some(full.clone()));
    assert_eq!(store.deleted_events(owner, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.deleted_event(owner, event.id).await.unwrap(), None);
    for query in [EventQuery::new(), EventQuery::new().published()] {
        let events = store.events(owner, &query).await.unwrap();
        assert_eq!(events, EventPage::new(vec![event.clone()]), "a restored event is listed");
    }
    assert_eq!(store.shift(owner, shift.id).await.unwrap().as_ref(), Some(shift));
    assert_eq!(store.question(owner, full.questions[0].id).await.unwrap(), Some(full.questions[0].clone()));
    assert_eq!(store.signups(owner, event.id, None, 9).await.unwrap(), signups, "its sign-ups are as before");
    assert_eq!(store.signup_by_secret(&signups[0].secret).await.unwrap().as_ref(), Some(&signups[0]));
    let newest_first: Vec<_> = signups.iter().rev().cloned().collect();
    assert_eq!(listed(&*store, SignupQuery::new()).await, newest_first);
    let in_full = store.signup_in_full(owner, signups[0].id).await.unwrap().unwrap();
    assert!(!in_full.is_event_deleted, "the event of the sign-up is restored");
    assert_eq!(store.purge_deleted(at(99), 9).await.unwrap(), 0, "a restored event is not purged");
}

/// A restoration updates the event, like an update. A restoration of an event that is not deleted is an update.
pub async fn a_restoration_updates_the_event(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let draft = Event { is_published: false, is_virtual: true, version: 2, ..event.clone() };
    write(&*store, vec![delete_event(&event, 5)]).await;
    write(&*store, vec![restore(&Event { slug: "changed".to_owned(), ..draft.clone() })]).await;
    let owner = event.organization;
    assert_eq!(store.event(owner, event.id).await.unwrap(), Some(draft.clone()), "a restoration updates");
    assert!(store.shift(owner, shift.id).await.unwrap().unwrap().is_virtual);
    let drafts = store.events(owner, &EventQuery::new().drafts()).await.unwrap();
    assert_eq!(drafts.events, vec![draft.clone()]);
    write(&*store, vec![restore(&Event { version: 3, ..event.clone() })]).await;
    let updated = Event { version: 3, ..event };
    assert_eq!(store.event(owner, updated.id).await.unwrap(), Some(updated));
}

/// A deleted shift is missing. The event keeps its other shifts.
pub async fn a_deleted_shift_is_missing(store: Arc<dyn Store>) {
    let Family { full, .. } = with_family(&*store).await;
    let (event, [gone, left]) = (&full.event, [&full.shifts[0], &full.shifts[1]]);
    write(&*store, vec![delete_shift(gone, 5)]).await;
    let (owner, shifts) = (event.organization, vec![left.clone()]);
    assert_eq!(store.shift(owner, gone.id).await.unwrap(), None, "a deleted shift is missing");
    assert_eq!(store.shift_with_event(owner, gone.id).await.unwrap(), None, "with its event");
    assert_eq!(store.shifts(owner, event.id).await.unwrap(), Some(shifts.clone()), "the others are listed");
    let expected = EventInFull { shifts, ..full.clone() };
    assert_eq!(store.event_in_full(owner, event.id).await.unwrap(), Some(expected.clone()), "in full");
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), Some(expected), "by slug");
    assert_eq!(store.shift(owner, left.id).await.unwrap().as_ref(), Some(left));
}

/// The sign-ups for a deleted shift stay readable, also in lists.
pub async fn the_sign_ups_of_a_deleted_shift_stay(store: Arc<dyn Store>) {
    let Family { full, signups, .. } = with_family(&*store).await;
    let (event, shift) = (&full.event, &full.shifts[0]);
    write(&*store, vec![delete_shift(shift, 5)]).await;
    let owner = event.organization;
    assert_eq!(store.signups(owner, event.id, None, 9).await.unwrap(), signups, "of the event");
    let newest_first: Vec<_> = signups.iter().rev().cloned().collect();
    assert_eq!(listed(&*store, SignupQuery::new()).await, newest_first, "of the organization");
    assert_eq!(listed(&*store, SignupQuery::new().of_event(event.id)).await, newest_first);
    let of_shift = listed(&*store, SignupQuery::new().of_shift(shift.id)).await;
    assert_eq!(of_shift, newest_first[1..], "a deleted shift keeps its list");
    for signup in &signups[..2] {
        assert_eq!(store.signup(owner, signup.id).await.unwrap().as_ref(), Some(signup));
        assert_eq!(store.signup_by_secret(&signup.secret).await.unwrap().as_ref(), Some(signup));
        let mut in_full = SignupInFull::new(organization(1), event.clone(), shift.clone(), signup.clone());
        in_full.shift_deleted_at = Some(at(5));
        assert_eq!(store.signup_in_full(owner, signup.id).await.unwrap(), Some(in_full), "with the shift");
    }
    assert_eq!(store.confirmed_signups(owner, shift.id, None, 9).await.unwrap(), signups[..1]);
}

/// No requirement on a deleted shift holds, an update changes nothing, and a repeated deletion keeps the first time.
pub async fn a_deleted_shift_has_no_room(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    write(&*store, vec![delete_shift(&shift, 5)]).await;
    let (organization, id) = (event.organization, shift.id);
    let refused = [
        (Requirement::ShiftHasRoom { organization, shift: id }, Refusal::ShiftFull),
        (Requirement::ShiftAtVersion { organization, shift: id, version: 1 }, Refusal::ShiftChanged),
    ];
    for (requirement, refusal) in refused {
        let found = try_write(&*store, vec![requirement.clone()], vec![]).await;
        assert_eq!(found, Err(refusal), "a deleted shift is missing: {requirement:?}");
    }
    let edited = Shift { version: 2, title: Title::new("Edited").unwrap(), ..shift.clone() };
    let volunteer = signup(&shift, 1);
    let writes = vec![
        Write::UpdateShift(Box::new(edited)),
        delete_shift(&shift, 6),
        Write::InsertSignup(Box::new(volunteer.clone())),
        erase(&volunteer),
    ];
    write(&*store, writes).await;
    assert_eq!(store.shift(organization, id).await.unwrap(), None, "an update restores no shift");
    assert_eq!(store.purge_deleted(at(4), 9).await.unwrap(), 0);
    assert_eq!(store.purge_deleted(at(5), 9).await.unwrap(), 1, "the first time of deletion counts");
}

/// A sign-up of a deleted event can be cancelled and erased.
pub async fn a_sign_up_of_a_deleted_event_is_cancelled_and_erased(store: Arc<dyn Store>) {
    let Family { full, signups, .. } = with_family(&*store).await;
    let (owner, signup) = (full.event.organization, &signups[0]);
    write(&*store, vec![delete_event(&full.event, 5)]).await;
    let confirmed = vec![is_confirmed(signup)];
    assert_eq!(try_write(&*store, confirmed, vec![cancel(signup, at(6))]).await, Ok(()));
    let found = store.signups_of_address(owner, &signup.email, 9).await.unwrap();
    assert_eq!(found, vec![cancelled(signup.clone(), at(6))], "the sign-up is cancelled");
    let in_full = store.signup_in_full(owner, signup.id).await.unwrap().unwrap();
    assert_eq!(in_full.shift.occupancy.filled, 0, "its place is free");
    write(&*store, vec![erase(signup)]).await;
    assert_eq!(store.signups_of_address(owner, &signup.email, 9).await.unwrap(), vec![], "it is erased");
}
