//! Contention: under simultaneous commits, counts stay within their bounds, and as many commits succeed as the bounds
//! allow.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Commits all change sets at the same time, each in its own task.
pub(super) async fn all_at_once(store: &Arc<dyn Store>, changes: Vec<ChangeSet>) -> Vec<Result<(), Refusal>> {
    let start = Arc::new(tokio::sync::Barrier::new(changes.len()));
    let tasks = changes.into_iter().map(|change| {
        let (store, start) = (Arc::clone(store), Arc::clone(&start));
        tokio::spawn(async move {
            start.wait().await;
            try_commit(&*store, change).await
        })
    });
    let mut results = vec![];
    for task in tasks.collect::<Vec<_>>() {
        results.push(task.await.unwrap());
    }
    results
}

fn successes(results: &[Result<(), Refusal>]) -> usize {
    results.iter().filter(|result| result.is_ok()).count()
}

/// Asserts that `count` change sets succeeded, and that all others were refused with `refusal`.
fn assert_outcomes(results: &[Result<(), Refusal>], count: usize, refusal: &Refusal) {
    assert_eq!(successes(results), count);
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|found| found == refusal));
}

/// Of 64 simultaneous sign-ups for a shift with capacity 7, 7 succeed. The others are refused with the count 7.
pub async fn simultaneous_sign_ups_never_pass_the_capacity(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 7).await;
    let changes = (0..64).map(|number| sign_up(&shift, &signup(&shift, number))).collect();
    let results = all_at_once(&store, changes).await;
    let total = Total::Filled(shift.organization, shift.id);
    assert_outcomes(&results, 7, &Refusal::NotBelow { total, count: 7 });
    assert_eq!(stored(&*store, &shift).await.unwrap().occupancy.filled, 7);
    let query = SignupQuery::new().of_event(event.id);
    assert_eq!(store.signups(event.organization, &query).await.unwrap().items.len(), 7);
}

/// Returns the requirement that the organization 1 has fewer than 5 active events, and its refusal.
fn fewer_than_five_events() -> (Requirement, Refusal) {
    let total = Total::ActiveEvents(organization_id(1));
    (Requirement::Below { total: total.clone(), bound: 5, now: at(0) }, Refusal::NotBelow { total, count: 5 })
}

async fn events(store: &dyn Store) -> Vec<Event> {
    store.events(organization_id(1), &EventQuery::new().limit(100)).await.unwrap().items
}

/// Of 64 simultaneous creates of published events with a limit of 5, 5 succeed. The others are refused with the count
/// 5.
pub async fn simultaneous_creates_never_pass_the_limit(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let (below, refused) = fewer_than_five_events();
    let change =
        |number| ChangeSet { requires: vec![below.clone()], writes: vec![Write::insert(event(1, number))] };
    let results = all_at_once(&store, (0..64).map(change).collect()).await;
    assert_outcomes(&results, 5, &refused);
    assert_eq!(events(&*store).await.len(), 5);
}

/// Of 32 simultaneous creates of webhooks with a limit of 16, 16 succeed. The others are refused with the count 16.
pub async fn simultaneous_webhooks_never_pass_the_limit(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let (total, bound) = (Total::Webhooks(organization_id(1)), Webhook::MAX_PER_ORGANIZATION);
    let below = Requirement::Below { total: total.clone(), bound, now: at(0) };
    let change =
        |number| ChangeSet { requires: vec![below.clone()], writes: vec![Write::insert(webhook(1, number))] };
    let results = all_at_once(&store, (0..32).map(change).collect()).await;
    assert_outcomes(&results, 16, &Refusal::NotBelow { total, count: 16 });
    assert_eq!(store.webhooks(organization_id(1)).await.unwrap().len(), 16);
}

