//! Webhooks and deliveries: their lists, which deliveries are due, and how long a delivery is kept.

use std::sync::Arc;

use super::pages::{page_at, sides};
use super::records::*;
use crate::*;

/// Inserts two organizations, and webhooks of the first one with these numbers.
async fn with_webhooks<const N: usize>(store: &dyn Store, numbers: [u32; N]) -> [Webhook; N] {
    let webhooks = numbers.map(|number| webhook(1, number));
    commit(store, insert([organization(1), organization(2)])).await;
    commit(store, insert(webhooks.clone())).await;
    webhooks
}

/// Returns a pending delivery that is due at a time.
fn due_at(webhook: &Webhook, number: u32, seconds: i64) -> Delivery {
    let state = DeliveryState::Pending { due_at: at(seconds), is_leased: false };
    Delivery { state, ..delivery(webhook, number) }
}

fn test(webhook: &Webhook, number: u32, seconds: i64) -> Delivery {
    let mut test = due_at(webhook, number, seconds);
    test.activity.kind = ActivityType::WEBHOOK_TEST;
    test
}

/// Returns a delivery after an attempt at a time.
fn ended(webhook: &Webhook, number: u32, attempt: &Attempt, seconds: i64) -> Delivery {
    delivery(webhook, number).claimed(at(seconds)).after(attempt, 0.0, at(seconds))
}

fn failed(status: Option<u16>, error: &str) -> Attempt {
    Attempt::Failed { status, error: error.to_owned(), retry_after: None }
}

fn disabled(webhook: &Webhook) -> Webhook {
    let disabled = Some(Disabled { at: at(5), reason: None });
    Webhook { disabled, version: webhook.version + 1, ..webhook.clone() }
}

fn number(delivery: &Delivery) -> u128 {
    delivery.id.uuid().as_u128() - uuid(0).as_u128()
}

/// Returns the numbers of the deliveries that are due.
async fn due(store: &dyn Store, now: i64, limit: u32) -> Vec<u128> {
    store.due_deliveries(at(now), limit).await.unwrap().iter().map(number).collect()
}

async fn list(store: &dyn Store, webhook: &Webhook, query: &DeliveryQuery) -> Page<Delivery> {
    store.deliveries(organization_id(1), webhook.id, query).await.unwrap()
}

/// Every field of a webhook comes back as it was written, in the list and by its key: of one that is enabled, and of one for each
/// reason for which a webhook is disabled.
pub async fn a_webhook_comes_back_as_it_was(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let full = |number: u32, reason| Webhook {
        description: None,
        types: vec!["signup.*".parse().unwrap(), "event.created".parse().unwrap()],
        former_secret: Some(FormerSecret { secret: signing_secret(99), until: at(7) }),
        disabled: Some(Disabled { at: at(6), reason }),
        last_success_at: Some(at(4)),
        failing_since: Some(at(5)),
        version: 3,
        created_at: at(1),
        updated_at: at(2),
        ..webhook(1, number)
    };
    let reasons = DisabledReason::ALL.iter().copied().map(Some).chain([None]);
    let mut all = vec![webhook(1, 1)];
    all.extend((2..).zip(reasons).map(|(number, reason)| full(number, reason)));
    commit(&*store, insert(all.clone())).await;
    for webhook in &all {
        assert_eq!(stored(&*store, webhook).await.as_ref(), Some(webhook));
        let owner = store.owner(Kind::Webhook, webhook.id.uuid()).await.unwrap();
        assert_eq!(owner, Some(organization_id(1)));
    }
    all.reverse();
    assert_eq!(store.webhooks(organization_id(1)).await.unwrap(), all);
}

