//! The outbox: claiming queued notices, and reporting their delivery.
//!
//! A process reads the [due](Outbox::due) notices and [claims](Outbox::claim) one after the other. The process
//! [extends the lease](Outbox::extend_lease) of a delivery that takes long, and reports the result. Any number of
//! processes may share the work: a claimed notice belongs to one process at a time.

mod deliveries;
mod messages;
mod people;

use std::sync::Arc;

use jiff::Timestamp;

use super::Shared;
use crate::error::Result;
use crate::id::{EventId, ShiftId};
use crate::mail::Mail;
use crate::notice::{MailFailure, Notice, NoticeCause};
use crate::rules::{self, Decision, MailIds};
use crate::shift::CancelledBy;
use crate::signup::SignupStatus;
use crate::store::{NoticeQuery, RecordKey, SignupQuery};
use crate::time_and_place::TimeAndPlace;

/// The maximum number of sign-ups in one batch of a fan-out. Bounds memory, and the time that other notices wait.
const FAN_OUT_BATCH: u32 = 100;
/// The stored reason of a notice whose attempts were used up before a result was reported.
const NO_RESULT: &str = "no attempts are left, and no result of the last one was reported";

/// The handle of a process that delivers queued notices.
///
/// No method takes an idempotency key. The version of a notice has that role, so each method is safe to call again. A
/// mail may be sent more than once, but always under the same notice id, by which the receiver can recognize a
/// repetition.
///
/// # Errors
/// Each async method returns [`Error::Store`](crate::Error::Store) if the store fails. It is then unknown whether the
/// change was applied.
///
/// # Example
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
/// use signup_core::{Cancellation, Mail, MailFailure, Outbox, Result};
///
/// /// Delivers notices until none is due. A program calls this function about once a second.
/// async fn deliver_due(outbox: &Outbox) -> Result<()> {
///     loop {
///         let due = outbox.due(100).await?;
///         if due.is_empty() {
///             return Ok(());
///         }
///         for notice in due {
///             let mail = match outbox.claim(&notice).await {
///                 Ok(Some(mail)) => mail,
///                 // There is no mail to send: `Outbox::claim` lists the cases. After a fan-out, the next `due` returns
///                 // the notice of each volunteer.
///                 Ok(None) => continue,
///                 // The database does not answer. Every notice stays due.
///                 Err(error) if error.is_retryable() => return Err(error),
///                 // A record cannot be decoded. Its notice must not delay others.
///                 Err(error) => {
///                     outbox.report_claim_failed(&notice, &error.to_string()).await?;
///                     continue;
///                 }
///             };
///             match send_mail(&mail).await {
///                 Ok(()) => drop(outbox.report_sent(&mail.notice).await?),
///                 Err((failure, reason)) => drop(outbox.report_failed(&mail, failure, reason).await?),
///             }
///         }
///     }
/// }
///
/// /// Sends the mail, within a time that is shorter than the lease.
/// async fn send_mail(mail: &Mail) -> std::result::Result<(), (MailFailure, &'static str)> {
///     println!("a mail to {}", mail.recipient());
///     Ok(())
/// }
///
/// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
/// // The notice of a cancelled event is fanned out to its volunteers.
/// session.cancel_event(created.event.id, Cancellation::new()).await?;
/// deliver_due(&service.outbox()).await?;
/// assert_eq!(service.admin().count_notices().await?.queued, 0);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

impl Outbox {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Returns the present time of the service's clock.
    ///
    /// See [`Service::with_clock`](crate::Service::with_clock) for an example.
    pub fn now(&self) -> Timestamp {
        self.shared.now()
    }

    /// Returns at most `limit` notices that are due: codes to sign in and invitations before all others, then by due time.
    ///
    /// A delivering process calls this method about once a second, and again at once while the result is not empty.
    ///
    /// Includes notices with a due time later than [`Notice::MAX_BACKOFF`] plus [`Notice::CLOCK_SKEW`] from now. Such a
    /// time was set by a clock that was ahead.
    ///
    /// See [`Outbox`] for an example.
    pub async fn due(&self, limit: u32) -> Result<Vec<Notice>> {
        let now = self.now();
        let latest = now + Notice::MAX_BACKOFF + Notice::CLOCK_SKEW;
        Ok(self.shared.store.notices(NoticeQuery::Due { now, latest }, limit).await?)
    }