/// Of 16 simultaneous messages of an event, 4 succeed, because the limit is 5 and 1 earlier message still counts. A message of
/// another event does not count. Neither does a message that was sent 24 hours before.
pub async fn simultaneous_messages_never_pass_the_limit(store: Arc<dyn Store>) {
    let (event, other) = (event(1, 1), event(1, 2));
    let now = at(0) + Message::PERIOD;
    let at = |number, seconds| Message {
        created_at: at(0) + SignedDuration::from_secs(seconds),
        ..message(&event, number)
    };
    let before: [Record; 6] = [
        organization(1).into(),
        event.clone().into(),
        other.clone().into(),
        at(1, 0).into(),
        at(2, 1).into(),
        message(&other, 3).into(),
    ];
    commit(&*store, insert(before)).await;
    let (total, bound) = (Total::Messages(event.organization, event.id), Message::MAX_PER_PERIOD);
    let below = Requirement::Below { total: total.clone(), bound, now };
    let change =
        |number| ChangeSet { requires: vec![below.clone()], writes: vec![Write::insert(at(number, 86_400))] };
    let results = all_at_once(&store, (10..26).map(change).collect()).await;
    assert_outcomes(&results, 4, &Refusal::NotBelow { total, count: 5 });
}

/// Of 64 simultaneous uses of one key, one takes effect and the others are refused with its receipt.
pub async fn one_of_many_simultaneous_uses_of_a_key_takes_effect(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let key = receipt_key(1, "key");
    let change = |number| {
        let event = event(1, number);
        let receipt = receipt(key.clone(), &event, &[]);
        let writes = vec![Write::insert(event), Write::insert(receipt)];
        ChangeSet { requires: vec![absent(Unique::Receipt(key.clone()))], writes }
    };
    let results = all_at_once(&store, (0..64).map(change).collect()).await;
    let events = events(&*store).await;
    assert_eq!(events.len(), 1);
    assert_outcomes(&results, 1, &Refusal::Taken(Box::new(receipt(key, &events[0], &[]).into())));
}

/// Of 16 simultaneous sign-ups of one address for a shift, one succeeds. The others are refused with that sign-up.
pub async fn one_of_many_simultaneous_sign_ups_of_an_address_succeeds(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 20).await;
    let email = EmailAddress::new("ada@example.org").unwrap();
    let change = |number| sign_up(&shift, &Signup { email: email.clone(), ..signup(&shift, number) });
    let results = all_at_once(&store, (0..16).map(change).collect()).await;
    let query = SignupQuery::new().of_event(event.id);
    let mut signups = store.signups(event.organization, &query).await.unwrap().items;
    assert_eq!(signups.len(), 1);
    assert_outcomes(&results, 1, &Refusal::Taken(Box::new(signups.remove(0).into())));
}

/// Of 16 simultaneous creates with one slug, one succeeds. The others are refused with its event.
pub async fn one_of_many_simultaneous_uses_of_a_slug_succeeds(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let change = |number| {
        let event = Event { slug: "common".to_owned(), ..event(1, number) };
        ChangeSet {
            requires: vec![absent(Unique::EventSlug(event.slug.clone()))],
            writes: vec![Write::insert(event)],
        }
    };
    let results = all_at_once(&store, (0..16).map(change).collect()).await;
    let created = events(&*store).await.remove(0);
    assert_outcomes(&results, 1, &Refusal::Taken(Box::new(created.into())));
}

/// Of 16 simultaneous edits of one version, exactly one is applied.
pub async fn one_of_many_simultaneous_edits_of_a_version_succeeds(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 7).await;
    let edit = |number: u32| {
        let title = Title::new(&format!("Edit {number}")).unwrap();
        let edited = Shift { title, version: 2, ..shift.clone() };
        ChangeSet { requires: vec![unchanged(&shift)], writes: vec![put(shift.clone(), edited)] }
    };
    let results = all_at_once(&store, (0..16).map(edit).collect()).await;
    assert_outcomes(&results, 1, &Refusal::Changed(shift.key()));
    let applied = results.iter().position(Result::is_ok).unwrap();
    let found = stored(&*store, &shift).await.unwrap();
    assert_eq!((found.title.as_str(), found.version), (format!("Edit {applied}").as_str(), 2));
}

/// Of 16 simultaneous edits of one version of an event, exactly one is applied.
pub async fn one_of_many_simultaneous_edits_of_an_event_succeeds(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 7).await;
    let edit = |number: u32| {
        let title = Title::new(&format!("Edit {number}")).unwrap();
        let edited = Event { title, version: 2, ..event.clone() };
        ChangeSet { requires: vec![unchanged(&event)], writes: vec![put(event.clone(), edited)] }
    };
    let results = all_at_once(&store, (0..16).map(edit).collect()).await;
    assert_outcomes(&results, 1, &Refusal::Changed(event.key()));
    let applied = results.iter().position(Result::is_ok).unwrap();
    let found = stored(&*store, &event).await.unwrap();
    assert_eq!((found.title.as_str(), found.version), (format!("Edit {applied}").as_str(), 2));
}

