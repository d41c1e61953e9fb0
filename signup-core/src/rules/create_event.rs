//! Creating an event with its shifts.

use jiff::Timestamp;

use super::edit::{active_events_below, changed_or_slug_taken, slug_is_free};
use super::shift_set::new_shifts;
use super::{Decision, EventIds, slug_with_tail};
use crate::event::{Event, EventDates};
use crate::fault::Faults;
use crate::hours::{Day, EventDate};
use crate::id::OrganizationId;
use crate::input::{NewEvent, check_last_day, check_shift_count};
use crate::plan::PlanLimits;
use crate::receipt::EventWithShifts;
use crate::shift::sort_by_running_order;
use crate::store::{ChangeSet, EventLocationData};

/// Creates an event and its shifts.
///
/// Only an event that is published and not over counts against the plan's limit of active events. The store checks the
/// count under its lock, so simultaneous creates never exceed the limit.
///
/// # Errors
/// Returns a fault of each day that is out of range, of `end_date` if it is before the first day or the event has more days
/// than the plan allows, and of `shifts` if there are too many.
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
        cancelled_at: None,
        cancellation_reason: None,
        version: 1,
        gate: 1,
        deleted_at: None,
        created_at: now,
        updated_at: now,
    };
    let mut shifts = new_shifts(&event, new.shifts, ids.shifts, 0, now);
    sort_by_running_order(&mut shifts);

    let mut change = ChangeSet::default();
    change.requires.push(slug_is_free(&event, now));
    if event.is_active(now) {
        change.requires.push(active_events_below(organization, limits, now));
    }
    change.insert(event.clone());
    if let Some(data) = new.location_data {
        change.insert(EventLocationData { organization, event: event.id, data });
    }
    shifts.iter().for_each(|shift| change.insert(shift.clone()));
    Ok(Decision::new(EventWithShifts { event, shifts }, change).again_after(changed_or_slug_taken))
}

/// Checks what the types of the fields leave open, and returns the days.
fn check(new: &NewEvent, limits: PlanLimits) -> Result<EventDates, Faults> {
    let mut faults = Faults::new();
    let first = faults.check("start_date", EventDate::try_from(new.start_date));
    let last = new.end_date.and_then(|last| {
        let last = EventDate::try_from(last).map_err(Into::into);
        faults.check("end_date", last.and_then(|last| check_last_day(first, last, limits)))
    });
    faults.check("shifts", check_shift_count(new.shifts.len()));
    faults.into_result(first.map(|first| EventDates { first: Day::new(first, new.zone.clone()), last }))
}
