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

/// Returns the writes that give the event and the shift the same version.
fn at_version(event: &Event, shift: &Shift, version: u32) -> Vec<Write> {
    let event = Box::new(Event { version, ..event.clone() });
    let shift = Shift { version, ..shift.clone() };
    let update = Write::UpdateEvent { event, may_change_activity: false };
    vec![update, Write::UpdateShift(Box::new(shift))]
}

/// An event in full is one snapshot: while each commit edits a shift and adds a question, every read has as many
/// questions as edits.
pub async fn an_event_in_full_is_one_snapshot(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let edited = event.clone();
    let writes = move |number| {
        let shift = Shift { version: 1 + number, ..shift.clone() };
        let added = vec![question(&edited, number, number)];
        vec![Write::UpdateShift(Box::new(shift)), Write::InsertQuestions(added)]
    };
    while_writing(&store, writes, async || {
        for full in [
            store.event_in_full(event.organization, event.id).await.unwrap().unwrap(),
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
    let writes = move |number| at_version(&event, &shift, number);
    while_writing(&store, writes, async || {
        let (shift, event) = store.shift_with_event(organization, id).await.unwrap().unwrap();
        assert_eq!(shift.version, event.version, "the shift and its event are of one snapshot");
    })
    .await;
}

/// A sign-up in full is one snapshot: while each commit gives its event and its shift the same version and renews its secret,
/// every read has equal versions, and the time of the secret belongs to them.
pub async fn a_sign_up_in_full_is_one_snapshot(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let volunteer = signup(&shift, 1);
    let (organization, signup, shift_id) = (event.organization, volunteer.id, shift.id);
    let first = Signup { mailed_at: at(1), ..volunteer };
    write(&*store, vec![Write::InsertSignup(Box::new(first))]).await;
    let writes = move |version: u32| {
        let (secret, at) = (Digest::of(&format!("secret {version}")), at(i64::from(version)));
        let mut writes = at_version(&event, &shift, version);
        writes.push(Write::RenewSecret { organization, shift: shift_id, signup, secret, at });
        writes
    };
    while_writing(&store, writes, async || {
        let full = store.signup_in_full(organization, signup).await.unwrap().unwrap();
        let versions = [full.event.version, full.shift.version];
        let expected = u32::try_from(full.signup.mailed_at.as_second() - NOW_S).unwrap();
        assert_eq!(versions, [expected; 2], "the sign-up, its shift and its event are of one snapshot");
    })
    .await;
}
