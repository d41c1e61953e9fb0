//! Cancellations: of one sign-up, and of all sign-ups for a shift, which is then closed.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// All confirmed sign-ups for the shift are cancelled, and its places are free. Sign-ups that were cancelled before stay as
/// they were, and so do those for other shifts.
pub async fn all_confirmed_sign_ups_of_a_shift_are_cancelled(store: Arc<dyn Store>) {
    let (event, here) = with_shift(&store, 2).await;
    let elsewhere = shift(&event, 2, 2);
    let signups = [1, 2, 3].map(|number| signup(&here, number));
    let other = signup(&elsewhere, 4);
    let mut writes = vec![Write::InsertShifts(vec![elsewhere.clone()])];
    writes.push(Write::InsertSignup(Box::new(signups[0].clone())));
    writes.push(cancel(&signups[0], at(4)));
    writes.extend(
        [&signups[1], &signups[2], &other].map(|signup| Write::InsertSignup(Box::new(signup.clone()))),
    );
    write(&*store, writes).await;
    let (organization, shift) = (event.organization, here.id);
    let empty = |shift| vec![are_empty(&event, &[shift])];
    assert_eq!(try_write(&*store, empty(shift), vec![]).await, Err(Refusal::ShiftHasSignups));
    let close = |time| {
        let by = CancelledBy::ShiftDeletion;
        vec![Write::CloseShift { organization, shift, at: at(time), by }]
    };
    for time in [5, 6] {
        write(&*store, close(time)).await;
        let by_organizer = |signup: &Signup| Signup {
            status: SignupStatus::Cancelled,
            cancelled_at: Some(at(5)),
            cancelled_by: Some(CancelledBy::ShiftDeletion),
            ..signup.clone()
        };
        let expected = vec![
            cancelled(signups[0].clone(), at(4)),
            by_organizer(&signups[1]),
            by_organizer(&signups[2]),
            other.clone(),
        ];
        let found = store.signups(organization, event.id, None, 9).await.unwrap();
        assert_eq!(found, expected, "only confirmed sign-ups of the shift are cancelled, and only once");
        let filled = async |shift| store.shift(organization, shift).await.unwrap().unwrap().occupancy.filled;
        assert_eq!(filled(shift).await, 0, "the places are free");
        assert_eq!(filled(elsewhere.id).await, 1, "another shift keeps its sign-ups");
    }
    assert_eq!(store.confirmed_signups(organization, shift, None, 9).await.unwrap(), vec![]);
    let confirmed = try_write(&*store, vec![is_confirmed(&signups[1])], vec![]).await;
    assert_eq!(confirmed, Err(Refusal::SignupNotConfirmed));
    assert_eq!(try_write(&*store, empty(shift), vec![]).await, Ok(()), "a shift without sign-ups is empty");
    assert_eq!(try_write(&*store, empty(elsewhere.id), vec![]).await, Err(Refusal::ShiftHasSignups));
    let is_free = |signup: &Signup| {
        let (organization, shift, email) = (signup.organization, signup.shift, signup.email.clone());
        vec![Requirement::AddressNotOnShift { organization, shift, email }]
    };
    assert_eq!(
        try_write(&*store, is_free(&signups[1]), vec![]).await,
        Ok(()),
        "the address is not on the shift"
    );
    let taken = Err(Refusal::AddressOnShift(Box::new(other.clone())));
    assert_eq!(try_write(&*store, is_free(&other), vec![]).await, taken);
}