/// Every field of a delivery comes back as it was written, in the list and by its key, for each state.
pub async fn a_delivery_comes_back_as_it_was(store: Arc<dyn Store>) {
    let [webhook] = with_webhooks(&*store, [1]).await;
    let made_again = ended(&webhook, 5, &Attempt::Gone, 9).redelivered(at(20));
    let mut all = vec![
        delivery(&webhook, 1),
        delivery(&webhook, 2).claimed(at(5)),
        ended(&webhook, 3, &Attempt::Succeeded { status: 204 }, 7),
        ended(&webhook, 4, &Attempt::Gone, 8),
        made_again,
        ended(&webhook, 6, &failed(Some(503), "status 503"), 9),
        ended(&webhook, 7, &failed(None, &"é".repeat(Delivery::MAX_ERROR)), 9),
        test(&webhook, 8, 3),
    ];
    commit(&*store, insert(all.clone())).await;
    for delivery in &all {
        assert_eq!(stored(&*store, delivery).await.as_ref(), Some(delivery));
    }
    all.reverse();
    assert_eq!(list(&*store, &webhook, &DeliveryQuery::new()).await, Page::new(all, None, None));
}

/// The webhooks of an organization are listed by descending id, disabled ones included.
pub async fn webhooks_are_listed_newest_first(store: Arc<dyn Store>) {
    let [two, three, one] = with_webhooks(&*store, [2, 3, 1]).await;
    let other = webhook(2, 4);
    commit(&*store, insert([other.clone()])).await;
    let two_disabled = disabled(&two);
    write(&*store, vec![put(two, two_disabled.clone())]).await;
    assert_eq!(store.webhooks(organization_id(1)).await.unwrap(), [three, two_disabled, one]);
    assert_eq!(store.webhooks(organization_id(2)).await.unwrap(), [other]);
    assert_eq!(store.webhooks(organization_id(3)).await.unwrap(), []);
}

/// A list has exactly the deliveries of the webhook that the state selects, by descending id, page by page from every position.
pub async fn deliveries_are_listed_newest_first_from_every_position(store: Arc<dyn Store>) {
    let [webhook, other] = with_webhooks(&*store, [1, 2]).await;
    // The order of insertion is not the order of ids.
    let numbers = (0..12_u32).map(|place| 1 + place * 5 % 12);
    let all = numbers.map(|number| match number % 3 {
        0 => delivery(&webhook, number),
        1 => ended(&webhook, number, &Attempt::Succeeded { status: 200 }, 5),
        _ => ended(&webhook, number, &Attempt::Gone, 5),
    });
    let mut all: Vec<_> = all.collect();
    commit(&*store, insert(all.clone())).await;
    commit(&*store, insert([delivery(&other, 50)])).await;
    all.sort_by_key(|delivery| std::cmp::Reverse(delivery.id));
    let filters = DeliveryStatus::ALL.iter().map(|status| DeliveryQuery::new().status(*status));
    for query in filters.chain([DeliveryQuery::new()]) {
        let selected: Vec<_> = all.iter().filter(|delivery| query.selects(delivery)).cloned().collect();
        assert_eq!(
            list(&*store, &webhook, &query).await,
            Page::new(selected.clone(), None, None),
            "{query:?}"
        );
        for (key, (side, limit)) in all.iter().flat_map(|at| sides([1, 3]).map(|size| (at.id, size))) {
            let position = Position { key, side };
            let query = query.clone().limit(limit).at(position);
            let expected = page_at(&selected, position, limit, |found| found.id, |found| found.id < key);
            assert_eq!(list(&*store, &webhook, &query).await, expected, "{query:?}");
        }
    }
    let foreign = store.deliveries(organization_id(2), webhook.id, &DeliveryQuery::new()).await.unwrap();
    assert_eq!(foreign, Page::new(vec![], None, None), "of another organization");
}

/// The first due delivery of each webhook comes before the second ones, and so on; equal places are sorted by due time. A webhook
/// has at most 4. A delivery that is due later, or has ended, is not listed.
pub async fn due_deliveries_are_listed_by_their_place(store: Arc<dyn Store>) {
    let [busy, calm] = with_webhooks(&*store, [1, 2]).await;
    let waiting = [
        due_at(&busy, 14, 10),
        due_at(&busy, 11, 5),
        due_at(&busy, 13, 10),
        due_at(&busy, 12, 6),
        due_at(&busy, 15, 11),
        due_at(&calm, 22, 30),
        due_at(&calm, 21, 20),
        due_at(&calm, 23, 31),
    ];
    commit(&*store, insert(waiting)).await;
    let succeeded = ended(&busy, 31, &Attempt::Succeeded { status: 200 }, 1);
    commit(&*store, insert([succeeded, ended(&busy, 32, &Attempt::Gone, 1)])).await;
    assert_eq!(due(&*store, 4, 99).await, []);
    assert_eq!(due(&*store, 5, 99).await, [11]);
    assert_eq!(due(&*store, 10, 99).await, [11, 12, 13, 14]);
    assert_eq!(due(&*store, 30, 99).await, [11, 21, 12, 22, 13, 14], "of 7");
    assert_eq!(due(&*store, 30, 3).await, [11, 21, 12], "up to the limit");
}

