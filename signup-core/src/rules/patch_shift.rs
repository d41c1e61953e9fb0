//! Changing a shift.

use jiff::{SignedDuration, Timestamp};

use super::activity::changes_of_shift;
use super::edit::{check_not_cancelled, notice_of_change};
use super::merge::merge_shift;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::Event;
use crate::fault::Faults;
use crate::id::NoticeId;
use crate::input::{Change, ShiftPatch};
use crate::occupancy::Occupancy;
use crate::shift::{ScheduledShift, Shift};
use crate::store::{ChangeSet, Write};
use crate::time_and_place::TimeAndPlace;

/// Changes the fields that `patch` names.
///
/// A patch that changes no value writes nothing, not even `updated_at`. A capacity below the number of confirmed
/// sign-ups cancels none of them. Queues a notice to the volunteers if the time or the place changes, unless the patch
/// suppresses the notice or the shift is over by both its old and its new hours. The notice is due `delay` later, together with
/// other changes of the shift (see [`Gathering`](crate::Gathering)).
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with a fault of `end_time` if the shift would not end after its start.
pub(crate) fn patch_shift(
    event: &Event,
    shift: ScheduledShift,
    patch: ShiftPatch,
    notice: NoticeId,
    delay: SignedDuration,
    now: Timestamp,
) -> Result<Decision<ScheduledShift>, Error> {
    check_not_cancelled(event)?;
    let patch = merge_shift(patch, &shift)?;
    let hours = patch.hours.apply(shift.hours).map_err(|error| Faults::one("end_time", error))?;
    let before = TimeAndPlace::of(&shift, event);
    let record = Shift {
        title: patch.title.unwrap_or_else(|| shift.title.clone()),
        description: patch.description.map_or_else(|| shift.description.clone(), Change::into_value),
        location: patch.location.map_or_else(|| shift.location.clone(), Change::into_value),
        hours,
        occupancy: Occupancy {
            capacity: patch.capacity.unwrap_or(shift.occupancy.capacity),
            ..shift.occupancy
        },
        ..shift.shift.clone()
    };
    if record == shift.shift {
        return Ok(Decision::unchanged(shift));
    }
    let raises_gate = record.hours != shift.hours || record.occupancy != shift.occupancy;
    let record = Shift {
        updated_at: now,
        version: shift.version + 1,
        gate: shift.gate + u32::from(raises_gate),
        ..record
    };
    let mut changed = ScheduledShift::of(record, event);
    let mut queued = None;
    if patch.notify_volunteers {
        let after = TimeAndPlace::of(&changed, event);
        queued = notice_of_change(notice, &mut changed.shift, [&before, &after], delay, now);
    }
    let mut change = ChangeSet::default();
    change.require_unchanged(event);
    let activity = NewActivity::of(ActivityType::SHIFT_UPDATED, &changed.shift)
        .with_changes(changes_of_shift(&shift.shift, &changed.shift));
    change.replace(shift.shift, changed.shift.clone());
    change.writes.extend(queued.map(Write::insert));
    Ok(Decision::new(changed, change, [activity]))
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::hours::{Hours, TimeError};
    use crate::occupancy::Capacity;
    use crate::shift::Gathering;
    use crate::store::{EventInFull, Record};

    fn patch(patched: ShiftPatch, now: Timestamp) -> Result<Decision<ScheduledShift>, Error> {
        let mut full = full();
        let mut shift = full.shifts.remove(0);
        shift.shift.occupancy.filled = 3;
        patch_shift(&full.event, shift, patched, notice(8), DELAY, now)
    }

    #[test]
    fn a_patch_requires_and_writes_exactly_what_it_changes() {
        let (put, gate, mail) = ("put Shift 1 to 2", "put Shift 1 to 2, gate 2", "insert Notice 8");
        let new = ShiftPatch::new;
        let hall = || new().location("Hall B".parse().unwrap());
        for (what, patched, now, expected) in [
            ("nothing", new().title("Morning".parse().unwrap()).clear_location(), before(), vec![]),
            ("a title", new().title("Evening".parse().unwrap()), before(), vec![put]),
            ("a description", new().description("Bring gloves.".parse().unwrap()), before(), vec![put]),
            ("a capacity", new().capacity(Capacity::new(1).unwrap()), before(), vec![gate]),
            ("a start", new().start_time("10:00".parse().unwrap()), before(), vec![gate, mail]),
            ("a place", hall(), before(), vec![put, mail]),
            ("a place without mail", hall().without_mail(), before(), vec![put]),
            ("a place of a past shift", hall(), after_shifts(), vec![put]),
            (
                "a past shift that moves to a later time",
                new().end_time("23:00".parse().unwrap()),
                after_shifts(),
                vec![gate, mail],
            ),
        ] {
            let required = if expected.is_empty() { vec![] } else { vec!["Event 1 at 1", "Shift 1 at 1"] };
            let decision = patch(patched, now).unwrap();
            assert_eq!(lines(&decision), [required, expected].concat(), "{what}");
        }
    }

    #[test]
    fn a_patch_changes_the_place_and_the_hours_only_on_request() {
        let EventInFull { event, mut shifts, .. } =
            full_with(|_, shifts| shifts[0].location = "Dock 4".parse().ok());
        let shift = shifts.remove(0);
        let new = ShiftPatch::new;
        for (patched, location, hours) in [
            (new().title("Evening".parse().unwrap()), shift.location.clone(), shift.hours),
            (new().clear_location(), None, shift.hours),
            (new().hours(Hours::ALL_DAY), shift.location.clone(), Hours::ALL_DAY),
        ] {
            let found =
                patch_shift(&event, shift.clone(), patched, notice(8), DELAY, before()).unwrap().outcome;
            assert_eq!((&found.location, found.hours), (&location, hours));
        }
    }

    #[test]
    fn a_change_joins_the_gathering_of_the_shift_unless_the_patch_suppresses_the_mails() {
        let present =
            Gathering { first_at: before() - DELAY / 2, due_at: before() + DELAY / 2, latest: notice(7) };
        let EventInFull { event, mut shifts, .. } =
            full_with(|_, shifts| shifts[0].gathering = Some(present));
        let shift = shifts.remove(0);
        let joined = Gathering { due_at: before() + DELAY, latest: notice(8), ..present };
        let hall = || ShiftPatch::new().location("Hall B".parse().unwrap());
        for (what, patched, expected, due_at) in [
            ("a place", hall(), joined, Some(joined.due_at)),
            ("a place without mail", hall().without_mail(), present, None),
            ("a title", ShiftPatch::new().title("Evening".parse().unwrap()), present, None),
        ] {
            let decision = patch_shift(&event, shift.clone(), patched, notice(8), DELAY, before()).unwrap();
            assert_eq!(decision.outcome.gathering, Some(expected), "{what}");
            let queued = decision.change.writes.iter().find_map(|write| match write {
                Write::Put { after: Record::Notice(notice), .. } => Some(notice.due_at),
                _ => None,
            });
            assert_eq!(queued, due_at, "{what}");
        }
    }

    #[test]
    fn a_lower_capacity_removes_no_sign_up() {
        let lower = patch(ShiftPatch::new().capacity(Capacity::new(1).unwrap()), before()).unwrap();
        assert!(lower.outcome.occupancy.is_over_full());
        assert_eq!((lower.outcome.occupancy.filled, lower.outcome.updated_at), (3, before()));
    }

    #[test]
    fn an_end_before_the_stored_start_and_a_cancelled_event_are_refused() {
        let early = ShiftPatch::new().end_time("09:00".parse().unwrap());
        let order = Error::Invalid(Faults::one("end_time", TimeError::Order));
        assert_eq!(patch(early.clone(), before()).unwrap_err(), order, "the end is the start");
        let mut event = full().event;
        event.cancelled_at = Some(before());
        let shift = ScheduledShift::of(records::shift(&event, 1, 5), &event);
        let refused = patch_shift(&event, shift, early, notice(8), DELAY, before()).unwrap_err();
        assert_eq!(refused, Error::EventCancelled, "the state of the event comes before its hours");
    }
}
