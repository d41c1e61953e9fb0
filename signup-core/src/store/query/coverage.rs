//! Queries of the coverage of an organization.

use jiff::Timestamp;

use super::{CoverageKey, EventOrder, EventQuery, OpenShift, Position, paged};
use crate::hours::EventDate;

/// Selects a page of the coverage of an organization: its active events, soonest start first.
///
/// ```
/// use signup_core::CoverageQuery;
///
/// let query = CoverageQuery::new().covered(false).to_date("2027-06-30".parse()?);
/// assert_eq!((query.is_covered, query.limit), (Some(false), 25));
/// # Ok::<(), signup_core::TimeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CoverageQuery {
    /// Only events with a day on or after this date.
    pub from: Option<EventDate>,
    /// Only events with a day on or before this date.
    pub to: Option<EventDate>,
    /// `Some(true)`: only events that are [covered](crate::Coverage::is_covered). `Some(false)`: only the others. `None`: both.
    pub is_covered: Option<bool>,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the top
    /// of the list.
    pub position: Option<Position<CoverageKey>>,
    /// The maximum number of events in the page; at least 1.
    pub limit: u32,
}

impl CoverageQuery {
    /// Selects the first [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) events.
    pub const fn new() -> Self {
        Self { from: None, to: None, is_covered: None, position: None, limit: Self::DEFAULT_LIMIT }
    }

    /// Selects events with a day on or after `date` only.
    #[must_use]
    pub const fn from_date(self, date: EventDate) -> Self {
        Self { from: Some(date), ..self }
    }

    /// Selects events with a day on or before `date` only.
    #[must_use]
    pub const fn to_date(self, date: EventDate) -> Self {
        Self { to: Some(date), ..self }
    }

    /// Selects events that are covered only, or the others only.
    #[must_use]
    pub const fn covered(self, is_covered: bool) -> Self {
        Self { is_covered: Some(is_covered), ..self }
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub const fn at(self, position: Position<CoverageKey>) -> Self {
        Self { position: Some(position), ..self }
    }

    /// Returns the query for the events at `now`.
    pub(crate) fn events(self, now: Timestamp) -> EventQuery {
        let position = self.position.map(|Position { key, side }| Position { key: key.0, side });
        EventQuery {
            is_published: Some(true),
            is_cancelled: Some(false),
            from: self.from,
            to: self.to,
            ends_after: Some(now),
            open_shift: self.is_covered.map(|is_covered| OpenShift { after: now, exists: !is_covered }),
            order: EventOrder::Soonest,
            position,
            limit: self.limit,
            ..EventQuery::new()
        }
    }
}

paged!(CoverageQuery);
