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
            zone: shift.first_day.zone().clone(),
            location: shift.location.clone(),
            event_location: event.location.clone(),
        }
    }

    /// Returns the locations that volunteers are shown, trimmed: that of the shift, then that of the event unless it reads the
    /// same.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        let own = self.location.as_ref().map(|location| location.as_str().trim());
        let of_event = self.event_location.as_ref().map(|location| location.as_str().trim());
        own.into_iter().chain(of_event.filter(move |location| Some(*location) != own))
    }

    /// Returns the [locations](Self::locations) as one text, such as `Pier 3, 12 Harbor Street`. Returns `None` if there are none.
    pub fn place(&self) -> Option<String> {
        let place = self.locations().collect::<Vec<_>>().join(", ");
        (!place.is_empty()).then_some(place)
    }

    /// Returns whether both are at the same instants, and their [places](Self::place) read the same. The zone does not matter.
    /// Volunteers are mailed about a change unless this is so.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.interval == other.interval && self.place() == other.place()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::records;

    fn at(own: Option<&str>, of_event: Option<&str>) -> TimeAndPlace {
        let event = records::event(1, 1);
        let shift = ScheduledShift::of(records::shift(&event, 1, 5), &event);
        TimeAndPlace {
            location: own.map(|text| text.parse().unwrap()),
            event_location: of_event.map(|text| text.parse().unwrap()),
            ..TimeAndPlace::of(&shift, &event)
        }
    }

    #[test]
    fn a_place_names_the_location_of_the_shift_and_of_the_event() {
        for (own, of_event, shown) in [
            (Some("Pier 3"), Some("12 Harbor Street"), Some("Pier 3, 12 Harbor Street")),
            (Some(" Pier 3\u{a0}"), Some("  12 Harbor Street "), Some("Pier 3, 12 Harbor Street")),
            (Some("Pier 3"), None, Some("Pier 3")),
            (None, Some("12 Harbor Street"), Some("12 Harbor Street")),
            (Some("Pier 3"), Some("Pier 3"), Some("Pier 3")),
            (Some("Pier 3 "), Some("Pier 3"), Some("Pier 3")),
            (None, None, None),
        ] {
            assert_eq!(at(own, of_event).place().as_deref(), shown);
        }
    }

    #[test]
    fn places_are_the_same_if_they_read_the_same() {
        let (hall, dock) = (Some("Hall"), Some("Dock"));
        for (one, other, expected) in [
            (at(None, hall), at(hall, hall), true),
            (at(None, hall), at(hall, None), true),
            (at(None, hall), at(dock, hall), false),
            (at(dock, hall), at(hall, dock), false),
            (at(None, hall), at(None, None), false),
            (at(hall, None), at(Some("Hall "), None), true),
            (at(hall, None), at(None, Some(" Hall  ")), true),
            (at(dock, hall), at(Some("Dock, Hall"), None), true),
            (at(hall, None), at(Some("hall"), None), false),
        ] {
            assert_eq!(one.is_same_as(&other), expected, "{one:?} and {other:?}");
        }
    }
}
