//! Deleting an event, and undoing the deletion.

use jiff::Timestamp;

use super::Decision;
use super::edit::{active_events_below, changed_or_not_empty, next_gate, require_no_active_signups};
use crate::error::Error;
use crate::event::Event;
use crate::plan::PlanLimits;
use crate::store::{ChangeSet, EventInFull};

/// Deletes an event, cancelled or not.
///
/// # Errors
/// Returns [`Error::EventHasSignups`] if the event has active sign-ups.
pub(crate) fn delete_event(full: &EventInFull, now: Timestamp) -> Result<Decision<()>, Error> {
    let event = &full.event;
    let mut change = ChangeSet::default();
    change.replace(event.clone(), Event { deleted_at: Some(now), ..next_gate(event) });
    if !require_no_active_signups(&mut change, event, &full.shifts, now) {
        return Err(Error::EventHasSignups);
    }
    Ok(Decision::new((), change).again_after(changed_or_not_empty))
}

/// Restores a deleted event as it was. An event that is then active counts against the plan's limit.
pub(crate) fn restore_event(deleted: Event, limits: PlanLimits, now: Timestamp) -> Decision<Event> {
    let restored = Event { deleted_at: None, ..next_gate(&deleted) };
    let mut change = ChangeSet::default();
    change.replace(deleted, restored.clone());
    if restored.is_active(now) {
        change.requires.push(active_events_below(restored.organization, limits, now));
    }
    Decision::new(restored, change)
}
