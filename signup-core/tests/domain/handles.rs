//! The handles as an embedding program uses them: typed input, sessions, keys, pages, and the operator's handle.

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::scene::{Scene, session, volunteer};

fn event(start: Date) -> NewEvent {
    let packing = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap())
        .location("Dock 4".parse().unwrap());
    NewEvent::new("Food drive".parse().unwrap(), start, "America/New_York".parse().unwrap()).shift(packing)
}

#[tokio::test]
async fn a_session_for_an_unknown_organization_is_not_found() {
    let scene = Scene::start().await;
    let error = scene.service.session_for(OrganizationId::NONE, Scopes::all()).await.unwrap_err();
    assert!(error.is_not_found());
}

#[tokio::test]
async fn a_page_limit_out_of_range_is_clamped() {
    let Scene { session, .. } = Scene::start().await;
    let webhook = NewWebhook::new("https://example.org/hooks".parse().unwrap());
    let webhook = session.create_webhook(webhook).await.unwrap().id;
    for day in 1..=2 {
        session.create_event(event(date(2027, 7, day))).await.unwrap();
    }
    for (limit, length) in [(0, 1), (1, 1), (u32::MAX, 2)] {
        let query = EventQuery::new().limit(limit);
        assert_eq!(session.events(query).await.unwrap().items.len(), length, "{limit}");
    }
    let cap = usize::try_from(ActivityQuery::MAX_LIMIT).unwrap();
    for _ in 0..cap {
        session.create_event(event(date(2027, 7, 1))).await.unwrap();
    }
    for (limit, length) in [(0, 1), (u32::MAX, cap)] {
        let query = ActivityQuery::new().limit(limit);
        assert_eq!(session.activity(query).await.unwrap().items.len(), length, "{limit}");
        let query = DeliveryQuery::new().limit(limit);
        assert_eq!(session.deliveries(webhook, query).await.unwrap().items.len(), length, "{limit}");
    }
}

#[tokio::test]
async fn a_position_of_another_order_is_a_fault_of_the_cursor() {
    let Scene { session, .. } = Scene::start().await;
    for day in 1..=2 {
        session.create_event(event(date(2027, 7, day))).await.unwrap();
    }
    let page = session.events(EventQuery::new().soonest().limit(1)).await.unwrap();
    let mut query = EventQuery::new().at(page.next.unwrap());
    assert_eq!(session.events(query.clone()).await.unwrap().items.len(), 1, "the position sets the order");
    query.order = EventOrder::Latest;
    let Err(Error::Invalid(faults)) = session.events(query).await else { panic!("a fault") };
    assert_eq!(faults.iter().map(|fault| fault.path.to_string()).collect::<Vec<_>>(), ["cursor"]);
}

#[tokio::test]
async fn sessions_without_a_token_share_a_rate_only_within_their_organization() {
    let Scene { service, .. } = Scene::start().await;
    let [here, elsewhere] = [session(&service, Plan::Free).await, session(&service, Plan::Free).await];
    let address = std::net::Ipv4Addr::LOCALHOST.into();
    for _ in 0..31 {
        service.count_request(Some(&here), address).await.unwrap();
    }
    assert!(!service.count_request(Some(&here), address).await.unwrap().is_allowed);
    assert!(service.count_request(Some(&elsewhere), address).await.unwrap().is_allowed);
}

#[tokio::test]
async fn a_replay_is_returned_even_if_the_input_is_wrong() {
    let Scene { session, .. } = Scene::start().await;
    let create = |day| session.create_event(event(day)).with_key("key".parse().unwrap()).reply();
    let first = create(date(2027, 7, 3)).await.unwrap();
    let again = create(date(9999, 1, 1)).await.unwrap();
    assert_eq!((again.is_replay, again.value), (true, first.value));
}

#[tokio::test]
async fn a_walk_through_the_pages_returns_every_event_and_ends() {
    let Scene { session, .. } = Scene::start().await;
    for day in 1..=7 {
        session.create_event(event(date(2027, 7, day))).await.unwrap();
    }
    let mut pages = session.pages(EventQuery::new().limit(3));
    let mut lengths = Vec::new();
    while let Some(page) = pages.next().await.unwrap() {
        lengths.push(page.items.len());
        assert!(lengths.len() <= 3, "7 events make 3 pages");
    }
    assert_eq!(lengths, [3, 3, 1]);
    assert_eq!(pages.next().await.unwrap(), None);
}

#[tokio::test]
async fn an_operator_cancels_a_sign_up_by_its_id() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let (admin, signup) = (scene.service.admin(), scene.sign_up(&shift, "ada").await.unwrap().signup);
    let cancelled = admin.cancel_signup(event.organization, signup.id).await.unwrap();
    assert_eq!(cancelled.status(), SignupStatus::Cancelled);
    assert_eq!(scene.session.shifts(event.id).await.unwrap()[0].occupancy.filled, 0);
    let elsewhere = admin.cancel_signup(OrganizationId::NONE, signup.id).await;
    assert!(elsewhere.unwrap_err().is_not_found());
}

/// A server can run every write in its own task.
#[test]
fn the_future_of_a_write_can_be_spawned() {
    fn spawnable<T: Send>(_: impl FnOnce(&'static Service, &'static Session) -> T) {}
    spawnable(|service, session| async {
        drop(session.create_event(event(date(2027, 7, 3))).await);
        drop(session.duplicate_event(EventId::NONE, date(2027, 7, 3)).await);
        drop(session.patch_shift(ShiftId::NONE, ShiftPatch::new()).await);
        let form = service.volunteers().form("food-drive", [ShiftId::NONE]).await.unwrap();
        drop(form.sign_up(volunteer("ada")).await);
    });
}

/// A clock with fractions of a second.
#[derive(Debug)]
struct PreciseClock;

#[async_trait]
impl Clock for PreciseClock {
    fn now(&self) -> Timestamp {
        "2027-06-05T12:00:00.75Z".parse().unwrap()
    }

    async fn pause(&self, duration: std::time::Duration) {
        SystemClock.pause(duration).await;
    }
}

#[tokio::test]
async fn stored_times_are_whole_seconds_with_any_clock() {
    let service = Service::new(MemoryStore::new()).with_clock(PreciseClock);
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    assert_eq!(organization.created_at.to_string(), "2027-06-05T12:00:00Z");
}
