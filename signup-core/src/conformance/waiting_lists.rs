//! Waiting lists: whatever runs at the same time, a place that comes free goes to a person who waits, and to one only.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::records::*;
use crate::*;

/// What one task does. Each number is that of a person or of a sign-up.
#[derive(Debug, Clone, Copy)]
enum Act {
    SignUp(u32),
    Join(u32),
    JoinWithBrother(u32),
    Cancel(u32),
    Erase(u32),
    Capacity(u32),
}

/// People sign up, join the waiting list, cancel and are erased, and the capacity changes, all at the same time. Afterwards the
/// shift is full or nobody waits, it has as many confirmed sign-ups as its totals say, and nobody has two. A freed place passes
/// nobody who waits.
pub async fn nobody_waits_for_an_empty_place_after_simultaneous_changes(store: Arc<dyn Store>) {
    use Act::*;
    let event = Event { waitlist_enabled: true, ..event(1, 1) };
    let shift = shift(&event, 1, 4);
    let confirmed: Vec<_> = (1..=4).map(|number| signup(&shift, number)).collect();
    let waits: Vec<_> = (5..=10).map(|number| waiting(signup(&shift, number))).collect();
    commit(&*store, insert([organization(1)])).await;
    commit(&*store, insert([event.clone()])).await;
    commit(&*store, insert([shift.clone()])).await;
    commit(&*store, insert([confirmed, waits].concat())).await;
    for round in 0..4 {
        let service = Service::new(Arc::clone(&store)).with_clock(FixedClock::at(at(i64::from(round))));
        let first = 100 * (round + 1);
        let present = listed(&*store, shift.id).await;
        let active = present.iter().filter(|signup| signup.is_active());
        let numbers: Vec<_> = (0..).zip(active).map(|(index, _)| index).collect();
        let mut acts: Vec<_> = numbers.iter().map(|number| Cancel(*number)).step_by(2).collect();
        acts.extend(numbers.iter().map(|number| Erase(*number)).skip(1).step_by(4));
        acts.extend((first..first + 8).map(Join));
        acts.extend((first + 10..first + 13).map(JoinWithBrother));
        acts.extend((first + 20..first + 26).map(SignUp));
        acts.extend([3, 7, 2, 5 + round].map(Capacity));
        acts.rotate_left(3 * round as usize);
        let active: Vec<_> = present.into_iter().filter(Signup::is_active).collect();
        let tasks = acts.into_iter().map(|act| {
            let (service, active, shift) = (service.clone(), active.clone(), shift.clone());
            tokio::spawn(async move { run(&service, &shift, &active, act).await })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        check(&*store, &shift).await;
    }
}

async fn run(service: &Service, shift: &Shift, active: &[Signup], act: Act) {
    let owner = shift.organization;
    let form = async |number: u32| {
        let new = NewSignup::new("Ada".parse().unwrap(), email_of(number));
        (service.volunteers().form_of(owner, [shift.id]).await.unwrap(), new)
    };
    match act {
        Act::SignUp(number) => {
            let (form, new) = form(number).await;
            drop(form.sign_up(new).await.unwrap());
        }
        Act::Join(number) => {
            let (form, new) = form(number).await;
            drop(form.sign_up(new.or_wait()).await.unwrap());
        }
        Act::JoinWithBrother(number) => {
            let (form, new) = form(number).await;
            drop(form.sign_up(new.and("Bob".parse().unwrap()).or_wait()).await.unwrap());
        }
        Act::Cancel(index) => match service.admin().cancel_signup(owner, active[index as usize].id).await {
            Ok(_) | Err(Error::NotFound) => {}
            Err(error) => panic!("{error:?}"),
        },
        Act::Erase(index) => {
            service.admin().erase_signups(owner, &active[index as usize].email).await.unwrap();
        }
        Act::Capacity(capacity) => {
            let patch = ShiftPatch::new().capacity(Capacity::new(capacity).unwrap());
            let session = service.session_for(owner, Scopes::all()).await.unwrap();
            drop(session.patch_shift(shift.id, patch).await.unwrap());
        }
    }
}

fn email_of(number: u32) -> EmailAddress {
    EmailAddress::new(&format!("ada{number}@example.org")).unwrap()
}

async fn listed(store: &dyn Store, shift: ShiftId) -> Vec<Signup> {
    let query = SignupQuery::new().of_shift(shift).limit(999);
    store.signups(organization_id(1), &query).await.unwrap().ascending()
}

async fn check(store: &dyn Store, shift: &Shift) {
    let found = stored(store, shift).await.unwrap();
    let Occupancy { capacity, filled, waitlisted } = found.occupancy;
    let signups = listed(store, shift.id).await;
    let number = |status| signups.iter().filter(|signup| signup.status() == status).count();
    let listed = (number(SignupStatus::Confirmed), number(SignupStatus::Waitlisted));
    assert_eq!((filled as usize, waitlisted as usize), listed);
    assert!(waitlisted == 0 || filled >= capacity.volunteers(), "{:?}", found.occupancy);
    let active = signups.iter().filter(|signup| signup.is_active());
    let people: Vec<_> = active.map(|signup| (signup.email.key(), signup.name.key())).collect();
    assert_eq!(people.iter().collect::<BTreeSet<_>>().len(), people.len(), "nobody has two: {people:?}");
}
