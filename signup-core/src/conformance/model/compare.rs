//! Compares the reads of a store with those of the reference.

use std::fmt::Debug;

use super::{State, email_of};
use crate::conformance::records::*;
use crate::*;

/// Compares a read of the store with the same read of the reference.
macro_rules! same {
    ($store:expr, $reference:expr, $method:ident($($argument:expr),*)) => {
        $crate::conformance::model::compare::expect_equal(
            concat!("Store::", stringify!($method)),
            &$store.$method($($argument),*).await.unwrap(),
            &$reference.$method($($argument),*).await.unwrap(),
        )
    };
}
pub(super) use same;

pub(super) fn expect_equal<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} differs from the contract\n    found: {found:?}\n expected: {expected:?}"))
}

/// Compares the records of the store with those of the reference. Each record is in one of the answers.
pub(in crate::conformance) async fn compare_records(
    store: &dyn Store,
    reference: &dyn Store,
    state: &State,
) -> Result<(), String> {
    same!(store, reference, organizations(None, 99))?;
    for have_failed in [false, true] {
        same!(store, reference, notices(have_failed, None, 999))?;
    }
    same!(store, reference, count_notices())?;
    for owner in [1, 2].map(organization_id) {
        same!(store, reference, tokens(owner))?;
        same!(store, reference, deleted_events(owner, None, 999))?;
        for event in &state.events {
            same!(store, reference, event_in_full(owner, event.id))?;
            same!(store, reference, signups(owner, event.id, None, 999))?;
        }
    }
    for signup in &state.signups {
        // Deleted shifts and the sign-ups of deleted events, too.
        same!(store, reference, signup_in_full(signup.organization, signup.id))?;
    }
    for key in 0..3 {
        // Expired receipts are records, too: they were live earlier.
        let (key, earlier) = (receipt_key(1, &format!("key-{key}")), at(-9));
        same!(store, reference, receipt(&key, earlier))?;
    }
    Ok(())
}

/// Compares every read of the store with the same read of the reference.
pub(super) async fn compare(store: &dyn Store, reference: &dyn Store, state: &State) -> Result<(), String> {
    compare_records(store, reference, state).await?;
    same!(store, reference, organizations(Some(organization_id(1)), 1))?;
    compare_notices(store, reference, state).await?;
    compare_signups(store, reference, state).await?;
    for owner in [1, 2].map(organization_id) {
        for event in &state.events {
            compare_event(store, reference, owner, event).await?;
        }
        for shift in &state.shifts {
            compare_shift(store, reference, owner, shift).await?;
        }
        for question in &state.questions {
            same!(store, reference, question(owner, question.id))?;
        }
    }
    for key in 0..3 {
        let key = receipt_key(1, &format!("key-{key}"));
        for now in [at(0), at(state.now_s)] {
            same!(store, reference, receipt(&key, now))?;
        }
    }
    Ok(())
}

async fn compare_notices(store: &dyn Store, reference: &dyn Store, state: &State) -> Result<(), String> {
    for have_failed in [false, true] {
        for notice in &state.notices {
            same!(store, reference, notices(have_failed, Some(notice.id), 1))?;
        }
    }
    for notice in &state.notices {
        same!(store, reference, notice(notice.id))?;
    }
    // A failed attempt makes a notice due after 30 seconds, so some due times are after `latest`.
    let (now, latest) = (at(state.now_s), at(state.now_s + 20));
    for limit in [1, 2, 99] {
        same!(store, reference, due_notices(now, latest, limit))?;
    }
    Ok(())
}

async fn compare_signups(store: &dyn Store, reference: &dyn Store, state: &State) -> Result<(), String> {
    for person in 0..4 {
        let email = email_of(person, false);
        for (owner, limit) in [(1, 1), (1, 99), (2, 99)] {
            same!(store, reference, signups_of_address(organization_id(owner), &email, limit))?;
        }
    }
    for signup in &state.signups {
        same!(store, reference, signup(signup.organization, signup.id))?;
        same!(store, reference, signup_by_secret(&signup.secret))?;
        same!(store, reference, signup_by_secret(&Digest::of(&format!("renewed {}", signup.id))))?;
    }
    Ok(())
}

async fn compare_event(
    store: &dyn Store,
    reference: &dyn Store,
    owner: OrganizationId,
    event: &Event,
) -> Result<(), String> {
    same!(store, reference, event_owner(event.id))?;
    same!(store, reference, event(owner, event.id))?;
    same!(store, reference, deleted_event(owner, event.id))?;
    same!(store, reference, deleted_events(owner, Some(event.id), 1))?;
    same!(store, reference, event_by_slug(&event.slug))?;
    same!(store, reference, shifts(owner, event.id))?;
    same!(store, reference, questions(owner, event.id))?;
    same!(store, reference, signup_page(owner, &SignupQuery::new().of_event(event.id).limit(99)))?;
    let signups = store.signups(owner, event.id, None, 999).await.unwrap();
    for shift in store.shifts(owner, event.id).await.unwrap().into_iter().flatten() {
        let is_here = |signup: &&Signup| signup.shift == shift.id && signup.status == SignupStatus::Confirmed;
        let confirmed = signups.iter().filter(is_here).count();
        expect_equal(&format!("filled of {:?}", shift.id), &(shift.occupancy.filled as usize), &confirmed)?;
    }
    for after in &signups {
        same!(store, reference, signups(owner, event.id, Some(after.id), 1))?;
    }
    for by in CancelledBy::ALL.iter().copied() {
        let scope = SignupScope::Event(event.id);
        same!(store, reference, signups_cancelled_by(owner, scope, by, None, 99))?;
    }
    Ok(())
}

async fn compare_shift(
    store: &dyn Store,
    reference: &dyn Store,
    owner: OrganizationId,
    shift: &Shift,
) -> Result<(), String> {
    same!(store, reference, shift(owner, shift.id))?;
    same!(store, reference, shift_with_event(owner, shift.id))?;
    same!(store, reference, confirmed_signups(owner, shift.id, None, 999))?;
    let page = reference.signup_page(owner, &SignupQuery::new().of_shift(shift.id).limit(99)).await.unwrap();
    for after in page.signups {
        same!(store, reference, confirmed_signups(owner, shift.id, Some(after.id), 1))?;
    }
    same!(store, reference, signup_page(owner, &SignupQuery::new().of_shift(shift.id).limit(99)))?;
    for by in CancelledBy::ALL.iter().copied() {
        let scope = SignupScope::Shift(shift.id);
        let first = reference.signups_cancelled_by(owner, scope, by, None, 1).await.unwrap().pop();
        for after in [None, first] {
            let after = after.map(|signup| signup.id);
            same!(store, reference, signups_cancelled_by(owner, scope, by, after, 1))?;
        }
    }
    Ok(())
}
