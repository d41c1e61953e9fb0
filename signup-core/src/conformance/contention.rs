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
            try_write(&*store, change.requires, change.writes).await
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

/// Of 64 simultaneous sign-ups for a shift with capacity 7, 7 succeed. The others are refused with `ShiftFull`.
pub async fn simultaneous_sign_ups_never_pass_the_capacity(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 7).await;
    let changes = (0..64).map(|number| sign_up(&shift, &signup(&shift, number))).collect();
    let results = all_at_once(&store, changes).await;
    assert_eq!(successes(&results), 7);
    assert!(
        results.iter().flat_map(|result| result.as_ref().err()).all(|refusal| *refusal == Refusal::ShiftFull)
    );
    assert_eq!(store.shift(event.organization, shift.id).await.unwrap().unwrap().occupancy.filled, 7);
    assert_eq!(store.signups(event.organization, event.id, None, 99).await.unwrap().len(), 7);
}

/// Of 64 simultaneous creates of published events with a limit of 5, 5 succeed. The others are refused with the count
/// 5.
pub async fn simultaneous_creates_never_pass_the_limit(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let organization = organization_id(1);
    let change = |number| ChangeSet {
        requires: vec![Requirement::ActiveEventsBelow { organization, limit: 5, now: at(0) }],
        writes: vec![Write::InsertEvent { event: Box::new(event(1, number)), location_data: None }],
    };
    let results = all_at_once(&store, (0..64).map(change).collect()).await;
    assert_eq!(successes(&results), 5);
    let refused = Refusal::ActiveEvents { count: 5 };
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|refusal| *refusal == refused));
    let query = EventQuery { is_published: None, position: None, limit: 100 };
    assert_eq!(store.events(organization, &query).await.unwrap().events.len(), 5);
}

/// Of 64 simultaneous uses of one key, one takes effect and the others are refused with its receipt.
pub async fn one_of_many_simultaneous_uses_of_a_key_takes_effect(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let key = receipt_key(1, "key");
    let change = |number| {
        let event = event(1, number);
        ChangeSet {
            requires: vec![Requirement::NoReceipt { key: key.clone(), now: at(0) }],
            writes: vec![
                Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
                Write::InsertReceipt(Box::new(receipt(key.clone(), &event, &[]))),
            ],
        }
    };
    let results = all_at_once(&store, (0..64).map(change).collect()).await;
    assert_eq!(successes(&results), 1);
    let query = EventQuery { is_published: None, position: None, limit: 100 };
    let events = store.events(organization_id(1), &query).await.unwrap().events;
    assert_eq!(events.len(), 1);
    let stored = Box::new(receipt(key.clone(), &events[0], &[]));
    for refusal in results.into_iter().filter_map(Result::err) {
        assert_eq!(refusal, Refusal::Receipt(stored.clone()));
    }
}

/// Of 16 simultaneous sign-ups of one address for a shift, one succeeds. The others are refused with that sign-up.
pub async fn one_of_many_simultaneous_sign_ups_of_an_address_succeeds(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 20).await;
    let email = EmailAddress::new("ada@example.org").unwrap();
    let change = |number| sign_up(&shift, &Signup { email: email.clone(), ..signup(&shift, number) });
    let results = all_at_once(&store, (0..16).map(change).collect()).await;
    assert_eq!(successes(&results), 1, "one sign-up of the address succeeds");
    let mut signups = store.signups(event.organization, event.id, None, 99).await.unwrap();
    assert_eq!(signups.len(), 1);
    let refused = Refusal::AddressOnShift(Box::new(signups.remove(0)));
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|refusal| *refusal == refused));
}

/// Of 16 simultaneous creates with one slug, one succeeds. The others are refused.
pub async fn one_of_many_simultaneous_uses_of_a_slug_succeeds(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let change = |number| {
        let event = Event { slug: "common".to_owned(), ..event(1, number) };
        ChangeSet {
            requires: vec![Requirement::EventSlugFree(event.slug.clone())],
            writes: vec![Write::InsertEvent { event: Box::new(event), location_data: None }],
        }
    };
    let results = all_at_once(&store, (0..16).map(change).collect()).await;
    assert_eq!(successes(&results), 1, "one use of the slug succeeds");
    let refused = Refusal::SlugTaken;
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|refusal| *refusal == refused));
}

/// Of 16 simultaneous edits of one version, exactly one is applied.
pub async fn one_of_many_simultaneous_edits_of_a_version_succeeds(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 7).await;
    let edit = |number: u32| ChangeSet {
        requires: vec![Requirement::ShiftAtVersion {
            organization: event.organization,
            shift: shift.id,
            version: 1,
        }],
        writes: vec![Write::UpdateShift(Box::new(Shift {
            title: Title::new(&format!("Edit {number}")).unwrap(),
            version: 2,
            ..shift.clone()
        }))],
    };
    let results = all_at_once(&store, (0..16).map(edit).collect()).await;
    assert_eq!(successes(&results), 1);
    let applied = results.iter().position(Result::is_ok).unwrap();
    let found = store.shift(event.organization, shift.id).await.unwrap().unwrap();
    assert_eq!((found.title.as_str(), found.version), (format!("Edit {applied}").as_str(), 2));
}

