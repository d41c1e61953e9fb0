//! Deleting an event, and undoing the deletion.

use jiff::Timestamp;

use super::Decision;
use super::edit::{event_at_version, no_active_signups};
use crate::error::Error;
use crate::event::Event;
use crate::plan::PlanLimits;
use crate::store::{ChangeSet, DeletedEvent, EventInFull, Requirement, Write};

/// Deletes an event, cancelled or not.
///
/// # Errors
/// Returns [`Error::EventHasSignups`] if the event has active sign-ups.
pub(crate) fn delete_event(full: &EventInFull, now: Timestamp) -> Result<Decision<()>, Error> {
    let event = &full.event;
    let mut requires = vec![event_at_version(event)];
    requires.extend(no_active_signups(event, &full.shifts, now).ok_or(Error::EventHasSignups)?);
    let writes = vec![Write::DeleteEvent { organization: event.organization, event: event.id, at: now }];
    Ok(Decision { outcome: (), change: ChangeSet { requires, writes } })
}

/// Restores a deleted event as it was. An event that is then active counts against the plan's limit.
pub(crate) fn restore_event(deleted: DeletedEvent, limits: PlanLimits, now: Timestamp) -> Decision<Event> {
    let DeletedEvent { event, .. } = deleted;
    let (organization, id) = (event.organization, event.id);
    let mut requires = vec![Requirement::EventDeleted { organization, event: id, version: event.version }];
    if event.is_active(now) {
        requires.push(Requirement::ActiveEventsBelow { organization, limit: limits.active_events, now });
    }
    let restored = Event { version: event.version + 1, ..event };
    let writes = vec![Write::RestoreEvent(Box::new(restored.clone()))];
    Decision { outcome: restored, change: ChangeSet { requires, writes } }
}
