//! The location of a shift, as pages, mails and calendar entries show it.

use signup_core::{Event, EventLocation, ShiftLocation};

/// Returns the location of a shift: its own, or else that of the event.
pub(crate) fn shift_location<'a>(own: Option<&'a ShiftLocation>, event: &'a Event) -> Option<&'a str> {
    own.map(ShiftLocation::as_str).or_else(|| event.location.as_ref().map(EventLocation::as_str))
}
