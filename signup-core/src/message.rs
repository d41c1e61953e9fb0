//! Messages: what an organizer writes to the volunteers of an event.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::{EventId, MessageId, OrganizationId, PersonId, ShiftId};
use crate::notice::Notice;
use crate::signup::Signup;
use crate::text::{MessageSubject, MessageText, PersonName};

/// A message from an organizer to the volunteers of an event, or of one of its shifts. It never changes, and is kept as long as its
/// event.
///
/// The message goes to each address that had a confirmed sign-up when the message was sent. An address gets one mail for all of its
/// sign-ups. It gets none if it has no confirmed sign-up for a shift that is not over when the mail is made, or if it has
/// [turned messages off](crate::OptOut).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// The id. Ids sort like the times of creation, so a sign-up with a higher id was made after the message was sent.
    pub id: MessageId,
    /// The organization that owns the event.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The only shift whose volunteers get the message. `None`: all shifts of the event.
    #[doc(alias = "slot")]
    pub shift: Option<ShiftId>,
    /// The subject of the mails.
    pub subject: MessageSubject,
    /// The text.
    pub text: MessageText,
    /// The person who sent the message.
    pub sender: PersonId,
    /// The name of that person at the time.
    pub sender_name: PersonName,
    /// When the message was sent.
    pub created_at: Timestamp,
}

impl Message {
    /// The maximum number of messages of an event within a [`PERIOD`](Self::PERIOD).
    pub const MAX_PER_PERIOD: u32 = 5;
    /// How long a message counts: 24 hours.
    pub const PERIOD: SignedDuration = SignedDuration::from_hours(24);

    /// Returns when the message no longer counts towards [`MAX_PER_PERIOD`](Self::MAX_PER_PERIOD).
    pub fn counts_until(&self) -> Timestamp {
        self.created_at.checked_add(Self::PERIOD).unwrap_or(Timestamp::MAX)
    }

    /// Returns whether the message is for the volunteer of a sign-up: whether the sign-up was confirmed when the message was sent.
    ///
    /// A sign-up that was cancelled at most [`Notice::CLOCK_SKEW`] before the message also counts as confirmed, because the clocks of
    /// processes differ. A later cancellation does not change the answer, so each portion gets the same one.
    pub(crate) fn is_for(&self, signup: &Signup) -> bool {
        let is_of_shift = self.shift.is_none_or(|shift| shift == signup.shift);
        let was_there = signup.id.uuid() < self.id.uuid();
        let since = self.created_at.checked_sub(Notice::CLOCK_SKEW).unwrap_or(Timestamp::MIN);
        is_of_shift && was_there && signup.cancelled_at().is_none_or(|at| at >= since)
    }

    /// Creates the record of a message. The first tuple has the organization, the event and the shift, and the second one the
    /// sender.
    pub fn new(
        id: MessageId,
        (organization, event, shift): (OrganizationId, EventId, Option<ShiftId>),
        subject: MessageSubject,
        text: MessageText,
        (sender, sender_name): (PersonId, PersonName),
        created_at: Timestamp,
    ) -> Self {
        Self { id, organization, event, shift, subject, text, sender, sender_name, created_at }
    }
}
