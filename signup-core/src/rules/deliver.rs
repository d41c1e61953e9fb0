//! The changes of a queued notice: fanned out to volunteers, replaced by its next version, or deleted.
//!
//! Each change requires the version of the notice that was read. So only one of several simultaneous changes succeeds.

use jiff::{SignedDuration, Timestamp};

use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause, ShiftChange, TimeAndPlace};
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, Requirement, Write};

/// The time between two batches of a fan-out.
const FAN_OUT_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// Fans out one batch of a changed shift: inserts a notice for each of `signups`, with ids from `ids`.
///
/// `signups` are the next sign-ups after `fanned_out_to`. If `is_last`, no more follow, and the notice of the whole
/// shift is deleted. Skips sign-ups made after the change: their confirmation already has the new time and place.
pub(crate) fn fan_out(
    notice: Notice,
    change: &ShiftChange,
    signups: &[Signup],
    ids: Vec<NoticeId>,
    is_last: bool,
    now: Timestamp,
) -> ChangeSet {
    let shift_path = (notice.organization, notice.event, notice.shift);
    // Version 0: an older release queued the change without the version of the shift.
    let precedes_change =
        |signup: &&Signup| change.shift_version == 0 || signup.shift_version < change.shift_version;
    let recipients = signups.iter().filter(precedes_change);
    let notices = recipients
        .zip(ids)
        .map(|(signup, id)| {
            let cause = NoticeCause::ShiftMoved { signup: signup.id, change: change.clone() };
            Notice::new(id, shift_path, cause, now)
        })
        .collect();
    let requires = vec![at_version(&notice)];
    let rest = match signups.last() {
        Some(last) if !is_last => {
            let cause = NoticeCause::ShiftChanged { change: change.clone(), fanned_out_to: Some(last.id) };
            // The next batch is due after this one, and after notices queued meanwhile: a large shift does not delay
            // other mails.
            let (version, due_at) = (notice.version + 1, now + FAN_OUT_INTERVAL);
            Write::UpdateNotice(Box::new(Notice { cause, version, due_at, ..notice }))
        }
        _ => delete(&notice),
    };
    ChangeSet { requires, writes: vec![rest, Write::InsertNotices(notices)] }
}

/// Returns whether a notice is obsolete, so that no mail is sent for it.
///
/// - A confirmation: if the sign-up is cancelled or has another secret, or if the shift has ended since the notice was
///   queued. A confirmation that was requested after the end is not obsolete.
/// - A cancellation: if the sign-up is confirmed.
/// - A change: if the sign-up is cancelled, if the shift is as it was before the change, or if the shift is over by
///   both its old and its new hours.
/// - A change that is not fanned out yet: never.
pub(crate) fn is_obsolete(notice: &Notice, shift: &Shift, signup: &Signup, now: Timestamp) -> bool {
    match &notice.cause {
        NoticeCause::SignedUp { secret, .. } => {
            let end = shift.interval().end;
            let has_ended_since = notice.created_at < end && end <= now;
            signup.status != SignupStatus::Confirmed || signup.secret != secret.digest() || has_ended_since
        }
        NoticeCause::Cancelled { .. } => signup.status != SignupStatus::Cancelled,
        NoticeCause::ShiftChanged { .. } => false,
        NoticeCause::ShiftMoved { change, .. } => {
            let (before, present) = (&change.before, TimeAndPlace::of(shift));
            let is_over = before.interval.end.max(present.interval.end) <= now;
            signup.status != SignupStatus::Confirmed || *before == present || is_over
        }
    }
}

/// Replaces a notice by its next version.
pub(crate) fn replace_notice(before: &Notice, after: Notice) -> ChangeSet {
    ChangeSet { requires: vec![at_version(before)], writes: vec![Write::UpdateNotice(Box::new(after))] }
}

/// Deletes a notice.
pub(crate) fn delete_notice(notice: &Notice) -> ChangeSet {
    ChangeSet { requires: vec![at_version(notice)], writes: vec![delete(notice)] }
}

const fn at_version(notice: &Notice) -> Requirement {
    let Notice { organization, id, version, .. } = *notice;
    Requirement::NoticeAtVersion { organization, notice: id, version }
}

const fn delete(notice: &Notice) -> Write {
    Write::DeleteNotice { organization: notice.organization, notice: notice.id }
}
