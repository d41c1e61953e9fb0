//! The purge of deleted events and shifts.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Inserts the event `number` of the organization 1 with two shifts, a question, two sign-ups and two notices, which are 8
/// records, and deletes the event.
async fn with_deleted(store: &dyn Store, number: u32, deleted_at: i64) -> Event {
    let event = event(1, number);
    let first = 10 * number;
    let shifts = [first, first + 1].map(|number| shift(&event, number, 5));
    let mut writes = vec![
        insert_event(&event),
        Write::InsertShifts(shifts.to_vec()),
        Write::InsertQuestions(vec![question(&event, first, 0)]),
    ];
    for (number, shift) in (first..).zip(&shifts) {
        writes.push(Write::InsertSignup(Box::new(signup(shift, number))));
        writes.push(Write::InsertNotices(vec![notice(shift, number)]));
    }
    let (organization, id) = (event.organization, event.id);
    writes.push(Write::DeleteEvent { organization, event: id, at: at(deleted_at) });
    write(store, writes).await;
    event
}

/// A purge removes a deleted event with everything that belongs to it. Another event, deleted later or not deleted, stays.
pub async fn a_purge_removes_an_event_with_all_that_belongs_to_it(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 5).await;
    let staying = signup(&shift, 1);
    let notice = notice(&shift, 1);
    let inserts = vec![
        Write::InsertSignup(Box::new(staying.clone())),
        Write::InsertNotices(vec![notice.clone()]),
        Write::InsertQuestions(vec![question(&event(1, 1), 1, 0)]),
    ];
    write(&*store, inserts).await;
    let owner = organization_id(1);
    let here = store.event_in_full(owner, event(1, 1).id).await.unwrap();
    let (old, later) = (with_deleted(&*store, 2, 50).await, with_deleted(&*store, 3, 51).await);
    assert_eq!(store.purge_deleted(at(50), 99).await.unwrap(), 8, "the event and 7 records are removed");
    assert_eq!(store.event_owner(old.id).await.unwrap(), None, "the event is removed");
    let deleted = store.deleted_events(owner, None, 9).await.unwrap();
    assert_eq!(deleted, vec![DeletedEvent::new(later, at(51))], "only the old one is removed");
    for number in [20, 21] {
        let id = SignupId::new(uuid(number));
        assert_eq!(store.signup_in_full(owner, id).await.unwrap(), None, "its sign-ups are removed");
        assert_eq!(store.notice(NoticeId::new(uuid(number))).await.unwrap(), None, "its notices are removed");
        let address = EmailAddress::new(&format!("ada{number}@example.org")).unwrap();
        assert_eq!(store.signups_of_address(owner, &address, 9).await.unwrap(), vec![]);
    }
    let free = vec![Requirement::EventSlugFree(old.slug.clone())];
    let again = vec![insert_event(&Event { slug: old.slug, ..event(1, 9) })];
    assert_eq!(try_write(&*store, free, again).await, Ok(()), "the slug of a purged event is free");
    assert_eq!(store.event_in_full(owner, event(1, 1).id).await.unwrap(), here, "another event stays");
    assert_eq!(store.signup(owner, staying.id).await.unwrap(), Some(staying));
    assert_eq!(store.notice(notice.id).await.unwrap(), Some(notice));
    assert_eq!(store.count_notices().await.unwrap(), NoticeCounts { queued: 3, failed: 0 });
}

/// A purge removes only what was deleted at or before the time.
pub async fn a_purge_keeps_what_was_deleted_later(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let event = with_deleted(&*store, 2, 50).await;
    assert_eq!(store.purge_deleted(at(49), 99).await.unwrap(), 0, "deleted later");
    let signup = store.signup_in_full(event.organization, SignupId::new(uuid(20))).await.unwrap();
    assert!(signup.is_some(), "a purge keeps what was deleted later");
    assert_eq!(store.purge_deleted(at(50), 99).await.unwrap(), 8, "deleted at the time");
    assert_eq!(store.purge_deleted(at(50), 99).await.unwrap(), 0, "nothing is left");
}

/// A purge removes at most `limit` records, and never a record before one that refers to it.
pub async fn a_purge_removes_deleted_records_in_portions(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let event = with_deleted(&*store, 2, 50).await;
    let owner = event.organization;
    for limit in [1, 1, 1, 2, 2] {
        let removed = store.purge_deleted(at(50), limit).await.unwrap();
        assert_eq!(removed, u64::from(limit), "a purge removes as many records as its limit");
        let is_there = store.event_owner(event.id).await.unwrap().is_some();
        assert!(is_there, "the event is removed after all that refers to it");
        for number in [20, 21] {
            let signup = SignupId::new(uuid(number));
            let address = EmailAddress::new(&format!("ada{number}@example.org")).unwrap();
            let is_kept = !store.signups_of_address(owner, &address, 9).await.unwrap().is_empty();
            let is_whole = store.signup_in_full(owner, signup).await.unwrap().is_some();
            assert_eq!(is_kept, is_whole, "a sign-up is removed before its shift");
        }
    }
    assert_eq!(store.purge_deleted(at(50), 2).await.unwrap(), 1, "the event is the last");
    assert_eq!(store.event_owner(event.id).await.unwrap(), None);
}

/// A purge keeps a deleted shift while a sign-up or a notice refers to the shift. Its event stays.
pub async fn a_purge_keeps_a_shift_in_use(store: Arc<dyn Store>) {
    let (event, in_use) = with_shift(&store, 5).await;
    let organization = event.organization;
    let [notified, unused] = [2, 3].map(|number| shift(&event, number, 5));
    let volunteer = signup(&in_use, 1);
    let about = notice(&notified, 1);
    let mut writes = vec![
        Write::InsertShifts(vec![notified.clone(), unused.clone()]),
        Write::InsertSignup(Box::new(volunteer.clone())),
        Write::InsertNotices(vec![about.clone()]),
        cancel(&volunteer, at(5)),
    ];
    let deleted = [&in_use, &notified, &unused];
    writes.extend(deleted.map(|shift| Write::DeleteShift { organization, shift: shift.id, at: at(5) }));
    write(&*store, writes).await;
    assert_eq!(store.purge_deleted(at(5), 99).await.unwrap(), 1, "a shift in use is kept");
    let kept = store.signup_in_full(organization, volunteer.id).await.unwrap().unwrap();
    assert_eq!(kept.shift, in_use, "the sign-up has its shift");
    assert_eq!(store.notice(about.id).await.unwrap(), Some(about.clone()), "the notice stays");
    write(&*store, vec![Write::DeleteNotice { organization, notice: about.id }]).await;
    assert_eq!(store.purge_deleted(at(5), 99).await.unwrap(), 1, "the delivered notice was the last");
    write(&*store, vec![erase(&volunteer)]).await;
    assert_eq!(store.purge_deleted(at(5), 99).await.unwrap(), 1, "the erased sign-up was the last");
    assert_eq!(store.event(organization, event.id).await.unwrap(), Some(event), "the event stays");
}
