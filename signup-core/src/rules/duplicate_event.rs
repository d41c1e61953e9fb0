//! Copying an event to another date.

use jiff::Timestamp;

use super::{Decision, EventIds, slug_with_tail};
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::hours::EventDate;
use crate::occupancy::Occupancy;
use crate::question::Question;
use crate::receipt::EventWithShifts;
use crate::shift::{Shift, sort_by_running_order};
use crate::store::{ChangeSet, EventInFull, Requirement, Write};

/// Copies an event with its shifts and questions to `start_date`.
///
/// The last day moves by as many days as the first. Shifts keep their wall times, capacity and position, and start
/// empty. The copy is a draft, so the limit of active events does not apply. The copy has as many days as its source,
/// and the plan's limit of days is not checked.
///
/// # Errors
/// Returns a fault of `start_date` if the copy's last day is out of range.
pub(crate) fn duplicate_event(
    source: EventInFull,
    start_date: EventDate,
    ids: EventIds,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Faults> {
    let EventInFull { event: source, location_data, shifts, questions } = source;
    let dates = source.dates.moved_to(start_date);
    let dates = dates.ok_or_else(|| Faults::one("start_date", FaultKind::LastDayOutOfRange))?;
    let event = Event {
        id: ids.event,
        slug: slug_with_tail(source.title.as_str(), "event", &ids.slug_tail),
        dates,
        is_published: false,
        cancelled_at: None,
        cancellation_reason: None,
        version: 1,
        created_at: now,
        updated_at: now,
        ..source
    };
    let shifts = ids.shifts.into_iter().zip(shifts).map(|(id, shift)| Shift {
        id,
        event: event.id,
        occupancy: Occupancy::empty(shift.occupancy.capacity),
        version: 1,
        created_at: now,
        updated_at: now,
        day: event.dates.first.clone(),
        ..shift
    });
    let mut shifts: Vec<_> = shifts.collect();
    // A clock change on the new date can change the running order.
    sort_by_running_order(&mut shifts);
    let questions = ids.questions.into_iter().zip(questions);
    let questions: Vec<_> =
        questions.map(|(id, question)| Question { id, event: event.id, ..question }).collect();

    let mut writes = vec![Write::InsertEvent { event: Box::new(event.clone()), location_data }];
    if !shifts.is_empty() {
        writes.push(Write::InsertShifts(shifts.clone()));
    }
    if !questions.is_empty() {
        writes.push(Write::InsertQuestions(questions));
    }
    let change = ChangeSet { requires: vec![Requirement::EventSlugFree(event.slug.clone())], writes };
    Ok(Decision { outcome: EventWithShifts { event, shifts }, change })
}
