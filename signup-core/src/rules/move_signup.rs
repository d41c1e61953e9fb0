//! Moving a sign-up to another shift of its event.

use jiff::Timestamp;

use super::edit::check_not_cancelled;
use super::promote::{WaitingList, changed_or_promoted, mails_about, promote, record_promotions};
use super::recipient::{WantedBy, want_each};
use super::sign_up::room;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::notice::Notice;
use crate::shift::ScheduledShift;
use crate::signup::Signup;
use crate::store::{ChangeSet, Requirement, SignupInFull, Unique};

/// Moves a confirmed sign-up to the shift `target` of its event, which has room. The place on its former shift goes to those who
/// wait for it. Its volunteer is mailed: `recipient` is the one of the address. A mark whether the volunteer came is removed. A
/// sign-up that is on the shift already stays unchanged.
///
/// The store refuses with the sign-up that the person has already for the shift, or with the number of those of the address.
///
/// # Errors
/// Returns [`Error::SignupNotConfirmed`], [`Error::EventCancelled`], [`Error::ShiftDeleted`] of the former shift,
/// [`Error::ShiftOver`] of either, or [`Error::ShiftFull`].
pub(crate) fn move_signup(
    found: SignupInFull,
    target: &ScheduledShift,
    recipient: Option<Notice>,
    waiting: &WaitingList,
    now: Timestamp,
) -> Result<Decision<Signup>, Error> {
    let SignupInFull { event, shift, signup, .. } = found;
    check_not_cancelled(&event)?;
    if !signup.is_confirmed() {
        return Err(Error::SignupNotConfirmed);
    }
    if shift.deleted_at.is_some() {
        return Err(Error::ShiftDeleted);
    }
    if shift.is_over(now) || target.is_over(now) {
        return Err(Error::ShiftOver);
    }
    if target.id == shift.id {
        return Ok(Decision::unchanged(signup));
    }
    if target.room(now) == 0 {
        return Err(Error::ShiftFull);
    }
    let moved = Signup {
        shift: target.id,
        attendance: None,
        changed_at: Some(now),
        version: signup.version + 1,
        ..signup.clone()
    };
    let mut change = ChangeSet::default();
    // The days of the event and the hours of the shifts decide whether they are over. The capacity is part of the gate, too.
    change.require_gate(&event);
    change.require_gate(&shift.shift);
    change.require_gate(&target.shift);
    let place = Unique::place(moved.organization, moved.shift, &moved.email, &moved.name);
    change.requires.push(Requirement::Absent { unique: place, now });
    change.requires.extend(room(target, 1, None, &moved.email, now));
    change.replace(signup, moved.clone());
    let promoted = promote(&mut change, &event, &shift, 1, waiting, now);
    let told = std::iter::once((moved.clone(), recipient, WantedBy::Organizer));
    want_each(&mut change, told.chain(mails_about(&promoted, waiting)), now);
    let activity = std::iter::once(NewActivity::of(ActivityType::SIGNUP_MOVED, &moved));
    let activity: Vec<_> = activity.chain(record_promotions(&promoted)).collect();
    Ok(Decision::new(moved, change, activity).again_after(changed_or_promoted))
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::occupancy::{Capacity, Occupancy};
    use crate::shift::CancelledBy;
    use crate::signup::{Attendance, SignupStatus};
    use crate::store::EventInFull;

    /// A sign-up for the first shift of an event, and the second shift.
    fn facts_with(change: impl FnOnce(&mut EventInFull)) -> (SignupInFull, ScheduledShift) {
        let mut full = full();
        change(&mut full);
        let [shift, target] = [0, 1].map(|index: usize| full.shifts[index].shift.clone());
        let signup = records::signup(&shift, 3);
        let target = ScheduledShift::of(target, &full.event);
        (SignupInFull::new(records::organization(1), full.event, shift, signup), target)
    }

    fn move_to(
        (found, target): (SignupInFull, ScheduledShift),
        waiting: &WaitingList,
        now: Timestamp,
    ) -> Result<Decision<Signup>, Error> {
        move_signup(found, &target, None, waiting, now)
    }

    fn moved(facts: (SignupInFull, ScheduledShift)) -> Result<Decision<Signup>, Error> {
        move_to(facts, &WaitingList::default(), before())
    }

    #[test]
    fn a_move_needs_room_on_the_other_shift_and_mails_the_volunteer() {
        let (mut found, target) = facts_with(|_| {});
        found.signup.attendance = Some(Attendance::Attended);
        let told = found.signup.told.clone();
        let decided = moved((found, target.clone())).unwrap();
        let capacity = target.occupancy.capacity.volunteers();
        let expected = [
            "Event 1 at gate 1",
            "Shift 1 at gate 1",
            "Shift 2 at gate 1",
            "no place of ada ada3@example.org on Shift 2",
            &format!("sign-ups of Shift 2 below {capacity}"),
            "waiting for Shift 2 below 1",
            "places of ada3@example.org on Shift 2 below 20",
            "Signup 3 at 1",
            "waiting for Shift 1 below 1",
            "no Notice",
            "put Signup 3 to 2",
            "insert Notice",
        ];
        assert_eq!(lines(&decided), expected);
        assert_eq!(named(&decided), ["signup.moved"]);
        let Signup { shift, attendance, changed_at, told: still_told, .. } = decided.outcome.clone();
        assert_eq!((shift, attendance, changed_at), (target.id, None, Some(before())));
        assert_eq!((still_told, decided.outcome.is_moved()), (told, true));
    }

    #[test]
    fn the_place_that_comes_free_goes_to_the_first_who_waits() {
        let one = Capacity::new(1).unwrap();
        let facts = facts_with(|full| {
            full.shifts[0].shift.occupancy = Occupancy { capacity: one, filled: 1, waitlisted: 1 };
        });
        let waiting = records::waiting(records::signup(&facts.0.shift, 4));
        let decided = move_to(facts, &WaitingList::new(vec![waiting]), before()).unwrap();
        assert_eq!(named(&decided), ["signup.moved", "signup.promoted"]);
        let put = lines(&decided).into_iter().filter(|line| line.starts_with("put"));
        assert_eq!(put.collect::<Vec<_>>(), ["put Signup 3 to 2", "put Signup 4 to 2"]);
    }

    #[test]
    fn a_sign_up_that_is_on_the_shift_already_stays_unchanged() {
        let (found, _) = facts_with(|_| {});
        let same = found.shift.clone();
        let again = move_to((found, same), &WaitingList::default(), before()).unwrap();
        assert_eq!((lines(&again), named(&again)), (vec![], vec![]));
    }

    #[test]
    fn only_a_confirmed_sign_up_is_moved_between_shifts_that_are_not_over_and_have_room() {
        let refused = |facts: (SignupInFull, ScheduledShift), now| {
            move_to(facts, &WaitingList::default(), now).map(|moved| moved.outcome.shift)
        };
        let with = |signup: Signup| {
            let (found, target) = facts_with(|_| {});
            (SignupInFull { signup, ..found }, target)
        };
        let signup = facts_with(|_| {}).0.signup;
        for signup in [records::waiting(signup.clone()), signup.cancelled(before(), CancelledBy::Volunteer)] {
            assert_ne!(signup.status(), SignupStatus::Confirmed);
            assert_eq!(refused(with(signup), before()), Err(Error::SignupNotConfirmed));
        }
        let cancelled = facts_with(|full| full.event.cancelled_at = Some(before()));
        assert_eq!(refused(cancelled, before()), Err(Error::EventCancelled));
        let deleted = facts_with(|full| full.shifts[0].shift.deleted_at = Some(before()));
        assert_eq!(refused(deleted, before()), Err(Error::ShiftDeleted));
        let (mut over, target) = facts_with(|_| {});
        assert_eq!(refused((over.clone(), target.clone()), after_shifts()), Err(Error::ShiftOver));
        // The former shift is that of a night, which lasts longer than the other one.
        let EventInFull { event, mut shifts, .. } = with_night();
        let night = shifts.remove(1).shift;
        let late = (ScheduledShift::of(night.clone(), &event).interval().start).max(after_shifts());
        over = SignupInFull::new(records::organization(1), event, night.clone(), records::signup(&night, 3));
        let ended = ScheduledShift::of(shifts.remove(0).shift, &over.event);
        assert_eq!(refused((over, ended), late), Err(Error::ShiftOver));
        let none = Capacity::new(0).unwrap();
        for occupancy in [
            Occupancy { capacity: none, filled: 0, waitlisted: 0 },
            Occupancy { capacity: Capacity::new(2).unwrap(), filled: 1, waitlisted: 1 },
        ] {
            let full = facts_with(|full| full.shifts[1].shift.occupancy = occupancy);
            assert_eq!(refused(full, before()), Err(Error::ShiftFull));
        }
    }
}
