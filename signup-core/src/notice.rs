//! Notices: the records of the outbox, from which a program makes mails.

#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::{EventId, InvitationId, MessageId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::invitation::Invitation;
use crate::secret::{Digest, Secret};
use crate::sign_in::{Code, SignInCode};
use crate::summary::Summary;
use crate::text::EmailAddress;

/// Something to mail, and the state of its delivery.
///
/// A notice is written in the change set of its cause. So no mail is sent for a change that was not committed, and no
/// crash loses a mail. A notice is one of these:
///
/// - a *recipient* ([`NoticeCause::News`]): an address with places at an event. It is written with the first sign-up of the
///   address, and stays after each mail. It rests while the address knows what holds, until the [next
///   reminder](Self::reminder_due_at).
/// - a *job* ([`NoticeCause::EventChanged`], [`NoticeCause::Promotion`], [`NoticeCause::MessageSent`]): works through the sign-ups
///   or the shifts of an event in portions, so an event can have any number of volunteers.
/// - a mail to one address: a [`Message`](NoticeCause::Message), a code to sign in, or an invitation.
/// - a *summary* ([`NoticeCause::Summary`]): a member who gets a mail each day. It rests between two mails.
///
/// Any process may claim a due notice. A claim is a lease: it sets [`due_at`](Self::due_at) to the end of the lease. The
/// process extends the lease while it delivers the mail. If the process dies, the lease expires and the notice is due
/// again. After a failed attempt, the notice is due again after a backoff, or it is a failed notice (a dead letter).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Notice {
    /// The id. It stays the same over all attempts.
    pub id: NoticeId,
    /// The organization. [`OrganizationId::NONE`] for a code to sign in, which belongs to none.
    pub organization: OrganizationId,
    /// The event. `None` for a mail to a person who signs in or is invited.
    pub event: Option<EventId>,
    /// What happened.
    pub cause: NoticeCause,
    /// When the notice was created.
    pub created_at: Timestamp,
    /// The version. A [recipient](NoticeCause::News) begins at any number, every other notice at 1. Each change adds 1 and requires
    /// the version that was read (compare and swap).
    pub version: u32,
    /// The number of attempts to deliver the notice since it was queued. Each claim adds 1.
    pub attempts: u32,
    /// When the notice may be claimed next, which may be the end of a lease or of a backoff. `None` while there is nothing to send:
    /// of a recipient that rests, and of a failed notice.
    pub due_at: Option<Timestamp>,
    /// The failure of a failed notice.
    pub failure: Option<NoticeFailure>,
    /// Why the last attempt of a queued notice failed, as in [`NoticeFailure::reason`]; `None` if none has failed.
    pub last_reason: Option<String>,
}

/// When and why a notice failed: its last attempt had a permanent failure, or no attempts were left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeFailure {
    /// When the notice failed.
    pub at: Timestamp,
    /// The mail server's answer, or the connection error; at most [`MAX`](Self::MAX) characters. May name the volunteer.
    pub reason: String,
}

impl NoticeFailure {
    /// The maximum length of a reason, in characters.
    pub const MAX: usize = 500;

    /// Creates a failure. Cuts the reason to [`MAX`](Self::MAX) characters and removes U+0000.
    pub fn new(at: Timestamp, reason: &str) -> Self {
        let reason = reason.chars().filter(|character| *character != '\0').take(Self::MAX).collect();
        Self { at, reason }
    }
}

