//! The states of a notice: fanned out to volunteers, claimed for delivery, removed, or due again.
//!
//! Each change requires the version of the notice that was read. So only one of several processes succeeds.

use jiff::{SignedDuration, Timestamp};

use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause, ShiftChange, TimeAndPlace};
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, Requirement, Write};

/// The pause between two batches of a fan-out.
const BATCH_PAUSE: SignedDuration = SignedDuration::from_secs(1);

/// Fans out one batch of a changed shift: each of `signups` gets a notice with an id of `ids`.
///
/// `signups` are the next sign-ups after `told_until`. With `is_last` they are the last ones, and the parent notice is
/// removed. Skips sign-ups made after the change: their confirmation already has the new hours.
pub(crate) fn tell(
    notice: Notice,
    change: &ShiftChange,
    signups: &[Signup],
    ids: Vec<NoticeId>,
    is_last: bool,
    now: Timestamp,
) -> ChangeSet {
    let place = (notice.organization, notice.event, notice.shift);
    // Version 0: an older release queued the change without its version.
    let is_news = |signup: &&Signup| change.shift_version == 0 || signup.shift_version < change.shift_version;
    let told = signups.iter().filter(is_news);
    let notices = told
        .zip(ids)
        .map(|(signup, id)| {
            let cause = NoticeCause::ShiftMoved { signup: signup.id, change: change.clone() };
            Notice::new(id, place, cause, now)
        })
        .collect();
    let requires = vec![at_version(&notice)];
    let rest = match signups.last() {
        Some(last) if !is_last => {
            let cause = NoticeCause::ShiftChanged { change: change.clone(), told_until: Some(last.id) };
            // The parent is due after this batch, and after notices queued meanwhile: a large shift does not delay
            // others.
            Write::UpdateNotice(Box::new(notice.with_cause(cause, now + BATCH_PAUSE)))
        }
        _ => delete(&notice),
    };
    ChangeSet { requires, writes: vec![rest, Write::InsertNotices(notices)] }
}

/// Returns whether a notice is still worth a mail.
///
/// - A confirmation: while the sign-up is confirmed with the same secret, and the shift has not ended since. A
///   confirmation that was requested after the end is sent.
/// - A cancellation: while the sign-up is cancelled.
/// - A change: while the sign-up is confirmed, the shift still differs from its state before the change, and the shift
///   is not over by both its old and its new hours.
pub(crate) fn is_of_use(notice: &Notice, shift: &Shift, signup: &Signup, now: Timestamp) -> bool {
    match &notice.cause {
        NoticeCause::SignedUp { secret, .. } => {
            let end = shift.interval().end;
            let has_ended_since = notice.created_at < end && end <= now;
            signup.status == SignupStatus::Confirmed && signup.secret == secret.digest() && !has_ended_since
        }
        NoticeCause::Cancelled { .. } => signup.status == SignupStatus::Cancelled,
        NoticeCause::ShiftChanged { .. } => true,
        NoticeCause::ShiftMoved { change, .. } => {
            let (before, present) = (&change.before, TimeAndPlace::of(shift));
            let is_over = before.interval.end.max(present.interval.end) <= now;
            signup.status == SignupStatus::Confirmed && *before != present && !is_over
        }
    }
}

/// Replaces a notice by its next version.
pub(crate) fn replace_notice(before: &Notice, after: Notice) -> ChangeSet {
    ChangeSet { requires: vec![at_version(before)], writes: vec![Write::UpdateNotice(Box::new(after))] }
}

/// Removes a notice.
pub(crate) fn finish_notice(notice: &Notice) -> ChangeSet {
    ChangeSet { requires: vec![at_version(notice)], writes: vec![delete(notice)] }
}

const fn at_version(notice: &Notice) -> Requirement {
    let Notice { organization, id, version, .. } = *notice;
    Requirement::NoticeAtVersion { organization, notice: id, version }
}

const fn delete(notice: &Notice) -> Write {
    Write::DeleteNotice { organization: notice.organization, notice: notice.id }
}
