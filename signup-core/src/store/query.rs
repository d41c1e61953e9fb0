//! Queries and pages of lists: events, their coverage, sign-ups, and activity.

mod activity;
mod coverage;
mod deliveries;
mod events;
mod lists;
mod signups;
mod volunteers;

use std::cmp::Ordering;

use jiff::Timestamp;

/// The bounds of a query of a list with pages.
macro_rules! paged {
    ($query:ident) => {
        impl $query {
            /// The limit of a new query.
            pub const DEFAULT_LIMIT: u32 = 25;
            /// The maximum number of records in a page that a [session](crate::Session) returns.
            pub const MAX_LIMIT: u32 = 100;

            /// Sets the maximum number of records in the page.
            #[must_use]
            pub fn limit(self, limit: u32) -> Self {
                Self { limit, ..self }
            }
        }

        impl Default for $query {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}
use paged;

pub use activity::ActivityQuery;
pub use coverage::CoverageQuery;
pub use deliveries::DeliveryQuery;
pub use events::{EventOrder, EventQuery, OpenShift};
pub use lists::ListQuery;
pub use signups::SignupQuery;
pub use volunteers::VolunteerQuery;

use crate::activity::Activity;
use crate::coverage::EventCoverage;
use crate::event::Event;
use crate::id::{ActivityId, DeliveryId, EventId, SignupId};
use crate::receipt::EventWithShifts;
use crate::signup::Signup;
use crate::text::EmailAddress;
use crate::volunteer::Volunteer;
use crate::webhook::Delivery;

/// A record that is listed in pages.
pub trait Listed {
    /// The sort key.
    type Key: Clone;
}

impl Listed for Event {
    type Key = EventKey;
}

impl Listed for EventWithShifts {
    type Key = EventKey;
}

impl Listed for EventCoverage {
    type Key = CoverageKey;
}

impl Listed for Activity {
    type Key = ActivityId;
}

impl Listed for Delivery {
    type Key = DeliveryId;
}

impl Listed for Signup {
    type Key = SignupId;
}

impl Listed for Volunteer {
    type Key = VolunteerKey;
}

/// The sort key of an event in a list. The keys of one order sort from the top of the list to its bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventKey {
    /// The order of the list.
    pub order: EventOrder,
    /// The start, as the store sorts by it.
    pub starts_at: Timestamp,
    /// The id.
    pub id: EventId,
}

impl Ord for EventKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_start = (self.starts_at, self.id).cmp(&(other.starts_at, other.id));
        self.order.cmp(&other.order).then(match self.order {
            EventOrder::Latest => by_start.reverse(),
            EventOrder::Soonest => by_start,
        })
    }
}

impl PartialOrd for EventKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The sort key of a volunteer in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolunteerKey {
    /// The smallest [sort key](crate::PersonName::sort_key) of the names if the list is sorted by name.
    pub name: Option<String>,
    /// The address.
    pub email: EmailAddress,
}

impl Ord for VolunteerKey {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.name, self.email.key()).cmp(&(&other.name, other.email.key()))
    }
}

impl PartialOrd for VolunteerKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The sort key of an event in a list of coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CoverageKey(pub(crate) EventKey);

/// A position in a list: a sort key and a side of it. A record with that key need not exist.
///
/// The text of a position is a cursor, for callers in another process. A cursor is opaque, goes with any filter and page size,
/// and stays valid after a restart. An altered cursor, or one of another list or another order, is refused. A caller can forge
/// a cursor, but gains nothing: a list shows only records of the session's organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position<K> {
    /// The sort key.
    pub key: K,
    /// The side of the sort key. A record with exactly this key is on neither side.
    pub side: Side,
}

/// A side of a [`Position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Further down the list, such as older sign-ups.
    Below,
    /// Further up the list, such as newer sign-ups.
    Above,
}

/// A page of a list, and the positions of its neighbours.
///
/// If `query` selected this page, `query.at(next)` selects the next one. The positions hold the sort keys that the store
/// uses, which can differ from what a caller would derive from a record.
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

    /// Returns the records from the last to the first.
    pub fn ascending(mut self) -> Vec<T> {
        self.items.reverse();
        self.items
    }
}