/// The cause of a notice.
///
/// The secret of a link to the places of an address is in no notice: it is generated for each attempt. The cause of an invitation
/// has its secret, and that of a sign-in its code, until the mail is sent.
///
/// A server skips a notice whose cause it cannot decode, and a newer server delivers the notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoticeCause {
    /// An address has places at the event, or had some. What its next mail says follows from what holds when it is sent,
    /// compared with what the address was [told](crate::Told).
    News(Recipient),
    /// The time, the place or the existence of shifts of the event changed. The job marks each recipient whom a mail has to tell
    /// so.
    EventChanged(EventChange),
    /// The event has moved, so that places of its shifts go to those who wait for them again. The job promotes them.
    Promotion,
    /// A browser asked for a code to sign in. The mail is sent only if a person has the address, and only while the code works.
    SignInCode {
        /// The address that was given.
        email: EmailAddress,
        /// The code.
        code: Code,
        /// The digest of the secret of the browser that asked: the key of the [`SignInCode`] record.
        browser: Digest,
        /// The digest of the code in the record. The mail is sent only while the record has this digest.
        digest: Digest,
    },
    /// A person is invited to the organization of the notice.
    Invited {
        /// The invitation.
        invitation: InvitationId,
        /// The secret of the link. The mail is sent only while the invitation has this secret.
        secret: Secret,
    },
    /// An organizer sent a message. The job queues one mail for each address.
    MessageSent {
        /// The message.
        message: MessageId,
        /// The digest of the [key](EmailAddress::key) of the last address that the job has covered, in the order of digests; `None`
        /// before the first portion.
        covered_to: Option<Digest>,
    },
    /// An organizer sent a message: the mail to one address.
    Message {
        /// The message.
        message: MessageId,
        /// The address.
        email: EmailAddress,
    },
    /// A member gets a summary each day, if something happened.
    Summary(Summary),
}

/// An address with places at an event, and the mails to it. Part of [`NoticeCause::News`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recipient {
    /// The address.
    pub email: EmailAddress,
    /// The number of mails that were sent.
    pub sent: u32,
    /// When the attempt was claimed that is under way, or that ended without a report.
    pub claimed_at: Option<Timestamp>,
    /// When the last attempt was claimed that ended without a report. Its mail may have told what the address had then.
    pub unreported_at: Option<Timestamp>,
    /// Whether the volunteer asked for the next mail, by signing up again. Then there is a mail even without news.
    pub is_asked: bool,
    /// Whether the volunteer asked for the mail of the last attempt, whose result was not reported yet.
    pub was_asked: bool,
    /// When the next mail is due, of news that came up during an attempt or a backoff. The present attempt may not have them.
    pub again_at: Option<Timestamp>,
    /// When the address may have to be reminded of a place next. Set whenever its sign-ups are read, and by a change that moves a
    /// reminder.
    pub remind_at: Option<Timestamp>,
    /// The mails that forms and links of volunteers caused lately.
    pub requests: Requests,
}

/// The mails that forms and links of volunteers cause within an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Requests {
    /// When the hour begins: later than now after an hour that had [`MAX`](Self::MAX) mails.
    pub since: Timestamp,
    /// The number of mails.
    pub count: u32,
}

impl Requests {
    /// The maximum number of mails within [`PERIOD`](Self::PERIOD) that volunteers cause for an address and an event.
    pub const MAX: u32 = 6;
    /// One hour.
    pub const PERIOD: SignedDuration = SignedDuration::from_hours(1);
}

impl Recipient {
    /// Creates the recipient with this address, to whom no mail was sent yet.
    pub(crate) const fn new(email: EmailAddress, now: Timestamp) -> Self {
        let requests = Requests { since: now, count: 0 };
        Self {
            email,
            sent: 0,
            claimed_at: None,
            unreported_at: None,
            is_asked: false,
            was_asked: false,
            again_at: None,
            remind_at: None,
            requests,
        }
    }

    /// Counts a mail that a volunteer causes, and returns when it is due.
    pub(crate) fn request(&mut self, now: Timestamp) -> Timestamp {
        let Requests { since, count } = &mut self.requests;
        let is_ahead = *since > now + Requests::PERIOD + Notice::CLOCK_SKEW;
        if is_ahead || now >= *since + Requests::PERIOD {
            (*since, *count) = (now, 0);
        } else if *count == Requests::MAX {
            // The mails of an hour to come may have been sent early, with news of the organizer.
            (*since, *count) = ((*since).min(now) + Requests::PERIOD, 0);
        }
        *count += 1;
        now.max(*since)
    }
}

/// Changes of an event or of its shifts that volunteers are mailed about. Part of [`NoticeCause::EventChanged`].
///
/// Changes are gathered: each one delays the mails again, but not beyond [`MAX_DELAY`](Self::MAX_DELAY) after the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EventChange {
    /// The shift that changed; `None` if several did.
    pub shift: Option<ShiftId>,
    /// When the first of the changes was made.
    pub first_at: Timestamp,
    /// The last sign-up that the job has covered; `None` before the first portion.
    pub covered_to: Option<SignupId>,
}

