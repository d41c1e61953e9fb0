//! Contention: under simultaneous commits, counts stay within their bounds, and as many commits succeed as the bounds
//! allow.

use std::sync::Arc;

use super::family::{read_all, with_family};
use super::records::*;
use super::totals::count;
use crate::*;

/// Asserts that `count` change sets succeeded, and that all others were refused with `refusal`.
fn assert_outcomes(results: &[Result<(), Refusal>], count: usize, refusal: &Refusal) {
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), count, "{results:?}");
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

/// Of 16 simultaneous cancellations that require 6 confirmed sign-ups, 11 succeed. The others are refused with the count 5.
pub async fn simultaneous_subtractions_never_pass_a_bound(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 20).await;
    let volunteers: Vec<_> = (0..16).map(|number| signup(&shift, number)).collect();
    commit(&*store, insert(volunteers.clone())).await;
    let total = Total::Filled(shift.organization, shift.id);
    let at_least = Requirement::AtLeast { total: total.clone(), bound: 6, now: at(0) };
    let cancel = |volunteer: Signup| {
        let gone = cancelled(volunteer.clone(), at(5));
        ChangeSet { requires: vec![at_least.clone()], writes: vec![put(volunteer, gone)] }
    };
    let results = all_at_once(&store, volunteers.into_iter().map(cancel).collect()).await;
    assert_outcomes(&results, 11, &Refusal::NotAtLeast { total, count: 5 });
    assert_eq!(stored(&*store, &shift).await.unwrap().occupancy.filled, 5);
}

/// Of 32 simultaneous change sets that add a record to a total, as many succeed as its bound allows. The others are refused with
/// the bound as the count. They insert the record, publish or restore an event.
pub async fn simultaneous_additions_never_pass_a_bound(store: Arc<dyn Store>) {
    let (drive, _) = with_shift(&store, 1).await;
    let (owner, now) = (drive.organization, at(0) + Message::PERIOD);
    let sent = |number, created_at| Message { created_at, ..message(&drive, number) };
    let inactive = |number: u32| match event(1, number) {
        gone if number.is_multiple_of(2) => Event { deleted_at: Some(at(3)), ..gone },
        draft => Event { is_published: false, ..draft },
    };
    let (other, room) = (event(1, 2), shift(&drive, 2, 99));
    commit(&*store, insert([other.clone()])).await;
    commit(&*store, insert([room.clone()])).await;
    commit(&*store, insert((200..232).map(inactive))).await;
    // The first no longer counts, and the third is of another event.
    commit(&*store, insert([sent(1, at(0)), sent(2, at(1)), message(&other, 3)])).await;
    let inserts = |make: &dyn Fn(u32) -> Record| (100..132).map(make).map(Write::insert).collect();
    let publications = (200..232).map(|number| put(inactive(number), next(&event(1, number)))).collect();
    let family = |number: u32| {
        let (email, name) = (EmailAddress::new("ada@example.org"), PersonName::new(&format!("Ada {number}")));
        Signup { email: email.unwrap(), name: name.unwrap(), ..signup(&room, number) }
    };
    let places_of = Total::PlacesOf(owner, room.id, "ada@example.org".to_owned());
    let cases: [(Total, u32, Vec<Write>); 6] = [
        (places_of, 20, inserts(&|number| family(number).into())),
        (Total::Organizations, 2, inserts(&|number| organization(number).into())),
        (Total::ActiveEvents(owner), 7, inserts(&|number| event(1, number).into())),
        (Total::ActiveEvents(owner), 12, publications),
        (Total::Webhooks(owner), 16, inserts(&|number| webhook(1, number).into())),
        (Total::Messages(owner, drive.id), 5, inserts(&|number| sent(number, now).into())),
    ];
    for (total, bound, writes) in cases {
        let present = count(&*store, &total, now).await;
        let below = Requirement::Below { total: total.clone(), bound, now };
        let change = |write: Write| {
            let read = write.states().0.and_then(Requirement::unchanged);
            ChangeSet { requires: read.into_iter().chain([below.clone()]).collect(), writes: vec![write] }
        };
        let results = all_at_once(&store, writes.into_iter().map(change).collect()).await;
        let refusal = Refusal::NotBelow { total: total.clone(), count: bound };
        assert_outcomes(&results, (bound - present) as usize, &refusal);
        assert_eq!(count(&*store, &total, now).await, bound, "{total:?}");
    }
}

/// Of 32 simultaneous inserts with the same unique value, one succeeds. The others are refused with the record that has the value.
pub async fn one_of_many_simultaneous_inserts_of_a_unique_value_succeeds(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let invited = invitation(1, 1).invitee;
    let makes: [&dyn Fn(u32) -> Record; 5] = [
        &|number| Event { slug: "common".to_owned(), ..event(1, number) }.into(),
        &|number| Event { external_id: "roster/7".parse().ok(), ..event(1, 100 + number) }.into(),
        &|number| Person { email: person(1).email, ..person(number) }.into(),
        &|number| Invitation { invitee: invited.clone(), ..invitation(1, number) }.into(),
        &|number| SignInCode { tries: number, ..sign_in_code(1) }.into(),
    ];
    for make in makes {
        let records: Vec<Record> = (1..=32).map(make).collect();
        let changes = records.iter().map(|record| {
            let requires = record.entity().uniques().into_iter().map(absent).collect();
            ChangeSet { requires, writes: vec![Write::insert(record.clone())] }
        });
        let results = all_at_once(&store, changes.collect()).await;
        let winner = results.iter().position(Result::is_ok).unwrap();
        assert_outcomes(&results, 1, &Refusal::Taken(Box::new(records[winner].clone())));
    }
}

/// Of 16 simultaneous edits of one version of a record, one is applied, whatever the kind of the record.
pub async fn one_of_many_simultaneous_edits_of_a_version_succeeds(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    for after in family.edited() {
        let key = after.entity().key();
        let before = family.records().into_iter().find(|before| before.entity().key() == key).unwrap();
        let requires = Requirement::unchanged(before.entity()).into_iter().collect();
        let edit = ChangeSet { requires, writes: vec![put(before, after.clone())] };
        let results = all_at_once(&store, vec![edit; 16]).await;
        assert_outcomes(&results, 1, &Refusal::Changed(key));
        assert_eq!(read_all(&*store, std::slice::from_ref(&after)).await, [after]);
    }
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
    let events = store.events(organization_id(1), &EventQuery::new()).await.unwrap().items;
    assert_eq!(events.len(), 1);
    assert_outcomes(&results, 1, &Refusal::Taken(Box::new(receipt(key, &events[0], &[]).into())));
}

/// Of 16 simultaneous sign-ups of one person for a shift, one succeeds. The others are refused with that sign-up.
pub async fn one_of_many_simultaneous_sign_ups_of_a_person_succeeds(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 20).await;
    let email = EmailAddress::new("ada@example.org").unwrap();
    let change = |number| sign_up(&shift, &Signup { email: email.clone(), ..signup(&shift, number) });
    let results = all_at_once(&store, (0..16).map(change).collect()).await;
    let query = SignupQuery::new().of_event(event.id);
    let mut signups = store.signups(event.organization, &query).await.unwrap().items;
    assert_eq!(signups.len(), 1);
    assert_outcomes(&results, 1, &Refusal::Taken(Box::new(signups.remove(0).into())));
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
