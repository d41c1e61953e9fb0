//! Messages: what an organizer writes to the volunteers of an event.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::event::Event;
use crate::id::{EventId, MessageId, OrganizationId, PersonId, ShiftId};
use crate::shift::ScheduledShift;
use crate::signup::{Attendance, Signup};
use crate::text::{MessageSubject, MessageText, PersonName};
use crate::text_form::names;

/// A message from an organizer to the volunteers of an event, or of one of its shifts. It never changes, and is kept as long as its
/// event.
///
/// The message goes to each address with a sign-up of its [audience](Audience) on a shift that is not over, or, if the message
/// [includes past shifts](Self::includes_past), on any. An address gets one mail for all of its sign-ups, and none if it has
/// [turned messages off](crate::OptOut).
///
/// Whether an address belongs to the audience is read once when its mail is queued, and again when the mail is made: a volunteer
/// who got a place meanwhile gets no message to those who wait. An address that joins the audience only later gets no mail. A
/// sign-up that was made after the message is never part of the audience. So the mails can differ from the number of
/// [recipients](Self::recipients), which was counted when the message was sent.
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
    /// Which of these volunteers get the message.
    pub audience: Audience,
    /// Whether the message is for shifts that were over when it was sent, too: it is for one shift, or every shift was over.
    pub includes_past: bool,
    /// The number of addresses that the message was for when it was sent, without those that had turned messages off.
    pub recipients: u32,
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
    /// How long after the end of the last shift of an event a message can be sent: 30 days.
    pub const AFTER_EVENT: SignedDuration = SignedDuration::from_hours(30 * 24);

    /// Checks that a message to the volunteers of an event with these shifts can be sent at `now`.
    ///
    /// # Errors
    /// - [`Error::EventCancelled`].
    /// - [`Error::EventOver`] if the last shift ended more than [`AFTER_EVENT`](Self::AFTER_EVENT) ago, or there is none.
    pub fn check_event(event: &Event, shifts: &[ScheduledShift], now: Timestamp) -> Result<(), Error> {
        if event.is_cancelled() {
            return Err(Error::EventCancelled);
        }
        let last = shifts.iter().map(|shift| shift.interval().end).max().ok_or(Error::EventOver)?;
        if now.duration_since(last) > Self::AFTER_EVENT { Err(Error::EventOver) } else { Ok(()) }
    }

    /// Returns when the message no longer counts towards [`MAX_PER_PERIOD`](Self::MAX_PER_PERIOD).
    pub fn counts_until(&self) -> Timestamp {
        self.created_at.checked_add(Self::PERIOD).unwrap_or(Timestamp::MAX)
    }

    /// Returns whether the message is for the volunteer of a sign-up, if the mail is made at `now`.
    pub(crate) fn is_for(&self, signup: &Signup, shift: &ScheduledShift, now: Timestamp) -> bool {
        // A mail that is late says nothing about a shift that has ended meanwhile.
        let is_in_time =
            if shift.is_over(self.created_at) { self.includes_past } else { !shift.is_over(now) };
        let is_of_shift = self.shift.is_none_or(|shift| shift == signup.shift);
        let was_there = signup.id.uuid() < self.id.uuid();
        is_of_shift
            && was_there
            && match self.audience {
                Audience::All => signup.is_confirmed() && is_in_time,
                Audience::Attended => {
                    signup.is_confirmed() && signup.attendance == Some(Attendance::Attended)
                }
                Audience::Waiting => signup.is_waitlisted() && is_in_time,
            }
    }

    /// Creates the record of a message to all volunteers with a place, without recipients. The other fields are public and can be
    /// set afterwards. The first tuple has the organization, the event and the shift, and the second one the sender.
    pub fn new(
        id: MessageId,
        (organization, event, shift): (OrganizationId, EventId, Option<ShiftId>),
        subject: MessageSubject,
        text: MessageText,
        (sender, sender_name): (PersonId, PersonName),
        created_at: Timestamp,
    ) -> Self {
        let (audience, includes_past, recipients) = (Audience::All, false, 0);
        Self {
            id,
            organization,
            event,
            shift,
            audience,
            includes_past,
            recipients,
            subject,
            text,
            sender,
            sender_name,
            created_at,
        }
    }
}

/// Which of the volunteers of an event, or of a shift, get a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Audience {
    /// Those who have a place.
    #[default]
    All,
    /// Those who attended.
    Attended,
    /// Those who wait for a place.
    Waiting,
}

names! {
    /// Every audience.
    Audience {
        All => "all",
        Attended => "attended",
        Waiting => "waiting",
    }
}