impl EventChange {
    /// The longest time from the first change to its mails: 5 minutes.
    pub const MAX_DELAY: SignedDuration = SignedDuration::from_mins(5);
}

impl NoticeCause {
    /// Returns the name in JSON and in the store.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::News(_) => "news",
            Self::EventChanged(_) => "event_changed",
            Self::Promotion => "promotion",
            Self::SignInCode { .. } => "sign_in_code",
            Self::Invited { .. } => "invited",
            Self::MessageSent { .. } => "message_sent",
            Self::Message { .. } => "message",
            Self::Summary(_) => "summary",
        }
    }

    /// Returns whether the notice may wait behind others. A person waits for a code to sign in and for an invitation, and a shift
    /// takes nobody until its places are given to those who wait. So these are done before every other notice.
    pub const fn can_wait(&self) -> bool {
        !matches!(self, Self::SignInCode { .. } | Self::Invited { .. } | Self::Promotion)
    }

    /// Returns the address of a volunteer that the notice is for. `None` for a job, and for a mail to a person who signs in or is
    /// invited.
    pub const fn volunteer(&self) -> Option<&EmailAddress> {
        match self {
            Self::News(Recipient { email, .. }) | Self::Message { email, .. } => Some(email),
            Self::EventChanged(_)
            | Self::Promotion
            | Self::MessageSent { .. }
            | Self::SignInCode { .. }
            | Self::Invited { .. }
            | Self::Summary(_) => None,
        }
    }
}

/// Whether a failed attempt to deliver a notice may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailFailure {
    /// A later attempt may succeed: the notice is due again after a backoff.
    Transient,
    /// As [`Transient`](Self::Transient), and the mail may have arrived: its server gave no answer.
    Unanswered,
    /// No later attempt can succeed: the notice fails.
    Permanent,
}

