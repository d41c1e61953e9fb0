//! Notices: the records of the outbox, from which a program makes mails.

#[cfg(test)]
mod tests;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::{EventId, InvitationId, MessageId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::invitation::Invitation;
use crate::secret::{Digest, Secret};
use crate::sign_in::{Code, SignInCode};
#[cfg(doc)]
use crate::signup::Signup;
use crate::text::EmailAddress;
use crate::time_and_place::TimeAndPlace;

/// A queued mail, and the state of its delivery.
///
/// A notice is written in the change set of its cause. So no mail is sent for a change that was not committed, and no
/// crash loses a mail. A notice to several volunteers is fanned out at delivery: each volunteer gets a notice of their
/// own. The fan-out works in batches, so a shift can have any number of volunteers. Every other notice is one mail to
/// one person: to a volunteer, or to a [`Person`](crate::Person) who signs in or is invited.
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
    /// The event and the shift. `None` for a mail to a person who signs in or is invited.
    pub shift: Option<(EventId, ShiftId)>,
    /// What happened.
    pub cause: NoticeCause,
    /// When the notice was created. For a notice from a fan-out, this is the time of the fan-out.
    pub created_at: Timestamp,
    /// The version, from 1. Each change adds 1 and requires the version that was read (compare and swap).
    pub version: u32,
    /// The number of attempts to deliver the notice since it was queued. Each claim adds 1.
    pub attempts: u32,
    /// When the notice may be claimed next: the end of its lease or of its backoff.
    pub due_at: Timestamp,
    /// The failure of a failed notice; `None` while the notice is queued.
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

/// The cause of a mail.
///
/// The cause of a mail to one volunteer has the secret of its [`Link`](crate::Link). The secret is stored nowhere else, and is
/// removed with the delivered notice. The same holds for a code to sign in, and for the secret of an invitation.
///
/// A server skips a notice whose cause it cannot decode, and a newer server delivers the notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoticeCause {
    /// A volunteer signed up. The mail confirms the sign-up and carries the link to cancel.
    SignedUp {
        /// The sign-up.
        signup: SignupId,
        /// The secret of the link.
        secret: Secret,
    },
    /// The volunteer signed up again, and keeps the place that they have. The mail says so, with the name that has the place.
    SignedUpAgain {
        /// The sign-up.
        signup: SignupId,
        /// The secret of the link.
        secret: Secret,
    },
    /// A sign-up was cancelled: alone, with its shift, or with its event. [`Signup::cancelled_by`] says which.
    Cancelled {
        /// The sign-up.
        signup: SignupId,
        /// The secret of the link.
        secret: Secret,
    },
    /// The time or the place of a shift changed. The notice is fanned out to the confirmed sign-ups whose
    /// volunteers were [told](Signup::told) something else.
    ShiftChanged {
        /// The last sign-up that the fan-out has covered; `None` before the first batch.
        fanned_out_to: Option<SignupId>,
    },
    /// The organizer cancelled the event. The notice is fanned out to all sign-ups that were cancelled with the event.
    /// [`Notice::shift`] is any shift that was not over.
    EventCancelled {
        /// The last sign-up that the fan-out has covered; `None` before the first batch.
        fanned_out_to: Option<SignupId>,
    },
    /// The organizer deleted a shift. The notice is fanned out to all sign-ups that were cancelled with the shift.
    ShiftDeleted {
        /// The last sign-up that the fan-out has covered; `None` before the first batch.
        fanned_out_to: Option<SignupId>,
    },
    /// The time or the place of a shift changed: the mail to one volunteer.
    ShiftMoved {
        /// The sign-up.
        signup: SignupId,
        /// The secret of the link.
        secret: Secret,
        /// What the volunteer was [told](Signup::told) before the claim of the notice. After a lost lease, what they were told
        /// before the attempt whose mail may have arrived. `None` in a notice without a claim or after a reported failure, and
        /// never in a delivery.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<TimeAndPlace>,
    },
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
    /// An organizer sent a message. The notice is fanned out to one sign-up of each address. [`Notice::shift`] is the shift whose
    /// volunteers get the message, or any shift of the event.
    MessageSent {
        /// The message.
        message: MessageId,
        /// The last sign-up that the fan-out has covered; `None` before the first batch.
        fanned_out_to: Option<SignupId>,
    },
    /// An organizer sent a message: the mail to one address, with a link to each of its sign-ups.
    Message {
        /// The message.
        message: MessageId,
        /// The first sign-up of the address.
        signup: SignupId,
        /// The secret of the link to that sign-up.
        secret: Secret,
        /// The other sign-ups of the address, each with the secret of its link.
        others: Vec<(SignupId, Secret)>,
    },
}

