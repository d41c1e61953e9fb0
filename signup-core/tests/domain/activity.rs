//! The list of activity: its actors, and what records none. The store of a scene checks that the list is complete.

use std::sync::{Arc, Mutex};

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::scene::{NOW, Scene, session};

/// Returns the activity of an organization, the oldest first.
async fn activity(session: &Session) -> Vec<Activity> {
    let mut all = session.activity(ActivityQuery::new().limit(100)).await.unwrap().items;
    all.reverse();
    all
}

/// Returns the types of the activity of an organization, the oldest first.
async fn types(session: &Session) -> Vec<String> {
    activity(session).await.iter().map(|activity| activity.kind.to_string()).collect()
}

/// Creates a token, and returns it with its session.
async fn with_token(scene: &Scene, name: &str) -> (Token, Session) {
    let new = NewToken::new(name.parse().unwrap(), Scopes::all());
    let created = scene.service.admin().create_token(scene.session.organization_id(), new).await;
    let (token, text) = created.unwrap();
    (token, scene.service.authenticate(text.reveal()).await.unwrap())
}

fn title(text: &str) -> EventPatch {
    EventPatch::new().title(text.parse().unwrap())
}

#[tokio::test]
async fn the_actor_of_an_activity_is_the_caller_of_its_handle() {
    let scene = Scene::start().await;
    let (admin, volunteers) = (scene.service.admin(), scene.service.volunteers());
    let (token, with_token) = with_token(&scene, "nightly import").await;
    let (event, shift) = scene.event(2).await;
    with_token.patch_event(event.id, title("Winter drive")).await.unwrap();
    let (ada, secret) = scene.sign_up_by_mail(&shift, "ada").await;
    let bo = scene.sign_up(&shift, "bo").await.unwrap();
    volunteers.cancel(&secret, ada.id).await.unwrap();
    admin.cancel_signup(event.organization, bo.signup.id).await.unwrap();
    admin.revoke_token(token.id).await.unwrap();
    let by_token = || Actor::Token { id: token.id, name: "nightly import".parse().unwrap() };
    let expected = [
        ("organization.created", Actor::Operator),
        ("token.created", Actor::Operator),
        // The session of the scene has no token.
        ("event.created", Actor::Operator),
        // The actor stays as it was when the token is revoked.
        ("event.updated", by_token()),
        ("signup.created", Actor::Volunteer),
        ("signup.created", Actor::Volunteer),
        ("signup.cancelled", Actor::Volunteer),
        ("signup.cancelled", Actor::Operator),
        ("token.revoked", Actor::Operator),
    ];
    let all = activity(&scene.session).await;
    let found: Vec<_> = all.iter().map(|found| (found.kind.as_str(), found.actor.clone())).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn two_tokens_of_one_name_are_different_actors() {
    let scene = Scene::start().await;
    let (event, _) = scene.event(2).await;
    let (one, by_one) = with_token(&scene, "import").await;
    let (other, by_other) = with_token(&scene, "import").await;
    by_one.patch_event(event.id, title("Winter drive")).await.unwrap();
    by_other.patch_event(event.id, title("Spring drive")).await.unwrap();
    let all = activity(&scene.session).await;
    let actors = all.iter().filter(|found| found.kind == ActivityType::EVENT_UPDATED);
    let ids: Vec<_> = actors
        .map(|found| match &found.actor {
            Actor::Token { id, .. } => *id,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, [one.id, other.id]);
}

#[tokio::test]
async fn a_replay_records_nothing() {
    let scene = Scene::start().await;
    let (session, key) = (&scene.session, || "key".parse::<IdempotencyKey>().unwrap());
    let new = || NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let create = || session.create_event(new()).with_key(key()).reply();
    for is_replay in [false, true] {
        let created = create().await.unwrap();
        let event = created.value.event.id;
        let renamed =
            session.patch_event(event, title("Winter drive")).with_key(key()).reply().await.unwrap();
        let published = session.publish_event(event).with_key(key()).reply().await.unwrap();
        assert_eq!([created, renamed, published].map(|reply| reply.is_replay), [is_replay; 3]);
    }
    let once = ["organization.created", "event.created", "event.updated", "event.published"];
    assert_eq!(types(&scene.session).await, once);
    // The receipt of a write that changes no value is stored, too, without activity.
    let event = create().await.unwrap().value.event.id;
    for expected in [false, true] {
        let again = session.patch_event(event, title("Winter drive")).with_key("again".parse().unwrap());
        assert_eq!(again.reply().await.unwrap().is_replay, expected);
    }
    assert_eq!(types(&scene.session).await, once);
}

/// A store that lets another process patch an event before the next commit.
#[derive(Debug, Default)]
struct Raced {
    inner: Arc<MemoryStore>,
    rival: Mutex<Option<(Session, EventId, EventPatch)>>,
}

#[async_trait]
impl Wrapper for Raced {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let rival = self.rival.lock().unwrap().take();
        if let Some((session, event, patch)) = rival {
            session.patch_event(event, patch).await.unwrap();
        }
        self.inner.commit(change).await
    }
}

/// Patches an event while another process patches it. Returns the changes of each activity, those of the other process first.
async fn race(patch: EventPatch, rival: EventPatch) -> Vec<String> {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let store = Arc::new(Wrapped(Raced::default()));
    let service = Service::shared(store.clone()).with_clock(Arc::clone(&clock));
    let here = session(&service, Plan::Pro).await;
    let other = Service::shared(Arc::clone(&store.0.inner) as Arc<dyn Store>).with_clock(clock);
    let there = other.session_for(here.organization_id(), Scopes::all()).await.unwrap();
    let new = NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let event = here.create_event(new).await.unwrap().event.id;
    *store.0.rival.lock().unwrap() = Some((there, event, rival));
    here.patch_event(event, patch).await.unwrap();
    assert!(store.0.rival.lock().unwrap().is_none(), "the other process has patched the event");
    let of_event = ActivityQuery::new().of_event(event).of_type("event.updated".parse().unwrap());
    let updates = here.activity(of_event).await.unwrap().items;
    updates.iter().rev().map(|update| update.changes.join(" ")).collect()
}

#[tokio::test]
async fn a_patch_that_loses_a_race_records_only_what_it_changed_itself() {
    let patch = || title("Winter drive").description("Bring gloves".parse().unwrap());
    assert_eq!(race(patch(), patch()).await, ["title description"], "the second changed no value");
    assert_eq!(race(patch(), title("Winter drive")).await, ["title", "description"]);
    assert_eq!(race(title("Winter drive"), title("Spring drive")).await, ["title", "title"]);
}
