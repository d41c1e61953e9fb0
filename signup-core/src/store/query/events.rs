//! Queries of the list of events.

use jiff::Timestamp;

use super::{EventKey, Position, paged};
use crate::caller_key::ExternalId;
use crate::cursor::MALFORMED;
use crate::event::Event;
use crate::hours::EventDate;
use crate::shift::Shift;
use crate::text_form::names;
use crate::value_error::ValueError;

/// Selects a page of the list of events.
///
/// ```
/// use signup_core::{EventOrder, EventQuery};
///
/// let query = EventQuery::new().published().from_date("2027-06-01".parse()?).soonest().limit(50);
/// assert_eq!((query.is_published, query.order, query.limit), (Some(true), EventOrder::Soonest, 50));
/// # Ok::<(), signup_core::TimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EventQuery {
    /// `Some(true)`: only published events. `Some(false)`: only drafts. `None`: both.
    pub is_published: Option<bool>,
    /// `Some(true)`: only cancelled events. `Some(false)`: only the others. `None`: both.
    pub is_cancelled: Option<bool>,
    /// Only events with a day on or after this date.
    pub from: Option<EventDate>,
    /// Only events with a day on or before this date.
    pub to: Option<EventDate>,
    /// Only events whose last day ends after this instant.
    pub ends_after: Option<Timestamp>,
    /// Only events that are not [active](Event::is_active) at this instant: drafts, cancelled events, and events that are over.
    pub inactive_at: Option<Timestamp>,
    /// Only events that have an open shift, or only those that have none.
    pub open_shift: Option<OpenShift>,
    /// Only the event with this external id.
    pub external_id: Option<ExternalId>,
    /// The order of the list.
    pub order: EventOrder,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the top
    /// of the list. The position has the order of the query.
    pub position: Option<Position<EventKey>>,
    /// The maximum number of events in the page; at least 1.
    pub limit: u32,
}

/// The order of a list of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventOrder {
    /// Latest start first, equal starts by descending id.
    Latest,
    /// Soonest start first, equal starts by ascending id.
    Soonest,
}

names! {
    /// Every order.
    EventOrder {
        Latest => "latest",
        Soonest => "soonest",
    }
}

/// Selects events by their shifts. A shift is open if it is not closed, ends after an instant and has fewer confirmed sign-ups
/// than its capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpenShift {
    /// The instant.
    pub after: Timestamp,
    /// Whether the events have an open shift, or have none.
    pub exists: bool,
}

impl EventQuery {
    /// Selects the first [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) events, published ones and drafts, latest start first.
    pub const fn new() -> Self {
        Self {
            is_published: None,
            is_cancelled: None,
            from: None,
            to: None,
            ends_after: None,
            inactive_at: None,
            open_shift: None,
            external_id: None,
            order: EventOrder::Latest,
            position: None,
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// Selects published events only.
    #[must_use]
    pub fn published(self) -> Self {
        Self { is_published: Some(true), ..self }
    }

    /// Selects drafts only.
    #[must_use]
    pub fn drafts(self) -> Self {
        Self { is_published: Some(false), ..self }
    }

    /// Selects cancelled events only, or the others only.
    #[must_use]
    pub fn cancelled(self, is_cancelled: bool) -> Self {
        Self { is_cancelled: Some(is_cancelled), ..self }
    }

    /// Selects events with a day on or after `date` only.
    #[must_use]
    pub fn from_date(self, date: EventDate) -> Self {
        Self { from: Some(date), ..self }
    }

    /// Selects events with a day on or before `date` only.
    #[must_use]
    pub fn to_date(self, date: EventDate) -> Self {
        Self { to: Some(date), ..self }
    }

    /// Selects events whose last day ends after `instant` only.
    #[must_use]
    pub fn ends_after(self, instant: Timestamp) -> Self {
        Self { ends_after: Some(instant), ..self }
    }

    /// Selects events that are not [active](Event::is_active) at `instant` only.
    #[must_use]
    pub fn inactive_at(self, instant: Timestamp) -> Self {
        Self { inactive_at: Some(instant), ..self }
    }

    /// Selects only events that have an open shift, or only those that have none.
    #[must_use]
    pub fn open_shift(self, open_shift: OpenShift) -> Self {
        Self { open_shift: Some(open_shift), ..self }
    }

    /// Selects the event with this external id only.
    #[must_use]
    pub fn external_id(self, id: ExternalId) -> Self {
        Self { external_id: Some(id), ..self }
    }

    /// Lists the soonest start first.
    #[must_use]
    pub fn soonest(self) -> Self {
        Self { order: EventOrder::Soonest, ..self }
    }

    /// Selects the page beside `position`, on the side that the position names, in the order of the position.
    #[must_use]
    pub fn at(self, position: Position<EventKey>) -> Self {
        Self { order: position.key.order, position: Some(position), ..self }
    }

    /// Returns the position, if it has the order of the query.
    ///
    /// # Errors
    /// Fails if the position is that of a list in another order.
    pub(crate) fn checked_position(&self) -> Result<Option<Position<EventKey>>, ValueError> {
        match self.position {
            Some(Position { key, .. }) if key.order != self.order => Err(MALFORMED),
            position => Ok(position),
        }
    }

    /// Returns whether the query selects an event with these shifts, apart from the position and the limit. The shifts are
    /// the stored records that are not deleted: [`ScheduledShift`](crate::ScheduledShift) sets
    /// [`Shift::ends_at`](crate::Shift::ends_at) anew. They are needed only if the query names
    /// [`open_shift`](Self::open_shift).
    pub fn selects<'s>(&self, event: &Event, shifts: impl IntoIterator<Item = &'s Shift>) -> bool {
        let (first, last) = (event.dates.first.date(), event.dates.last.unwrap_or(event.dates.first.date()));
        self.is_published.is_none_or(|flag| event.is_published == flag)
            && self.is_cancelled.is_none_or(|flag| event.is_cancelled() == flag)
            && self.from.is_none_or(|from| last >= from)
            && self.to.is_none_or(|to| first <= to)
            && self.ends_after.is_none_or(|instant| event.dates.ends_at() > instant)
            && self.external_id.as_ref().is_none_or(|id| event.external_id.as_ref() == Some(id))
            && self.inactive_at.is_none_or(|instant| !event.is_active(instant))
            && self.open_shift.is_none_or(|OpenShift { after, exists }| {
                let is_open = |shift: &Shift| {
                    shift.closing.is_none() && shift.ends_at > after && shift.occupancy.has_room()
                };
                shifts.into_iter().any(is_open) == exists
            })
    }
}

paged!(EventQuery);
