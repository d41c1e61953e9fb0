//! Previews of writes that mail volunteers: they are refused as the write is, and change nothing.

use signup_core::*;

use crate::scene::Scene;

/// Returns each record that a write would change or add.
async fn state(scene: &Scene, event: EventId) -> (EventWithShifts, Vec<Activity>, usize) {
    let session = &scene.session;
    let activity = session.activity(ActivityQuery::new()).await.unwrap().items;
    let due = scene.service.outbox().due(99).await.unwrap().len();
    (session.event(event).await.unwrap(), activity, due)
}

#[tokio::test]
async fn a_preview_says_what_the_write_then_does_and_changes_nothing() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    scene.sign_up(&shift, "bob").await.unwrap();
    let keyed = scene.session.with_key("key".parse().unwrap());
    let before = state(&scene, event.id).await;
    let (day, place) = (date(2027, 6, 7), || ShiftPatch::new().location("Hall B".parse().unwrap()));
    let (move_event, delete) = (EventPatch::new().start_date(day), DeleteShift::new().cancel_signups());
    let (of_event, of_shift, of_deletion, of_cancellation) = (
        keyed.preview_event_patch(event.id, move_event.clone()).await.unwrap(),
        keyed.preview_shift_patch(shift.id, place()).await.unwrap(),
        keyed.preview_shift_deletion(shift.id, delete).await.unwrap(),
        keyed.preview_event_cancellation(event.id, Cancellation::new()).await.unwrap(),
    );
    assert_eq!((of_event.mails, of_event.changes), (2, vec!["start_date"]));
    assert_eq!((of_shift.mails, of_shift.changes), (2, vec!["location"]));
    assert_eq!((of_deletion.mails, of_deletion.changes), (2, vec![]));
    assert_eq!((of_cancellation.mails, of_cancellation.changes), (2, vec![]));
    assert_eq!(state(&scene, event.id).await, before);

    let moved = keyed.patch_event(event.id, move_event.clone()).await.unwrap();
    assert_eq!((keyed.is_replay(), keyed.mails_queued()), (false, 2), "a preview stores no outcome");
    let again = keyed.preview_event_patch(event.id, move_event).await.unwrap();
    assert_eq!((again.mails, again.changes), (0, vec![]), "a preview replays no outcome");
    assert_eq!(scene.session.event(event.id).await.unwrap(), moved);
}

#[tokio::test]
async fn a_preview_is_refused_for_each_reason_for_which_the_write_is() {
    let scene = Scene::start().await;
    let session = crate::scene::session(&scene.service, Plan::Free).await;
    let scene = Scene { session, ..scene };
    let session = &scene.session;
    let (event, shift) = scene.event(2).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    let refused = session.preview_shift_deletion(shift.id, DeleteShift::new()).await;
    assert_eq!(refused, Err(Error::ShiftHasSignups));
    let unpublish = || EventPatch::new().published(false);
    assert_eq!(session.preview_event_patch(event.id, unpublish()).await, Err(Error::EventHasSignups));
    let refused = session.preview_event_patch(EventId::NONE, unpublish()).await;
    assert_eq!(refused, Err(Error::NotFound));
    assert_eq!(session.preview_shift_patch(ShiftId::NONE, ShiftPatch::new()).await, Err(Error::NotFound));

    // The store checks the limit of the plan when it commits.
    for _ in 1..5 {
        let _event = scene.event(2).await;
    }
    let draft = session.duplicate_event(event.id, date(2027, 6, 9)).await.unwrap().event;
    let publish = || EventPatch::new().published(true);
    let full = Err(Error::PlanLimit { current_count: 5, max_allowed: 5 });
    assert_eq!(session.preview_event_patch(draft.id, publish()).await, full);

    session.cancel_event(event.id, Cancellation::new()).await.unwrap();
    let preview = session.preview_event_patch(draft.id, publish()).await.unwrap();
    assert_eq!(preview.changes, ["is_published"], "an event is cancelled, so the limit is not reached");
    let refused = session.preview_event_patch(event.id, EventPatch::new()).await;
    assert_eq!(refused, Err(Error::EventCancelled));
    let again = session.preview_event_cancellation(event.id, Cancellation::new()).await.unwrap();
    assert_eq!(again.mails, 0, "an event that is cancelled stays as it is");
    scene.clock.advance(9 * 86_400);
    let refused = session.preview_event_cancellation(draft.id, Cancellation::new()).await;
    assert_eq!(refused, Err(Error::EventOver));
}
