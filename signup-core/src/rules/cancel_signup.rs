//! Cancelling a sign-up.

use jiff::Timestamp;

use super::promote::{WaitingList, changed_or_promoted, mails_about, promote, record_promotions};
use super::recipient::{WantedBy, want_each};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::link::Link;
use crate::notice::Notice;
use crate::shift::CancelledBy;
use crate::signup::Signup;
use crate::store::{ChangeSet, SignupInFull};
use crate::text::CancellationReason;

/// Cancels a sign-up and frees its place, which goes to those who wait. Unless `is_silent`, its volunteer is mailed: `recipient` is
/// the one of the address. A cancelled sign-up stays unchanged.
///
/// # Errors
/// Returns [`Error::ShiftDeleted`] or [`Error::ShiftOver`] if the sign-up is active and its shift is deleted or over.
pub(crate) fn cancel_signup(
    found: SignupInFull,
    (by, reason): (CancelledBy, Option<CancellationReason>),
    is_silent: bool,
    recipient: Option<Notice>,
    waiting: &WaitingList,
    now: Timestamp,
) -> Result<Decision<Signup>, Error> {
    let SignupInFull { event, shift, signup, .. } = found;
    if !signup.is_active() {
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
    let frees_place = signup.is_confirmed();
    change.replace(signup, cancelled.clone());
    let promoted = match frees_place {
        true => promote(&mut change, &event, &shift, 1, waiting, now),
        false => vec![],
    };
    let wanted_by = if by.is_organizer() { WantedBy::Organizer } else { WantedBy::Volunteer };
    let told = (!is_silent).then(|| (cancelled.clone(), recipient, wanted_by));
    want_each(&mut change, told.into_iter().chain(mails_about(&promoted, waiting)), now);
    let activity = std::iter::once(NewActivity::of(ActivityType::SIGNUP_CANCELLED, &cancelled));
    let activity: Vec<_> = activity.chain(record_promotions(&promoted)).collect();
    Ok(Decision::new(cancelled, change, activity).again_after(changed_or_promoted))
}

/// Removes a sign-up for good. Its place, if it has one, goes to those who wait. Is not decided again: a sign-up that has changed
/// is read anew.
pub(crate) fn erase_signup(found: SignupInFull, waiting: &WaitingList, now: Timestamp) -> Decision<()> {
    let SignupInFull { event, shift, signup, .. } = found;
    let erased = NewActivity::of(ActivityType::SIGNUP_ERASED, &signup);
    let mut change = ChangeSet::default();
    let frees_place = signup.is_confirmed() && shift.is_open();
    change.remove(signup);
    let mut activity = vec![erased];
    if frees_place {
        change.require_gate(&event);
        change.require_gate(&shift.shift);
        let promoted = promote(&mut change, &event, &shift, 1, waiting, now);
        want_each(&mut change, mails_about(&promoted, waiting), now);
        activity.extend(record_promotions(&promoted));
    }
    Decision::new((), change, activity).again_after(|_| false)
}

/// Removes the notices of an address and its links for good, unless a notice has changed since it was read: an attempt to send its
/// mail makes another link.
pub(crate) fn erase_mails(notices: Vec<Notice>, links: Vec<Link>) -> ChangeSet {
    let mut change = ChangeSet::default();
    notices.into_iter().for_each(|notice| change.remove(notice));
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

    /// Cancels a sign-up on whose shift nobody waits.
    fn cancel(
        found: SignupInFull,
        by: (CancelledBy, Option<CancellationReason>),
        now: Timestamp,
    ) -> Result<Decision<Signup>, Error> {
        cancel_signup(found, by, false, None, &WaitingList::default(), now)
    }

    #[test]
    fn an_organizer_gives_a_reason_and_decides_whether_a_mail_is_sent() {
        let reason = CancellationReason::new("The hall is too small").unwrap();
        let by = (CancelledBy::Organizer, Some(reason.clone()));
        let silent = cancel_signup(found(None), by, true, None, &WaitingList::default(), before()).unwrap();
        let expected = [
            "Event 1 at gate 1",
            "Shift 1 at gate 1",
            "Signup 3 at 1",
            "waiting for Shift 1 below 1",
            "put Signup 3 to 2",
        ];
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
        let at = |now| cancel(found.clone(), VOLUNTEER, now).map(|found| found.outcome);
        assert!(!at(after_event()).unwrap().is_confirmed());
        assert_eq!(at(found.shift.interval().end).unwrap_err(), Error::ShiftOver);
    }

    #[test]
    fn a_sign_up_is_cancelled_once_and_not_after_its_shift() {
        let mut closed = found(None);
        closed.event.signups_close_at = "2027-01-01T00:00".parse().ok();
        let first = cancel(closed, VOLUNTEER, before()).unwrap();
        let expected = [
            "Event 1 at gate 1",
            "Shift 1 at gate 1",
            "Signup 3 at 1",
            "waiting for Shift 1 below 1",
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
            let late = cancel(found(deleted_at), VOLUNTEER, now);
            assert_eq!(late.unwrap_err(), refused);
            let cancelled = SignupInFull { signup: first.outcome.clone(), ..found(deleted_at) };
            let again = cancel(cancelled, (CancelledBy::Organizer, None), now).unwrap();
            assert_eq!((lines(&again), &again.outcome), (vec![], &first.outcome));
        }
    }

    /// The shift has one place, which the sign-up 3 has. The sign-ups 4 and 5 wait.
    fn full_shift() -> (SignupInFull, WaitingList) {
        let EventInFull { event, mut shifts, .. } = full_with(|_, shifts| {
            let capacity = crate::occupancy::Capacity::new(1).unwrap();
            shifts[0].occupancy = crate::occupancy::Occupancy { capacity, filled: 1, waitlisted: 2 };
        });
        let shift = shifts.remove(0).shift;
        let waiting = [4, 5].map(|number| records::waiting(records::signup(&shift, number)));
        let signup = records::signup(&shift, 3);
        let found = SignupInFull::new(records::organization(1), event, shift, signup);
        (found, WaitingList::new(waiting.to_vec()))
    }

    #[test]
    fn a_cancellation_and_an_erasure_give_the_place_to_the_first_who_waits_and_mail_them() {
        let (found, waiting) = full_shift();
        let silent = cancel_signup(found.clone(), VOLUNTEER, true, None, &waiting, before()).unwrap();
        let written = |change: &ChangeSet| {
            let lines = change_lines(change).into_iter();
            lines.filter(|line| line.starts_with("put") || line.contains("insert")).collect::<Vec<_>>()
        };
        let expected = ["put Signup 3 to 2", "put Signup 4 to 2", "insert Notice"];
        assert_eq!(written(&silent.change), expected, "a promotion is never silent");
        assert_eq!(named(&silent), ["signup.cancelled", "signup.promoted"]);
        // A move may put the shift before its cutoff meanwhile.
        let late = erase_signup(found.clone(), &WaitingList::default(), found.shift.interval().start);
        let expected = ["Signup 3 at 1", "Event 1 at gate 1", "Shift 1 at gate 1", "remove Signup 3"];
        assert_eq!(lines(&late), expected);
        let erased = erase_signup(found, &waiting, before());
        assert_eq!(written(&erased.change), ["put Signup 4 to 2", "insert Notice"]);
        assert_eq!(named(&erased), ["signup.erased", "signup.promoted"]);
    }

    #[test]
    fn a_mailbox_that_gives_a_place_to_its_next_person_gets_one_mail() {
        let (mut found, mut waiting) = full_shift();
        let next = Signup { email: found.signup.email.clone(), ..waiting.first(1)[0].clone() };
        waiting = WaitingList::new(vec![next]);
        found.shift.shift.occupancy.waitlisted = 1;
        let decided = cancel_signup(found, VOLUNTEER, false, None, &waiting, before()).unwrap();
        let notices = lines(&decided).into_iter().filter(|line| line == "insert Notice");
        assert_eq!(notices.count(), 1);
    }

    #[test]
    fn a_sign_up_that_waits_is_cancelled_and_frees_no_place() {
        let (found, waiting) = full_shift();
        let found = SignupInFull { signup: waiting.first(1)[0].clone(), ..found };
        let cancelled = cancel_signup(found.clone(), VOLUNTEER, true, None, &waiting, before()).unwrap();
        let expected = ["Event 1 at gate 1", "Shift 1 at gate 1", "Signup 4 at 1", "put Signup 4 to 2"];
        assert_eq!(lines(&cancelled), expected);
        assert_eq!(lines(&erase_signup(found, &waiting, before())), ["Signup 4 at 1", "remove Signup 4"]);
    }
}
