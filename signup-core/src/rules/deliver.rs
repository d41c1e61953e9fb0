//! The changes of a queued notice: fanned out to volunteers, claimed, replaced by its next version, or deleted.
//!
//! Each change requires the version of the notice that was read. So only one of several simultaneous changes succeeds.

use jiff::{SignedDuration, Timestamp};

use super::Decision;
use super::mail::{MailIds, queue_mail};
use crate::id::SignupId;
use crate::mail::{Mail, MailContent};
use crate::notice::{MailFailure, Notice, NoticeCause};
use crate::secret::Secret;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::store::{ChangeSet, SignupInFull};
use crate::time_and_place::TimeAndPlace;

/// The time between two batches of a fan-out.
const FAN_OUT_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// Fans out a notice to one batch of volunteers. Queues one mail for each of `signups`, with the ids and secrets of `mails`.
///
/// `signups` follow the last sign-up of the previous batch. If `is_last`, deletes the fanned-out notice. Otherwise replaces
/// the notice with its next version, which is due for the next batch. With the `present` time and place of
/// a changed shift, skips volunteers who were told the same. So a fan-out may be repeated.
pub(crate) fn fan_out(
    notice: Notice,
    present: Option<&TimeAndPlace>,
    signups: &[Signup],
    mails: Vec<MailIds>,
    is_last: bool,
    now: Timestamp,
) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, mail) in signups.iter().zip(mails) {
        if present.is_none_or(|present| !signup.told.is_same_as(present)) {
            // The sign-up may be erased meanwhile.
            change.require_unchanged(signup);
            queue_mail(
                &mut change,
                signup,
                mail,
                |signup, secret| mail_cause(&notice.cause, signup, secret),
                now,
            );
        }
    }
    end_portion(&mut change, notice, signups.last().filter(|_| !is_last).map(|last| last.id), now);
    change
}

/// Replaces a fanned-out notice with its next version, which is due for the portion after the sign-up `last`. Deletes the notice if
/// no portion follows.
pub(super) fn end_portion(change: &mut ChangeSet, notice: Notice, last: Option<SignupId>, now: Timestamp) {
    match last {
        Some(last) => {
            // The next portion is due after this one, and after notices queued meanwhile: a large shift does not delay
            // other mails.
            let (version, due_at) = (notice.version + 1, now + FAN_OUT_INTERVAL);
            let cause = notice.cause.clone().with_fan_out_to(last);
            let next = Notice { cause, version, due_at, ..notice.clone() };
            change.replace(notice, next);
        }
        None => change.remove(notice),
    }
}

/// Returns whether a later notice of the same gathering sends the mails, so that this notice is deleted.
pub(crate) fn is_left_to_a_later_notice(notice: &Notice, shift: &Shift) -> bool {
    shift
        .gathering
        .is_some_and(|gathering| gathering.first_at <= notice.created_at && gathering.latest != notice.id)
}

/// Returns the cause of the mail to one volunteer.
fn mail_cause(cause: &NoticeCause, signup: SignupId, secret: Secret) -> NoticeCause {
    match cause {
        NoticeCause::ShiftChanged { .. } => NoticeCause::ShiftMoved { signup, secret, before: None },
        _ => NoticeCause::Cancelled { signup, secret },
    }
}

/// Claims the notice of one mail. The outcome is the mail to send, or `None` if the notice is obsolete. An obsolete notice is
/// deleted.
///
/// From now on, the volunteer counts as told what the mail shows: its time and place become those of the sign-up. A notice about
/// a change keeps what the volunteer was told before, so that an attempt after a lost lease shows the same. [`fail`] takes both
/// back.
pub(crate) fn claim(notice: &Notice, found: SignupInFull, now: Timestamp) -> Decision<Option<Mail>> {
    let SignupInFull { organization, event, shift, signup } = found;
    let at = signup.time_and_place(&shift, &event);
    let mut claimed = notice.clone().claimed(now);
    if let NoticeCause::ShiftMoved { before, .. } = &mut claimed.cause {
        before.get_or_insert_with(|| signup.told.clone());
    }
    if is_obsolete(&claimed, &signup, &at, now) {
        return Decision::unrecorded(None, delete_notice(notice));
    }
    let mut change = replace_notice(notice, claimed.clone());
    let unclaimed = Some((notice.cause.clone(), signup.clone()));
    let signup = tell(&mut change, signup, at);
    let about = SignupInFull { organization, event, shift, signup };
    let mail = Mail { unclaimed, ..Mail::new(claimed, MailContent::Signup(Box::new(about))) };
    Decision::unrecorded(Some(mail), change)
}

