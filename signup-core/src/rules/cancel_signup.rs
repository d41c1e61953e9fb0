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
