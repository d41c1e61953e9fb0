//! Cancelling a sign-up.

use jiff::Timestamp;

use super::Decision;
use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause};
use crate::shift::Shift;
use crate::signup::{CancelledBy, Signup};
use crate::store::ChangeSet;

/// Cancels a sign-up for `shift`, frees its place and queues a mail about the cancellation. A cancelled sign-up stays
/// unchanged.
pub(crate) fn cancel_signup(
    signup: Signup,
    shift: &Shift,
    by: CancelledBy,
    notice: NoticeId,
    now: Timestamp,
) -> Decision<Signup> {
    if !signup.is_confirmed() {
        return Decision::unchanged(signup);
    }
    let cancelled = Signup { version: signup.version + 1, ..signup.clone().cancelled(now, by) };
    let path = (signup.organization, signup.event, signup.shift);
    let cause = NoticeCause::Cancelled { signup: signup.id };
    let mut change = ChangeSet::default();
    // The closing of the shift cancels the sign-up, too.
    change.require_gate(shift);
    change.replace(signup, cancelled.clone());
    change.insert(Notice::new(notice, path, cause, now));
    Decision::new(cancelled, change)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;

    #[test]
    fn a_sign_up_is_cancelled_once() {
        let shift = full().shifts.remove(0);
        let signup = records::signup(&shift, 3);
        let first = cancel_signup(signup, &shift, CancelledBy::Volunteer, notice(8), before());
        let expected = ["Shift 1 at gate 1", "Signup 3 at 1", "put Signup 3 to 2", "insert Notice 8"];
        assert_eq!(lines(&first), expected);
        let cancelled = (first.outcome.cancelled_at(), first.outcome.cancelled_by());
        assert_eq!(cancelled, (Some(before()), Some(CancelledBy::Volunteer)));
        let again =
            cancel_signup(first.outcome.clone(), &shift, CancelledBy::Operator, notice(9), after_shifts());
        assert_eq!((lines(&again), again.outcome), (vec![], first.outcome));
    }
}
