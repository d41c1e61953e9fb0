//! The place that pages, mails and calendar entries show for a shift.

use signup_core::{EventLocation, ShiftLocation, TimeAndPlace};

/// Returns the shift's own location if it has one, otherwise the location of the event.
pub(crate) fn place(at: &TimeAndPlace) -> Option<&str> {
    let of_event = at.event_location.as_ref().map(EventLocation::as_str);
    at.location.as_ref().map(ShiftLocation::as_str).or(of_event)
}