/// Of 32 simultaneous publications and restorations with a limit of 5, 5 succeed. The others are refused with the count 5.
pub async fn simultaneous_publications_never_pass_the_limit(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let inactive = |number| {
        let published = event(1, number);
        if number % 2 == 0 {
            Event { deleted_at: Some(at(3)), ..published }
        } else {
            Event { is_published: false, ..published }
        }
    };
    commit(&*store, insert((0..32).map(inactive))).await;
    let (below, refused) = fewer_than_five_events();
    let publish = |number| {
        let (before, after) = (inactive(number), next(&event(1, number)));
        let requires = vec![unchanged(&before), below.clone()];
        ChangeSet { requires, writes: vec![put(before, after)] }
    };
    let results = all_at_once(&store, (0..32).map(publish).collect()).await;
    assert_outcomes(&results, 5, &refused);
    let published = EventQuery::new().published().limit(99);
    let published = store.events(organization_id(1), &published).await.unwrap().items;
    assert_eq!(published.len(), 5);
}

/// After simultaneous sign-ups, cancellations, erasures and capacity changes, `filled` is the number of confirmed
/// sign-ups.
pub async fn filled_equals_the_confirmed_sign_ups_after_simultaneous_changes(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 20).await;
    let volunteers: Vec<_> = (0..10).map(|number| signup(&shift, number)).collect();
    let staying: Vec<_> = (50..55).map(|number| signup(&shift, number)).collect();
    commit(&*store, insert([volunteers.clone(), staying.clone()].concat())).await;
    // Each version of the shift has another capacity than the one before.
    let at_version = |version: u32| {
        let capacity = Capacity::new([25, 20, 5][version as usize % 3]).unwrap();
        Shift { occupancy: Occupancy::empty(capacity), version, gate: version, ..shift.clone() }
    };
    let sign_up = |number| sign_up(&at_version(1 + number % 3), &signup(&shift, number));
    let mut changes: Vec<_> = (10..40).map(sign_up).collect();
    changes.extend(volunteers.iter().map(|volunteer| {
        let gone = cancelled(volunteer.clone(), at(5));
        ChangeSet { requires: vec![unchanged(volunteer)], writes: vec![put(volunteer.clone(), gone)] }
    }));
    // Erases some sign-ups that are cancelled at the same time, and some that are not.
    changes.extend(volunteers.iter().step_by(2).chain(&staying).map(|volunteer| ChangeSet {
        requires: vec![unchanged(volunteer)],
        writes: vec![Write::Remove(volunteer.clone().into())],
    }));
    changes.extend((1..11).map(|version| {
        let (before, after) = (at_version(version), at_version(version + 1));
        ChangeSet { requires: vec![unchanged(&before)], writes: vec![put(before, after)] }
    }));
    all_at_once(&store, changes).await;
    let query = SignupQuery::new().of_event(event.id).status(SignupStatus::Confirmed).limit(99);
    let confirmed = store.signups(event.organization, &query).await.unwrap().items.len();
    let found = stored(&*store, &shift).await.unwrap();
    assert_eq!(found.occupancy.filled as usize, confirmed);
    assert!(found.occupancy.filled <= 25, "no sign-up exceeds the largest capacity");
}

/// Of 8 simultaneous creates of a first organization, one succeeds.
pub async fn one_of_many_simultaneous_first_organizations_is_created(store: Arc<dyn Store>) {
    let none = Requirement::Below { total: Total::Organizations, bound: 1, now: at(0) };
    let change = |number| ChangeSet {
        requires: vec![none.clone()],
        writes: vec![Write::insert(organization(number))],
    };
    let results = all_at_once(&store, (1..9).map(change).collect()).await;
    assert_outcomes(&results, 1, &Refusal::NotBelow { total: Total::Organizations, count: 1 });
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 1);
}
