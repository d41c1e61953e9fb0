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

/// Requires that none of these shifts of the event has an active sign-up. Returns `None` if one has.
pub(super) fn no_active_signups<'s>(
    event: &Event,
    shifts: impl IntoIterator<Item = &'s Shift>,
    now: Timestamp,
) -> Option<Vec<Requirement>> {
    let (over, others): (Vec<_>, Vec<_>) = shifts.into_iter().partition(|shift| is_over(shift, now));
    if others.iter().any(|shift| shift.occupancy.filled > 0) {
        return None;
    }
    // Another edit could move a past shift to a later time.
    let mut requires: Vec<_> = over.into_iter().map(shift_at_version).collect();
    if !others.is_empty() {
        let (organization, event) = (event.organization, event.id);
        let shifts = others.into_iter().map(|shift| shift.id).collect();
        requires.push(Requirement::ShiftsAreEmpty { organization, event, shifts });
    }
    Some(requires)
}

#[cfg(test)]
#[cfg(feature = "conformance")]
mod tests {
    use super::*;
    use crate::conformance::records;

    #[test]
    fn shifts_that_are_not_over_have_to_be_empty_and_the_others_unchanged() {
        let event = records::event(1, 1);
        let [mut first, mut second, third] = [1, 2, 3].map(|number| records::shift(&event, number, 5));
        first.hours = (480, 540).try_into().unwrap();
        second.hours = (600, 660).try_into().unwrap();
        let now = first.interval().end;
        first.occupancy.filled = 1;
        let (organization, shifts) = (event.organization, vec![second.id, third.id]);
        let empty = Requirement::ShiftsAreEmpty { organization, event: event.id, shifts };
        let found = no_active_signups(&event, [&first, &second, &third], now);
        assert_eq!(found, Some(vec![shift_at_version(&first), empty]), "a past sign-up is not active");
        second.occupancy.filled = 1;
        assert_eq!(no_active_signups(&event, [&first, &third, &second], now), None, "an active sign-up");
    }
}
