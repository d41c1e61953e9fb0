//! Checks of the days and the shifts of an event, which typed input can still have wrong.

use std::collections::HashSet;

use super::NewShift;
use crate::event::Event;
use crate::fault::{FaultKind, FaultPath, Faults};
use crate::hours::{EventDate, Hours, LocalDateTime, TimeError};
use crate::plan::PlanLimits;

/// Checks that the last day of an event is not before the first. A first day with a fault is not compared.
pub(super) fn check_order_of_days(first: Option<EventDate>, last: EventDate) -> Result<EventDate, TimeError> {
    if first.is_some_and(|first| last < first) { Err(TimeError::DayOrder) } else { Ok(last) }
}

/// Checks that sign-ups close after they open, by the wall clock.
pub(crate) fn check_closing(
    opens: Option<LocalDateTime>,
    closes: LocalDateTime,
) -> Result<LocalDateTime, TimeError> {
    if opens.is_some_and(|opens| closes <= opens) { Err(TimeError::ClosesFirst) } else { Ok(closes) }
}

/// Checks the last day of an event: it is not before the first, and the plan allows as many days. A first day with a fault
/// is not compared.
pub(crate) fn check_last_day(
    first: Option<EventDate>,
    last: EventDate,
    limits: PlanLimits,
) -> Result<EventDate, FaultKind> {
    check_order_of_days(first, last)?;
    let max = limits.event_days;
    match first {
        Some(first) if last.days_since(first) + 1 > max.into() => Err(FaultKind::TooManyDays { max }),
        _ => Ok(last),
    }
}

/// Checks that an event is created with at most [`Event::MAX_NEW_SHIFTS`] shifts.
pub(crate) const fn check_shift_count(count: usize) -> Result<(), FaultKind> {
    let max = Event::MAX_NEW_SHIFTS;
    if count > max {
        Err(FaultKind::TooMany { items: "shifts in one request", max, present: 0 })
    } else {
        Ok(())
    }
}

/// Checks that 1 to [`Event::MAX_NEW_SHIFTS`] shifts are added to an event.
pub(crate) const fn check_added_shifts(count: usize) -> Result<(), FaultKind> {
    if count == 0 { Err(FaultKind::Required) } else { check_shift_count(count) }
}

/// Checks that an event of as many days has the day of the hours.
pub(crate) const fn check_day(hours: Hours, days: u32) -> Result<(), FaultKind> {
    if hours.day() > days { Err(FaultKind::NoSuchDay { days }) } else { Ok(()) }
}

/// Adds a fault for each new shift whose day an event of as many days does not have.
pub(crate) fn check_shift_days(faults: &mut Faults, shifts: &[NewShift], days: u32) {
    for (index, shift) in shifts.iter().enumerate() {
        faults.check(shift_path(index).field("day"), check_day(shift.hours, days));
    }
}

/// Adds a fault of each new shift that has the external id of an earlier one.
pub(crate) fn check_external_ids(faults: &mut Faults, shifts: &[NewShift]) {
    let mut seen = HashSet::new();
    for (index, shift) in shifts.iter().enumerate() {
        if shift.external_id.as_ref().is_some_and(|id| !seen.insert(id)) {
            faults.add(shift_path(index).field("external_id"), FaultKind::Repeated);
        }
    }
}

fn shift_path(index: usize) -> FaultPath {
    FaultPath::new().field("shifts").index(index)
}
