//! Cancelling a sign-up.

use jiff::Timestamp;

use super::recipient::{WantedBy, want};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::link::Link;
use crate::notice::Notice;
use crate::shift::CancelledBy;
use crate::signup::Signup;
use crate::store::{ChangeSet, SignupInFull};
use crate::text::CancellationReason;

/// Cancels a sign-up and frees its place. Unless `is_silent`, its volunteer is mailed: `recipient` is the one of the address. A cancelled
/// sign-up stays unchanged.
///
/// # Errors
/// Returns [`Error::ShiftDeleted`] or [`Error::ShiftOver`] if the sign-up is confirmed and its shift is deleted or over.
pub(crate) fn cancel_signup(
    found: SignupInFull,
    (by, reason): (CancelledBy, Option<CancellationReason>),
    is_silent: bool,
    recipient: Option<Notice>,
    now: Timestamp,
) -> Result<Decision<Signup>, Error> {
    let SignupInFull { event, shift, signup, .. } = found;
    if !signup.is_confirmed() {
        return Ok(Decision::unchanged(signup));
    }
    if shift.deleted_at.is_some() {
        return Err(Error::ShiftDeleted);
    }
    if shift.is_over(now) {
        return Err(Error::ShiftOver);
    }
    let cancelled =
        Signup { reason, is_silent, version: signup.version + 1, ..signup.clone().cancelled(now, by) };
    let mut change = ChangeSet::default();
    // The days of the event and the hours of the shift decide whether it is over. Its closing cancels the sign-up, too.
    change.require_gate(&event);
    change.require_gate(&shift.shift);
    change.replace(signup, cancelled.clone());
    if !is_silent {
        let wanted_by = if by.is_organizer() { WantedBy::Organizer } else { WantedBy::Volunteer };
        want(&mut change, &cancelled, recipient, wanted_by, now);
    }
    let activity = NewActivity::of(ActivityType::SIGNUP_CANCELLED, &cancelled);
    Ok(Decision::new(cancelled, change, [activity]))
}

/// Removes a sign-up for good. Is not decided again: a sign-up that has changed is read anew.
pub(crate) fn erase_signup(signup: Signup) -> Decision<()> {
    let erased = NewActivity::of(ActivityType::SIGNUP_ERASED, &signup);
    let mut change = ChangeSet::default();
    change.remove(signup);
    Decision::new((), change, [erased]).again_after(|_| false)
}

/// Removes notices for good, unless one has changed since it was read.
pub(crate) fn erase_notices(notices: Vec<Notice>) -> ChangeSet {
    let mut change = ChangeSet::default();
    notices.into_iter().for_each(|notice| change.remove(notice));
    change
}

/// Removes links for good.
pub(crate) fn erase_links(links: Vec<Link>) -> ChangeSet {
    let mut change = ChangeSet::default();
    links.into_iter().for_each(|link| change.remove(link));
    change
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::store::EventInFull;

    fn found(deleted_at: Option<Timestamp>) -> SignupInFull {
        let EventInFull { event, mut shifts, .. } = full_with(|_, shifts| shifts[0].deleted_at = deleted_at);
        let shift = shifts.remove(0).shift;
        let signup = records::signup(&shift, 3);
        SignupInFull::new(records::organization(1), event, shift, signup)
    }

    const VOLUNTEER: (CancelledBy, Option<CancellationReason>) = (CancelledBy::Volunteer, None);

    #[test]
    fn an_organizer_gives_a_reason_and_decides_whether_a_mail_is_sent() {
        let reason = CancellationReason::new("The hall is too small").unwrap();
        let by = (CancelledBy::Organizer, Some(reason.clone()));
        let silent = cancel_signup(found(None), by, true, None, before()).unwrap();
        let expected = ["Event 1 at gate 1", "Shift 1 at gate 1", "Signup 3 at 1", "put Signup 3 to 2"];
        assert_eq!(lines(&silent), expected);
        let SignupInFull { event, shift, .. } = found(None);
        assert_eq!(silent.outcome.cancellation_reason(&event, &shift), Some(&reason));
    }

    #[test]
    fn a_sign_up_for_a_night_is_cancelled_after_the_last_day_of_the_event() {
        let EventInFull { event, mut shifts, .. } = with_night();
        let shift = shifts.remove(1).shift;
        let signup = records::signup(&shift, 3);
        let found = SignupInFull::new(records::organization(1), event, shift, signup);
        let at = |now| cancel_signup(found.clone(), VOLUNTEER, false, None, now).map(|found| found.outcome);
        assert!(!at(after_event()).unwrap().is_confirmed());
        assert_eq!(at(found.shift.interval().end).unwrap_err(), Error::ShiftOver);
    }

    #[test]
    fn a_sign_up_is_cancelled_once_and_not_after_its_shift() {
        let mut closed = found(None);
        closed.event.signups_close_at = "2027-01-01T00:00".parse().ok();
        let first = cancel_signup(closed, VOLUNTEER, false, None, before()).unwrap();
        let expected = [
            "Event 1 at gate 1",
            "Shift 1 at gate 1",
            "Signup 3 at 1",
            "no Notice",
            "put Signup 3 to 2",
            "insert Notice",
        ];
        assert_eq!(lines(&first), expected);
        let cancelled = (first.outcome.cancelled_at(), first.outcome.cancelled_by());
        assert_eq!(cancelled, (Some(before()), Some(CancelledBy::Volunteer)));
        for (deleted_at, now, refused) in [
            (None, after_shifts(), Error::ShiftOver),
            (Some(before()), before(), Error::ShiftDeleted),
            (Some(before()), after_shifts(), Error::ShiftDeleted),
            (Some(after_shifts()), after_shifts(), Error::ShiftDeleted),
        ] {
            let late = cancel_signup(found(deleted_at), VOLUNTEER, false, None, now);
            assert_eq!(late.unwrap_err(), refused);
            let cancelled = SignupInFull { signup: first.outcome.clone(), ..found(deleted_at) };
            let again = cancel_signup(cancelled, (CancelledBy::Organizer, None), false, None, now).unwrap();
            assert_eq!((lines(&again), &again.outcome), (vec![], &first.outcome));
        }
    }
}
