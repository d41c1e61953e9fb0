//! Creating an event with its shifts.

use jiff::Timestamp;

use super::edit::{active_events_below, changed_or_slug_taken, slug_is_free};
use super::shift_set::new_shifts;
use super::{Decision, EventIds, slug_with_tail};
use crate::event::{Event, EventDates};
use crate::fault::{FaultKind, Faults};
use crate::hours::Day;
use crate::id::OrganizationId;
use crate::input::{CheckedEvent, EventInput, NewEvent};
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
/// Returns the faults that `new` carries, and one of `end_date` if the event has more days than the plan allows.
pub(crate) fn create_event(
    organization: OrganizationId,
    limits: PlanLimits,
    new: CheckedEvent,
    ids: EventIds,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Faults> {
    let (new, dates) = check(new, limits)?;
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

/// Adds the fault of an event that is longer than the plan allows. Returns the event and its dates if there is no
/// fault.
fn check(checked: CheckedEvent, limits: PlanLimits) -> Result<(NewEvent, EventDates), Faults> {
    let CheckedEvent { event, first, last, mut faults } = checked;
    let days = first.zip(last).map(|(first, last)| last.days_since(first) + 1);
    if days.is_some_and(|days| days > limits.event_days.into()) {
        faults.add("end_date", FaultKind::TooManyDays { max: limits.event_days });
        faults.sort_by_fields(EventInput::FIELDS);
    }
    faults.into_result(event.zip(first).map(|(event, first)| {
        let dates = EventDates { first: Day::new(first, event.zone.clone()), last };
        (event, dates)
    }))
}
