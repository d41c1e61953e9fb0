//! Snapshots: a read of several records sees no commit in part.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::records::*;
use crate::*;

/// Commits the writes of each number from 1 while `read` runs 20 times.
async fn while_writing(
    store: &Arc<dyn Store>,
    writes: impl Fn(u32) -> Vec<Write> + Send + 'static,
    read: impl AsyncFn(),
) {
    let is_enough = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, is_enough) = (Arc::clone(store), Arc::clone(&is_enough));
        tokio::spawn(async move {
            for number in (1..).take_while(|_| !is_enough.load(Ordering::Relaxed)) {
                write(&*store, writes(number)).await;
                tokio::task::yield_now().await;
            }
        })
    };
    for _ in 0..20 {
        read().await;
        tokio::task::yield_now().await;
    }
    is_enough.store(true, Ordering::Relaxed);
    writer.await.unwrap();
}

/// Returns the writes that raise the event and the shift from this version to the next.
fn raised(event: &Event, shift: &Shift, version: u32) -> Vec<Write> {
    let event = |version| Event { version, ..event.clone() };
    let shift = |version| Shift { version, ..shift.clone() };
    vec![put(event(version), event(version + 1)), put(shift(version), shift(version + 1))]
}

/// A page of events with their shifts is one snapshot: while each commit edits an event and a shift, every page has both at the
/// same version.
pub async fn a_page_of_events_with_shifts_is_one_snapshot(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let owner = event.organization;
    while_writing(
        &store,
        move |number| raised(&event, &shift, number),
        async || {
            let page = store.events_with_shifts(owner, &EventQuery::new()).await.unwrap();
            let EventWithShifts { event, shifts } = &page.items[0];
            assert_eq!(event.version, shifts[0].version, "the event and the shift are of one snapshot");
        },
    )
    .await;
}

/// An event in full is one snapshot: while each commit edits a shift and adds a question, every read has as many
/// questions as edits.
pub async fn an_event_in_full_is_one_snapshot(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let (edited, shift_key) = (event.clone(), shift.key());
    let writes = move |number| {
        let shift = |version| Shift { version, ..shift.clone() };
        vec![put(shift(number), shift(number + 1)), Write::insert(question(&edited, number, number))]
    };
    while_writing(&store, writes, async || {
        for full in [
            store.event_in_full(&event.key()).await.unwrap().unwrap(),
            store.event_in_full(&shift_key).await.unwrap().unwrap(),
            store.event_by_slug(&event.slug).await.unwrap().unwrap(),
        ] {
            let edits = full.shifts[0].version as usize - 1;
            assert_eq!(full.questions.len(), edits, "the questions and the shift are of one snapshot");
        }
    })
    .await;
}

/// A shift with its event is one snapshot: while each commit gives both the same version, every read has equal versions.
pub async fn a_shift_with_its_event_is_one_snapshot(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let (organization, id) = (event.organization, shift.id);
    let writes = move |number| raised(&event, &shift, number);
    while_writing(&store, writes, async || {
        let (shift, event) = store.shift_with_event(organization, id).await.unwrap().unwrap();
        assert_eq!(shift.version, event.version, "the shift and its event are of one snapshot");
    })
    .await;
}

/// A sign-up in full is one snapshot: while each commit gives the sign-up, its event and its shift the same version, every
/// read has equal versions.
pub async fn a_sign_up_in_full_is_one_snapshot(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let volunteer = signup(&shift, 1);
    let (organization, id) = (event.organization, volunteer.id);
    commit(&*store, insert([volunteer.clone()])).await;
    let writes = move |number: u32| {
        let renewed =
            |version| Signup { version, repeated_at: Some(at(version.into())), ..volunteer.clone() };
        let before = if number == 1 { volunteer.clone() } else { renewed(number) };
        let mut writes = raised(&event, &shift, number);
        writes.push(put(before, renewed(number + 1)));
        writes
    };
    while_writing(&store, writes, async || {
        let full = store.signup_in_full(organization, id).await.unwrap().unwrap();
        let versions = [full.event.version, full.shift.version];
        let expected = full.signup.version;
        assert_eq!(versions, [expected; 2], "the sign-up, its shift and its event are of one snapshot");
    })
    .await;
}

/// A sign-in in full is one snapshot: while each commit gives the sign-in, its person and a membership the same version, every read
/// has equal versions.
pub async fn a_sign_in_in_full_is_one_snapshot(store: Arc<dyn Store>) {
    let person = person(1);
    let (member, sign_in) = (membership(1, &person, Role::Owner), sign_in(&person, 1));
    commit(&*store, insert([organization(1)])).await;
    commit(&*store, insert::<Record>([person.clone().into(), member.into(), sign_in.into()])).await;
    let writes = move |number: u32| {
        let person = |version| Person { version, ..person.clone() };
        let member = |version| Membership { version, ..member };
        let sign_in = |version| SignIn { version, ..sign_in };
        let (before, after) = (number, number + 1);
        vec![
            put(person(before), person(after)),
            put(member(before), member(after)),
            put(sign_in(before), sign_in(after)),
        ]
    };
    while_writing(&store, writes, async || {
        let full = store.signed_in(&sign_in.digest).await.unwrap().unwrap();
        let versions = [full.person.version, full.memberships[0].0.version];
        assert_eq!(versions, [full.sign_in.version; 2], "the person and the membership are of one snapshot");
    })
    .await;
}
