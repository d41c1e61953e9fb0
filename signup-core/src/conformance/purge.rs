//! The purge of deleted events and shifts.

use std::sync::Arc;

use super::family::{seen, with_family};
use super::records::*;
use crate::*;

/// Inserts the event `number` of the organization 1 with two shifts, a question, two sign-ups and two notices, which are 7 records
/// without the question, and deletes the event. The second shift was deleted before.
async fn with_deleted(store: &dyn Store, number: u32, deleted_at: i64) -> Event {
    let event = event(1, number);
    let first = 10 * number;
    let mut change = insert([event.clone()]);
    change.insert(question(&event, first, 0));
    for number in [first, first + 1] {
        let deleted_at = (number > first).then_some(at(5));
        let shift = Shift { deleted_at, ..shift(&event, number, 5) };
        let (signup, notice) = (signup(&shift, number), notice(&shift, number));
        change.insert(shift);
        change.insert(signup);
        change.insert(notice);
    }
    let deleted = deleted(&event, at(deleted_at));
    change.writes.push(put(event, deleted.clone()));
    commit(store, change).await;
    deleted
}

fn signup_key(number: u32) -> RecordKey {
    RecordKey::Signup(organization_id(1), SignupId::new(uuid(number)))
}

async fn is_there(store: &dyn Store, key: &RecordKey) -> bool {
    store.record(key, Deleted::Included).await.unwrap().is_some()
}

async fn purge(store: &dyn Store, until: i64, limit: u32) -> u64 {
    store.purge(Purge::Deleted(at(until)), limit).await.unwrap()
}

/// A purge removes what was deleted at or before the time: each event with everything that belongs to it. Its slug is free.
/// Another event, deleted later or not deleted, stays.
pub async fn a_purge_removes_an_event_with_all_that_belongs_to_it(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let here = seen(&*store, &family).await;
    let (old, later) = (with_deleted(&*store, 2, 50).await, with_deleted(&*store, 3, 51).await);
    let owner = organization_id(1);
    assert_eq!(purge(&*store, 49, 99).await, 0, "a purge keeps what was deleted later");
    assert!(is_there(&*store, &signup_key(20)).await, "a purge keeps what was deleted later");
    assert_eq!(purge(&*store, 50, 99).await, 7, "the event and 6 records are removed");
    assert_eq!(purge(&*store, 50, 99).await, 0, "nothing is left");
    assert_eq!(store.owner(Kind::Event, old.id.uuid()).await.unwrap(), None, "the event is removed");
    let deleted = store.deleted_events(owner, None, 9).await.unwrap();
    assert_eq!(deleted, [later], "only the old one is removed");
    for number in [20, 21] {
        let id = SignupId::new(uuid(number));
        assert!(!is_there(&*store, &signup_key(number)).await, "its sign-ups are removed");
        assert_eq!(store.signup_in_full(owner, id).await.unwrap(), None, "its sign-ups are removed");
        let notice = RecordKey::Notice(owner, NoticeId::new(uuid(number)));
        assert!(!is_there(&*store, &notice).await, "its notices are removed");
    }
    let again = Event { slug: old.slug.clone(), ..event(1, 9) };
    let mut change = insert([again.clone()]);
    change.requires.push(absent(Unique::EventSlug(old.slug)));
    assert_eq!(try_commit(&*store, change).await, Ok(()), "the slug of a purged event is free");
    write(&*store, vec![put(again.clone(), super::records::deleted(&again, at(60)))]).await;
    assert_eq!(seen(&*store, &family).await, here, "another event stays");
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 4, failed: 0 });
}

/// A purge removes at most `limit` records, and the event last. No live read shows what is left of the event.
pub async fn a_purge_removes_deleted_records_in_portions(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let event = with_deleted(&*store, 2, 50).await;
    for limit in [1, 1, 2, 2] {
        assert_eq!(purge(&*store, 50, limit).await, u64::from(limit), "as many records as the limit");
        assert_eq!(
            store.deleted_events(event.organization, None, 9).await.unwrap(),
            std::slice::from_ref(&event)
        );
        assert_eq!(store.event_in_full(&event.key()).await.unwrap(), None);
    }
    assert_eq!(purge(&*store, 50, 2).await, 1, "the event comes last");
    assert!(!is_there(&*store, &event.key()).await);
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts::default());
}

/// A purge keeps a deleted shift while a sign-up refers to the shift. Its event stays.
pub async fn a_purge_keeps_a_shift_in_use(store: Arc<dyn Store>) {
    let (event, in_use) = with_shift(&store, 5).await;
    let unused = shift(&event, 3, 5);
    let volunteer = signup(&in_use, 1);
    let mut change = insert([unused.clone()]);
    change.insert(volunteer.clone());
    let volunteer_gone = cancelled(volunteer.clone(), at(5));
    change.writes.push(put(volunteer, volunteer_gone.clone()));
    let deleted = |shift: &Shift| Shift { deleted_at: Some(at(5)), ..next_shift(shift) };
    change.writes.extend([&in_use, &unused].map(|shift| put(shift.clone(), deleted(shift))));
    commit(&*store, change).await;
    assert_eq!(purge(&*store, 4, 99).await, 0, "deleted later");
    assert_eq!(purge(&*store, 5, 99).await, 1, "a shift in use is kept");
    let kept = store.signup_in_full(event.organization, volunteer_gone.id).await.unwrap().unwrap();
    assert_eq!(kept.shift.shift, deleted(&in_use), "the sign-up has its shift");
    write(&*store, vec![Write::Remove(volunteer_gone.into())]).await;
    assert_eq!(purge(&*store, 5, 99).await, 1, "the removed sign-up was the last");
    assert_eq!(store.get::<Event>(event.key()).await.unwrap(), Some(event), "the event stays");
}
