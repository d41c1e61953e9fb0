//! Cancelling a sign-up.

use jiff::Timestamp;

use super::Decision;
use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause};
use crate::signup::{CancelledBy, Signup, SignupStatus};
use crate::store::{ChangeSet, Requirement, Write};

/// Cancels a sign-up, frees its place and queues a mail about the cancellation. A cancelled sign-up stays unchanged.
pub(crate) fn cancel_signup(
    signup: Signup,
    by: CancelledBy,
    notice: NoticeId,
    now: Timestamp,
) -> Decision<Signup> {
    if signup.status == SignupStatus::Cancelled {
        return Decision { outcome: signup, change: ChangeSet::default() };
    }
    let cancelled =
        Signup { status: SignupStatus::Cancelled, cancelled_at: Some(now), cancelled_by: Some(by), ..signup };
    let (organization, shift, signup) = (cancelled.organization, cancelled.shift, cancelled.id);
    let shift_path = (organization, cancelled.event, shift);
    let notice = Notice::new(notice, shift_path, NoticeCause::Cancelled { signup }, now);
    let change = ChangeSet {
        requires: vec![Requirement::SignupConfirmed { organization, shift, signup }],
        writes: vec![
            Write::CancelSignup { organization, shift, signup, at: now, by },
            Write::InsertNotices(vec![notice]),
        ],
    };
    Decision { outcome: cancelled, change }
}
