//! The JSON of the coverage of an event.

use serde::Serialize;
use signup_core::{ShiftCoverage, ShiftLocation};
use uuid::Uuid;

use super::Instant;

/// What an event still needs.
#[derive(Debug, Serialize)]
pub(crate) struct Coverage<'a> {
    event_id: Uuid,
    is_covered: bool,
    capacity: u64,
    filled: u64,
    remaining: u64,
    over_filled: u64,
    slots: Vec<SlotCoverage<'a>>,
}

/// What a slot still needs.
#[derive(Debug, Serialize)]
struct SlotCoverage<'a> {
    id: Uuid,
    title: &'a str,
    location: Option<&'a str>,
    start_time: Instant,
    end_time: Instant,
    capacity: u32,
    filled: u32,
    remaining: u32,
    state: &'static str,
}

impl<'a> Coverage<'a> {
    pub(crate) fn new(coverage: &'a signup_core::Coverage) -> Self {
        Self {
            event_id: coverage.event.uuid(),
            is_covered: coverage.is_covered,
            capacity: coverage.capacity,
            filled: coverage.filled,
            remaining: coverage.remaining,
            over_filled: coverage.over_filled,
            slots: coverage.shifts.iter().map(SlotCoverage::new).collect(),
        }
    }
}

impl<'a> SlotCoverage<'a> {
    fn new(found: &'a ShiftCoverage) -> Self {
        let (shift, interval) = (&found.shift, found.shift.interval());
        Self {
            id: shift.id.uuid(),
            title: shift.title.as_str(),
            location: shift.location.as_ref().map(ShiftLocation::as_str),
            start_time: Instant(interval.start),
            end_time: Instant(interval.end),
            capacity: shift.occupancy.capacity.volunteers(),
            filled: shift.occupancy.filled,
            remaining: found.remaining,
            state: found.state.name(),
        }
    }
}
