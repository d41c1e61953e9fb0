//! When and where a shift is, as volunteers are told.

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::hours::Interval;
use crate::shift::ScheduledShift;
use crate::text::{EventLocation, ShiftLocation};
use crate::zone::Zone;

/// When and where a shift is, as volunteers are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeAndPlace {
    /// The instants of the shift.
    pub interval: Interval,
    /// The zone in which the times are shown.
    pub zone: Zone,
    /// The shift's own location, if it has one.
    pub location: Option<ShiftLocation>,
    /// The event's location, if it has one. Volunteers are shown both.
    pub event_location: Option<EventLocation>,
}

impl TimeAndPlace {
    /// Returns the present time and place of `shift`.
    pub fn of(shift: &ScheduledShift, event: &Event) -> Self {
        Self {
            interval: shift.interval(),
            zone: shift.day.zone().clone(),
            location: shift.location.clone(),
            event_location: event.location.clone(),
        }
    }

    /// Returns whether both are at the same instants and places. The zone does not matter. Volunteers are mailed about a change
    /// unless this is so.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let Self { interval, zone: _, location, event_location } = self;
        (interval, location, event_location) == (&other.interval, &other.location, &other.event_location)
    }
}
