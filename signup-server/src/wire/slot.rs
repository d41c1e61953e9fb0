//! The JSON of shifts, which the API calls slots.

use serde::Serialize;
use signup_core::{ExternalId, Minimum, ScheduledShift, ShiftDescription, ShiftLocation};
use uuid::Uuid;

use super::Instant;

/// A shift.
#[derive(Debug, Serialize)]
pub(crate) struct Slot<'a> {
    id: Uuid,
    event_id: Uuid,
    title: &'a str,
    description: Option<&'a str>,
    location: Option<&'a str>,
    is_virtual: bool,
    day: u32,
    start_time: Instant,
    end_time: Instant,
    ends_next_day: bool,
    local_date: String,
    local_start_time: String,
    local_end_time: String,
    capacity: u32,
    filled: u32,
    waitlisted: u32,
    remaining: u32,
    minimum: Option<u32>,
    external_id: Option<&'a str>,
    created_at: Instant,
    updated_at: Instant,
}

impl<'a> Slot<'a> {
    /// The names of the fields.
    pub(crate) const FIELDS: &'static [&'static str] = &[
        "id",
        "event_id",
        "title",
        "description",
        "location",
        "is_virtual",
        "day",
        "start_time",
        "end_time",
        "ends_next_day",
        "local_date",
        "local_start_time",
        "local_end_time",
        "capacity",
        "filled",
        "waitlisted",
        "remaining",
        "minimum",
        "external_id",
        "created_at",
        "updated_at",
    ];

    pub(crate) fn new(shift: &'a ScheduledShift) -> Self {
        let interval = shift.interval();
        Self {
            id: shift.id.uuid(),
            event_id: shift.event.uuid(),
            title: shift.title.as_str(),
            description: shift.description.as_ref().map(ShiftDescription::as_str),
            location: shift.location.as_ref().map(ShiftLocation::as_str),
            is_virtual: shift.is_virtual,
            day: shift.hours.day(),
            start_time: Instant(interval.start),
            end_time: Instant(interval.end),
            ends_next_day: shift.hours.ends_next_day(),
            local_date: shift.date().to_string(),
            local_start_time: shift.hours.start().to_string(),
            local_end_time: shift.hours.end().map_or_else(|| "24:00".to_owned(), |end| end.to_string()),
            capacity: shift.occupancy.capacity.volunteers(),
            filled: shift.occupancy.filled,
            waitlisted: shift.occupancy.waitlisted,
            remaining: shift.occupancy.remaining(),
            minimum: shift.minimum.map(Minimum::volunteers),
            external_id: shift.external_id.as_ref().map(ExternalId::as_str),
            created_at: Instant(shift.created_at),
            updated_at: Instant(shift.updated_at),
        }
    }
}

/// Returns the slots of `shifts`, in the same order.
pub(crate) fn slots<'a>(shifts: impl IntoIterator<Item = &'a ScheduledShift>) -> Vec<Slot<'a>> {
    shifts.into_iter().map(Slot::new).collect()
}