    /// Claims a due notice and returns the mail to send. The lease lasts for [`Notice::LEASE`].
    ///
    /// The cause of the mail is one of those that [`Mail`] lists. Its example has a text for each.
    ///
    /// Returns `None` if there is no mail to send:
    ///
    /// - Another process has claimed the notice, or the sign-up has changed at the same time. The notice stays due then.
    /// - The notice is obsolete. It is deleted. A code to sign in is obsolete if no person has the address, or if the code no longer
    ///   works: it has expired, was replaced or was used, or no try is left. An invitation is obsolete if its link does not work.
    /// - The notice is for several volunteers. One batch is fanned out: each volunteer of the batch gets a notice of their
    ///   own, which is due at once. The next batch is due a second later. After the last batch, the notice is deleted. A notice
    ///   of a change is deleted without a batch if a later change of the shift has joined its
    ///   [gathering](crate::Gathering).
    /// - The notice has [no attempts left](Notice::has_attempts_left), and no result of the last one was reported. The
    ///   notice is stored as failed.
    ///
    /// # Errors
    /// Fails if the store fails. If a stored record cannot be decoded, the notice stays due. The caller then calls
    /// [`report_claim_failed`](Self::report_claim_failed), so that the notice does not delay others.
    ///
    /// See [`Outbox`] for an example.
    pub async fn claim(&self, notice: &Notice) -> Result<Option<Mail>> {
        if notice.cause.is_fanned_out() {
            self.fan_out(notice.clone()).await?;
            return Ok(None);
        }
        let now = self.now();
        if !notice.has_attempts_left() {
            let failed = notice.clone().after_failure(MailFailure::Permanent, NO_RESULT, now);
            self.shared.commit_queued(rules::replace_notice(notice, failed)).await?;
            return Ok(None);
        }
        let Decision { outcome, change, .. } = match (&notice.cause, notice.cause.signup()) {
            (NoticeCause::Message { message, signup, secret, others }, _) => {
                let links = std::iter::once((*signup, secret.clone())).chain(others.clone());
                let content = self.message_mail(notice.organization, *message, links, now).await?;
                rules::claim_with(notice, content, now)
            }
            (_, Some(signup)) => match self.shared.store.signup_in_full(notice.organization, signup).await? {
                Some(found) => rules::claim(notice, found, now),
                None => Decision::unrecorded(None, rules::delete_notice(notice)),
            },
            (_, None) => rules::claim_with(notice, self.content_for_person(notice, now).await?, now),
        };
        let has_lease = self.shared.commit_queued(change).await?;
        Ok(outcome.filter(|_| has_lease))
    }

    /// Fans out one batch of a notice to several volunteers: to the sign-ups after those that it has covered.
    async fn fan_out(&self, notice: Notice) -> Result<()> {
        if let NoticeCause::MessageSent { message, fanned_out_to } = notice.cause {
            return self.fan_out_message(notice, message, fanned_out_to).await;
        }
        let (now, store) = (self.now(), &self.shared.store);
        let owner = notice.organization;
        let (event, shift) = notice.shift.unwrap_or((EventId::NONE, ShiftId::NONE));
        let all = SignupQuery::new().with_deleted();
        let (query, after) = match notice.cause {
            NoticeCause::EventCancelled { fanned_out_to } => {
                (all.of_event(event).cancelled_by(CancelledBy::EventCancellation), fanned_out_to)
            }
            NoticeCause::ShiftDeleted { fanned_out_to } => {
                (all.of_shift(shift).cancelled_by(CancelledBy::ShiftDeletion), fanned_out_to)
            }
            NoticeCause::ShiftChanged { fanned_out_to, .. } => {
                (all.of_shift(shift).status(SignupStatus::Confirmed), fanned_out_to)
            }
            _ => return Ok(()),
        };
        let present = match notice.cause {
            NoticeCause::ShiftChanged { .. } => {
                let found = self.shared.shift_with_event(owner, shift).await?;
                let Some((shift, event)) =
                    found.filter(|(shift, _)| !rules::is_left_to_a_later_notice(&notice, shift))
                else {
                    self.shared.commit_queued(rules::delete_notice(&notice)).await?;
                    return Ok(());
                };
                Some(TimeAndPlace::of(&shift, &event))
            }
            _ => None,
        };
        let signups = store.signups(owner, &query.above(after, FAN_OUT_BATCH)).await?.ascending();
        let is_last = signups.len() < FAN_OUT_BATCH as usize;
        let mails = signups.iter().map(|_| MailIds::generate(now)).collect();
        self.shared
            .commit_queued(rules::fan_out(notice, present.as_ref(), &signups, mails, is_last, now))
            .await?;
        Ok(())
    }

