//! Tokens, sessions and idempotency keys over time.

use std::sync::{Arc, Mutex};

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::people::code;
use crate::scene::{NOW, Scene};

/// Creates a token with every scope that is valid for a day.
async fn token_of_a_day(scene: &Scene) -> (Token, TokenText) {
    let new = NewToken::new("nightly".parse().unwrap(), Scopes::all()).expires_in_days(1);
    scene.service.admin().create_token(scene.session.organization_id(), new).await.unwrap()
}

fn drive() -> NewEvent {
    NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, 5), "UTC".parse().unwrap())
}

#[tokio::test]
async fn a_token_is_valid_until_it_expires_or_is_revoked() {
    let scene = Scene::start().await;
    let (_, expires) = token_of_a_day(&scene).await;
    let (record, revoked) = token_of_a_day(&scene).await;
    let error = async |token: &TokenText| scene.service.authenticate(token.reveal()).await.err();
    scene.clock.advance(86_399);
    assert_eq!((error(&expires).await, error(&revoked).await), (None, None));
    scene.service.admin().revoke_token(record.id).await.unwrap();
    assert_eq!(error(&revoked).await, Some(Error::Unauthenticated), "revocation takes effect at once");
    scene.clock.advance(1);
    assert_eq!(error(&expires).await, Some(Error::Unauthenticated), "expiry is exact to the second");
}

#[tokio::test]
async fn the_last_use_of_a_token_is_recorded_to_the_minute() {
    let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(FixedClock::at(NOW.parse().unwrap())));
    // Each process has a cache of its own, and reads a token at its first use.
    let process = || Service::new(Arc::clone(&store)).with_clock(Arc::clone(&clock));
    let admin = process().admin();
    let organization = NewOrganization::new("Riverside".parse().unwrap());
    let organization = admin.create_organization(organization).await.unwrap().id;
    let new = NewToken::new("nightly".parse().unwrap(), Scopes::all());
    let (token, text) = admin.create_token(organization, new).await.unwrap();
    assert_eq!(token.created_by, Actor::Operator);
    assert_eq!(token.expires_at, token.created_at + SignedDuration::from_hours(365 * 24), "by default");
    let recorded = async || admin.tokens(organization).await.unwrap()[0].clone();
    let start: Timestamp = NOW.parse().unwrap();
    let at = |seconds| Some(start + SignedDuration::from_secs(seconds));
    for (seconds, expected) in [(0, at(0)), (59, at(0)), (1, at(60)), (300, at(360))] {
        clock.advance(seconds);
        let process = process();
        process.authenticate(text.reveal()).await.unwrap();
        clock.advance(1);
        process.admin().record_uses().await.unwrap();
        clock.advance(-1);
        assert_eq!(recorded().await.last_used_at, expected);
        let version = recorded().await.version;
        process.admin().record_uses().await.unwrap();
        assert_eq!(recorded().await.version, version, "a use is recorded once");
    }
    let mut used = recorded().await;
    (used.last_used_at, used.version) = (None, token.version);
    assert_eq!(used, token, "nothing else has changed");
}

#[tokio::test]
async fn a_session_whose_token_has_expired_is_refused_at_each_use() {
    let scene = Scene::start().await;
    let Scene { service, clock, .. } = &scene;
    let (_, token) = token_of_a_day(&scene).await;
    let session = service.authenticate(token.reveal()).await.unwrap();

    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(1).unwrap());
    let event = drive().shift(shift);
    let mut faulty = event.clone();
    faulty.start_date = date(9999, 1, 1);
    let patch = ShiftPatch::new().capacity(Capacity::new(2).unwrap());
    let key: IdempotencyKey = "key".parse().unwrap();
    let created = session.create_event(event.clone()).with_key(key.clone()).await.unwrap();
    let (event_id, shift_id) = (created.event.id, created.shifts[0].id);
    let list = EventQuery::new();
    let uses = async || {
        [
            ("create", session.create_event(event.clone()).await.err()),
            ("replay", session.create_event(event.clone()).with_key(key.clone()).await.err()),
            ("replay before a fault", session.create_event(faulty.clone()).with_key(key.clone()).await.err()),
            ("stored", session.stored_reply::<Outcome>(OperationKind::CreateEvent, &key).await.err()),
            ("duplicate", session.duplicate_event(event_id, date(2027, 6, 12)).await.err()),
            ("patch", session.patch_shift(shift_id, patch.clone()).await.err()),
            ("list events", session.events(list.clone()).await.err()),
            ("list shifts", session.shifts(event_id).await.err()),
            ("organization", session.organization().await.err()),
        ]
    };
    clock.advance(86_399);
    for (name, error) in uses().await {
        assert!(error.is_none(), "{name}: {error:?}");
    }
    let address = std::net::Ipv4Addr::LOCALHOST.into();
    let rate = async || service.count_request(Some(&session), address).await.unwrap().limit;
    assert_eq!(rate().await, PlanTable::default().pro.requests_per_minute);
    let events = scene.session.events(list.clone()).await.unwrap().items;
    clock.advance(1);
    for (name, error) in uses().await {
        assert!(matches!(error, Some(Error::Unauthenticated)), "{name}: {error:?}");
    }
    assert_eq!(rate().await, PlanTable::default().free.requests_per_minute, "as without a token");
    assert_eq!(scene.session.events(list.clone()).await.unwrap().items, events, "nothing was written");
}

