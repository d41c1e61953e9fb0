//! Marking whether the volunteer of a sign-up came.

use jiff::Timestamp;

use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::signup::{Attendance, Signup};
use crate::store::{ChangeSet, SignupInFull};

/// Marks whether the volunteer of a confirmed sign-up came, in place of an earlier mark; `None` removes the mark. Nobody is mailed.
///
/// # Errors
/// Returns [`Error::SignupNotConfirmed`], [`Error::ShiftDeleted`], or [`Error::AttendanceClosed`] if the shift takes no attendance
/// at `now`.
pub(crate) fn mark_attendance(
    found: SignupInFull,
    attendance: Option<Attendance>,
    now: Timestamp,
) -> Result<Decision<Signup>, Error> {
    let SignupInFull { event, shift, signup, .. } = found;
    if !signup.is_confirmed() {
        return Err(Error::SignupNotConfirmed);
    }
    if shift.deleted_at.is_some() {
        return Err(Error::ShiftDeleted);
    }
    if !shift.takes_attendance(now) {
        return Err(Error::AttendanceClosed);
    }
    if signup.attendance == attendance {
        return Ok(Decision::unchanged(signup));
    }
    let marked = Signup { attendance, changed_at: Some(now), version: signup.version + 1, ..signup.clone() };
    let mut change = ChangeSet::default();
    // The days of the event and the hours of the shift decide whether it takes attendance. Its closing cancels the sign-up.
    change.require_gate(&event);
    change.require_gate(&shift.shift);
    change.replace(signup, marked.clone());
    let kind = match attendance {
        Some(Attendance::Attended) => ActivityType::SIGNUP_ATTENDED,
        Some(Attendance::Absent) => ActivityType::SIGNUP_ABSENT,
        None => ActivityType::SIGNUP_ATTENDANCE_CLEARED,
    };
    let activity = NewActivity::of(kind, &marked);
    Ok(Decision::new(marked, change, [activity]))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::hours::{Day, Interval};
    use crate::shift::{CancelledBy, ScheduledShift, Shift};
    use crate::store::EventInFull;

    const ATTENDED: Option<Attendance> = Some(Attendance::Attended);
    const ABSENT: Option<Attendance> = Some(Attendance::Absent);

    fn found_with(change: impl FnOnce(&mut Shift)) -> SignupInFull {
        let EventInFull { event, mut shifts, .. } = full_with(|_, shifts| change(&mut shifts[0]));
        let shift = shifts.remove(0).shift;
        let signup = records::signup(&shift, 3);
        SignupInFull::new(records::organization(1), event, shift, signup)
    }

    fn found() -> SignupInFull {
        found_with(|_| {})
    }

    fn with(signup: Signup) -> SignupInFull {
        SignupInFull { signup, ..found() }
    }

    #[test]
    fn a_mark_replaces_an_earlier_one_and_the_same_mark_changes_nothing() {
        let expected = ["Event 1 at gate 1", "Shift 1 at gate 1"];
        let mut signup = found().signup;
        let mut now = after_shifts();
        for (mark, activity) in
            [(ATTENDED, "signup.attended"), (ABSENT, "signup.absent"), (None, "signup.attendance_cleared")]
        {
            let marked = mark_attendance(with(signup.clone()), mark, now).unwrap();
            let version = signup.version;
            let written = [format!("Signup 3 at {version}"), format!("put Signup 3 to {}", version + 1)];
            assert_eq!(lines(&marked)[..2], expected);
            assert_eq!(lines(&marked)[2..], written, "no mail");
            assert_eq!(named(&marked), [activity]);
            signup = marked.outcome;
            assert_eq!((signup.attendance, signup.updated_at()), (mark, now));
            now += SignedDuration::from_secs(1);
            let again = mark_attendance(with(signup.clone()), mark, now).unwrap();
            assert_eq!((lines(&again), named(&again), &again.outcome), (vec![], vec![], &signup));
        }
    }

    #[test]
    fn only_a_confirmed_sign_up_for_a_shift_that_is_not_deleted_is_marked() {
        let signup = found().signup;
        for state in [records::waiting(signup.clone()), signup.cancelled(before(), CancelledBy::Organizer)] {
            let refused = mark_attendance(with(state), ATTENDED, after_shifts()).unwrap_err();
            assert_eq!(refused, Error::SignupNotConfirmed);
        }
        let deleted = found_with(|shift| shift.deleted_at = Some(after_shifts()));
        assert_eq!(mark_attendance(deleted, ATTENDED, after_shifts()).unwrap_err(), Error::ShiftDeleted);
    }

    #[test]
    fn a_mark_is_taken_from_12_hours_before_the_shift_until_90_days_after_it() {
        let Interval { start, end } = found().shift.interval();
        let moment = SignedDuration::from_nanos(1);
        let (first, last) = (start - Shift::ATTENDANCE_BEFORE, end + Shift::ATTENDANCE_AFTER);
        for (now, is_taken) in [
            (first - moment, false),
            (first, true),
            (start, true),
            (end, true),
            (last, true),
            (last + moment, false),
        ] {
            for mark in [ATTENDED, ABSENT, None] {
                let marked =
                    mark_attendance(with(Signup { attendance: ATTENDED, ..found().signup }), mark, now);
                let expected = if is_taken { Ok(mark) } else { Err(Error::AttendanceClosed) };
                assert_eq!(marked.map(|marked| marked.outcome.attendance), expected, "{now}");
            }
        }
    }

    #[test]
    fn a_cancellation_clears_the_attendance() {
        let marked = mark_attendance(found(), ATTENDED, after_shifts()).unwrap().outcome;
        let cancelled = marked.cancelled(after_event(), CancelledBy::Organizer);
        assert_eq!((cancelled.attendance, cancelled.updated_at()), (None, after_event()));
    }

    #[test]
    fn a_volunteer_who_attended_has_helped_as_long_as_the_shift_lasts_by_its_instants() {
        let night = with_night().shifts.remove(1).shift;
        // The clocks go forward in the night from 13 to 14 March.
        for (date, hours) in [("2027-03-12", 8), ("2027-03-13", 7)] {
            let day = Day::new(date.parse().unwrap(), "America/New_York".parse().unwrap());
            let shift = ScheduledShift::new(night.clone(), day, false);
            let helped = |attendance| {
                Signup { attendance, ..records::signup(&shift, 3) }
                    .time_helped(&shift)
                    .map(|time| time.as_hours())
            };
            assert_eq!([ATTENDED, ABSENT, None].map(helped), [Some(hours), None, None], "{date}");
        }
    }
}