/// Claims the notice of a mail that is not about one sign-up. Without `content`, the notice is obsolete, and is deleted.
pub(crate) fn claim_with(
    notice: &Notice,
    content: Option<MailContent>,
    now: Timestamp,
) -> Decision<Option<Mail>> {
    let Some(content) = content else { return Decision::unrecorded(None, delete_notice(notice)) };
    let claimed = notice.clone().claimed(now);
    let change = replace_notice(notice, claimed.clone());
    Decision::unrecorded(Some(Mail::new(claimed, content)), change)
}

/// Stores the failure of a claimed mail, and takes back what its claim changed: the volunteer was not told what the mail shows.
///
/// So the next change of the shift is compared with what the volunteer knows, and a later attempt is too. The sign-up has to be
/// unchanged since the claim.
pub(crate) fn fail(mail: &Mail, failure: MailFailure, reason: &str, now: Timestamp) -> Decision<Notice> {
    let mut failed = mail.notice.clone().after_failure(failure, reason, now);
    if let Some((cause, _)) = &mail.unclaimed {
        failed.cause.clone_from(cause);
    }
    let mut change = replace_notice(&mail.notice, failed.clone());
    if let (Some((_, before)), Some(about)) = (&mail.unclaimed, mail.signup()) {
        let _ = tell(&mut change, about.signup.clone(), before.told.clone());
    }
    Decision::unrecorded(failed, change)
}

/// Changes what the volunteer of a sign-up was told. Returns the sign-up afterwards.
fn tell(change: &mut ChangeSet, signup: Signup, told: TimeAndPlace) -> Signup {
    if signup.told == told {
        return signup;
    }
    let after = Signup { told, version: signup.version + 1, ..signup.clone() };
    change.replace(signup, after.clone());
    after
}

/// Returns whether a claimed notice is obsolete, so that no mail is sent for it. `at` is the present time and place.
///
/// - A confirmation, and a mail about a repeated sign-up: if the sign-up is cancelled, or if the shift has ended since the
///   notice was queued. A mail that was queued after the end of the shift is not obsolete.
/// - A cancellation: if the sign-up is confirmed.
/// - A change: if the sign-up is cancelled, if the volunteer was told the present time and place before, or if the shift is over
///   by both its old and its new hours.
fn is_obsolete(claimed: &Notice, signup: &Signup, at: &TimeAndPlace, now: Timestamp) -> bool {
    match &claimed.cause {
        NoticeCause::SignedUp { .. } | NoticeCause::SignedUpAgain { .. } => {
            let has_ended_since = claimed.created_at < at.interval.end && at.interval.is_over(now);
            !signup.is_confirmed() || has_ended_since
        }
        NoticeCause::ShiftMoved { before, .. } => {
            let before = before.as_ref().unwrap_or(&signup.told);
            let is_over = before.interval.is_over(now) && at.interval.is_over(now);
            !signup.is_confirmed() || before.is_same_as(at) || is_over
        }
        // The others are not about a sign-up.
        _ => signup.is_confirmed(),
    }
}

/// Replaces a notice by its next version. Deletes a failed notice that [is not kept](Notice::is_kept).
pub(crate) fn replace_notice(before: &Notice, after: Notice) -> ChangeSet {
    if !after.is_kept() {
        return delete_notice(before);
    }
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

#[cfg(test)]
mod tests;
