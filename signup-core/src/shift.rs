//! Shifts: the parts of an event for which volunteers sign up.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::hours::{Day, Hours, Interval};
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::occupancy::{Capacity, Occupancy};
use crate::signup::CancelledBy;
use crate::text::{ShiftLocation, Title};

/// The closing of a shift. It cancels all sign-ups for the shift at once: the status of each follows from its shift, and no
/// sign-up is written. So a shift with ten thousand sign-ups is closed as fast as an empty one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// When the shift was closed.
    pub at: Timestamp,
    /// What cancelled the sign-ups.
    pub by: CancelledBy,
}

/// A shift, with the fields that it takes from its event.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Shift {
    /// The id.
    pub id: ShiftId,
    /// The organization that owns the shift.
    pub organization: OrganizationId,
    /// The event that the shift belongs to.
    pub event: EventId,
    /// The title.
    pub title: Title,
    /// The shift's own location, if it has one. The event's location is not inherited.
    pub location: Option<ShiftLocation>,
    /// The wall-clock times.
    pub hours: Hours,
    /// The capacity and the number of confirmed sign-ups.
    pub occupancy: Occupancy,
    /// The index among the event's shifts in the order of the input, from 0.
    pub position: u32,
    /// The version, from 1. Each edit of the shift, and each change of the event that changes the shift's instants, its
    /// place or `is_virtual`, adds 1.
    pub version: u32,
    /// The gate, from 1: a second version. Each change of the hours or the capacity, the closing and the deletion add 1.
    pub gate: u32,
    /// The closing of the shift; `None` while the shift is open. A closed shift stays closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// When the shift was deleted; `None` while it is not deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// When the shift was created.
    pub created_at: Timestamp,
    /// When the shift, its instants or `is_virtual` last changed. Sign-ups do not count.
    pub updated_at: Timestamp,
    /// The event's first day, which is the day of every shift. A store keeps it with the event, not here.
    pub day: Day,
    /// Whether the event takes place online. A store keeps it with the event, not here.
    pub is_virtual: bool,
}

impl Shift {
    /// Creates the record of a shift that lasts all day and has no sign-ups. The other fields are public and can be set
    /// afterwards.
    pub const fn new(
        id: ShiftId,
        organization: OrganizationId,
        event: EventId,
        title: Title,
        capacity: Capacity,
        day: Day,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            event,
            title,
            location: None,
            hours: Hours::ALL_DAY,
            occupancy: Occupancy::empty(capacity),
            position: 0,
            version: 1,
            gate: 1,
            closing: None,
            deleted_at: None,
            created_at,
            updated_at: created_at,
            day,
            is_virtual: false,
        }
    }

    /// Returns the shift as it is now that its event is `event`: on the day of the event. A closed shift has no sign-ups.
    #[must_use]
    pub fn of(mut self, event: &Event) -> Self {
        self.day.clone_from(&event.dates.first);
        self.is_virtual = event.is_virtual;
        if self.closing.is_some() {
            self.occupancy.filled = 0;
        }
        self
    }

    /// Returns the instants of the shift.
    pub fn interval(&self) -> Interval {
        self.day.interval(self.hours)
    }

    /// Returns whether the shift has ended at `now`.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.interval().is_over(now)
    }

    /// Returns whether the shift takes sign-ups at `now`, if its event is published.
    pub fn takes_signups(&self, now: Timestamp) -> bool {
        let is_open = self.closing.is_none() && self.deleted_at.is_none();
        is_open && self.occupancy.has_room() && !self.is_over(now)
    }

    /// Returns the sort key for the running order of an event's shifts: start, end, position.
    pub fn order_key(&self) -> (Timestamp, Timestamp, u32) {
        let Interval { start, end } = self.interval();
        (start, end, self.position)
    }
}

/// Sorts shifts of one event into [running order](Shift::order_key).
pub fn sort_by_running_order(shifts: &mut [Shift]) {
    shifts.sort_by_cached_key(Shift::order_key);
}