impl NoticeCause {
    /// Returns the name in JSON and in the store.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SignedUp { .. } => "signed_up",
            Self::SignedUpAgain { .. } => "signed_up_again",
            Self::Cancelled { .. } => "cancelled",
            Self::ShiftChanged { .. } => "shift_changed",
            Self::EventCancelled { .. } => "event_cancelled",
            Self::ShiftDeleted { .. } => "shift_deleted",
            Self::ShiftMoved { .. } => "shift_moved",
            Self::SignInCode { .. } => "sign_in_code",
            Self::Invited { .. } => "invited",
            Self::MessageSent { .. } => "message_sent",
            Self::Message { .. } => "message",
        }
    }

    /// Sets the last sign-up that the fan-out has covered. A cause of one mail stays as it is.
    pub(crate) fn with_fan_out_to(mut self, last: SignupId) -> Self {
        if let Self::ShiftChanged { fanned_out_to, .. }
        | Self::MessageSent { fanned_out_to, .. }
        | Self::EventCancelled { fanned_out_to }
        | Self::ShiftDeleted { fanned_out_to } = &mut self
        {
            *fanned_out_to = Some(last);
        }
        self
    }

    /// Returns whether the notice is for several volunteers, each of whom gets a notice of their own at delivery.
    pub const fn is_fanned_out(&self) -> bool {
        matches!(
            self,
            Self::ShiftChanged { .. }
                | Self::EventCancelled { .. }
                | Self::ShiftDeleted { .. }
                | Self::MessageSent { .. }
        )
    }

    /// Returns whether the mail may wait behind others. A person waits for a code to sign in and for an invitation, so these two are
    /// sent before every other mail.
    pub const fn can_wait(&self) -> bool {
        !matches!(self, Self::SignInCode { .. } | Self::Invited { .. })
    }

    /// Returns the sign-up that the mail is about. `None` for a notice to several volunteers, and for a mail to a person who signs
    /// in or is invited.
    pub const fn signup(&self) -> Option<SignupId> {
        match self {
            Self::SignedUp { signup, .. }
            | Self::SignedUpAgain { signup, .. }
            | Self::Cancelled { signup, .. }
            | Self::ShiftMoved { signup, .. }
            | Self::Message { signup, .. } => Some(*signup),
            Self::ShiftChanged { .. }
            | Self::EventCancelled { .. }
            | Self::ShiftDeleted { .. }
            | Self::MessageSent { .. }
            | Self::SignInCode { .. }
            | Self::Invited { .. } => None,
        }
    }

    /// Returns the secret of the link that the mail carries, of several the first one. `None` for a notice to several volunteers, and
    /// for a code.
    pub const fn secret(&self) -> Option<&Secret> {
        match self {
            Self::SignedUp { secret, .. }
            | Self::SignedUpAgain { secret, .. }
            | Self::Cancelled { secret, .. }
            | Self::ShiftMoved { secret, .. }
            | Self::Message { secret, .. }
            | Self::Invited { secret, .. } => Some(secret),
            Self::ShiftChanged { .. }
            | Self::EventCancelled { .. }
            | Self::ShiftDeleted { .. }
            | Self::MessageSent { .. }
            | Self::SignInCode { .. } => None,
        }
    }
}

/// Whether a failed attempt to deliver a notice may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailFailure {
    /// A later attempt may succeed: the notice is due again after a backoff.
    Transient,
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

    /// Creates a notice that is due at once. The tuple has the organization, the event and the shift.
    pub const fn new(
        id: NoticeId,
        (organization, event, shift): (OrganizationId, EventId, ShiftId),
        cause: NoticeCause,
        now: Timestamp,
    ) -> Self {
        let mut notice = Self::to_person(id, organization, cause, now);
        notice.shift = Some((event, shift));
        notice
    }

    /// Creates a notice to a person who signs in or is invited. The notice is due at once.
    pub const fn to_person(
        id: NoticeId,
        organization: OrganizationId,
        cause: NoticeCause,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            shift: None,
            cause,
            created_at: now,
            version: 1,
            attempts: 0,
            due_at: now,
            failure: None,
            last_reason: None,
        }
    }

    /// Returns the event; no event if the notice has none.
    pub(crate) fn event(&self) -> EventId {
        self.shift.map_or(EventId::NONE, |(event, _)| event)
    }

    /// Returns the notice claimed for delivery: one more attempt, and a lease from `now`.
    #[must_use]
    pub fn claimed(self, now: Timestamp) -> Self {
        let attempts = self.attempts + 1;
        Self { attempts, ..self.lease_extended(now) }
    }

    /// Returns the notice with a lease that expires [`LEASE`](Self::LEASE) after `now`.
    #[must_use]
    pub fn lease_extended(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, due_at: now + Self::LEASE, ..self }
    }

    /// Returns the notice after a failed attempt: due again after a backoff, or failed for `reason`.
    ///
    /// The notice fails after a permanent failure, if it has [no attempts left](Self::has_attempts_left), or if the mail of the next
    /// attempt [would be of no use](Self::is_useless).
    #[must_use]
    pub fn after_failure(self, failure: MailFailure, reason: &str, now: Timestamp) -> Self {
        let (version, failed) = (self.version + 1, NoticeFailure::new(now, reason));
        let backoff = backoff(self.attempts).filter(|_| failure == MailFailure::Transient);
        match backoff.filter(|backoff| !self.is_useless(now + *backoff)) {
            Some(backoff) => {
                let last_reason = Some(failed.reason);
                Self { version, due_at: now + backoff, failure: None, last_reason, ..self }
            }
            None => Self { version, failure: Some(failed), last_reason: None, ..self },
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

    /// Returns whether another attempt follows if the present one has a transient failure. This requires that the sum
    /// of all backoffs stays within [`MAX_RETRY_TIME`](Self::MAX_RETRY_TIME).
    pub fn has_attempts_left(&self) -> bool {
        backoff(self.attempts).is_some()
    }

    /// Returns the notice queued again: due at once, without its attempts. The reason of its failure is kept as the last one.
    #[must_use]
    pub fn requeued(self, now: Timestamp) -> Self {
        let last_reason = self.failure.map(|failure| failure.reason).or(self.last_reason);
        Self { version: self.version + 1, attempts: 0, due_at: now, failure: None, last_reason, ..self }
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
