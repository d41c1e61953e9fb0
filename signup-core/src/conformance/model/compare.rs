//! Compares the reads of a store with those of [`Records`].

use std::fmt::Debug;

use super::{State, email_of};
use crate::conformance::records::*;
use crate::store::Records;
use crate::*;

/// Compares a read of the store with the same read of the records.
macro_rules! same {
    ($store:expr, $records:expr, $method:ident($($argument:expr),*)) => {
        $crate::conformance::model::compare::expect_equal(
            concat!("Store::", stringify!($method)),
            &$store.$method($($argument),*).await.unwrap(),
            &$records.$method($($argument),*),
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

/// Compares the records of the store with the expected records. Each record is in one of the answers.
pub(in crate::conformance) async fn compare_records(
    store: &dyn Store,
    records: &Records,
    state: &State,
) -> Result<(), String> {
    same!(store, records, organizations(None, 99))?;
    for have_failed in [false, true] {
        same!(store, records, notices(have_failed, None, 999))?;
    }
    same!(store, records, count_notices())?;
    for owner in [1, 2].map(organization_id) {
        same!(store, records, tokens(owner))?;
        same!(store, records, deleted_events(owner, None, 999))?;
        for event in &state.events {
            same!(store, records, event_in_full(owner, event.id))?;
            same!(store, records, signups(owner, event.id, None, 999))?;
        }
    }
    for signup in &state.signups {
        // Deleted shifts and the sign-ups of deleted events, too.
        same!(store, records, signup_in_full(signup.organization, signup.id))?;
    }
    for key in 0..3 {
        // Expired receipts are records, too: they were live earlier.
        let (key, earlier) = (receipt_key(1, &format!("key-{key}")), at(-9));
        same!(store, records, receipt(&key, earlier))?;
    }
    Ok(())
}

/// Compares every read of the store with the same read of the records.
pub(super) async fn compare(store: &dyn Store, records: &Records, state: &State) -> Result<(), String> {
    compare_records(store, records, state).await?;
    same!(store, records, organizations(Some(organization_id(1)), 1))?;
    compare_notices(store, records, state).await?;
    compare_signups(store, records, state).await?;
    for owner in [1, 2].map(organization_id) {
        for event in &state.events {
            compare_event(store, records, owner, event).await?;
        }
        for shift in &state.shifts {
            compare_shift(store, records, owner, shift).await?;
        }
        for question in &state.questions {
            same!(store, records, question(owner, question.id))?;
        }
    }
    for key in 0..3 {
        let key = receipt_key(1, &format!("key-{key}"));
        for now in [at(0), at(state.now_s)] {
            same!(store, records, receipt(&key, now))?;
        }
    }
    Ok(())
}

async fn compare_notices(store: &dyn Store, records: &Records, state: &State) -> Result<(), String> {
    for have_failed in [false, true] {
        for notice in &state.notices {
            same!(store, records, notices(have_failed, Some(notice.id), 1))?;
        }
    }
    for notice in &state.notices {
        same!(store, records, notice(notice.id))?;
    }
    // A failed attempt makes a notice due after 30 seconds, so some due times are after `latest`.
    let (now, latest) = (at(state.now_s), at(state.now_s + 20));
    for limit in [1, 2, 99] {
        same!(store, records, due_notices(now, latest, limit))?;
    }
    Ok(())
}

async fn compare_signups(store: &dyn Store, records: &Records, state: &State) -> Result<(), String> {
    for person in 0..4 {
        let email = email_of(person, false);
        for (owner, limit) in [(1, 1), (1, 99), (2, 99)] {
            same!(store, records, signups_of_address(organization_id(owner), &email, limit))?;
        }
    }
    for signup in &state.signups {
        same!(store, records, signup(signup.organization, signup.id))?;
        same!(store, records, signup_by_secret(&signup.secret))?;
        same!(store, records, signup_by_secret(&Digest::of(&format!("renewed {}", signup.id))))?;
    }
    Ok(())
}

async fn compare_event(
    store: &dyn Store,
    records: &Records,
    owner: OrganizationId,
    event: &Event,
) -> Result<(), String> {
    same!(store, records, event_owner(event.id))?;
    same!(store, records, event(owner, event.id))?;
    same!(store, records, deleted_event(owner, event.id))?;
    same!(store, records, deleted_events(owner, Some(event.id), 1))?;
    same!(store, records, event_by_slug(&event.slug))?;
    same!(store, records, shifts(owner, event.id))?;
    same!(store, records, questions(owner, event.id))?;
    same!(store, records, signup_page(owner, &SignupQuery::new().of_event(event.id).limit(99)))?;
    let signups = store.signups(owner, event.id, None, 999).await.unwrap();
    for shift in store.shifts(owner, event.id).await.unwrap().into_iter().flatten() {
        let is_here = |signup: &&Signup| signup.shift == shift.id && signup.status == SignupStatus::Confirmed;
        let confirmed = signups.iter().filter(is_here).count();
        expect_equal(&format!("filled of {:?}", shift.id), &(shift.occupancy.filled as usize), &confirmed)?;
    }
    for after in &signups {
        same!(store, records, signups(owner, event.id, Some(after.id), 1))?;
    }
    for by in CancelledBy::ALL.iter().copied() {
        let scope = SignupScope::Event(event.id);
        same!(store, records, signups_cancelled_by(owner, scope, by, None, 99))?;
    }
    Ok(())
}

async fn compare_shift(
    store: &dyn Store,
    records: &Records,
    owner: OrganizationId,
    shift: &Shift,
) -> Result<(), String> {
    same!(store, records, shift(owner, shift.id))?;
    same!(store, records, shift_with_event(owner, shift.id))?;
    same!(store, records, confirmed_signups(owner, shift.id, None, 999))?;
    let page = records.signup_page(owner, &SignupQuery::new().of_shift(shift.id).limit(99));
    for after in page.signups {
        same!(store, records, confirmed_signups(owner, shift.id, Some(after.id), 1))?;
    }
    same!(store, records, signup_page(owner, &SignupQuery::new().of_shift(shift.id).limit(99)))?;
    for by in CancelledBy::ALL.iter().copied() {
        let scope = SignupScope::Shift(shift.id);
        for after in [None, records.signups_cancelled_by(owner, scope, by, None, 1).pop()] {
            let after = after.map(|signup| signup.id);
            same!(store, records, signups_cancelled_by(owner, scope, by, after, 1))?;
        }
    }
    Ok(())
}
