//! The changes of a queued notice: fanned out to volunteers, replaced by its next version, or deleted.
//!
//! Each change requires the version of the notice that was read. So only one of several simultaneous changes succeeds.

use jiff::{SignedDuration, Timestamp};

use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause, TimeAndPlace};
use crate::signup::Signup;
use crate::store::{ChangeSet, SignupInFull};

/// The time between two batches of a fan-out.
const FAN_OUT_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// Fans out a notice to one batch of volunteers. Inserts one notice for each of `signups`, with ids from `ids`.
///
/// `signups` follow the last sign-up of the previous batch. If `is_last`, deletes the fanned-out notice. Otherwise replaces
/// the notice with its next version, which is due for the next batch. For a changed shift, skips sign-ups made after the
/// change: their confirmation already has the new time and place.
pub(crate) fn fan_out(
    notice: Notice,
    signups: &[Signup],
    ids: Vec<NoticeId>,
    is_last: bool,
    now: Timestamp,
) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, id) in signups.iter().zip(ids) {
        if let Some(cause) = cause_for(&notice.cause, signup) {
            let path = (notice.organization, notice.event, signup.shift);
            // The sign-up may be erased meanwhile.
            change.require_unchanged(signup);
            change.insert(Notice::new(id, path, cause, now));
        }
    }
    match signups.last() {
        Some(last) if !is_last => {
            // The next batch is due after this one, and after notices queued meanwhile: a large shift does not delay
            // other mails.
            let (version, due_at) = (notice.version + 1, now + FAN_OUT_INTERVAL);
            let cause = notice.cause.clone().with_fan_out_to(last.id);
            let next = Notice { cause, version, due_at, ..notice.clone() };
            change.replace(notice, next);
        }
        _ => change.remove(notice),
    }
    change
}

/// Returns the cause of the notice to one volunteer, or `None` if the volunteer needs none.
fn cause_for(cause: &NoticeCause, signup: &Signup) -> Option<NoticeCause> {
    match cause {
        NoticeCause::ShiftChanged { change, .. } if signup.shift_version < change.shift_version => {
            Some(NoticeCause::ShiftMoved { signup: signup.id, change: change.clone() })
        }
        NoticeCause::EventCancelled { .. } | NoticeCause::ShiftDeleted { .. } => {
            Some(NoticeCause::Cancelled { signup: signup.id })
        }
        _ => None,
    }
}

/// Returns whether a notice is obsolete, so that no mail is sent for it.
///
/// - A confirmation: if the sign-up is cancelled or has another secret, or if the shift has ended since the notice was
///   queued. A confirmation that was requested after the end is not obsolete.
/// - A cancellation: if the sign-up is confirmed.
/// - A change: if the sign-up is cancelled, if the shift is as it was before the change, or if the shift is over by
///   both its old and its new hours.
/// - A notice that is not fanned out yet: never.
pub(crate) fn is_obsolete(notice: &Notice, present: &SignupInFull, now: Timestamp) -> bool {
    let SignupInFull { event, shift, signup, .. } = present;
    match &notice.cause {
        NoticeCause::SignedUp { secret, .. } => {
            let interval = shift.interval();
            let has_ended_since = notice.created_at < interval.end && interval.is_over(now);
            !signup.is_confirmed() || signup.secret != secret.digest() || has_ended_since
        }
        NoticeCause::Cancelled { .. } => signup.is_confirmed(),
        NoticeCause::ShiftChanged { .. }
        | NoticeCause::EventCancelled { .. }
        | NoticeCause::ShiftDeleted { .. } => false,
        NoticeCause::ShiftMoved { change, .. } => {
            let (before, present) = (&change.before, TimeAndPlace::of(shift, event));
            let is_over = before.interval.is_over(now) && present.interval.is_over(now);
            !signup.is_confirmed() || *before == present || is_over
        }
    }
}

/// Replaces a notice by its next version.
pub(crate) fn replace_notice(before: &Notice, after: Notice) -> ChangeSet {
    let mut change = ChangeSet::default();
    change.replace(before.clone(), after);
    change
}

/// Deletes a notice.
pub(crate) fn delete_notice(notice: &Notice) -> ChangeSet {
    let mut change = ChangeSet::default();
    change.remove(notice.clone());
    change
}