    /// Extends the lease of a claimed notice to [`Notice::LEASE`] from now. Returns `None` if the lease is lost.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, ada, .. }| {
    /// use signup_core::Notice;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let outbox = service.outbox();
    /// let due = outbox.due(1).await?.pop().ok_or("no notice is due")?;
    /// let mail = outbox.claim(&due).await?.ok_or("there is no mail to send")?;
    /// // The mail server is slow.
    /// let extended = outbox.extend_lease(&mail.notice).await?.ok_or("the lease is lost")?;
    /// assert_eq!(extended.due_at, outbox.now() + Notice::LEASE);
    /// assert!(outbox.report_sent(&extended).await?);
    /// # Ok(()) }) }
    /// ```
    pub async fn extend_lease(&self, notice: &Notice) -> Result<Option<Notice>> {
        let extend = |notice: &Notice| Some(notice.clone().lease_extended(self.now()));
        Ok(self.commit_claimed(notice, extend).await?.flatten())
    }

    /// Reports that the mail of a claimed notice was sent. Deletes the notice.
    ///
    /// Returns `false` if the lease was lost, so that another process may send the mail a second time. Also returns
    /// `false` if an earlier report for the notice was applied.
    ///
    /// # Errors
    /// Fails only if the store fails. The mail may be sent again, under the same id, unless a retry of this report
    /// succeeds before the lease expires.
    ///
    /// See [`Outbox`] for an example.
    pub async fn report_sent(&self, notice: &Notice) -> Result<bool> {
        Ok(self.commit_claimed(notice, |_| None).await?.is_some())
    }

    /// Reports that a claimed mail was not sent for `reason`. Returns the updated notice. `mail.notice` is the notice with the
    /// last lease.
    ///
    /// The volunteer no longer counts as [told](crate::Signup::told) what the mail shows, unless the sign-up has changed since the
    /// claim.
    ///
    /// After a transient failure, the notice is due again after a backoff. After a permanent failure, or if the notice
    /// has [no attempts left](Notice::has_attempts_left), it is stored as failed. A failed notice of a code to sign in, or of an
    /// invitation that has expired, is deleted instead. The returned notice has the failure, so that the caller can log it. Returns
    /// `None` if the lease was lost, or if an earlier report stored the failure.
    ///
    /// # Errors
    /// Fails only if the store fails. Unless the report was applied, the notice is due again when its lease expires.
    ///
    /// See [`Outbox`] for an example.
    pub async fn report_failed(
        &self,
        mail: &Mail,
        failure: MailFailure,
        reason: &str,
    ) -> Result<Option<Notice>> {
        let now = self.now();
        let Decision { outcome, change, .. } = rules::fail(mail, failure, reason, now);
        if self.shared.commit_queued(change).await? {
            return Ok(Some(outcome));
        }
        // The notice or the sign-up has changed since the claim. Then a mail that is not taken back is the safe choice: the
        // volunteer may be told the same twice, but is told.
        let fail = |notice: &Notice| Some(notice.clone().after_failure(failure, reason, now));
        Ok(self.commit_claimed(&mail.notice, fail).await?.flatten())
    }

    /// Reports that [`claim`](Self::claim) failed for a due notice. Counts an attempt with a transient failure: the
    /// notice is due again after a backoff, or is stored as failed if it has [no attempts
    /// left](Notice::has_attempts_left). Does nothing if another process has changed the notice.
    ///
    /// See [`Outbox`] for an example.
    pub async fn report_claim_failed(&self, notice: &Notice, reason: &str) -> Result<()> {
        let now = self.now();
        let after = notice.clone().claimed(now).after_failure(MailFailure::Transient, reason, now);
        self.shared.commit_queued(rules::replace_notice(notice, after)).await?;
        Ok(())
    }

    /// Commits the next state of a claimed notice, where `None` deletes it. Returns the state that was committed, or
    /// `None` if the lease is lost.
    ///
    /// An earlier commit may have succeeded although its answer was lost. Then the stored version is newer than the
    /// given one, but the number of attempts is the same: this process still has the lease, and retries with the stored
    /// version.
    async fn commit_claimed(
        &self,
        notice: &Notice,
        next: impl Fn(&Notice) -> Option<Notice> + Send + Sync,
    ) -> Result<Option<Option<Notice>>> {
        let mut notice = notice.clone();
        loop {
            let after = next(&notice);
            let change = match &after {
                Some(after) => rules::replace_notice(&notice, after.clone()),
                None => rules::delete_notice(&notice),
            };
            if self.shared.commit_queued(change).await? {
                return Ok(Some(after));
            }
            let key = RecordKey::Notice(notice.organization, notice.id);
            let found = self.shared.store.get::<Notice>(key).await?;
            let has_lease = |found: &Notice| {
                found.attempts == notice.attempts && found.version > notice.version && found.failure.is_none()
            };
            match found.filter(has_lease) {
                Some(found) => notice = found,
                None => return Ok(None),
            }
        }
    }
}
