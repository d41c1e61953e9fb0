//! The JSON of the coverage of events.

use serde::Serialize;
use signup_core::{CoverageQuery, EventCoverage, ShiftCoverage, ShiftLocation};
use uuid::Uuid;

use super::event::public_url;
use super::{Instant, Page};

/// What an event still needs. An element of a list names the event, too.
#[derive(Debug, Serialize)]
pub(crate) struct Coverage<'a> {
    event_id: Uuid,
    #[serde(flatten)]
    event: Option<EventFacts<'a>>,
    is_covered: bool,
    capacity: u64,
    filled: u64,
    waitlisted: u64,
    remaining: u64,
    missing: u64,
    over_filled: u64,
    past_capacity: u64,
    past_filled: u64,
    slots: Vec<SlotCoverage<'a>>,
}

#[derive(Debug, Serialize)]
struct EventFacts<'a> {
    title: &'a str,
    start_date: Instant,
    timezone: &'a str,
    public_url: String,
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
    waitlisted: u32,
    remaining: u32,
    missing: u32,
    state: &'static str,
}

impl<'a> Coverage<'a> {
    pub(crate) fn new(coverage: &'a signup_core::Coverage) -> Self {
        Self {
            event_id: coverage.event.uuid(),
            event: None,
            is_covered: coverage.is_covered,
            capacity: coverage.capacity,
            filled: coverage.filled,
            waitlisted: coverage.waitlisted,
            remaining: coverage.remaining,
            missing: coverage.missing,
            over_filled: coverage.over_filled,
            past_capacity: coverage.past_capacity,
            past_filled: coverage.past_filled,
            slots: coverage.shifts.iter().map(SlotCoverage::new).collect(),
        }
    }

    fn with_event(EventCoverage { event, coverage, .. }: &'a EventCoverage, base_url: &str) -> Self {
        let facts = EventFacts {
            title: event.title.as_str(),
            start_date: Instant(event.dates.starts_at()),
            timezone: event.dates.first.zone().name(),
            public_url: public_url(event, base_url),
        };
        Self { event: Some(facts), ..Self::new(coverage) }
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
            waitlisted: shift.occupancy.waitlisted,
            remaining: found.remaining,
            missing: found.missing,
            state: found.state.name(),
        }
    }
}

/// Returns a page of the list of coverage.
pub(crate) fn coverage_page<'a>(
    query: &CoverageQuery,
    page: &'a signup_core::Page<EventCoverage>,
    base_url: &'a str,
) -> Page<Coverage<'a>> {
    let filters = [
        query.from.map(|date| ("from", date.to_string())),
        query.to.map(|date| ("to", date.to_string())),
        query.is_covered.map(|flag| ("is_covered", flag.to_string())),
    ];
    let path = format!("{base_url}/v1/coverage");
    Page::new(page, |found| Coverage::with_event(found, base_url), path, query.limit, filters)
}
