//! Webhooks through the handles: which activity is delivered to which webhook, and what becomes of a delivery.

use std::sync::Arc;

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::scene::{NOW, Scene, session};

fn webhook(types: &[&str]) -> NewWebhook {
    let types = types.iter().map(|filter| filter.parse().unwrap()).collect();
    NewWebhook::new("https://example.org/hooks".parse().unwrap()).types(types)
}

fn drive() -> NewEvent {
    NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap())
}

/// Lists the deliveries to a webhook, the oldest first.
async fn deliveries(session: &Session, webhook: &Webhook) -> Vec<Delivery> {
    session.deliveries(webhook.id, DeliveryQuery::new().limit(100)).await.unwrap().ascending()
}

/// Returns the types of activity that were delivered to a webhook, the oldest first.
async fn told(session: &Session, webhook: &Webhook) -> Vec<String> {
    deliveries(session, webhook).await.iter().map(|delivery| delivery.activity.kind.to_string()).collect()
}

/// Claims a delivery, which must be due.
async fn claim(outbox: &Outbox, delivery: &Delivery) -> (Webhook, Delivery) {
    let due = outbox.due_deliveries(99).await.unwrap();
    let due = due.into_iter().find(|due| due.id == delivery.id).unwrap();
    outbox.claim_delivery(&due).await.unwrap().unwrap()
}

/// Reports the result of an attempt for what [`claim`] has returned.
async fn report(outbox: &Outbox, claimed: &(Webhook, Delivery), attempt: &Attempt) -> Option<Reported> {
    outbox.report_attempt(&claimed.0, &claimed.1, attempt).await.unwrap()
}

const SUCCEEDED: Attempt = Attempt::Succeeded { status: 204 };

fn failed() -> Attempt {
    Attempt::Failed { status: None, error: "timeout".to_owned(), retry_after: None }
}

#[tokio::test]
async fn each_handle_tells_the_webhooks_that_select_what_it_does() {
    let scene = Scene::start().await;
    let (session, admin) = (&scene.session, scene.service.admin());
    let every = session.create_webhook(webhook(&["*"])).await.unwrap();
    let signups = session.create_webhook(webhook(&["signup.*", "event.deleted"])).await.unwrap();
    let disabled = session.create_webhook(webhook(&["*"]).disabled()).await.unwrap();
    let (event, shift) = scene.event(2).await;
    let (_, ada) = scene.sign_up_by_mail(&shift, "ada").await;
    let bo = scene.sign_up(&shift, "bo").await.unwrap();
    scene.cancel(&ada).await;
    admin.cancel_signup(event.organization, bo.signup.id).await.unwrap();
    admin.set_plan(event.organization, Plan::Starter).await.unwrap();
    let later = session.create_webhook(webhook(&["*"])).await.unwrap();
    session.delete_event(event.id).await.unwrap();
    let of_signups =
        ["signup.created", "signup.created", "signup.cancelled", "signup.cancelled", "event.deleted"];
    assert_eq!(told(session, &signups).await, of_signups);
    let of_every = [
        &["webhook.created", "webhook.created", "event.created"],
        &of_signups[..4],
        &["organization.updated", "webhook.created", "event.deleted"],
    ];
    assert_eq!(told(session, &every).await, of_every.concat());
    assert_eq!(told(session, &later).await, ["event.deleted"], "nothing older");
    assert_eq!(told(session, &disabled).await, [""; 0]);
    let listed = session.activity(ActivityQuery::new().limit(1)).await.unwrap().items;
    let delivered = deliveries(session, &later).await.remove(0);
    assert_eq!((delivered.activity, delivered.webhook), (listed[0].clone(), later.id));
}