/// Of 16 simultaneous edits of one version of an event, exactly one is applied.
pub async fn one_of_many_simultaneous_edits_of_an_event_succeeds(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 7).await;
    let (organization, id) = (event.organization, event.id);
    let edit = |number: u32| {
        let title = Title::new(&format!("Edit {number}")).unwrap();
        let edited = Event { title, version: 2, ..event.clone() };
        ChangeSet {
            requires: vec![Requirement::EventAtVersion { organization, event: id, version: 1 }],
            writes: vec![Write::UpdateEvent { event: Box::new(edited), may_change_activity: false }],
        }
    };
    let results = all_at_once(&store, (0..16).map(edit).collect()).await;
    assert_eq!(successes(&results), 1, "one edit of the version succeeds");
    let applied = results.iter().position(Result::is_ok).unwrap();
    let found = store.event(organization, id).await.unwrap().unwrap();
    assert_eq!((found.title.as_str(), found.version), (format!("Edit {applied}").as_str(), 2));
}

/// Of 32 simultaneous publications and restorations with a limit of 5, 5 succeed. The others are refused with the count 5.
pub async fn simultaneous_publications_never_pass_the_limit(store: Arc<dyn Store>) {
    let organization = organization_id(1);
    let mut writes = vec![Write::InsertOrganization(super::records::organization(1))];
    for number in 0..32 {
        let draft = Event { is_published: false, ..event(1, number) };
        writes.push(insert_event(&draft));
        if number % 2 == 0 {
            writes.push(Write::DeleteEvent { organization, event: draft.id, at: at(3) });
        }
    }
    write(&*store, writes).await;
    let publish = |number| {
        let published = Box::new(Event { version: 2, ..event(1, number) });
        let write = if number % 2 == 0 {
            Write::RestoreEvent(published)
        } else {
            Write::UpdateEvent { event: published, may_change_activity: true }
        };
        let below = Requirement::ActiveEventsBelow { organization, limit: 5, now: at(0) };
        ChangeSet { requires: vec![below], writes: vec![write] }
    };
    let results = all_at_once(&store, (0..32).map(publish).collect()).await;
    assert_eq!(successes(&results), 5, "as many publications succeed as the limit allows");
    let refused = Refusal::ActiveEvents { count: 5 };
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|refusal| *refusal == refused));
    let published = store.events(organization, &EventQuery::new().published().limit(99)).await.unwrap();
    assert_eq!(published.events.len(), 5);
}

/// After simultaneous sign-ups, cancellations, erasures and capacity changes, `filled` is the number of confirmed
/// sign-ups.
pub async fn filled_equals_the_confirmed_sign_ups_after_simultaneous_changes(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 20).await;
    let organization = event.organization;
    let volunteers: Vec<_> = (0..10).map(|number| signup(&shift, number)).collect();
    write(&*store, volunteers.iter().map(|signup| Write::InsertSignup(Box::new(signup.clone()))).collect())
        .await;
    let mut changes: Vec<_> = (10..40).map(|number| sign_up(&shift, &signup(&shift, number))).collect();
    changes.extend(volunteers.iter().map(|volunteer| ChangeSet {
        requires: vec![is_confirmed(volunteer)],
        writes: vec![cancel(volunteer, at(5))],
    }));
    // Erases some sign-ups that are cancelled at the same time, and some that are not.
    let staying: Vec<_> = (50..55).map(|number| signup(&shift, number)).collect();
    write(&*store, staying.iter().map(|signup| Write::InsertSignup(Box::new(signup.clone()))).collect())
        .await;
    changes.extend(
        volunteers
            .iter()
            .step_by(2)
            .chain(&staying)
            .map(|volunteer| ChangeSet { requires: vec![], writes: vec![erase(volunteer)] }),
    );
    changes.extend((2..12).map(|version| {
        let capacity = Capacity::new(if version % 2 == 0 { 5 } else { 25 }).unwrap();
        let edited = Shift { occupancy: Occupancy::empty(capacity), version, ..shift.clone() };
        ChangeSet { requires: vec![], writes: vec![Write::UpdateShift(Box::new(edited))] }
    }));
    all_at_once(&store, changes).await;
    let signups = store.signups(organization, event.id, None, 99).await.unwrap();
    let confirmed = signups.iter().filter(|signup| signup.status == SignupStatus::Confirmed).count();
    let found = store.shift(organization, shift.id).await.unwrap().unwrap();
    assert_eq!(found.occupancy.filled as usize, confirmed);
    assert!(found.occupancy.filled <= 25, "no sign-up exceeds the largest capacity");
}

/// Of 8 simultaneous creates of a first organization, one succeeds.
pub async fn one_of_many_simultaneous_first_organizations_is_created(store: Arc<dyn Store>) {
    let change = |number| ChangeSet {
        requires: vec![Requirement::NoOrganization],
        writes: vec![Write::InsertOrganization(organization(number))],
    };
    let results = all_at_once(&store, (1..9).map(change).collect()).await;
    assert_eq!(successes(&results), 1);
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 1);
}
