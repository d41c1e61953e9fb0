//! The outbox: claiming queued notices, and reporting their delivery.
//!
//! A process reads the [due](Outbox::due) notices and [claims](Outbox::claim) one after the other. The process
//! [extends the lease](Outbox::extend_lease) of a delivery that takes long, and reports the result. Any number of
//! processes may share the work: a claimed notice belongs to one process at a time.

mod deliveries;
mod messages;
mod people;
mod summaries;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::Shared;
use crate::error::Result;
use crate::id::EventId;
use crate::mail::{Mail, MailContent};
use crate::notice::{EventChange, MailFailure, Notice, NoticeCause};
use crate::opt_out::Subscription;
use crate::rules::{self, Concern, Decision};
use crate::secret::Secret;
use crate::signup::Signup;
use crate::store::{Deleted, NoticeQuery, RecordKey, SignupInFull, SignupQuery};
use crate::text::EmailAddress;

/// The maximum number of sign-ups in one portion of a job. Bounds memory, and the time that other notices wait.
const PORTION: u32 = 100;
/// The maximum number of sign-ups of one address at one event that a mail takes into account.
const MAX_PLACES: u32 = 5000;
/// The stored reason of a notice whose attempts were used up before a result was reported.
const NO_RESULT: &str = "no attempts are left, and no result of the last one was reported";

