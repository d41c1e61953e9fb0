//! Previews: what a write would return, before anything is written.

use signup_core::*;

use crate::scene::Scene;

/// Returns each record that a write would change or add.
async fn state(scene: &Scene, event: EventId) -> (EventWithShifts, Vec<Activity>, usize) {
    let session = &scene.session;
    let activity = session.activity(ActivityQuery::new()).await.unwrap().items;
    let due = scene.service.outbox().due(99).await.unwrap().len();
    (session.event(event).await.unwrap(), activity, due)
}

/// Returns the number of mails and the fields that change.
fn effects<T>(reply: &Reply<T>) -> (u32, Vec<&'static str>) {
    (reply.mails_queued, reply.changes.clone())
}

#[tokio::test]
async fn a_preview_says_what_the_write_then_does_and_changes_nothing() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    scene.sign_up(&shift, "bob").await.unwrap();
    let (day, place) = (date(2027, 6, 7), || ShiftPatch::new().location("Hall B".parse().unwrap()));
    let (move_event, delete) = (EventPatch::new().start_date(day), DeleteShift::new().cancel_signups());
    let preview = scene.session.preview();
    let moved = preview.patch_event(event.id, move_event.clone()).reply().await.unwrap();
    assert_eq!(effects(&moved), (2, vec!["start_date"]));
    let publish = move_event.clone().title("Fair".parse().unwrap()).published(true).without_mail();
    let would = preview.patch_event(event.id, publish).reply().await.unwrap();
    assert_eq!(effects(&would), (0, vec!["title", "start_date"]), "it is published already");
    let draft = scene.session.duplicate_event(event.id, day).await.unwrap().event;
    let would = preview.publish_event(draft.id).reply().await.unwrap();
    assert_eq!(effects(&would), (0, vec!["is_published"]));
    let publish =
        EventPatch::new().start_date(date(2027, 6, 8)).title("Fair".parse().unwrap()).published(true);
    let would = preview.patch_event(draft.id, publish).reply().await.unwrap();
    assert_eq!(effects(&would), (0, vec!["title", "start_date", "is_published"]));
    scene.session.delete_event(draft.id).await.unwrap();
    let before = state(&scene, event.id).await;
    let would = preview.patch_shift(shift.id, place()).reply().await.unwrap();
    assert_eq!(effects(&would), (2, vec!["location"]));
    let would = preview.delete_shift(shift.id, delete).reply().await.unwrap();
    assert_eq!(effects(&would), (2, vec![]));
    let cancelled = preview.cancel_event(event.id, Cancellation::new()).reply().await.unwrap();
    assert!(cancelled.value.event.is_cancelled());
    assert_eq!(effects(&cancelled), (2, vec![]));
    preview.create_event(NewEvent::new("Fair".parse().unwrap(), day, "UTC".parse().unwrap())).await.unwrap();
    assert_eq!(state(&scene, event.id).await, before);

    let done = scene.session.patch_event(event.id, move_event).reply().await.unwrap();
    assert_eq!((effects(&done), done.value.event.dates), (effects(&moved), moved.value.event.dates));
}

