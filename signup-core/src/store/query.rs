//! Queries and pages of the list of events.

use jiff::Timestamp;

use crate::event::Event;
use crate::id::EventId;

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
    pub position: Option<Position>,
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
    pub const fn at(self, position: Position) -> Self {
        Self { position: Some(position), ..self }
    }
}

impl Default for EventQuery {
    /// Returns [`EventQuery::new`].
    fn default() -> Self {
        Self::new()
    }
}

/// A position in the list of events: a sort key and a side of it. An event with that key need not exist.
///
/// The text of a position is a [cursor](crate::cursor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The start in the sort key.
    pub starts_at: Timestamp,
    /// The event id in the sort key.
    pub id: EventId,
    /// The side of the sort key. An event with exactly this key is on neither side.
    pub side: Side,
}

/// A side of a [`Position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Further down the list: earlier starts.
    Below,
    /// Further up the list: later starts.
    Above,
}

/// A page of the list of events.
///
/// `above` and `below` lead to the neighbouring pages. They hold the sort keys that the store uses, which can differ
/// from what a caller would derive from an event.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventPage {
    /// The events in list order.
    pub events: Vec<Event>,
    /// The position above the first event, if more events match the filter there. `None` for an empty page.
    pub above: Option<Position>,
    /// The position below the last event, if more events match the filter there. `None` for an empty page.
    pub below: Option<Position>,
}

impl EventPage {
    /// Creates a page without neighbours.
    pub const fn new(events: Vec<Event>) -> Self {
        Self { events, above: None, below: None }
    }
}