/// A closed shift has no room, though its places are free. Its sign-ups stay cancelled by the first cause, and can be erased.
pub async fn a_closed_shift_has_no_room_and_its_sign_ups_stay_cancelled(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 2).await;
    let first = signup(&shift, 1);
    let organization = event.organization;
    let close = |time, by| Write::CloseShift { organization, shift: shift.id, at: at(time), by };
    let by = CancelledBy::ShiftDeletion;
    write(&*store, vec![Write::InsertSignup(Box::new(first.clone())), close(5, by)]).await;
    let room = vec![Requirement::ShiftHasRoom { organization, shift: shift.id }];
    assert_eq!(
        try_write(&*store, room.clone(), vec![]).await,
        Err(Refusal::ShiftFull),
        "a closed shift has no room"
    );
    let expected = Signup { cancelled_by: Some(by), ..cancelled(first.clone(), at(5)) };
    for write in [close(6, CancelledBy::EventCancellation), cancel(&first, at(7))] {
        try_write(&*store, vec![], vec![write]).await.unwrap();
        let found = store.signup(organization, first.id).await.unwrap().unwrap();
        assert_eq!(found, expected, "a cancellation keeps its first cause");
    }
    let secret = vec![has_secret(&first, first.secret)];
    assert_eq!(try_write(&*store, secret, vec![]).await, Err(Refusal::SignupChanged));
    let found = async || store.shift(organization, shift.id).await.unwrap().unwrap();
    let before = found().await;
    try_write(&*store, vec![], vec![erase(&first)]).await.unwrap();
    assert_eq!(store.signup(organization, first.id).await.unwrap(), None);
    assert_eq!(found().await, before, "an erased sign-up frees no place twice");
    assert_eq!(try_write(&*store, room, vec![]).await, Err(Refusal::ShiftFull));
}

/// A cancellation keeps its cause.
pub async fn a_cancellation_keeps_its_cause(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 9).await;
    for (number, by) in (1..).zip(CancelledBy::ALL.iter().copied()) {
        let volunteer = signup(&shift, number);
        let Signup { organization, shift, id: signup, .. } = volunteer;
        let writes = vec![
            Write::InsertSignup(Box::new(volunteer.clone())),
            Write::CancelSignup { organization, shift, signup, at: at(5), by },
        ];
        write(&*store, writes).await;
        let found = store.signup(event.organization, signup).await.unwrap().unwrap();
        assert_eq!(found, Signup { cancelled_by: Some(by), ..cancelled(volunteer, at(5)) }, "{by}");
    }
}

/// Of simultaneous sign-ups for a shift, and closings of the shift, each sign-up is refused or cancelled by the first closing.
pub async fn a_closing_cancels_every_sign_up_that_came_before(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 99).await;
    let organization = event.organization;
    let mut changes: Vec<_> = (0..24).map(|number| sign_up(&shift, &signup(&shift, number))).collect();
    let closings = [4, 12, 20];
    let by = CancelledBy::EventCancellation;
    for place in closings {
        let close = Write::CloseShift { organization, shift: shift.id, at: at(5), by };
        changes.insert(place, ChangeSet { requires: vec![], writes: vec![close] });
    }
    let results = super::contention::all_at_once(&store, changes).await;
    let signed_up = results.iter().filter(|result| result.is_ok()).count() - closings.len();
    let refused = results.iter().filter(|result| **result == Err(Refusal::ShiftFull)).count();
    assert_eq!(signed_up + refused, 24, "a sign-up succeeds or finds no room: {results:?}");
    let scope = SignupScope::Shift(shift.id);
    let cancelled = store.signups_cancelled_by(organization, scope, by, None, 99).await.unwrap();
    assert_eq!(cancelled.len(), signed_up, "every sign-up that succeeded is cancelled");
    assert_eq!(store.confirmed_signups(organization, shift.id, None, 99).await.unwrap(), []);
    assert_eq!(store.shift(organization, shift.id).await.unwrap().unwrap().occupancy.filled, 0);
}

/// Of a deletion that requires an empty shift and simultaneous sign-ups, either the deletion or some sign-ups succeed.
pub async fn a_shift_is_deleted_empty_or_keeps_its_sign_ups(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let organization = event.organization;
    for round in 1..9 {
        let shift = shift(&event, 100 * round, 9);
        write(&*store, vec![Write::InsertShifts(vec![shift.clone()])]).await;
        let numbers = 100 * round..100 * round + 6;
        let mut changes: Vec<_> = numbers.map(|number| sign_up(&shift, &signup(&shift, number))).collect();
        let delete = ChangeSet {
            requires: vec![are_empty(&event, &[shift.id])],
            writes: vec![Write::DeleteShift { organization, shift: shift.id, at: at(5) }],
        };
        changes.insert(round as usize % 4, delete);
        let results = super::contention::all_at_once(&store, changes).await;
        let confirmed = store.confirmed_signups(organization, shift.id, None, 99).await.unwrap();
        let is_deleted = store.shift(organization, shift.id).await.unwrap().is_none();
        assert_eq!(is_deleted, confirmed.is_empty(), "no sign-up succeeds on a deleted shift: {results:?}");
    }
}