/// A delivery is not due until its lease ends. While deliveries of a webhook are in flight, as many fewer are listed, and they come
/// after those of webhooks with fewer in flight.
pub async fn a_delivery_in_flight_takes_the_place_of_a_due_one(store: Arc<dyn Store>) {
    let [webhook, other] = with_webhooks(&*store, [1, 2]).await;
    let all: Vec<_> = (11..17).map(|number| due_at(&webhook, number, 0)).collect();
    commit(&*store, insert(all.clone())).await;
    commit(&*store, insert([due_at(&other, 21, 0)])).await;
    assert_eq!(due(&*store, 0, 99).await, [11, 21, 12, 13, 14]);
    let lease = Delivery::LEASE.as_secs();
    for (claimed, left) in all.iter().zip([&[21, 12, 13, 14][..], &[21, 13, 14], &[21, 14], &[21]]) {
        write(&*store, vec![put(claimed.clone(), claimed.clone().claimed(at(0)))]).await;
        assert_eq!(due(&*store, 1, 99).await, left);
    }
    assert_eq!(due(&*store, lease - 1, 99).await, [21]);
    assert_eq!(due(&*store, lease, 99).await, [15, 21, 16, 11, 12], "the leases have ended");
    let first = all[0].clone().claimed(at(0));
    let reported = first.clone().after(&failed(None, "timeout"), 0.0, at(1));
    write(&*store, vec![put(first, reported)]).await;
    assert_eq!(due(&*store, 1, 99).await, [21, 15], "a reported delivery is no longer in flight");
}

/// The first due delivery of each organization comes before the second ones, and so on, however many webhooks an organization
/// has. Deliveries in flight count as first ones.
pub async fn organizations_take_turns(store: Arc<dyn Store>) {
    let [first, second, third] = with_webhooks(&*store, [1, 2, 3]).await;
    let other = webhook(2, 4);
    commit(&*store, insert([other.clone()])).await;
    let waiting = [&first, &second, &third].into_iter().zip([10, 20, 30]);
    let waiting = waiting.flat_map(|(webhook, ids)| [due_at(webhook, ids, 0), due_at(webhook, ids + 1, 1)]);
    let waiting: Vec<_> = waiting.collect();
    let of_other: Vec<_> = (41..44).map(|number| due_at(&other, number, 2)).collect();
    commit(&*store, insert(waiting.clone())).await;
    commit(&*store, insert(of_other.clone())).await;
    assert_eq!(due(&*store, 2, 99).await, [10, 41, 20, 42, 30, 43, 11, 21, 31]);
    write(&*store, vec![put(of_other[0].clone(), of_other[0].clone().claimed(at(2)))]).await;
    assert_eq!(due(&*store, 2, 99).await, [10, 20, 42, 30, 43, 11, 21, 31]);
    for claimed in [&waiting[0], &waiting[2], &waiting[4]] {
        write(&*store, vec![put(claimed.clone(), claimed.clone().claimed(at(2)))]).await;
    }
    assert_eq!(due(&*store, 2, 99).await, [42, 43, 11, 21, 31]);
    assert_eq!(due(&*store, 2, 2).await, [42, 43], "up to the limit");
}

