//! Cancelling a sign-up.

use jiff::Timestamp;

use super::Decision;
use super::mail::{MailIds, queue_mail};
use crate::notice::NoticeCause;
use crate::shift::Shift;
use crate::signup::{CancelledBy, Signup};
use crate::store::ChangeSet;

/// Cancels a sign-up for `shift`, frees its place and queues a mail about the cancellation. A cancelled sign-up stays
/// unchanged.
pub(crate) fn cancel_signup(
    signup: Signup,
    shift: &Shift,
    by: CancelledBy,
    mail: MailIds,
    now: Timestamp,
) -> Decision<Signup> {
    if !signup.is_confirmed() {
        return Decision::unchanged(signup);
    }
    let cancelled = Signup { version: signup.version + 1, ..signup.clone().cancelled(now, by) };
    let mut change = ChangeSet::default();
    // The closing of the shift cancels the sign-up, too.
    change.require_gate(shift);
    change.replace(signup, cancelled.clone());
    let cause = |signup, secret| NoticeCause::Cancelled { signup, secret };
    queue_mail(&mut change, &cancelled, mail, cause, now);
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
        let first = cancel_signup(signup, &shift, CancelledBy::Volunteer, mail(8), before());
        let expected =
            ["Shift 1 at gate 1", "Signup 3 at 1", "put Signup 3 to 2", "insert Link 0", "insert Notice 8"];
        assert_eq!(lines(&first), expected);
        let cancelled = (first.outcome.cancelled_at(), first.outcome.cancelled_by());
        assert_eq!(cancelled, (Some(before()), Some(CancelledBy::Volunteer)));
        let again =
            cancel_signup(first.outcome.clone(), &shift, CancelledBy::Operator, mail(9), after_shifts());
        assert_eq!((lines(&again), again.outcome), (vec![], first.outcome));
    }
}
