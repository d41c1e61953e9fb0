//! Deleting an event, and undoing the deletion.

use jiff::Timestamp;

use super::edit::{active_events_below, changed_or_not_empty, next_gate, require_no_active_signups};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
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
    let deleted = NewActivity::of(ActivityType::EVENT_DELETED, event);
    Ok(Decision::new((), change, [deleted]).again_after(changed_or_not_empty))
}

/// Restores a deleted event as it was. An event that is then active counts against the plan's limit.
pub(crate) fn restore_event(deleted: Event, limits: PlanLimits, now: Timestamp) -> Decision<Event> {
    let restored = Event { deleted_at: None, ..next_gate(&deleted) };
    let mut change = ChangeSet::default();
    change.replace(deleted, restored.clone());
    if restored.is_active(now) {
        change.requires.push(active_events_below(restored.organization, limits, now));
    }
    let activity = NewActivity::of(ActivityType::EVENT_RESTORED, &restored);
    Decision::new(restored, change, [activity])
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::store::{Refusal, Total, Write};

    #[test]
    fn only_an_event_without_active_sign_ups_is_deleted() {
        let filled = |number: u32| full_with(|_, shifts| shifts[1].occupancy.filled = number);
        let (event, put) = ("Event 1 at 1", "put Event 1 to 2, gate 2");
        let empty = delete_event(&filled(0), before()).unwrap();
        assert_eq!(lines(&empty), [event, "sign-ups of Shift 1, sign-ups of Shift 2 of Event 1 zero", put]);
        assert_eq!(delete_event(&filled(1), before()).unwrap_err(), Error::EventHasSignups);
        let past = delete_event(&filled(1), after_shifts()).unwrap();
        assert_eq!(lines(&past), [event, "Shift 1 at 1", "Shift 2 at 1", put]);
        let count = |total| Refusal::NotBelow { total, count: 1 };
        let (owner, shift) = (full().event.organization, full().shifts[0].id);
        assert!((empty.decides_again)(&count(Total::Filled(owner, shift))));
        assert!(!(empty.decides_again)(&count(Total::ActiveEvents(owner))));
        let [Write::Put { after, .. }] = &empty.change.writes[..] else { panic!("{empty:?}") };
        assert_eq!(<&Event>::try_from(after).unwrap().deleted_at, Some(before()));
    }

    #[test]
    fn a_restored_event_counts_only_if_it_is_active() {
        let deleted = Event { deleted_at: Some(before()), ..records::event(1, 1) };
        for (now, expected) in [
            (before(), &["Event 1 at 1", "active events below 3", "put Event 1 to 2, gate 2"][..]),
            (after_event(), &["Event 1 at 1", "put Event 1 to 2, gate 2"]),
        ] {
            let restored = restore_event(deleted.clone(), limits(), now);
            assert_eq!(
                (lines(&restored), restored.outcome.deleted_at),
                (expected.iter().map(|line| (*line).to_owned()).collect(), None)
            );
        }
    }
}
