//! Coverage: what an event still needs.
//!
//! **Invariant:** the totals follow from the shifts of the same coverage.

use jiff::Timestamp;

use crate::event::Event;
use crate::id::EventId;
use crate::receipt::EventWithShifts;
use crate::shift::ScheduledShift;
use crate::text_form::names;

/// What an event still needs, shift by shift.
///
/// # Example
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
/// use signup_core::CoverageState;
///
/// for found in session.coverage(created.event.id).await?.shifts {
///     if found.state == CoverageState::Open {
///         println!("{} needs {} more", found.shift.title, found.remaining);
///     }
/// }
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// The event.
    pub event: EventId,
    /// Whether every shift that is not past has enough volunteers. Always false for a cancelled event.
    pub is_covered: bool,
    /// The sum of the capacities of the shifts that are not past.
    pub capacity: u64,
    /// The sum of the confirmed sign-ups for the shifts that are not past.
    pub filled: u64,
    /// The sum of the sign-ups that wait for a place on the shifts that are not past.
    pub waitlisted: u64,
    /// The sum of `remaining` of the shifts. Sign-ups above the capacity of one shift do not reduce the `remaining` of
    /// another.
    pub remaining: u64,
    /// The sum of `missing` of the shifts.
    pub missing: u64,
    /// The number of sign-ups above the capacities of over-full shifts that are not past.
    pub over_filled: u64,
    /// The sum of the capacities of the past shifts.
    pub past_capacity: u64,
    /// The sum of the confirmed sign-ups for the past shifts.
    pub past_filled: u64,
    /// The shifts in running order, past ones included.
    #[doc(alias = "slots")]
    pub shifts: Vec<ShiftCoverage>,
}

/// What a shift still needs.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShiftCoverage {
    /// The shift.
    pub shift: ScheduledShift,
    /// Whether the shift needs volunteers.
    pub state: CoverageState,
    /// The number of volunteers still needed; 0 unless the shift is open.
    pub remaining: u32,
    /// The number of volunteers without whom the shift cannot run; 0 unless the shift is open.
    pub missing: u32,
}

/// Whether a shift needs volunteers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverageState {
    /// The shift is over.
    Past,
    /// The event is cancelled, and the shift is not over.
    Cancelled,
    /// The shift has more sign-ups than its capacity.
    OverFull,
    /// The shift has as many sign-ups as its capacity.
    Full,
    /// The shift has room.
    Open,
}

impl CoverageState {
    fn of(event: &Event, shift: &ScheduledShift, now: Timestamp) -> Self {
        if shift.is_over(now) {
            Self::Past
        } else if event.is_cancelled() {
            Self::Cancelled
        } else if shift.occupancy.is_over_full() {
            Self::OverFull
        } else if shift.occupancy.has_room() {
            Self::Open
        } else {
            Self::Full
        }
    }
}

impl Coverage {
    /// Returns the coverage of an event with these shifts at `now`.
    pub fn of(event: &Event, shifts: Vec<ScheduledShift>, now: Timestamp) -> Self {
        let shifts: Vec<_> = shifts
            .into_iter()
            .map(|shift| {
                let state = CoverageState::of(event, &shift, now);
                let is_open = state == CoverageState::Open;
                let (remaining, missing) = (shift.occupancy.remaining(), shift.missing());
                let [remaining, missing] =
                    [remaining, missing].map(|needed| if is_open { needed } else { 0 });
                ShiftCoverage { shift, state, remaining, missing }
            })
            .collect();
        let of = |is_past| shifts.iter().filter(move |found| (found.state == CoverageState::Past) == is_past);
        let occupancy = |found: &ShiftCoverage| found.shift.occupancy;
        let filled = |found: &ShiftCoverage| u64::from(occupancy(found).filled);
        let capacity = |found: &ShiftCoverage| u64::from(occupancy(found).capacity.volunteers());
        let remaining = of(false).map(|found| u64::from(found.remaining)).sum();
        Self {
            event: event.id,
            is_covered: !event.is_cancelled() && remaining == 0,
            capacity: of(false).map(capacity).sum(),
            filled: of(false).map(filled).sum(),
            waitlisted: of(false).map(|found| u64::from(occupancy(found).waitlisted)).sum(),
            remaining,
            missing: of(false).map(|found| u64::from(found.missing)).sum(),
            over_filled: of(false).map(|found| filled(found).saturating_sub(capacity(found))).sum(),
            past_capacity: of(true).map(capacity).sum(),
            past_filled: of(true).map(filled).sum(),
            shifts,
        }
    }
}