#[tokio::test]
async fn a_preview_is_refused_for_each_reason_for_which_the_write_is() {
    let scene = Scene::start().await;
    let session = crate::scene::session(&scene.service, Plan::Free).await;
    let scene = Scene { session, ..scene };
    let session = &scene.session;
    let (event, shift) = scene.event(2).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    let refused = session.preview().delete_shift(shift.id, DeleteShift::new()).await;
    assert_eq!(refused, Err(Error::ShiftHasSignups));
    let unpublish = || EventPatch::new().published(false);
    assert_eq!(session.preview().patch_event(event.id, unpublish()).await, Err(Error::EventHasSignups));
    let refused = session.preview().patch_event(EventId::NONE, unpublish()).await;
    assert_eq!(refused, Err(Error::NotFound));
    assert_eq!(session.preview().patch_shift(ShiftId::NONE, ShiftPatch::new()).await, Err(Error::NotFound));

    // The store checks the limit of the plan when it commits.
    for _ in 1..5 {
        let _event = scene.event(2).await;
    }
    let draft = session.duplicate_event(event.id, date(2027, 6, 9)).await.unwrap().event;
    let publish = || EventPatch::new().published(true);
    let full = Err(Error::PlanLimit { current_count: 5, max_allowed: 5 });
    assert_eq!(session.preview().patch_event(draft.id, publish()).await, full);

    session.cancel_event(event.id, Cancellation::new()).await.unwrap();
    let published = session.preview().patch_event(draft.id, publish()).await.unwrap();
    assert!(published.event.is_published, "an event is cancelled, so the limit is not reached");
    let refused = session.preview().patch_event(event.id, EventPatch::new()).await;
    assert_eq!(refused, Err(Error::EventCancelled));
    let again = session.preview().cancel_event(event.id, Cancellation::new()).reply().await.unwrap();
    assert_eq!(again.mails_queued, 0, "an event that is cancelled stays as it is");
    scene.clock.advance(9 * 86_400);
    let refused = session.preview().cancel_event(draft.id, Cancellation::new()).await;
    assert_eq!(refused, Err(Error::EventOver));
}

#[tokio::test]
async fn a_preview_of_a_message_or_a_cancelled_place_is_refused_and_writes_nothing() {
    let scene = Scene::start().await;
    let (grace, _) = scene.member("grace", Role::Organizer).await;
    let grace = grace.session("riverside").unwrap();
    let (event, shift) = scene.event(8).await;
    scene.sign_up(&shift, "ada").await.unwrap();
    let signup = grace.signups(SignupQuery::new()).await.unwrap().items.remove(0);
    assert!(!grace.preview().cancel_signup(signup.id, Cancellation::new()).await.unwrap().is_confirmed());
    assert_eq!(grace.signup(signup.id).await.unwrap(), signup);
    let message = || NewMessage::new("Gloves".parse().unwrap(), "Bring gloves.".parse().unwrap());
    for _ in 0..Message::MAX_PER_PERIOD {
        assert!(grace.preview().send_message(event.id, message()).await.is_ok());
        grace.send_message(event.id, message()).await.unwrap();
    }
    let refused = grace.preview().send_message(event.id, message()).await;
    assert_eq!(refused, Err(Error::TooManyMessages));
    scene.clock.advance(2 * 86_400);
    let over = grace.preview().cancel_signup(signup.id, Cancellation::new()).await;
    assert_eq!(over, Err(Error::ShiftOver));
}

fn drive() -> NewEvent {
    NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap())
}

#[tokio::test]
async fn a_preview_under_a_used_key_returns_the_stored_outcome() {
    let scene = Scene::start().await;
    let (session, preview) = (&scene.session, scene.session.preview());
    let create = async |session: &Session, key: &str, input: Option<&str>| {
        let create = session.create_event(drive()).with_key(key.parse::<IdempotencyKey>().unwrap());
        match input {
            Some(input) => create.with_input(Digest::of(input)).reply().await.unwrap(),
            None => create.reply().await.unwrap(),
        }
    };
    assert!(!create(&preview, "form-1", Some("a")).await.is_replay);
    let created = create(session, "form-1", Some("a")).await;
    assert!(!created.is_replay, "the preview has not used the key");
    for (input, is_other) in [("a", false), ("b", true)] {
        for session in [session, &preview] {
            let again = create(session, "form-1", Some(input)).await;
            assert_eq!((again.is_replay, again.is_of_other_input), (true, is_other), "{input}");
            assert_eq!(again.value, created.value);
        }
    }
    create(session, "form-2", None).await;
    let with_input = create(session, "form-2", Some("a")).await;
    assert!(with_input.is_replay && !with_input.is_of_other_input, "the first call gave no digest");
}