/// The handle of a process that delivers queued notices.
///
/// No method takes an idempotency key. The version of a notice has that role, so each method is safe to call again. A
/// mail may be sent more than once, but a repetition with the same words has the same
/// [digest](Mail::message_digest), by which the receiver can recognize it.
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
///                 // There is no mail to send: `Outbox::claim` lists the cases. After a job, the next `due` returns
///                 // each recipient.
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
///                 Ok(()) => drop(outbox.report_sent(&mail).await?),
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
/// // A job marks each volunteer of a cancelled event.
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
    /// A recipient that rests is due when the moment of its [next reminder](Notice::reminder_due_at) comes.
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
    /// [`Mail`] has an example with a text for each kind of mail.
    ///
    /// Returns `None` if there is no mail to send:
    ///
    /// - Another process has claimed or changed the notice. It stays due then.
    /// - The notice is obsolete. It is deleted. A code to sign in is obsolete if no person has the address, or if the code no
    ///   longer works: it has expired, was replaced or was used, or no try is left. An invitation is obsolete if its link does not
    ///   work.
    /// - The address knows what holds. The recipient rests until something changes. Nothing happened that a summary could tell. It
    ///   rests until the next morning.
    /// - The notice is a job. One portion of its sign-ups is worked through: each address that has something to hear is due at
    ///   once, or gets a notice of its own if the job is for a message. The next portion is due a second later. The job of a moved
    ///   event gives the free places of a portion of its shifts to those who wait for them.
    /// - The notice has [no attempts left](Notice::has_attempts_left), and no result of the last one was reported. The
    ///   notice is stored as failed.
    ///
    /// # Errors
    /// Fails if the store fails. If a stored record cannot be decoded, the notice stays due. The caller then calls
    /// [`report_claim_failed`](Self::report_claim_failed), so that the notice does not delay others.
    ///
    /// See [`Outbox`] for an example.
    pub async fn claim(&self, notice: &Notice) -> Result<Option<Mail>> {
        match notice.cause {
            NoticeCause::EventChanged(change) => {
                self.mark_portion(notice.clone(), change).await?;
                return Ok(None);
            }
            NoticeCause::Promotion => {
                self.shared.promote_waiting(notice).await?;
                return Ok(None);
            }
            NoticeCause::MessageSent { message, covered_to } => {
                self.queue_messages(notice.clone(), message, covered_to).await?;
                return Ok(None);
            }
            _ => {}
        }
        let now = self.now();
        if notice.is_used_up() {
            let failed = rules::given_up(notice.clone(), MailFailure::Permanent, NO_RESULT, now);
            self.shared.commit_queued(rules::replace_notice(notice, failed)).await?;
            return Ok(None);
        }
        let Decision { outcome, change, .. } = match &notice.cause {
            NoticeCause::News(recipient) => {
                let mut found = self.places(notice, &recipient.email).await?;
                self.shared.add_places_in_line(&mut found).await?;
                let (owner, reminders) = (notice.organization, Subscription::Reminders);
                let wants_reminders = !rules::has_due(&found, now)
                    || !self.shared.has_turned_off(owner, &recipient.email, reminders).await?;
                rules::claim_news(notice, recipient, (&found, wants_reminders), Secret::generate(), now)
            }
            NoticeCause::Summary(summary) => self.claim_summary(notice, *summary, now).await?,
            NoticeCause::Message { message, email } => {
                rules::claim_with(notice, self.message_mail(notice, *message, email, now).await?, now)
            }
            _ => {
                let content = self.content_for_person(notice, now).await?;
                rules::claim_with(notice, content.map(|content| (content, None)), now)
            }
        };
        let has_lease = self.shared.commit_queued(change).await?;
        Ok(outcome.filter(|_| has_lease))
    }

    /// Reads the sign-ups of an address at the event of the notice, the newest [`MAX_PLACES`].
    async fn places(&self, notice: &Notice, email: &EmailAddress) -> Result<Vec<SignupInFull>> {
        let event = notice.event.unwrap_or(EventId::NONE);
        let query = SignupQuery::new().of_event(event).email(email.clone()).with_deleted().limit(MAX_PLACES);
        Ok(self.shared.store.signups_in_full(notice.organization, &query).await?)
    }

    /// Marks one portion of the recipients that a change concerns: of the sign-ups after those that the job has covered.
    async fn mark_portion(&self, job: Notice, change: EventChange) -> Result<()> {
        let (now, owner) = (self.now(), job.organization);
        let query = match change.shift {
            Some(shift) => SignupQuery::new().of_shift(shift),
            None => SignupQuery::new().of_event(job.event.unwrap_or(EventId::NONE)),
        };
        let query = query.with_deleted().above(change.covered_to, PORTION);
        let mut found = self.shared.store.signups_in_full(owner, &query).await?;
        found.sort_by_key(|found| found.signup.id);
        let last = found.last().map(|last| last.signup.id).filter(|_| found.len() == PORTION as usize);
        let mut marked: BTreeMap<_, (Signup, Concern)> = BTreeMap::new();
        for found in found {
            let Some(concern) = rules::concern(&found, now) else { continue };
            let of_address = marked.entry(found.signup.email.key().to_owned());
            of_address
                .and_modify(|(_, first)| *first = concern.min(*first))
                .or_insert((found.signup, concern));
        }
        let mut recipients = vec![];
        for (signup, concern) in marked.into_values() {
            let recipient = self.shared.recipient(owner, signup.event, &signup.email).await?;
            recipients.push((signup, concern, recipient));
        }
        self.shared.commit_queued(rules::mark_portion(job, recipients, last, now)).await?;
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
    /// let mut mail = outbox.claim(&due).await?.ok_or("there is no mail to send")?;
    /// // The mail server is slow.
    /// mail.notice = outbox.extend_lease(&mail.notice).await?.ok_or("the lease is lost")?;
    /// assert_eq!(mail.notice.due_at, Some(outbox.now() + Notice::LEASE));
    /// assert!(outbox.report_sent(&mail).await?);
    /// # Ok(()) }) }
    /// ```
    pub async fn extend_lease(&self, notice: &Notice) -> Result<Option<Notice>> {
        let extend = |notice: &Notice| Some(notice.clone().lease_extended(self.now()));
        Ok(self.commit_claimed(notice, extend).await?.flatten())
    }

    /// Reports that a claimed mail was sent: stores what its address was [told](crate::Told), and lets the recipient rest. A
    /// summary rests until the next morning. Deletes any other notice. `mail.notice` is the notice with the last lease.
    ///
    /// Returns `false` if the lease was lost, so that another process may send the mail a second time. Also returns
    /// `false` if an earlier report for the notice was applied, or if the address was erased meanwhile.
    ///
    /// # Errors
    /// Fails only if the store fails. The mail may be sent again unless a retry of this
    /// report succeeds before the lease expires.
    ///
    /// See [`Outbox`] for an example.
    pub async fn report_sent(&self, mail: &Mail) -> Result<bool> {
        let news = match &mail.content {
            MailContent::News(news) => news,
            MailContent::Summary(summary) => {
                let rest = |notice: &Notice| Some(rules::rested(notice, summary.until));
                return Ok(self.commit_claimed(&mail.notice, rest).await?.is_some());
            }
            _ => return Ok(self.commit_claimed(&mail.notice, |_| None).await?.is_some()),
        };
        // The clock may have been set back since the claim, at which the moment of a reminder had come.
        let claimed_at = mail.notice.recipient().and_then(|recipient| recipient.claimed_at);
        let sent_at = claimed_at.map_or(self.now(), |claimed_at| claimed_at.max(self.now()));
        let told = news.places.iter().map(|place| (place.signup.clone(), place.told(sent_at)));
        let mut told: Vec<_> = told.collect();
        loop {
            let Some(notice) = self.present_lease(&mail.notice).await? else { return Ok(false) };
            let Some(recipient) = notice.recipient() else { return Ok(false) };
            if self.shared.commit_queued(rules::sent(&notice, recipient, told.clone())).await? {
                return Ok(true);
            }
            // The recipient or a sign-up has changed meanwhile.
            let mut present = vec![];
            for (signup, told) in told {
                let key = RecordKey::Signup(signup.organization, signup.id);
                let found = self.shared.store.record(&key, Deleted::Included).await?;
                let found = found.and_then(|record| Signup::try_from(record).ok());
                present.extend(found.map(|signup| (signup, told)));
            }
            if present.is_empty() {
                // The address was erased, and may have come back.
                return Ok(false);
            }
            told = present;
        }
    }

    /// Reports that a claimed mail was not sent for `reason`. Returns the updated notice. `mail.notice` is the notice with the
    /// last lease. The address counts as told what it was told before.
    ///
    /// After a transient failure, the notice is due again after a backoff. After a permanent failure, or if the notice has [no
    /// attempts left](Notice::has_attempts_left), it is stored as failed. A recipient that failed is due again as soon as there is
    /// more to tell. A failed notice of a code to sign in, or of an invitation that has expired, is deleted instead. The returned
    /// notice has the failure, so that the caller can log it. Returns `None` if the lease was lost, or if an earlier report stored
    /// the failure.
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
        let fail = |notice: &Notice| Some(rules::failed(notice, failure, reason, now));
        Ok(self.commit_claimed(&mail.notice, fail).await?.flatten())
    }

    /// Reports that [`claim`](Self::claim) failed for a due notice. Counts an attempt with a transient failure: the
    /// notice is due again after a backoff, or is stored as failed if it has [no attempts
    /// left](Notice::has_attempts_left). Does nothing if another process has changed the notice.
    ///
    /// See [`Outbox`] for an example.
    pub async fn report_claim_failed(&self, notice: &Notice, reason: &str) -> Result<()> {
        let now = self.now();
        let after = rules::claim_failed(notice, reason, now);
        self.shared.commit_queued(rules::replace_notice(notice, after)).await?;
        Ok(())
    }

    /// Commits the next state of a claimed notice, where `None` deletes it. Returns the state that was committed, or
    /// `None` if the lease is lost.
    async fn commit_claimed(
        &self,
        claimed: &Notice,
        next: impl Fn(&Notice) -> Option<Notice> + Send + Sync,
    ) -> Result<Option<Option<Notice>>> {
        loop {
            let Some(notice) = self.present_lease(claimed).await? else { return Ok(None) };
            let after = next(&notice);
            let change = match &after {
                Some(after) => rules::replace_notice(&notice, after.clone()),
                None => rules::delete_notice(&notice),
            };
            if self.shared.commit_queued(change).await? {
                return Ok(Some(after));
            }
        }
    }

    /// Reads a claimed notice. Returns `None` if the lease is lost.
    ///
    /// The version does not tell: other changes raise it during an attempt, and an earlier extension may have succeeded although
    /// its answer was lost. An address that was erased may have come back under the same id.
    async fn present_lease(&self, claimed: &Notice) -> Result<Option<Notice>> {
        let of_recipient = |notice: &Notice| notice.recipient().map(|of| (of.sent, of.claimed_at));
        let since = |notice: &Notice| match notice.cause {
            NoticeCause::Summary(summary) => Some(summary.since),
            _ => None,
        };
        let lease =
            |notice: &Notice| (notice.created_at, notice.attempts, of_recipient(notice), since(notice));
        let has_lease = |found: &Notice| lease(found) == lease(claimed) && found.failure.is_none();
        let key = RecordKey::Notice(claimed.organization, claimed.id);
        Ok(self.shared.store.get::<Notice>(key).await?.filter(has_lease))
    }
}
