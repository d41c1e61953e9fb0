//! The JSON of shifts, which the API calls slots.

use signup_core::Shift;
use simd_json_derive::Serialize;

use super::{Id, Instant, Text};

/// A shift.
#[derive(Debug, Serialize)]
pub(crate) struct Slot<'a> {
    id: Id,
    event_id: Id,
    title: Text<'a>,
    location: Option<Text<'a>>,
    is_virtual: bool,
    start_time: Instant,
    end_time: Instant,
    capacity: u32,
    filled: u32,
    remaining: u32,
    created_at: Instant,
    updated_at: Instant,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(shift: &'a Shift) -> Self {
        let interval = shift.interval();
        Self {
            id: Id(shift.id.uuid()),
            event_id: Id(shift.event.uuid()),
            title: Text(shift.title.as_str()),
            location: shift.location.as_ref().map(|text| Text(text.as_str())),
            is_virtual: shift.is_virtual,
            start_time: Instant(interval.start),
            end_time: Instant(interval.end),
            capacity: shift.occupancy.capacity.volunteers(),
            filled: shift.occupancy.filled,
            remaining: shift.occupancy.remaining(),
            created_at: Instant(shift.created_at),
            updated_at: Instant(shift.updated_at),
        }
    }
}

/// Returns the slots of `shifts`, in the same order.
pub(crate) fn slots<'a>(shifts: impl IntoIterator<Item = &'a Shift>) -> Vec<Slot<'a>> {
    shifts.into_iter().map(Slot::new).collect()
}
