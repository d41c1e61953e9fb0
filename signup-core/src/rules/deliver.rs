//! The changes of a queued notice: worked through in portions, claimed, replaced by its next version, or deleted.
//!
//! Each change requires the version of the notice that was read. So only one of several simultaneous changes succeeds.

use jiff::{SignedDuration, Timestamp};

use super::Decision;
use super::news::{Concern, news, settled};
use super::recipient::{WantedBy, remind, want};
use super::reminder;
use crate::id::SignupId;
use crate::link::Link;
use crate::mail::{Mail, MailContent};
use crate::notice::{EventChange, MailFailure, Notice, NoticeCause, Recipient};
use crate::opt_out::Subscription;
use crate::secret::Secret;
use crate::signup::{Signup, Told};
use crate::store::{ChangeSet, SignupInFull};

/// The time between two portions of a job.
const PORTION_INTERVAL: SignedDuration = SignedDuration::from_secs(1);

/// Marks one portion of the addresses that a change of their event concerns: of `signups`, one for each address, each with the
/// recipient of its address. `last` is the last sign-up of the portion if another one follows.
pub(crate) fn mark_portion(
    job: Notice,
    signups: Vec<(Signup, Concern, Option<Notice>)>,
    last: Option<SignupId>,
    now: Timestamp,
) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, concern, recipient) in signups {
        // The sign-up may be erased meanwhile.
        change.require_unchanged(&signup);
        match concern {
            Concern::News => want(&mut change, &signup, recipient, WantedBy::Organizer, now),
            Concern::Reminder(at) => remind(&mut change, &signup, recipient, at, now),
        }
    }
    let next = last.and_then(|last| match job.cause {
        NoticeCause::EventChanged(done) => Some(EventChange { covered_to: Some(last), ..done }),
        _ => None,
    });
    end_portion(&mut change, job, next.map(NoticeCause::EventChanged), now);
    change
}

/// Replaces a job with its next version, which is due for the `next` portion. If no portion follows, a job of changes rests until
/// the next change, and any other job is deleted.
pub(super) fn end_portion(change: &mut ChangeSet, job: Notice, next: Option<NoticeCause>, now: Timestamp) {
    let version = job.version + 1;
    let next = match (next, &job.cause) {
        // The next portion is due after this one, and after notices queued meanwhile: a large event does not delay other mails.
        (Some(cause), _) => {
            Notice { cause, version, due_at: Some(now + PORTION_INTERVAL), attempts: 0, ..job.clone() }
        }
        (None, NoticeCause::EventChanged(done)) => {
            let cause = NoticeCause::EventChanged(EventChange { covered_to: None, ..*done });
            Notice { cause, version, due_at: None, attempts: 0, last_reason: None, ..job.clone() }
        }
        (None, _) => return change.remove(job),
    };
    change.replace(job, next);
}

/// Claims a recipient whose sign-ups at the event are `found`. The outcome is the mail to send, or `None` if there is no news. Then
/// the recipient rests. `wants_reminders` is false if the address has turned reminders off.
///
/// The mail has a link with this `secret`. What the address was told is written [once the mail was sent](sent).
pub(crate) fn claim_news(
    notice: &Notice,
    recipient: &Recipient,
    (found, wants_reminders): (&[SignupInFull], bool),
    secret: Secret,
    now: Timestamp,
) -> Decision<Option<Mail>> {
    let unreported_at = recipient.claimed_at.or(recipient.unreported_at);
    let was_asked = recipient.is_asked || recipient.was_asked;
    let remind_at = reminder::next(found, now);
    let of_attempt = Recipient { is_asked: false, was_asked, again_at: None, remind_at, ..recipient.clone() };
    let recipient = &Recipient { claimed_at: Some(now), unreported_at, ..of_attempt };
    let Some(news) = news(found, recipient, wants_reminders, now) else {
        let mut change = ChangeSet::default();
        for (signup, told) in settled(found, now) {
            tell(&mut change, signup, told);
        }
        change.replace(notice.clone(), Notice { version: notice.version + 1, ..rested(notice, recipient) });
        return Decision::unrecorded(None, change);
    };
    let last_end = news.places.iter().map(|place| place.at.interval.end).max().unwrap_or(now);
    let path = (notice.organization, news.event.id);
    let link = Link::new(secret.digest(), path, recipient.email.clone(), Link::expiry(now, last_end));
    let unsubscribes_from = news.is_only_reminder().then_some(Subscription::Reminders);
    let link = Link { unsubscribes_from, ..link };
    let cause = NoticeCause::News(recipient.clone());
    let claimed = Notice { cause, ..notice.clone().claimed(now) };
    let mut change = ChangeSet::default();
    change.insert(link);
    change.replace(notice.clone(), claimed.clone());
    let secret = Some(secret);
    Decision::unrecorded(
        Some(Mail { secret, ..Mail::new(claimed, MailContent::News(Box::new(news))) }),
        change,
    )
}