/// What an event of a list still needs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventCoverage {
    /// The event.
    pub event: Event,
    /// What the event still needs.
    pub coverage: Coverage,
}

impl EventCoverage {
    /// Returns the coverage of an event at `now`.
    pub fn of(EventWithShifts { event, shifts }: EventWithShifts, now: Timestamp) -> Self {
        Self { coverage: Coverage::of(&event, shifts, now), event }
    }
}

names! {
    /// Every state.
    CoverageState {
        Past => "past",
        Cancelled => "cancelled",
        OverFull => "over_full",
        Full => "full",
        Open => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::records;
    use crate::hours::Hours;
    use crate::occupancy::Minimum;
    use crate::shift::Shift;

    /// Each shift needs at least 3 volunteers to run.
    #[test]
    fn the_states_and_the_totals_follow_from_the_shifts_and_the_time() {
        let event = records::event(1, 1);
        let shift = |number, capacity, filled| {
            let mut shift = records::shift(&event, number, capacity);
            (shift.occupancy.filled, shift.minimum) = (filled, Minimum::new(3).ok());
            shift
        };
        let past = Shift { hours: Hours::parse(Some("07:00"), Some("09:00")).unwrap(), ..shift(1, 5, 2) };
        let shifts = [past, shift(2, 8, 1), shift(3, 2, 1), shift(4, 4, 3), shift(5, 2, 2), shift(6, 2, 4)];
        let shifts = ScheduledShift::in_running_order(shifts, &event);
        let end = shifts[0].interval().end;
        let found = |coverage: &Coverage| {
            let shifts = coverage.shifts.iter().map(|found| (found.state, found.remaining, found.missing));
            let Coverage { capacity, filled, remaining, missing, over_filled, .. } = *coverage;
            let past = (coverage.past_capacity, coverage.past_filled);
            (shifts.collect::<Vec<_>>(), [capacity, filled, remaining, missing, over_filled], past)
        };
        use CoverageState::{Cancelled, Full, Open, OverFull, Past};

        let coverage = Coverage::of(&event, shifts.clone(), end);
        let states =
            vec![(Past, 0, 0), (Open, 7, 2), (Open, 1, 1), (Open, 1, 0), (Full, 0, 0), (OverFull, 0, 0)];
        assert_eq!(found(&coverage), (states, [18, 11, 9, 3, 2], (5, 2)));
        assert!(!coverage.is_covered);
        let before = Coverage::of(&event, shifts.clone(), end - jiff::SignedDuration::from_secs(1));
        assert_eq!((before.shifts[0].state, before.shifts[0].remaining, before.past_capacity), (Open, 3, 0));
        assert!(Coverage::of(&event, shifts[4..].to_vec(), end).is_covered);
        assert!(Coverage::of(&event, shifts[..1].to_vec(), end).is_covered, "nobody is needed any more");

        let event = Event { cancelled_at: Some(end), ..event };
        let coverage = Coverage::of(&event, shifts[..2].to_vec(), end);
        assert_eq!(found(&coverage), (vec![(Past, 0, 0), (Cancelled, 0, 0)], [8, 1, 0, 0, 0], (5, 2)));
        assert!(!coverage.is_covered);
    }
}