#[tokio::test]
async fn a_process_sees_another_process_change_the_webhooks_at_its_next_write() {
    let (store, clock) = (Arc::new(MemoryStore::new()), Arc::new(FixedClock::at(NOW.parse().unwrap())));
    let [here, there] = [(); 2].map(|()| Service::shared(store.clone()).with_clock(Arc::clone(&clock)));
    let writer = session(&here, Plan::Pro).await;
    let owner = there.session_for(writer.organization_id(), Scopes::all()).await.unwrap();
    let mut told_of = vec![];
    let mut write = async || told_of.push(writer.create_event(drive()).await.unwrap().event.id);
    // From here on, the process of the writer keeps the webhooks in memory.
    write().await;
    let hook = owner.create_webhook(webhook(&["event.*"])).await.unwrap();
    write().await;
    let patch = |patch| owner.patch_webhook(hook.id, patch);
    patch(WebhookPatch::new().types(vec!["signup.*".parse().unwrap()])).await.unwrap();
    write().await;
    patch(WebhookPatch::new().types(vec![TypeFilter::every()])).await.unwrap();
    write().await;
    patch(WebhookPatch::new().enabled(false)).await.unwrap();
    write().await;
    patch(WebhookPatch::new().enabled(true)).await.unwrap();
    write().await;
    let found = deliveries(&owner, &hook).await;
    let events = found.iter().filter(|delivery| delivery.activity.kind == ActivityType::EVENT_CREATED);
    let events: Vec<_> = events.filter_map(|delivery| delivery.activity.subject.event).collect();
    assert_eq!(events, [1, 3, 5].map(|index: usize| told_of[index]));
    owner.delete_webhook(hook.id).await.unwrap();
    writer.create_event(drive()).await.unwrap();
    assert_eq!(here.outbox().due_deliveries(99).await.unwrap(), []);
}

#[tokio::test]
async fn only_a_creation_and_a_rotation_show_the_secret_and_store_it_with_their_answer() {
    let scene = Scene::start().await;
    let (session, admin) = (&scene.session, scene.service.admin());
    let key = |key: &str| key.parse::<IdempotencyKey>().unwrap();
    let hook = session.create_webhook(webhook(&["*"])).with_key(key("create")).await.unwrap();
    assert!(hook.secret.is_some());
    session.rotate_secret(hook.id).with_key(key("rotate")).await.unwrap();
    let patch = WebhookPatch::new().enabled(false);
    let shown = [
        session.patch_webhook(hook.id, patch.clone()).with_key(key("patch")).await.unwrap(),
        session.patch_webhook(hook.id, patch).with_key(key("unchanged")).await.unwrap(),
        session.webhook(hook.id).await.unwrap(),
        session.webhooks().await.unwrap().remove(0),
        admin.webhooks(hook.organization).await.unwrap().remove(0),
        admin.set_webhook_enabled(hook.id, true).await.unwrap(),
    ];
    for shown in shown {
        assert_eq!((shown.secret, shown.former_secret), (None, None));
    }
    for (name, operation, secrets) in [
        ("create", OperationKind::CreateWebhook.into(), 1),
        ("rotate", OperationKind::RotateSecret.on(hook.id), 1),
        ("patch", OperationKind::PatchWebhook.on(hook.id), 0),
    ] {
        let stored = session.stored_reply::<Outcome>(operation, &key(name)).await.unwrap().unwrap().value;
        assert_eq!(serde_json::to_string(&stored).unwrap().matches("whsec_").count(), secrets, "{name}");
    }
}

#[tokio::test]
async fn a_replay_makes_no_delivery_and_has_the_same_secret() {
    let scene = Scene::start().await;
    let session = &scene.session;
    let key = || "key".parse::<IdempotencyKey>().unwrap();
    let create = || session.create_webhook(webhook(&["event.*"])).with_key(key()).reply();
    let hook = create().await.unwrap().value;
    let again = create().await.unwrap();
    assert_eq!((again.is_replay, &again.value), (true, &hook));
    for _ in 0..2 {
        session.create_event(drive()).with_key(key()).await.unwrap();
    }
    let test = || session.test_webhook(hook.id).with_key(key());
    let tested = test().await.unwrap();
    assert_eq!(test().await.unwrap(), tested);
    assert_eq!(told(session, &hook).await, ["event.created", "webhook.test"]);
    let rotate = || session.rotate_secret(hook.id).with_key(key());
    let rotated = rotate().await.unwrap();
    assert_eq!(rotate().await.unwrap().secret, rotated.secret);
    assert_ne!(rotated.secret, hook.secret);
    let outbox = scene.service.outbox();
    let (sent_to, _) = claim(&outbox, &tested).await;
    assert_eq!(
        (sent_to.secret, sent_to.former_secret.map(|former| former.secret)),
        (rotated.secret, hook.secret),
        "rotated once"
    );
}

