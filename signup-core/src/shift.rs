//! Shifts: the parts of an event for which volunteers sign up.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::hours::{Day, Hours, Interval};
use crate::id::{EventId, OrganizationId, ShiftId};
use crate::occupancy::Occupancy;
use crate::text::{ShiftLocation, Title};

/// A shift, with what it takes from its event.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// Its id.
    pub id: ShiftId,
    /// To whom it belongs.
    pub organization: OrganizationId,
    /// Of which event it is a part.
    pub event: EventId,
    /// Its name for people.
    pub title: Title,
    /// Its own place, if it has one; it does not inherit the event's.
    pub location: Option<ShiftLocation>,
    /// When it is, by the wall clock.
    pub hours: Hours,
    /// How many it needs, and how many it has.
    pub occupancy: Occupancy,
    /// Its place among the event's shifts as they were given, from 0.
    pub position: u32,
    /// Counts the edits, from 1; sign-ups do not count.
    pub version: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last edited.
    pub updated_at: Timestamp,
    /// The event's first day, which is the day of every shift. A store keeps it with the event, not here.
    pub day: Day,
    /// Whether the event takes place online. A store keeps it with the event, not here.
    pub is_virtual: bool,
}

impl Shift {
    /// When it is, on the line of time.
    pub fn interval(&self) -> Interval {
        self.day.interval(self.hours)
    }

    /// What the shifts of one event are ordered by, wherever they are listed: start, end, then the order in which they
    /// were given.
    pub fn order_key(&self) -> (Timestamp, Timestamp, u32) {
        let Interval { start, end } = self.interval();
        (start, end, self.position)
    }
}

/// Puts shifts of one event into running order.
pub fn sort_by_running_order(shifts: &mut [Shift]) {
    shifts.sort_by_cached_key(Shift::order_key);
}