#[tokio::test]
async fn a_key_runs_its_operation_again_after_24_hours() {
    let scene = Scene::start().await;
    let create = async || {
        let created = scene.session.create_event(drive()).with_key("key".parse().unwrap());
        let created = created.reply().await.unwrap();
        (created.value.event, created.is_replay)
    };
    let (first, _) = create().await;
    scene.clock.advance(86_399);
    assert_eq!(create().await, (first.clone(), true));
    scene.clock.advance(1);
    let (second, is_replay) = create().await;
    assert!(!is_replay && second.id != first.id);
    assert_eq!(scene.service.admin().purge(9).await.unwrap(), 0, "the new receipt replaced the old one");
}

#[tokio::test]
async fn a_key_belongs_to_the_token_or_the_person_that_uses_it() {
    let scene = Scene::start().await;
    let (ada, _) = scene.member("ada", Role::Organizer).await;
    let (bo, _) = scene.member("bo", Role::Organizer).await;
    let browser = Secret::generate();
    let mailed = code(&scene.service, &browser, "ada").await;
    let (ada_elsewhere, _) = scene.service.people().sign_in(&browser, &mailed, None).await.unwrap();
    let new = NewToken::new("ada".parse().unwrap(), Scopes::all());
    let (_, token) = scene.service.admin().create_token(scene.session.organization_id(), new).await.unwrap();
    let create = async |session: Session| {
        let created = session.create_event(drive()).with_key("key".parse().unwrap());
        let created = created.reply().await.unwrap();
        (created.value.event.id, created.is_replay)
    };
    let of = |person: &SignedIn| person.session("riverside").unwrap();
    let (first, _) = create(of(&ada)).await;
    assert_eq!(create(of(&ada_elsewhere)).await, (first, true), "another sign-in of the same person");
    let others = [
        ("another person", of(&bo)),
        ("a token with the name of the person", scene.service.authenticate(token.reveal()).await.unwrap()),
        ("neither a token nor a person", scene.session.clone()),
    ];
    let mut events = vec![first];
    for (name, session) in others {
        let (event, is_replay) = create(session).await;
        assert!(!events.contains(&event) && !is_replay, "{name}");
        events.push(event);
    }
}

/// Notes what is purged.
#[derive(Debug)]
struct Purging(Arc<MemoryStore>, Mutex<Vec<Purge>>);

#[async_trait]
impl Wrapper for Purging {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        self.1.lock().unwrap().push(purge);
        self.0.purge(purge, limit).await
    }
}

#[tokio::test]
async fn the_copies_of_purged_records_are_removed_once_after_the_last_of_them() {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let store = Arc::new(Wrapped(Purging(Arc::default(), Mutex::default())));
    let service = Service::shared(Arc::clone(&store) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
    for _ in 0..3 {
        code(&service, &Secret::generate(), "ada").await;
    }
    clock.advance(3600);
    let mut purged = vec![];
    while purged.last() != Some(&0) {
        let count = service.admin().purge(2).await.unwrap();
        let calls = std::mem::take(&mut *store.0.1.lock().unwrap());
        assert_eq!(calls.contains(&Purge::Traces), count < 2, "{calls:?}");
        purged.push(count);
    }
    assert_eq!(purged, [2, 1, 0]);
}
