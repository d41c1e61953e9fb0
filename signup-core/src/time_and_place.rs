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

    /// Returns the locations that volunteers are shown: that of the shift, then that of the event unless it is the same text.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        let own = self.location.as_ref().map(ShiftLocation::as_str);
        let of_event = self.event_location.as_ref().map(EventLocation::as_str);
        own.into_iter().chain(of_event.filter(move |location| Some(*location) != own))
    }

    /// Returns whether both are at the same instants and show the same [locations](Self::locations). The zone does not matter.
    /// Volunteers are mailed about a change unless this is so.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.interval == other.interval && self.locations().eq(other.locations())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::records;

    #[test]
    fn places_are_the_same_if_the_same_locations_are_shown() {
        let event = records::event(1, 1);
        let shift = ScheduledShift::of(records::shift(&event, 1, 5), &event);
        let at = |own: Option<&str>, of_event: Option<&str>| TimeAndPlace {
            location: own.map(|text| text.parse().unwrap()),
            event_location: of_event.map(|text| text.parse().unwrap()),
            ..TimeAndPlace::of(&shift, &event)
        };
        let (hall, dock) = (Some("Hall"), Some("Dock"));
        for (one, other, expected) in [
            (at(None, hall), at(hall, hall), true),
            (at(None, hall), at(hall, None), true),
            (at(None, hall), at(dock, hall), false),
            (at(dock, hall), at(hall, dock), false),
            (at(None, hall), at(None, None), false),
        ] {
            assert_eq!(one.is_same_as(&other), expected, "{one:?} and {other:?}");
        }
    }
}
