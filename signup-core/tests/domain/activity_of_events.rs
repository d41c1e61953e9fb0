//! The list of activity of one event, also when the event is deleted or gone.

use signup_core::*;

use crate::scene::{Scene, session};

fn types(page: &Page<Activity>) -> Vec<&str> {
    page.items.iter().map(|activity| activity.kind.as_str()).collect()
}

fn of(event: EventId, kind: &str) -> ActivityQuery {
    ActivityQuery::new().of_event(event).of_type(kind.parse().unwrap())
}

#[tokio::test]
async fn the_activity_of_an_event_that_was_purged_is_found_with_every_filter() {
    let scene = Scene::start().await;
    let (event, _) = scene.event(1).await;
    scene.session.delete_event(event.id).await.unwrap();
    for is_purged in [false, true] {
        if is_purged {
            scene.clock.advance(Event::PURGED_AFTER.as_secs());
            while scene.service.admin().purge(100).await.unwrap() > 0 {}
            assert!(scene.service.admin().event(event.id).await.unwrap_err().is_not_found());
        }
        let page = scene.session.activity(of(event.id, "*")).await.unwrap();
        assert_eq!(types(&page), ["event.deleted", "event.created"]);
        let page = scene.session.activity(of(event.id, "signup.*")).await.unwrap();
        assert_eq!(types(&page), [""; 0], "no activity of this type");
    }
    scene.clock.advance(Activity::RETENTION.as_secs());
    while scene.service.admin().purge(100).await.unwrap() > 0 {}
    let error = scene.session.activity(of(event.id, "*")).await.unwrap_err();
    assert!(error.is_not_found(), "nothing of the event is left");
}

#[tokio::test]
async fn an_event_is_restored_for_30_days_and_purged_later() {
    let scene = Scene::start().await;
    let (event, _) = scene.event(1).await;
    let admin = scene.service.admin();
    scene.session.delete_event(event.id).await.unwrap();
    scene.clock.advance(Event::RETENTION.as_secs() - 1);
    admin.restore_event(event.id).await.unwrap();
    scene.session.delete_event(event.id).await.unwrap();
    scene.clock.advance(Event::RETENTION.as_secs());
    assert_eq!(admin.restore_event(event.id).await.unwrap_err(), Error::NotFound);
    admin.purge(100).await.unwrap();
    assert_eq!(
        admin.deleted_events(event.organization, None, 9).await.unwrap().len(),
        1,
        "it is kept for now"
    );
    scene.clock.advance((Event::PURGED_AFTER - Event::RETENTION).as_secs());
    admin.purge(100).await.unwrap();
    assert_eq!(admin.deleted_events(event.organization, None, 9).await.unwrap(), []);
}

#[tokio::test]
async fn an_event_outlives_its_activity() {
    let scene = Scene::start().await;
    let (event, _) = scene.event(1).await;
    scene.clock.advance(Activity::RETENTION.as_secs() - 1);
    scene.service.admin().purge(100).await.unwrap();
    assert_eq!(types(&scene.session.activity(of(event.id, "*")).await.unwrap()), ["event.created"]);
    scene.clock.advance(1);
    scene.service.admin().purge(100).await.unwrap();
    assert_eq!(types(&scene.session.activity(of(event.id, "*")).await.unwrap()), [""; 0]);
}

#[tokio::test]
async fn the_activity_of_another_organization_s_event_is_not_found() {
    let scene = Scene::start().await;
    let (event, _) = scene.event(1).await;
    let other = session(&scene.service, Plan::Free).await;
    assert!(other.activity(of(event.id, "*")).await.unwrap_err().is_not_found());
    let all = other.activity(ActivityQuery::new()).await.unwrap();
    assert_eq!(types(&all), ["organization.created"], "only its own");
}

#[tokio::test]
async fn an_event_that_is_restored_has_one_activity_whatever_comes_back() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    scene.session.delete_event(event.id).await.unwrap();
    scene.service.admin().restore_event(event.id).await.unwrap();
    assert_eq!(scene.session.shift(shift.id).await.unwrap().id, shift.id);
    let page = scene.session.activity(of(event.id, "*")).await.unwrap();
    assert_eq!(types(&page), ["event.restored", "event.deleted", "event.created"]);
}

#[tokio::test]
async fn an_erased_sign_up_is_recorded_also_in_a_deleted_event() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let admin = scene.service.admin();
    scene.sign_up(&shift, "Ada").await.unwrap();
    let before = scene.session.activity(ActivityQuery::new()).await.unwrap().items;
    // The shift is over, so the event can be deleted.
    scene.clock.advance(3 * 24 * 3600);
    scene.session.delete_event(event.id).await.unwrap();
    let ada = "ADA@example.org".parse().unwrap();
    assert_eq!(admin.erase_signups(event.organization, &ada).await.unwrap(), 1);
    let after = scene.session.activity(ActivityQuery::new()).await.unwrap();
    assert_eq!(types(&after)[..2], ["signup.erased", "event.deleted"]);
    assert_eq!(after.items[2..], before, "older activity stays as it is");
    assert_eq!(after.items[0].subject, before[0].subject, "the ids of the sign-up");
    assert_eq!(admin.erase_signups(event.organization, &ada).await.unwrap(), 0);
    assert_eq!(scene.session.activity(ActivityQuery::new()).await.unwrap(), after, "nothing to erase");
}
