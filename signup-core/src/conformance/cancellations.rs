//! Cancellations: of one sign-up, and of all sign-ups for a shift, which is then closed.

use std::sync::Arc;

use super::family::{Family, listed, read_all, with_family};
use super::records::*;
use crate::*;

/// The closing of a shift cancels its confirmed sign-ups wherever they are read, with the time and the cause of the closing and
/// without their attendance, and frees their places. It writes no sign-up: their versions stay. Sign-ups that were cancelled before
/// stay as they were, and so do those for other shifts.
pub async fn a_closing_cancels_the_confirmed_sign_ups_of_the_shift(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let Family { organization, full, signups, .. } = &family;
    let (event, owner, shift) = (&full.event, organization.id, &full.shifts[0].shift);
    let by = CancelledBy::ShiftDeletion;
    let mut closed = closed(shift, at(5), by);
    write(&*store, vec![put(shift.clone(), closed.clone())]).await;
    closed.occupancy.filled = 0;
    let expected = [signups[0].clone().cancelled(at(5), by), signups[1].clone(), signups[2].clone()];
    let records = expected.clone().map(Record::from);
    assert_eq!(read_all(&*store, &records).await, records, "the status follows from the shift");
    for signup in &expected {
        assert_eq!(store.get::<Signup>(signup.key()).await.unwrap().as_ref(), Some(signup), "by key");
        let shift = if signup.shift == closed.id { &closed } else { &full.shifts[1].shift };
        let in_full = SignupInFull::new(organization.clone(), event.clone(), shift.clone(), signup.clone());
        assert_eq!(store.signup_in_full(owner, signup.id).await.unwrap(), Some(in_full), "in full");
        assert_eq!(check(&*store, vec![unchanged(signup)]).await, Ok(()), "no sign-up is written");
    }
    let of_shift = SignupQuery::new().of_shift(shift.id);
    for (query, expected) in [
        (SignupQuery::new(), &expected[..]),
        (of_shift.clone(), &expected[..2]),
        (of_shift.clone().status(SignupStatus::Cancelled), &expected[..2]),
        (of_shift.status(SignupStatus::Confirmed), &[]),
        (SignupQuery::new().status(SignupStatus::Confirmed), &expected[2..]),
    ] {
        assert_eq!(listed(&*store, query.clone()).await, expected, "{query:?}");
    }
    let shifts = vec![ScheduledShift::of(closed.clone(), event), full.shifts[1].clone()];
    let expected = EventInFull { shifts: shifts.clone(), ..full.clone() };
    assert_eq!(store.shifts(owner, event.id).await.unwrap(), Some(shifts), "the places are free");
    assert_eq!(store.event_in_full(&event.key()).await.unwrap().as_ref(), Some(&expected));
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), Some(expected));
    let with_event = Some((closed.clone(), event.clone()));
    assert_eq!(store.shift_with_event(owner, shift.id).await.unwrap(), with_event);
    let holds = vec![has_no_place(&signups[0]), has_room(&closed), are_empty(event, &[shift.id])];
    assert_eq!(check(&*store, holds).await, Ok(()), "the person has no place, and no place is taken");
    let empty = check(&*store, vec![are_empty(event, &[full.shifts[1].id])]).await;
    assert!(empty.is_err(), "another shift keeps its sign-ups");
}

/// A change of a closed shift or of its sign-ups leaves the sign-ups cancelled, also one that waited. A removed sign-up frees no
/// place twice.
pub async fn the_sign_ups_of_a_closed_shift_stay_cancelled(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 2).await;
    let first = waiting(signup(&shift, 1));
    let by = CancelledBy::EventCancellation;
    let closed = closed(&shift, at(5), by);
    write(&*store, vec![Write::insert(first.clone()), put(shift, closed.clone())]).await;
    let read = first.clone().cancelled(at(5), by);
    let renewed = Signup { repeated_at: Some(at(6)), version: 2, ..read.clone() };
    let edited = Shift { title: Title::new("Evening").unwrap(), ..next_shift(&closed) };
    let deleted = Shift { deleted_at: Some(at(7)), ..next_shift(&edited) };
    for (change, signup, shift) in [
        (put(read, renewed.clone()), Some(&renewed), &closed),
        (put(closed.clone(), edited.clone()), Some(&renewed), &edited),
        (put(edited.clone(), deleted.clone()), Some(&renewed), &deleted),
        (Write::Remove(renewed.clone().into()), None, &deleted),
    ] {
        write(&*store, vec![change.clone()]).await;
        let found = store.get::<Signup>(first.key()).await.unwrap();
        assert_eq!(found.as_ref(), signup, "{change:?}");
        let found = store.record(&shift.key(), Deleted::Included).await.unwrap();
        assert_eq!(found, Some(shift.clone().into()), "{change:?}");
    }
}

/// A cancellation keeps its cause and its reason, and a closing keeps its cause.
pub async fn a_cancellation_keeps_its_cause(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 9).await;
    for (number, by) in (2..).zip(CancelledBy::ALL.iter().copied()) {
        let to_close = super::records::shift(&event, number, 9);
        let (left, closed_out) = (signup(&shift, number), signup(&to_close, 100 + number));
        let reason = Some(CancellationReason::new("“Too many” cooks;\nsorry").unwrap());
        let cancelled = Signup { reason, ..left.clone().cancelled(at(5), by) };
        let closed = closed(&to_close, at(5), by);
        let writes = vec![
            Write::insert(left.clone()),
            Write::insert(to_close.clone()),
            Write::insert(closed_out.clone()),
            put(left, cancelled.clone()),
            put(to_close, closed.clone()),
        ];
        write(&*store, writes).await;
        let records: [Record; 3] = [cancelled.into(), closed.clone().into(), closed_out.of(&closed).into()];
        assert_eq!(read_all(&*store, &records).await, records, "{by}");
    }
}

/// If a shift is closed several times at once while volunteers sign up for it, one closing succeeds. Each sign-up is refused, or
/// cancelled by that closing.
pub async fn a_closing_cancels_every_sign_up_that_came_before(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 99).await;
    let mut changes: Vec<_> = (0..24).map(|number| sign_up(&shift, &signup(&shift, number))).collect();
    let by = CancelledBy::EventCancellation;
    let mut close = ChangeSet::default();
    close.replace(shift.clone(), closed(&shift, at(5), by));
    for place in [4, 12, 20] {
        changes.insert(place, close.clone());
    }
    let results = all_at_once(&store, changes).await;
    let closings = [4, 12, 20].iter().filter(|place| results[**place].is_ok()).count();
    assert_eq!(closings, 1, "one closing succeeds: {results:?}");
    let signed_up = results.iter().filter(|result| result.is_ok()).count() - closings;
    let refused = Err(Refusal::Changed(shift.key()));
    assert!(results.iter().all(|result| result.is_ok() || *result == refused), "{results:?}");
    let of_shift = SignupQuery::new().of_shift(shift.id);
    let cancelled = listed(&*store, of_shift.clone().status(SignupStatus::Cancelled)).await;
    assert_eq!(cancelled.len(), signed_up, "every sign-up that succeeded is cancelled");
    assert_eq!(listed(&*store, of_shift.status(SignupStatus::Confirmed)).await, []);
    assert_eq!(store.get::<Shift>(shift.key()).await.unwrap().unwrap().occupancy.filled, 0);
}