impl Notice {
    /// The length of a lease: 30 seconds. A process that needs longer [extends](Self::lease_extended) the lease before
    /// it expires.
    pub const LEASE: SignedDuration = SignedDuration::from_secs(30);
    /// The backoff after the first failed attempt: 30 seconds. Each further backoff is twice as long.
    pub const INITIAL_BACKOFF: SignedDuration = SignedDuration::from_secs(30);
    /// The longest backoff between two attempts: 1 hour.
    pub const MAX_BACKOFF: SignedDuration = SignedDuration::from_hours(1);
    /// The maximum difference between the clocks of processes that share a store: 1 minute.
    pub const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);
    /// How long delivery is retried: 24 hours, an upper bound of the sum of all backoffs.
    pub const MAX_RETRY_TIME: SignedDuration = SignedDuration::from_hours(24);
    /// How long a failed notice is kept: 90 days.
    pub const FAILED_RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);

    /// Creates a notice that is due at once. `event` is `None` for a mail to a person who signs in or is invited.
    pub const fn new(
        id: NoticeId,
        organization: OrganizationId,
        event: Option<EventId>,
        cause: NoticeCause,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            event,
            cause,
            created_at: now,
            version: 1,
            attempts: 0,
            due_at: Some(now),
            failure: None,
            last_reason: None,
        }
    }

    /// Returns the recipient of a notice of the cause [`NoticeCause::News`].
    pub const fn recipient(&self) -> Option<&Recipient> {
        match &self.cause {
            NoticeCause::News(recipient) => Some(recipient),
            _ => None,
        }
    }

    /// Returns when a notice that rests, or whose last mail failed, is due again: a recipient for a
    /// [reminder](Recipient::remind_at), and a member for the next summary. `None` for any other notice.
    pub fn reminder_due_at(&self) -> Option<Timestamp> {
        match &self.cause {
            _ if self.due_at.is_some() => None,
            NoticeCause::News(recipient) => recipient.remind_at,
            NoticeCause::Summary(summary) => {
                let since = self.failure.as_ref().map_or(summary.since, |failure| failure.at);
                Some(Summary::next_moment(since))
            }
            _ => None,
        }
    }

    /// Returns the notice claimed for delivery: one more attempt, and a lease from `now`. The attempts of a notice that rested or
    /// had failed begin anew.
    #[must_use]
    pub fn claimed(self, now: Timestamp) -> Self {
        let attempts = self.due_at.map_or(0, |_| self.attempts) + 1;
        Self { attempts, failure: None, ..self.lease_extended(now) }
    }

    /// Returns the notice with a lease that expires [`LEASE`](Self::LEASE) after `now`.
    #[must_use]
    pub fn lease_extended(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, due_at: Some(now + Self::LEASE), ..self }
    }

    /// Returns the notice after a failed attempt: due again after a backoff, or failed for `reason`.
    ///
    /// The notice fails after a permanent failure, if it has [no attempts left](Self::has_attempts_left), or if the mail of the
    /// next attempt [would be of no use](Self::is_useless).
    #[must_use]
    pub fn after_failure(self, failure: MailFailure, reason: &str, now: Timestamp) -> Self {
        let (version, failed) = (self.version + 1, NoticeFailure::new(now, reason));
        let backoff = backoff(self.attempts).filter(|_| failure != MailFailure::Permanent);
        match backoff.filter(|backoff| !self.is_useless(now + *backoff)) {
            Some(backoff) => {
                let last_reason = Some(failed.reason);
                Self { version, due_at: Some(now + backoff), failure: None, last_reason, ..self }
            }
            None => Self { version, due_at: None, failure: Some(failed), last_reason: None, ..self },
        }
    }

    /// Returns whether a mail that is sent at `now` would be of no use: its code to sign in or its invitation has expired.
    pub fn is_useless(&self, now: Timestamp) -> bool {
        let lifetime = match self.cause {
            NoticeCause::SignInCode { .. } => SignInCode::LIFETIME,
            NoticeCause::Invited { .. } => Invitation::LIFETIME,
            _ => return false,
        };
        now.duration_since(self.created_at) >= lifetime
    }

    /// Returns whether a store keeps the notice: it is queued, or an operator may retry it. A failed notice of a code to sign in is
    /// not kept, because the person can ask for another code. Nor is one of an invitation that has expired.
    pub(crate) fn is_kept(&self) -> bool {
        let is_code = matches!(self.cause, NoticeCause::SignInCode { .. });
        self.failure.as_ref().is_none_or(|failure| !is_code && !self.is_useless(failure.at))
    }

    /// Returns whether every attempt was made, and the last one may still be under way.
    pub(crate) fn is_used_up(&self) -> bool {
        self.due_at.is_some() && !self.has_attempts_left()
    }

    /// Returns whether another attempt follows if the present one has a transient failure. This requires that the sum
    /// of all backoffs stays within [`MAX_RETRY_TIME`](Self::MAX_RETRY_TIME).
    pub fn has_attempts_left(&self) -> bool {
        backoff(self.attempts).is_some()
    }

    /// Returns the notice queued again: due at once, without its attempts. The reason of its failure is kept as the last one.
    #[must_use]
    pub fn requeued(self, now: Timestamp) -> Self {
        let last_reason = self.failure.map(|failure| failure.reason).or(self.last_reason);
        Self { version: self.version + 1, attempts: 0, due_at: Some(now), failure: None, last_reason, ..self }
    }

    /// Returns why the last attempt failed, of a queued or a failed notice.
    pub fn reason(&self) -> Option<&str> {
        self.failure.as_ref().map(|failure| &failure.reason).or(self.last_reason.as_ref()).map(String::as_str)
    }
}

/// Returns the backoff after `attempts` attempts. Returns `None` if the sum of all backoffs would exceed
/// [`Notice::MAX_RETRY_TIME`].
fn backoff(attempts: u32) -> Option<SignedDuration> {
    let (mut backoff, mut waited) = (Notice::INITIAL_BACKOFF, SignedDuration::ZERO);
    for _ in 1..attempts {
        waited += backoff;
        backoff = (backoff * 2).min(Notice::MAX_BACKOFF);
    }
    (waited + backoff <= Notice::MAX_RETRY_TIME).then_some(backoff)
}
