//! Creating an event with its shifts.

use jiff::Timestamp;

use super::{Decision, EventIds, slug_with_tail};
use crate::event::{Event, EventDates};
use crate::fault::Faults;
use crate::hours::{Day, EventDate};
use crate::id::OrganizationId;
use crate::input::{NewEvent, check_last_day, check_shift_count};
use crate::occupancy::Occupancy;
use crate::plan::PlanLimits;
use crate::receipt::EventWithShifts;
use crate::shift::{Shift, sort_by_running_order};
use crate::store::{ChangeSet, Requirement, Write};

/// Creates an event and its shifts.
///
/// Only an event that is published and not over counts against the plan's limit of active events. The store checks the
/// count under its lock, so simultaneous creates never exceed the limit.
///
/// # Errors
/// Returns the faults of the dates (out of range, in the wrong order, too many days for the plan) and of too many shifts.
pub(crate) fn create_event(
    organization: OrganizationId,
    limits: PlanLimits,
    new: NewEvent,
    ids: EventIds,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Faults> {
    let dates = check(&new, limits)?;
    let event = Event {
        id: ids.event,
        organization,
        slug: slug_with_tail(new.title.as_str(), "event", &ids.slug_tail),
        title: new.title,
        description: new.description,
        location: new.location,
        is_virtual: new.is_virtual,
        latitude: new.latitude,
        longitude: new.longitude,
        dates,
        is_published: new.is_published,
        theme: new.theme,
        badge_label: new.badge_label,
        created_at: now,
        updated_at: now,
    };
    let shifts = ids.shifts.into_iter().zip(new.shifts).zip(0..).map(|((id, shift), position)| Shift {
        id,
        organization,
        event: event.id,
        title: shift.title,
        location: shift.location,
        hours: shift.hours,
        occupancy: Occupancy::empty(shift.capacity),
        position,
        version: 1,
        created_at: now,
        updated_at: now,
        day: event.dates.first.clone(),
        is_virtual: event.is_virtual,
    });
    let mut shifts: Vec<_> = shifts.collect();
    sort_by_running_order(&mut shifts);

    let mut requires = vec![Requirement::EventSlugFree(event.slug.clone())];
    if event.is_active(now) {
        requires.push(Requirement::ActiveEventsBelow { organization, limit: limits.active_events, now });
    }
    let mut writes =
        vec![Write::InsertEvent { event: Box::new(event.clone()), location_data: new.location_data }];
    if !shifts.is_empty() {
        writes.push(Write::InsertShifts(shifts.clone()));
    }
    Ok(Decision { outcome: EventWithShifts { event, shifts }, change: ChangeSet { requires, writes } })
}

/// Checks the dates and the number of shifts, whose bounds the types do not express.
fn check(new: &NewEvent, limits: PlanLimits) -> Result<EventDates, Faults> {
    let mut faults = Faults::new();
    let first = faults.check("start_date", EventDate::try_from(new.start_date));
    let last = new.end_date.and_then(|last| faults.check("end_date", EventDate::try_from(last)));
    if let (Some(first), Some(last)) = (first, last) {
        faults.check("end_date", check_last_day(first, last, limits));
    }
    faults.check("shifts", check_shift_count(new.shifts.len()));
    faults.or(first.map(|first| EventDates { first: Day::new(first, new.zone.clone()), last }))
}
