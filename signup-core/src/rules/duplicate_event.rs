//! Copying an event to another date.

use jiff::Timestamp;
use jiff::civil::Date;

use super::edit::{changed_or_slug_taken, slug_is_free};
use super::{Decision, EventIds, slug_with_tail};
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::hours::EventDate;
use crate::occupancy::Occupancy;
use crate::question::Question;
use crate::receipt::EventWithShifts;
use crate::shift::{Shift, sort_by_running_order};
use crate::store::{ChangeSet, EventInFull, EventLocationData};

/// Copies an event with its shifts and questions to `start_date`.
///
/// The last day moves by as many days as the first. Shifts keep their wall times, capacity and position, and start
/// empty. The copy is a draft, so the limit of active events does not apply. The copy has as many days as its source,
/// and the plan's limit of days is not checked.
///
/// # Errors
/// Returns a fault of `start_date` if it or the copy's last day is out of range.
pub(crate) fn duplicate_event(
    source: EventInFull,
    start_date: Date,
    ids: EventIds,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Faults> {
    let EventInFull { event: source, location_data, shifts, questions } = source;
    let first = EventDate::try_from(start_date).map_err(|error| Faults::one("start_date", error))?;
    let dates = source.dates.moved_to(first);
    let dates = dates.ok_or_else(|| Faults::one("start_date", FaultKind::LastDayOutOfRange))?;
    let event = Event {
        id: ids.event,
        slug: slug_with_tail(source.title.as_str(), "event", &ids.slug_tail),
        dates,
        is_published: false,
        cancelled_at: None,
        cancellation_reason: None,
        version: 1,
        gate: 1,
        deleted_at: None,
        created_at: now,
        updated_at: now,
        ..source
    };
    let shifts = ids.shifts.into_iter().zip(shifts).map(|(id, shift)| Shift {
        id,
        event: event.id,
        occupancy: Occupancy::empty(shift.occupancy.capacity),
        version: 1,
        gate: 1,
        closing: None,
        created_at: now,
        updated_at: now,
        day: event.dates.first.clone(),
        ..shift
    });
    let mut shifts: Vec<_> = shifts.collect();
    // A clock change on the new date can change the running order.
    sort_by_running_order(&mut shifts);

    let mut change = ChangeSet::default();
    change.requires.push(slug_is_free(&event, now));
    change.insert(event.clone());
    if let Some(data) = location_data {
        change.insert(EventLocationData { organization: event.organization, event: event.id, data });
    }
    shifts.iter().for_each(|shift| change.insert(shift.clone()));
    for (id, question) in ids.questions.into_iter().zip(questions) {
        change.insert(Question { id, event: event.id, version: 1, ..question });
    }
    Ok(Decision::new(EventWithShifts { event, shifts }, change).again_after(changed_or_slug_taken))
}
