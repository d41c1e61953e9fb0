//! The location that pages, mails and calendar entries show for a shift.

use signup_core::{Event, EventLocation, ShiftLocation};

/// Returns the shift's own location if it has one, otherwise the location of the event.
pub(crate) fn shift_location<'a>(own: Option<&'a ShiftLocation>, event: &'a Event) -> Option<&'a str> {
    own.map(ShiftLocation::as_str).or_else(|| event.location.as_ref().map(EventLocation::as_str))
}
