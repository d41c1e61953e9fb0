//! What the edits of an event share: the requirement of its version, and of shifts without active sign-ups.
//!
//! A sign-up is active if it is confirmed and its shift is not over. The hours before the request decide.
//!
//! **Invariant:** every edit of an event, of the set of its shifts or of its questions adds 1 to the version of the event.
//! A sign-up requires the version, so it never succeeds on facts that an edit has changed.

use jiff::Timestamp;

use crate::error::Error;
use crate::event::Event;
use crate::shift::Shift;
use crate::store::{Requirement, Write};

/// Refuses an edit of a cancelled event.
pub(super) const fn check_not_cancelled(event: &Event) -> Result<(), Error> {
    if event.is_cancelled() { Err(Error::EventCancelled) } else { Ok(()) }
}

/// Requires that the event is as it was read.
pub(super) const fn event_at_version(event: &Event) -> Requirement {
    Requirement::EventAtVersion { organization: event.organization, event: event.id, version: event.version }
}

/// Requires that the shift is as it was read, except for its sign-ups.
pub(super) const fn shift_at_version(shift: &Shift) -> Requirement {
    Requirement::ShiftAtVersion { organization: shift.organization, shift: shift.id, version: shift.version }
}

/// Adds 1 to the version of an event, because its shifts or questions change.
pub(super) fn next_version(event: &Event) -> Write {
    let event = Event { version: event.version + 1, ..event.clone() };
    Write::UpdateEvent { event: Box::new(event), may_change_activity: false }
}

/// Returns whether the shift is over at `now`.
pub(super) fn is_over(shift: &Shift, now: Timestamp) -> bool {
    shift.interval().end <= now
}

/// Requires that none of the shifts has an active sign-up. Returns `None` if one has.
pub(super) fn no_active_signups<'s>(
    shifts: impl IntoIterator<Item = &'s Shift>,
    now: Timestamp,
) -> Option<Vec<Requirement>> {
    let requirement = |shift: &Shift| {
        let (organization, id) = (shift.organization, shift.id);
        if is_over(shift, now) {
            // Another edit could make the hours later.
            Some(shift_at_version(shift))
        } else {
            let is_empty = shift.occupancy.filled == 0;
            is_empty.then_some(Requirement::ShiftIsEmpty { organization, shift: id })
        }
    };
    shifts.into_iter().map(requirement).collect()
}
