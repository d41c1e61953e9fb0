//! Deleting an event, and undoing the deletion.

use jiff::Timestamp;

use super::edit::{
    active_events_below, changed_or_not_empty, changed_or_taken, next_gate, require_free_external_id,
    require_no_active_signups,
};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::Event;
use crate::id::EventId;
use crate::plan::PlanLimits;
use crate::store::{ChangeSet, EventInFull, Write};

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

/// Restores a deleted event as it was. An event that is then active counts against the plan's limit. `holder` is the event that
/// has got the external id meanwhile: then the restored event has none.
pub(crate) fn restore_event(
    deleted: Event,
    holder: Option<EventId>,
    limits: PlanLimits,
    now: Timestamp,
) -> Decision<Event> {
    let mut restored = Event { deleted_at: None, ..next_gate(&deleted) };
    let mut change = ChangeSet::default();
    change.require_unchanged(&deleted);
    if require_free_external_id(&mut change, &restored, holder, now).is_err() {
        restored = Event { external_id: None, updated_at: now, ..restored };
    }
    change.writes.push(Write::Put { before: Some(deleted.into()), after: restored.clone().into() });
    if restored.is_active(now) {
        change.requires.push(active_events_below(restored.organization, limits, now));
    }
    let activity = NewActivity::of(ActivityType::EVENT_RESTORED, &restored);
    Decision::new(restored, change, [activity]).again_after(changed_or_taken)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::store::{Refusal, Total};

    #[test]
    fn only_an_event_without_active_sign_ups_is_deleted() {
        let filled = |number: u32| full_with(|_, shifts| shifts[1].occupancy.filled = number);
        let (event, put) = ("Event 1 at 1", "put Event 1 to 2, gate 2");
        const ZERO: &str = "sign-ups of Shift 1, waiting for Shift 1, sign-ups of Shift 2, waiting for Shift 2 of Event 1 zero";
        let empty = delete_event(&filled(0), before()).unwrap();
        assert_eq!(lines(&empty), [event, ZERO, put]);
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
    fn a_restored_event_drops_an_external_id_that_another_event_has_got() {
        let external_id = "drive-7".parse().ok();
        let deleted = Event { deleted_at: Some(before()), external_id, ..records::event(1, 1) };
        let put = "put Event 1 to 2, gate 2";
        let restored = restore_event(deleted.clone(), None, limits(), after_event());
        assert_eq!(lines(&restored), ["Event 1 at 1", "no event with id drive-7", put]);
        assert_eq!(restored.outcome.external_id, deleted.external_id);
        assert_eq!(restored.outcome.updated_at, deleted.updated_at);
        let taken = Refusal::Taken(Box::new(records::event(1, 2).into()));
        assert!((restored.decides_again)(&taken), "another event gets the id at once");
        let holder = Some(EventId::new(records::uuid(2)));
        let restored = restore_event(deleted, holder, limits(), after_event());
        assert_eq!(lines(&restored), ["Event 1 at 1", put]);
        assert_eq!((restored.outcome.external_id, restored.outcome.updated_at), (None, after_event()));
    }

    #[test]
    fn a_restored_event_counts_only_if_it_is_active() {
        let deleted = Event { deleted_at: Some(before()), ..records::event(1, 1) };
        for (now, expected) in [
            (before(), &["Event 1 at 1", "active events below 3", "put Event 1 to 2, gate 2"][..]),
            (after_event(), &["Event 1 at 1", "put Event 1 to 2, gate 2"]),
        ] {
            let restored = restore_event(deleted.clone(), None, limits(), now);
            assert_eq!(
                (lines(&restored), restored.outcome.deleted_at),
                (expected.iter().map(|line| (*line).to_owned()).collect(), None)
            );
        }
    }
}
