//! Totals: numbers of records that a change set can bound.

use jiff::Timestamp;

use super::RecordKey;
#[cfg(doc)]
use crate::event::Event;
use crate::id::{EventId, OrganizationId, QuestionId, ShiftId, WebhookId};
use crate::message::Message;
use crate::notice::Notice;
use crate::webhook::Delivery;

/// A number of records that a requirement compares with a bound.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Total {
    /// The organizations.
    Organizations,
    /// The [active](Event::is_active) events of an organization.
    ActiveEvents(OrganizationId),
    /// The confirmed sign-ups for a shift: its [`filled`](crate::Occupancy::filled). A store keeps this total with the shift,
    /// because a thousand volunteers may sign up at once. A total that is not stored is counted when it is required.
    Filled(OrganizationId, ShiftId),
    /// The sign-ups that wait for a place on a shift: its [`waitlisted`](crate::Occupancy::waitlisted). A store keeps this total
    /// with the shift, too.
    Waiting(OrganizationId, ShiftId),
    /// The active sign-ups, confirmed or waiting, of an [address](crate::EmailAddress::key) for a shift.
    PlacesOf(OrganizationId, ShiftId, String),
    /// The sign-ups of an event, confirmed or cancelled, with an answer to a question.
    Answers(OrganizationId, EventId, QuestionId),
    /// The webhooks of an organization.
    Webhooks(OrganizationId),
    /// The claimed deliveries of a webhook, until their lease ends.
    InFlight(OrganizationId, WebhookId),
    /// The messages to the volunteers of an event, until [`Message::PERIOD`] after they were sent.
    Messages(OrganizationId, EventId),
}

impl Total {
    /// Returns the key of the record with which a store keeps the total. `None` for a total that is counted when it is required.
    pub const fn stored_with(&self) -> Option<RecordKey> {
        match self {
            Self::Filled(organization, shift) | Self::Waiting(organization, shift) => {
                Some(RecordKey::Shift(*organization, *shift))
            }
            Self::Organizations
            | Self::ActiveEvents(_)
            | Self::PlacesOf(..)
            | Self::Answers(..)
            | Self::Webhooks(_)
            | Self::InFlight(..)
            | Self::Messages(..) => None,
        }
    }

    /// Returns the latest time until which a record counts that a clock without error has written by `now`. A record with a later
    /// one was written by a clock that was ahead, and no longer counts.
    pub fn latest_until(&self, now: Timestamp) -> Timestamp {
        let longest = match self {
            Self::InFlight(..) => Delivery::LEASE,
            Self::Messages(..) => Message::PERIOD,
            Self::Organizations
            | Self::ActiveEvents(_)
            | Self::Filled(..)
            | Self::Waiting(..)
            | Self::PlacesOf(..)
            | Self::Answers(..)
            | Self::Webhooks(_) => return Timestamp::MAX,
        };
        now.checked_add(longest + Notice::CLOCK_SKEW).unwrap_or(Timestamp::MAX)
    }
}

/// A total in which a record counts as 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The total.
    pub total: Total,
    /// The first instant at which the record no longer counts. `None`: the record always counts. See [`Total::latest_until`].
    pub until: Option<Timestamp>,
}

impl Share {
    /// Returns a share that does not end.
    pub(super) const fn of(total: Total) -> Self {
        Self { total, until: None }
    }

    /// Returns whether the record counts at `now`.
    pub fn counts(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until && until <= self.total.latest_until(now))
    }
}