#[tokio::test]
async fn the_seventeenth_webhook_is_refused_until_another_is_deleted() {
    let Scene { session, .. } = Scene::start().await;
    let create = || session.create_webhook(webhook(&["*"]));
    for number in 0..Webhook::MAX_PER_ORGANIZATION {
        let new = create().await.unwrap();
        if number == 0 {
            session.patch_webhook(new.id, WebhookPatch::new().enabled(false)).await.unwrap();
        }
    }
    let too_many =
        Error::from(Faults::one("url", FaultKind::TooMany { items: "webhooks", max: 16, present: 16 }));
    assert_eq!(create().await.unwrap_err(), too_many);
    let oldest = session.webhooks().await.unwrap().pop().unwrap();
    session.delete_webhook(oldest.id).await.unwrap();
    create().await.unwrap();
    assert_eq!(create().await.unwrap_err(), too_many);
}

#[tokio::test]
async fn another_organization_s_webhooks_and_deliveries_are_not_found() {
    let scene = Scene::start().await;
    let hook = scene.session.create_webhook(webhook(&["*"])).await.unwrap();
    let delivery = scene.session.test_webhook(hook.id).await.unwrap();
    let other = session(&scene.service, Plan::Free).await;
    assert_eq!(other.webhooks().await.unwrap(), []);
    let errors = [
        other.webhook(hook.id).await.err(),
        other.deliveries(hook.id, DeliveryQuery::new()).await.err(),
        other.patch_webhook(hook.id, WebhookPatch::new().enabled(false)).await.err(),
        other.rotate_secret(hook.id).await.err(),
        other.test_webhook(hook.id).await.err(),
        other.redeliver(delivery.id).await.err(),
        other.delete_webhook(hook.id).await.err(),
    ];
    assert_eq!(errors.map(|error| error.is_some_and(|error| error.is_not_found())), [true; 7]);
    let kept = scene.session.webhook(hook.id).await.unwrap();
    assert_eq!((kept.url, kept.version), (hook.url.clone(), hook.version));
    other.create_event(drive()).await.unwrap();
    assert_eq!(told(&scene.session, &hook).await, ["webhook.test"], "activity of another organization");
}

#[tokio::test]
async fn a_claim_is_lost_when_its_lease_ends() {
    let scene = Scene::start().await;
    let hook = scene.session.create_webhook(webhook(&["event.*"])).await.unwrap();
    scene.event(1).await;
    let [outbox, other] = [(); 2].map(|()| scene.service.outbox());
    let due = outbox.due_deliveries(9).await.unwrap().remove(0);
    let claimed = claim(&outbox, &due).await;
    assert_eq!((claimed.0.id, claimed.1.attempts), (hook.id, 1));
    assert_eq!(other.claim_delivery(&due).await.unwrap(), None, "another process has it");
    scene.clock.advance(Delivery::LEASE.as_secs());
    let again = claim(&other, &due).await;
    assert_eq!((again.1.id, again.1.attempts), (claimed.1.id, 2));
    assert_eq!(report(&outbox, &claimed, &failed()).await, None, "its claim is lost");
    let done = report(&other, &again, &SUCCEEDED).await.unwrap();
    assert_eq!(done.delivery.status(), DeliveryStatus::Delivered);
    assert_eq!(report(&other, &again, &SUCCEEDED).await, None, "reported before");
    // Made again, the delivery has as many attempts as at the first claim.
    scene.session.redeliver(done.delivery.id).await.unwrap();
    let anew = claim(&other, &due).await;
    assert_eq!(anew.1.attempts, claimed.1.attempts);
    assert_eq!(report(&outbox, &claimed, &SUCCEEDED).await, None, "a claim of long ago");
    assert!(report(&other, &anew, &SUCCEEDED).await.is_some());
}

/// The clock was three days ahead, and was corrected afterwards: a delivery that waits for its second attempt, and those that the
/// process had claimed when it was killed, are due at once.
#[tokio::test]
async fn deliveries_of_a_clock_that_was_ahead_are_due_at_once() {
    let scene = Scene::start().await;
    let hook = scene.session.create_webhook(webhook(&["event.*"])).await.unwrap();
    let outbox = scene.service.outbox();
    scene.clock.advance(3 * 86_400);
    for _ in 0..Webhook::MAX_IN_FLIGHT {
        scene.session.create_event(drive()).await.unwrap();
    }
    let mut claimed = vec![];
    for due in outbox.due_deliveries(9).await.unwrap() {
        claimed.push(claim(&outbox, &due).await);
    }
    report(&outbox, &claimed[0], &failed()).await.unwrap();
    scene.clock.advance(-3 * 86_400);
    scene.session.create_event(drive()).await.unwrap();
    // Each list has one of them. No claim of the wrong time takes a place.
    let mut delivered = 0;
    while let Some(due) = outbox.due_deliveries(1).await.unwrap().first() {
        let again = claim(&outbox, due).await;
        assert!(report(&outbox, &again, &SUCCEEDED).await.is_some());
        delivered += 1;
    }
    assert_eq!(delivered, Webhook::MAX_IN_FLIGHT + 1);
    assert_eq!(scene.session.webhook(hook.id).await.unwrap().failing_since, None);
}