/// The first delivery with a due time after the latest is due, and comes after those of its webhook that are due by now. A due time
/// of exactly the latest is not due.
pub async fn a_due_time_after_the_latest_is_that_of_a_clock_that_was_ahead(store: Arc<dyn Store>) {
    let [ahead, correct] = with_webhooks(&*store, [1, 2]).await;
    let latest = Delivery::latest_due_at(at(9)).as_second() - at(0).as_second();
    let late = (11..14).map(|number| due_at(&ahead, number, latest + i64::from(number) - 11));
    let leased = due_at(&ahead, 15, 0).claimed(at(latest));
    let tests =
        [due_at(&ahead, 10, 9), leased.clone(), due_at(&correct, 21, latest), due_at(&correct, 22, 10)];
    commit(&*store, insert(late.chain(tests))).await;
    assert_eq!(due(&*store, 8, 99).await, [11, 21], "one of each webhook");
    assert_eq!(due(&*store, 9, 99).await, [10, 12]);
    let claim = rules::claim_delivery(&ahead, leased, at(9)).change;
    assert_eq!(try_commit(&*store, claim).await, Ok(()));
    assert_eq!(due(&*store, 9, 99).await, [10, 12], "the lease of the other clock has ended");
    let soon = (16..19).map(|number| due_at(&ahead, number, 8));
    commit(&*store, insert(soon)).await;
    assert_eq!(due(&*store, 9, 99).await, [16, 17, 18], "one is in flight");
}

/// The deliveries of a webhook that is failing come after all others, whatever their places and due times.
pub async fn a_failing_webhook_delays_no_other(store: Arc<dyn Store>) {
    let [failing, working] = with_webhooks(&*store, [1, 2]).await;
    let waiting = [due_at(&failing, 11, 0), due_at(&failing, 12, 1)];
    commit(&*store, insert(waiting.into_iter().chain((21..24).map(|id| due_at(&working, id, 5))))).await;
    assert_eq!(due(&*store, 9, 99).await, [11, 21, 12, 22, 23]);
    let after = Webhook { failing_since: Some(at(1)), version: 2, ..failing.clone() };
    write(&*store, vec![put(failing, after)]).await;
    assert_eq!(due(&*store, 9, 99).await, [21, 22, 23, 11, 12]);
    assert_eq!(due(&*store, 9, 3).await, [21, 22, 23], "up to the limit");
}

/// The pending deliveries of a disabled webhook wait until it is enabled. Its tests are due.
pub async fn deliveries_of_a_disabled_webhook_wait(store: Arc<dyn Store>) {
    let [webhook] = with_webhooks(&*store, [1]).await;
    let waiting =
        [due_at(&webhook, 11, 0), due_at(&webhook, 12, 1), test(&webhook, 13, 2), test(&webhook, 14, 9)];
    commit(&*store, insert(waiting)).await;
    assert_eq!(due(&*store, 2, 99).await, [11, 12, 13]);
    let after = disabled(&webhook);
    write(&*store, vec![put(webhook.clone(), after.clone())]).await;
    assert_eq!(due(&*store, 2, 99).await, [13]);
    assert_eq!(due(&*store, 9, 99).await, [13, 14]);
    write(&*store, vec![put(after, Webhook { version: 3, ..webhook })]).await;
    assert_eq!(due(&*store, 2, 99).await, [11, 12, 13]);
}

/// The oldest pending delivery is the first that was created among those to enabled webhooks, whether or not it is due.
pub async fn the_oldest_pending_delivery_is_found(store: Arc<dyn Store>) {
    let [first, second] = with_webhooks(&*store, [1, 2]).await;
    let created = |delivery: Delivery, seconds| Delivery { created_at: at(seconds), ..delivery };
    let oldest = async || store.statistics().await.unwrap().oldest_pending_delivery;
    assert_eq!(oldest().await, None);
    let success = Attempt::Succeeded { status: 200 };
    commit(&*store, insert([created(ended(&first, 11, &success, 1), 1)])).await;
    assert_eq!(oldest().await, None, "it has ended");
    let waiting = created(due_at(&first, 13, 50), 3);
    commit(&*store, insert([created(due_at(&first, 12, 10), 7), waiting.clone()])).await;
    commit(&*store, insert([created(test(&first, 14, 0), 4)])).await;
    commit(&*store, insert([created(due_at(&second, 21, 0), 5)])).await;
    assert_eq!(oldest().await, Some(at(3)));
    write(&*store, vec![put(waiting.clone(), waiting.clone().claimed(at(50)))]).await;
    assert_eq!(oldest().await, Some(at(3)), "it is in flight");
    write(&*store, vec![put(first.clone(), disabled(&first))]).await;
    assert_eq!(oldest().await, Some(at(5)), "its webhook is disabled, also for a test");
}

