//! Creating an event with its shifts.

use jiff::Timestamp;

use super::{Decision, EventIds, slug_with_tail};
use crate::event::Event;
use crate::id::OrganizationId;
use crate::input::NewEvent;
use crate::occupancy::Occupancy;
use crate::receipt::EventWithShifts;
use crate::shift::{Shift, sort_by_running_order};
use crate::store::{ChangeSet, Requirement, Write};

/// Creates an event and its shifts.
///
/// Only an event that is active from the start counts against `active_events`: published, and not over. The store
/// rechecks the count under its lock, so that simultaneous creates never pass the limit.
pub fn create_event(
    organization: OrganizationId,
    active_events: u32,
    new: NewEvent,
    ids: EventIds,
    now: Timestamp,
) -> Decision<EventWithShifts> {
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
        dates: new.dates,
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
        requires.push(Requirement::ActiveEventsBelow { organization, limit: active_events, now });
    }
    let mut writes =
        vec![Write::InsertEvent { event: Box::new(event.clone()), location_data: new.location_data }];
    if !shifts.is_empty() {
        writes.push(Write::InsertShifts(shifts.clone()));
    }
    Decision { outcome: EventWithShifts { event, shifts }, change: ChangeSet { requires, writes } }
}