#[tokio::test]
async fn a_webhook_that_is_gone_is_disabled_and_its_deliveries_wait() {
    let scene = Scene::start().await;
    let (session, outbox) = (&scene.session, scene.service.outbox());
    let watcher = session.create_webhook(webhook(&["webhook.disabled"])).await.unwrap();
    let hook = session.create_webhook(webhook(&["event.created"])).await.unwrap();
    for _ in 0..3 {
        session.create_event(drive()).await.unwrap();
    }
    let [first, second, third] = deliveries(session, &hook).await.try_into().unwrap();
    let in_flight = claim(&outbox, &second).await;
    let gone = report(&outbox, &claim(&outbox, &first).await, &Attempt::Gone).await;
    assert_eq!(gone.map(|gone| gone.delivery.status()), Some(DeliveryStatus::Failed));
    let disabled = Some(Disabled { at: outbox.now(), reason: Some(DisabledReason::Gone) });
    assert_eq!(session.webhook(hook.id).await.unwrap().disabled, disabled);
    let [told] = deliveries(session, &watcher).await.try_into().unwrap();
    assert_eq!((told.activity.actor, told.activity.subject.webhook), (Actor::System, Some(hook.id)));

    assert_eq!(outbox.claim_delivery(&third).await.unwrap(), None);
    let waits = report(&outbox, &in_flight, &failed()).await.unwrap();
    assert_eq!(waits.delivery.status(), DeliveryStatus::Pending);
    session.create_event(drive()).await.unwrap();
    assert_eq!(deliveries(session, &hook).await.len(), 3, "nothing of what happens meanwhile");
    let refused = session.redeliver(first.id).await.unwrap_err();
    assert_eq!(refused, Error::WebhookDisabled);
    let tested = session.test_webhook(hook.id).await.unwrap();
    let tested = report(&outbox, &claim(&outbox, &tested).await, &Attempt::Gone).await;
    assert_eq!(tested.map(|tested| tested.delivery.status()), Some(DeliveryStatus::Failed));
    assert_eq!(deliveries(session, &watcher).await.len(), 1, "disabled before");

    scene.clock.advance(3600);
    session.patch_webhook(hook.id, WebhookPatch::new().enabled(true)).await.unwrap();
    for waiting in [&second, &third] {
        let claimed = claim(&outbox, waiting).await;
        report(&outbox, &claimed, &SUCCEEDED).await.unwrap();
    }
    let hook = session.webhook(hook.id).await.unwrap();
    assert_eq!((hook.disabled, hook.last_success_at), (None, Some(outbox.now())));
    let again = session.redeliver(first.id).await.unwrap();
    assert_eq!((again.attempts, again.due_at()), (0, Some(outbox.now())));
    assert_eq!(session.redeliver(first.id).await.unwrap(), again, "pending already");
}

#[tokio::test]
async fn a_delivery_in_flight_is_lost_with_its_webhook() {
    let scene = Scene::start().await;
    let (session, outbox) = (&scene.session, scene.service.outbox());
    let hook = session.create_webhook(webhook(&["*"])).await.unwrap();
    let [tested, waiting] = [session.test_webhook(hook.id).await, session.test_webhook(hook.id).await];
    let claimed = claim(&outbox, &tested.unwrap()).await;
    session.delete_webhook(hook.id).await.unwrap();
    assert_eq!(report(&outbox, &claimed, &SUCCEEDED).await, None);
    assert_eq!(outbox.claim_delivery(&waiting.unwrap()).await.unwrap(), None);
    assert_eq!(outbox.oldest_pending_delivery().await.unwrap(), None);
    assert!(session.deliveries(hook.id, DeliveryQuery::new()).await.unwrap_err().is_not_found());
}