/// A webhook that is removed takes its deliveries along, and no others.
pub async fn the_removal_of_a_webhook_removes_its_deliveries(store: Arc<dyn Store>) {
    let [gone, kept] = with_webhooks(&*store, [1, 2]).await;
    let of_gone =
        [delivery(&gone, 11), delivery(&gone, 12).claimed(at(0)), ended(&gone, 13, &Attempt::Gone, 1)];
    commit(&*store, insert(of_gone.clone())).await;
    let left = delivery(&kept, 21);
    commit(&*store, insert([left.clone()])).await;
    write(&*store, vec![Write::Remove(gone.clone().into())]).await;
    for delivery in of_gone {
        assert_eq!(stored(&*store, &delivery).await, None);
    }
    assert_eq!(list(&*store, &gone, &DeliveryQuery::new()).await.items, []);
    assert_eq!(list(&*store, &kept, &DeliveryQuery::new()).await.items, [left]);
    assert_eq!(due(&*store, 99, 99).await, [21]);
    assert_eq!(store.webhooks(organization_id(1)).await.unwrap(), [kept]);
}

/// A purge removes the deliveries that have expired, at most `limit` of them, in any state and also of a disabled webhook, and
/// nothing else.
pub async fn deliveries_are_kept_until_they_expire(store: Arc<dyn Store>) {
    let [webhook] = with_webhooks(&*store, [1]).await;
    let states = [
        delivery(&webhook, 1),
        delivery(&webhook, 2).claimed(at(0)),
        ended(&webhook, 3, &Attempt::Succeeded { status: 200 }, 0),
        ended(&webhook, 4, &Attempt::Gone, 0),
    ];
    let made_again = ended(&webhook, 5, &Attempt::Gone, 0).redelivered(at(9));
    commit(&*store, insert(states)).await;
    commit(&*store, insert([made_again])).await;
    let after = disabled(&webhook);
    write(&*store, vec![put(webhook, after.clone())]).await;
    let (end, second) = (at(0) + Delivery::RETENTION, SignedDuration::from_secs(1));
    let last = end + SignedDuration::from_secs(9);
    for (until, limit, removed, left) in
        [(end - second, 9, 0, 5), (end, 3, 3, 2), (end, 3, 1, 1), (last - second, 9, 0, 1), (last, 9, 1, 0)]
    {
        assert_eq!(store.purge(Purge::Expired(until), limit).await.unwrap(), removed, "until {until}");
        let found = list(&*store, &after, &DeliveryQuery::new()).await.items;
        assert_eq!(found.len(), left, "until {until}: {found:?}");
    }
    assert_eq!(stored(&*store, &after).await, Some(after), "the webhook stays");
}

/// Of 12 simultaneous claims of a webhook's deliveries, 4 succeed. An ended lease frees its place.
pub async fn simultaneous_claims_never_pass_the_limit_of_a_webhook(store: Arc<dyn Store>) {
    let [webhook, other] = with_webhooks(&*store, [1, 2]).await;
    let all: Vec<_> = (11..23).map(|number| due_at(&webhook, number, 0)).collect();
    commit(&*store, insert(all.clone())).await;
    commit(&*store, insert([due_at(&other, 31, 0)])).await;
    let total = Total::InFlight(organization_id(1), webhook.id);
    let full = Err(Refusal::NotBelow { total, count: 4 });
    let claim = |delivery: &Delivery, now| rules::claim_delivery(&webhook, delivery.clone(), now).change;
    for now in [at(0), at(0) + Delivery::LEASE] {
        let mut waiting = vec![];
        for delivery in &all {
            waiting.extend(stored(&*store, delivery).await.filter(|delivery| delivery.attempts == 0));
        }
        let changes = waiting.iter().map(|delivery| claim(delivery, now)).collect();
        let results = all_at_once(&store, changes).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 4, "{results:?}");
        assert!(results.iter().all(|result| result.is_ok() || *result == full), "{results:?}");
    }
    let of_other = rules::claim_delivery(&other, due_at(&other, 31, 0), at(0)).change;
    assert_eq!(try_commit(&*store, of_other).await, Ok(()), "another webhook has places of its own");
}
