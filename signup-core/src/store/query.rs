//! Queries and pages of lists: events and sign-ups.

use jiff::Timestamp;

use super::Deleted;
use crate::event::Event;
use crate::id::{EventId, ShiftId, SignupId};
use crate::signup::{CancelledBy, Signup, SignupStatus};
use crate::text::EmailAddress;

/// Selects a page of the list of events.
///
/// ```
/// use signup_core::EventQuery;
///
/// let query = EventQuery::new().published().limit(50);
/// assert_eq!((query.is_published, query.limit), (Some(true), 50));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EventQuery {
    /// `Some(true)`: only published events. `Some(false)`: only drafts. `None`: both.
    pub is_published: Option<bool>,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the top
    /// of the list.
    pub position: Option<Position<(Timestamp, EventId)>>,
    /// The maximum number of events in the page; at least 1.
    pub limit: u32,
}

impl EventQuery {
    /// The limit of a new query.
    pub const DEFAULT_LIMIT: u32 = 25;
    /// The maximum number of events in a page of [`Session::events`](crate::Session::events).
    pub const MAX_LIMIT: u32 = 100;

    /// Selects the first [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) events, published ones and drafts.
    pub const fn new() -> Self {
        Self { is_published: None, position: None, limit: Self::DEFAULT_LIMIT }
    }

    /// Selects published events only.
    #[must_use]
    pub const fn published(self) -> Self {
        Self { is_published: Some(true), ..self }
    }

    /// Selects drafts only.
    #[must_use]
    pub const fn drafts(self) -> Self {
        Self { is_published: Some(false), ..self }
    }

    /// Sets the maximum number of events in the page.
    #[must_use]
    pub const fn limit(self, events: u32) -> Self {
        Self { limit: events, ..self }
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub const fn at(self, position: Position<(Timestamp, EventId)>) -> Self {
        Self { position: Some(position), ..self }
    }
}

impl Default for EventQuery {
    /// Returns [`EventQuery::new`].
    fn default() -> Self {
        Self::new()
    }
}

/// A record that is listed in pages.
pub trait Listed {
    /// The sort key. A list is in descending order of this key.
    type Key;
}

impl Listed for Event {
    type Key = (Timestamp, EventId);
}

impl Listed for Signup {
    type Key = SignupId;
}

/// A position in a list: a sort key and a side of it. A record with that key need not exist.
///
/// The text of a position is a cursor, for callers in another process. A cursor is opaque, goes with any filter and page size,
/// and stays valid after a restart. An altered cursor, or one of another list, is refused. A caller can forge a cursor, but
/// gains nothing: a list shows only records of the session's organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position<K> {
    /// The sort key: the start and the id of an event, or the id of a sign-up.
    pub key: K,
    /// The side of the sort key. A record with exactly this key is on neither side.
    pub side: Side,
}

/// A side of a [`Position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Further down the list: earlier starts, or older sign-ups.
    Below,
    /// Further up the list: later starts, or newer sign-ups.
    Above,
}

/// A page of a list, and the positions of its neighbours.
///
/// If `query` selected this page, `query.at(next)` selects the next one. The positions hold the sort keys that the store uses, which can differ
/// from what a caller would derive from a record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T: Listed> {
    /// The records in list order.
    pub items: Vec<T>,
    /// The position above the first record, if more records match the query there. `None` for an empty page.
    pub previous: Option<Position<T::Key>>,
    /// The position below the last record, if more records match the query there. `None` for an empty page.
    pub next: Option<Position<T::Key>>,
}

impl<T: Listed> Page<T> {
    /// Creates a page. `first` is the sort key of the first record if more records match above, and `last` that of the last
    /// record if more records match below.
    pub fn new(items: Vec<T>, first: Option<T::Key>, last: Option<T::Key>) -> Self {
        let previous = first.map(|key| Position { key, side: Side::Above });
        let next = last.map(|key| Position { key, side: Side::Below });
        Self { items, previous, next }
    }

    /// Returns the records in ascending order.
    pub fn ascending(mut self) -> Vec<T> {
        self.items.reverse();
        self.items
    }
}

/// Selects a page of a list of sign-ups.
///
/// ```
/// use signup_core::{SignupQuery, SignupStatus};
///
/// let query = SignupQuery::new().status(SignupStatus::Confirmed).limit(50);
/// assert_eq!((query.status, query.limit), (Some(SignupStatus::Confirmed), 50));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignupQuery {
    /// Only sign-ups of this event, those for deleted shifts included.
    pub event: Option<EventId>,
    /// Only sign-ups for this shift.
    #[doc(alias = "slot")]
    pub shift: Option<ShiftId>,
    /// Only sign-ups with this status. `None`: both.
    pub status: Option<SignupStatus>,
    /// Only sign-ups of this address, compared without case.
    pub email: Option<EmailAddress>,
    /// Only sign-ups with this cause of cancellation.
    pub cancelled_by: Option<CancelledBy>,
    /// Whether the sign-ups of deleted events are listed, too.
    pub deleted: Deleted,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the
    /// top of the list.
    pub position: Option<Position<SignupId>>,
    /// The maximum number of sign-ups in the page; at least 1.
    pub limit: u32,
}

impl SignupQuery {
    /// The limit of a new query.
    pub const DEFAULT_LIMIT: u32 = 25;
    /// The maximum number of sign-ups in a page of [`Session::signups`](crate::Session::signups).
    pub const MAX_LIMIT: u32 = 100;

    /// Selects the newest [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) sign-ups of the organization, confirmed and cancelled.
    pub const fn new() -> Self {
        Self {
            event: None,
            shift: None,
            status: None,
            email: None,
            cancelled_by: None,
            deleted: Deleted::Excluded,
            position: None,
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// Selects sign-ups of this event only.
    #[must_use]
    pub fn of_event(self, event: EventId) -> Self {
        Self { event: Some(event), ..self }
    }

    /// Selects sign-ups for this shift only.
    #[doc(alias = "of_slot")]
    #[must_use]
    pub fn of_shift(self, shift: ShiftId) -> Self {
        Self { shift: Some(shift), ..self }
    }

    /// Selects sign-ups with this status only.
    #[must_use]
    pub fn status(self, status: SignupStatus) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Selects sign-ups of this address only. Addresses are compared without case.
    #[must_use]
    pub fn email(self, email: EmailAddress) -> Self {
        Self { email: Some(email), ..self }
    }

    /// Selects sign-ups that `by` cancelled.
    #[must_use]
    pub fn cancelled_by(self, by: CancelledBy) -> Self {
        Self { cancelled_by: Some(by), ..self }
    }

    /// Selects the sign-ups of deleted events, too.
    #[must_use]
    pub fn with_deleted(self) -> Self {
        Self { deleted: Deleted::Included, ..self }
    }

    /// Selects the first `limit` sign-ups above `after`, counted from the lowest id. `None` starts at the lowest id of all.
    /// The page has the highest id first, like every page.
    #[must_use]
    pub fn above(self, after: Option<SignupId>, limit: u32) -> Self {
        let position = Position { key: after.unwrap_or(SignupId::NONE), side: Side::Above };
        self.at(position).limit(limit)
    }

    /// Sets the maximum number of sign-ups in the page.
    #[must_use]
    pub fn limit(self, signups: u32) -> Self {
        Self { limit: signups, ..self }
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub fn at(self, position: Position<SignupId>) -> Self {
        Self { position: Some(position), ..self }
    }
}

impl Default for SignupQuery {
    /// Returns [`SignupQuery::new`].
    fn default() -> Self {
        Self::new()
    }
}