/// Stores that the mail of a claimed recipient was sent: what the address was told, and that the recipient rests, unless there may
/// be more to tell. A sign-up whose address was corrected meanwhile was told nothing.
pub(crate) fn sent(notice: &Notice, recipient: &Recipient, told: Vec<(Signup, Told)>) -> ChangeSet {
    let mut change = ChangeSet::default();
    for (signup, told) in told.into_iter().filter(|(signup, _)| signup.email == recipient.email) {
        tell(&mut change, signup, told);
    }
    let sent = Recipient { sent: recipient.sent + 1, ..recipient.clone() };
    change.replace(notice.clone(), Notice { version: notice.version + 1, ..rested(notice, &sent) });
    change
}

/// Returns a recipient that rests until its next reminder, or is due for the news that came up meanwhile.
fn rested(notice: &Notice, recipient: &Recipient) -> Notice {
    let Recipient { ref email, sent, is_asked, again_at, remind_at, requests, .. } = *recipient;
    let new = Recipient::new(email.clone(), notice.created_at);
    let cause = NoticeCause::News(Recipient { sent, is_asked, remind_at, requests, ..new });
    Notice { cause, due_at: again_at, attempts: 0, failure: None, last_reason: None, ..notice.clone() }
}

/// Changes what the address of a sign-up was told.
fn tell(change: &mut ChangeSet, signup: Signup, told: Told) {
    let after = Signup { told, version: signup.version + 1, ..signup.clone() };
    change.replace(signup, after);
}

/// Claims the notice of any other mail. Without `content`, the notice is obsolete, and is deleted.
pub(crate) fn claim_with(
    notice: &Notice,
    content: Option<(MailContent, Option<(Secret, Link)>)>,
    now: Timestamp,
) -> Decision<Option<Mail>> {
    let Some((content, link)) = content else { return Decision::unrecorded(None, delete_notice(notice)) };
    let claimed = notice.clone().claimed(now);
    let mut change = replace_notice(notice, claimed.clone());
    let (secret, link) = link.unzip();
    if let Some(link) = link {
        change.insert(link);
    }
    Decision::unrecorded(Some(Mail { secret, ..Mail::new(claimed, content) }), change)
}

/// Returns the notice after an attempt whose failure was reported. Its mail did not arrive, unless it was not answered.
pub(crate) fn failed(notice: &Notice, failure: MailFailure, reason: &str, now: Timestamp) -> Notice {
    let mut notice = notice.clone();
    if let NoticeCause::News(recipient) = &mut notice.cause
        && failure != MailFailure::Unanswered
    {
        recipient.claimed_at = None;
    }
    given_up(notice, failure, reason, now)
}

/// Returns the notice after a failed attempt, whose mail may have arrived. A recipient that failed is due again if there was more
/// to tell meanwhile.
pub(crate) fn given_up(notice: Notice, failure: MailFailure, reason: &str, now: Timestamp) -> Notice {
    let mut failed = notice.after_failure(failure, reason, now);
    if failed.failure.is_some()
        && let NoticeCause::News(recipient) = &mut failed.cause
    {
        recipient.was_asked = false;
    }
    if failed.failure.is_some()
        && let NoticeCause::News(Recipient { again_at: again_at @ Some(_), .. }) = &mut failed.cause
    {
        failed.due_at = again_at.take();
        (failed.failure, failed.attempts) = (None, 0);
    }
    failed
}

/// Returns the notice after a failed claim, which has not read the sign-ups. A recipient without attempts left waits for no
/// reminder whose moment has passed: it would be due at once.
pub(crate) fn claim_failed(notice: &Notice, reason: &str, now: Timestamp) -> Notice {
    let mut failed = given_up(notice.clone().claimed(now), MailFailure::Transient, reason, now);
    if failed.failure.is_some()
        && let NoticeCause::News(recipient) = &mut failed.cause
    {
        recipient.remind_at = recipient.remind_at.filter(|at| *at > now);
    }
    failed
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
