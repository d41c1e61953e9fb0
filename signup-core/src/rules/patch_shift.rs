//! Changing a shift.

use jiff::{SignedDuration, Timestamp};

use super::edit::{check_free_external_id, check_not_cancelled, is_announced, moves_reminder, next_version};
use super::promote::{
    WaitingList, changed_or_promoted, mails_about, promote, record_promotions, was_past_cutoff,
};
use super::recipient::{want_all, want_each};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::hours::Hours;
use crate::input::{HoursPatch, ShiftPatch, check_day};
use crate::notice::Notice;
use crate::occupancy::Occupancy;
use crate::shift::{ScheduledShift, Shift};
use crate::store::ChangeSet;
use crate::time_and_place::TimeAndPlace;

/// What a patch of a shift depends on, besides the shift and its event.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShiftFacts {
    /// The shifts of the event, if the patch sets an external id.
    pub(crate) siblings: Vec<ScheduledShift>,
    /// The job that [gathers](crate::EventChange) the changes of the event.
    pub(crate) job: Option<Notice>,
    /// Those who wait for the shift, if the patch may free places.
    pub(crate) waiting: WaitingList,
}

/// Changes the fields that `patch` names.
///
/// A patch that changes no value writes nothing, not even `updated_at`. A capacity below the number of confirmed sign-ups cancels
/// none of them. Places that a higher capacity frees go to those who wait, and so do those that are free if other hours put the
/// shift before the cutoff of its waiting list. The volunteers are mailed if the time or the place changes, unless the patch
/// suppresses the mails or the shift is over by both its old and its new hours. The mails are due `delay` later, together with
/// other changes of the event.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::ExternalIdTaken`].
/// - [`Error::Invalid`] with a fault of `day` if the event does not have the day, and of `end_time` if the end would not fit
///   the start.
pub(crate) fn patch_shift(
    event: &Event,
    shift: ScheduledShift,
    facts: ShiftFacts,
    patch: ShiftPatch,
    delay: SignedDuration,
    now: Timestamp,
) -> Result<Decision<ScheduledShift>, Error> {
    let ShiftFacts { siblings, job, waiting } = facts;
    check_not_cancelled(event)?;
    let patch = patch.merged(&shift).map_err(Error::Conflict)?;
    let with_fields = patch.clone().apply(shift.shift.clone());
    let new_id = with_fields.external_id.as_ref().filter(|id| shift.external_id.as_ref() != Some(*id));
    if let Some(id) = new_id {
        check_free_external_id(siblings.iter().filter(|other| other.id != shift.id), id)?;
    }
    let takes_id = new_id.is_some();
    let hours = hours(patch.hours, shift.hours, event.dates.days())?;
    let before = TimeAndPlace::of(&shift, event);
    let capacity = patch.capacity.unwrap_or(shift.occupancy.capacity);
    let record = Shift { hours, occupancy: Occupancy { capacity, ..shift.occupancy }, ..with_fields };
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
    let after = TimeAndPlace::of(&changed, event);
    let announced = !patch.without_mail && is_announced([&before, &after], now);
    changed.shift.announced += u32::from(announced);
    let mut change = ChangeSet::default();
    if takes_id {
        // Excludes an edit that gives the id to another shift.
        change.replace(event.clone(), next_version(event));
    } else {
        change.require_unchanged(event);
    }
    let moves_reminder = moves_reminder(&shift, &changed, now);
    let changes = ShiftPatch::present(&shift).differences(&ShiftPatch::present(&changed));
    let mut activity =
        vec![NewActivity::of(ActivityType::SHIFT_UPDATED, &changed.shift).with_changes(changes)];
    let frees_places = capacity > shift.occupancy.capacity || raises_gate && was_past_cutoff(&shift, now);
    let read = shift.shift.clone();
    change.replace(shift.shift, changed.shift.clone());
    if frees_places {
        // Requires the gate of the shift as it was read.
        let with_gate = ScheduledShift::of(Shift { gate: read.gate, ..changed.shift.clone() }, event);
        let promoted = promote(&mut change, event, &with_gate, 0, &waiting, now);
        want_each(&mut change, mails_about(&promoted, &waiting), now);
        activity.extend(record_promotions(&promoted));
        // The outcome is what the commit leaves.
        let places = u32::try_from(promoted.len()).unwrap_or(u32::MAX);
        changed.shift.occupancy.filled += places;
        changed.shift.occupancy.waitlisted = changed.shift.occupancy.waitlisted.saturating_sub(places);
    }
    let concerned = (announced || moves_reminder).then_some(changed.id);
    let delay = announced.then_some(delay);
    want_all(&mut change, (event.organization, event.id), concerned.as_slice(), job, delay, now);
    Ok(Decision::new(changed, change, activity).again_after(changed_or_promoted))
}

/// Returns the hours after a patch, in an event of as many days.
fn hours(patch: HoursPatch, present: Hours, days: u32) -> Result<Hours, Faults> {
    let mut faults = Faults::new();
    let day = patch.day.map_or(Ok(present), |day| present.on_day(day).map_err(FaultKind::from));
    let day = faults.check("day", day.and_then(|hours| check_day(hours, days).map(|()| hours)));
    // The fault of a day is not one of the end.
    let times = HoursPatch { day: None, ..patch };
    let hours = faults.check("end_time", times.apply(day.unwrap_or(present)));
    faults.into_result(hours)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::hours::TimeError;
    use crate::input::Change;
    use crate::occupancy::{Capacity, Minimum};
    use crate::store::EventInFull;

    fn patch(patched: ShiftPatch, now: Timestamp) -> Result<Decision<ScheduledShift>, Error> {
        let mut full = full();
        let mut shift = full.shifts.remove(0);
        shift.shift.occupancy.filled = 3;
        patch_shift(&full.event, shift, ShiftFacts::default(), patched, DELAY, now)
    }

    fn siblings(full: &EventInFull) -> ShiftFacts {
        ShiftFacts { siblings: full.shifts.clone(), ..ShiftFacts::default() }
    }

    #[test]
    fn a_patch_requires_and_writes_exactly_what_it_changes() {
        let (put, gate, mail) = ("put Shift 1 to 2", "put Shift 1 to 2, gate 2", "insert Notice");
        let nobody_waits = "waiting for Shift 1 below 1";
        let new = ShiftPatch::new;
        let hall = || new().location("Hall B".parse().unwrap());
        for (what, patched, now, expected) in [
            ("nothing", new().title("Morning".parse().unwrap()).clear_location(), before(), vec![]),
            ("a title", new().title("Evening".parse().unwrap()), before(), vec![put]),
            ("a description", new().description("Bring gloves.".parse().unwrap()), before(), vec![put]),
            ("a minimum", new().minimum(Minimum::new(2).unwrap()), before(), vec![put]),
            ("a lower capacity", new().capacity(Capacity::new(1).unwrap()), before(), vec![gate]),
            (
                "a higher capacity",
                new().capacity(Capacity::new(9).unwrap()),
                before(),
                vec![nobody_waits, gate],
            ),
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
            let mut required =
                if expected.is_empty() { vec![] } else { vec!["Event 1 at 1", "Shift 1 at 1"] };
            required.extend(expected.contains(&mail).then_some("no Notice"));
            let decision = patch(patched, now).unwrap();
            assert_eq!(lines(&decision), [required, expected].concat(), "{what}");
        }
    }

    #[test]
    fn an_external_id_has_to_be_free_among_the_shifts_of_the_event() {
        let full = full_with(|_, shifts| {
            shifts[0].external_id = "a".parse().ok();
            shifts[1].external_id = "b".parse().ok();
        });
        let patch = |patch: ShiftPatch| {
            let shift = full.shifts[0].clone();
            patch_shift(&full.event, shift, siblings(&full), patch, DELAY, before())
        };
        let with = |id: &str| ShiftPatch::new().external_id(id.parse().unwrap());
        let (read, put) = (["Event 1 at 1", "Shift 1 at 1"], "put Shift 1 to 2");
        let event = "put Event 1 to 2";
        for (patched, expected) in [
            (with("B"), [&read[..], &[event, put]].concat()),
            (ShiftPatch::new().clear_external_id(), [&read[..], &[put]].concat()),
            (with("a"), vec![]),
        ] {
            assert_eq!(lines(&patch(patched).unwrap()), expected, "excludes other edits that set one");
        }
        let early = with("b").end_time("09:00".parse().unwrap());
        let taken = Error::ExternalIdTaken { existing_id: records::uuid(2) };
        assert_eq!(patch(early).unwrap_err(), taken, "the state comes before the hours");
        let event = Event { cancelled_at: Some(before()), ..full.event.clone() };
        let shift = full.shifts[0].clone();
        let refused = patch_shift(&event, shift, siblings(&full), with("b"), DELAY, before());
        assert_eq!(refused.unwrap_err(), Error::EventCancelled);
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
            let found = patch_shift(&event, shift.clone(), ShiftFacts::default(), patched, DELAY, before())
                .unwrap()
                .outcome;
            assert_eq!((&found.location, found.hours), (&location, hours));
        }
    }

    #[test]
    fn only_a_change_of_time_or_place_is_announced_unless_the_patch_suppresses_the_mails() {
        let EventInFull { event, mut shifts, .. } = full();
        let shift = shifts.remove(0);
        let hall = || ShiftPatch::new().location("Hall B".parse().unwrap());
        for (what, patched, expected) in [
            ("a place", hall(), 1),
            ("a place without mail", hall().without_mail(), 0),
            ("a title", ShiftPatch::new().title("Evening".parse().unwrap()), 0),
        ] {
            let decision =
                patch_shift(&event, shift.clone(), ShiftFacts::default(), patched, DELAY, before()).unwrap();
            assert_eq!(decision.outcome.announced, expected, "{what}");
            let job: Option<Notice> = put(&decision);
            assert_eq!(job.map(|job| job.due_at), (expected > 0).then(|| Some(before() + DELAY)), "{what}");
        }
    }

    #[test]
    fn a_lower_capacity_removes_no_sign_up() {
        let lower = patch(ShiftPatch::new().capacity(Capacity::new(1).unwrap()), before()).unwrap();
        assert!(lower.outcome.occupancy.is_over_full());
        assert_eq!((lower.outcome.occupancy.filled, lower.outcome.updated_at), (3, before()));
    }

    /// The event has two days, and the shift lasts from 09:00 to 12:00 on the first.
    #[test]
    fn the_day_and_the_ends_of_a_patch_are_checked_with_those_of_the_shift() {
        let EventInFull { event, mut shifts, .. } =
            full_with(|event, _| event.dates.last = "2027-06-06".parse().ok());
        let shift = shifts.remove(0);
        let new = ShiftPatch::new;
        let time = |text: &str| text.parse().unwrap();
        let night = Hours::overnight(time("22:00"), time("06:00")).unwrap();
        let midnight = || HoursPatch { end: Some(Change::Clear), ..HoursPatch::default() };
        let until_midnight = || ShiftPatch { hours: midnight(), ..new() };
        let day = |fault: FaultKind| Err(vec![("day", fault)]);
        let end = |fault: FaultKind| Err(vec![("end_time", fault)]);
        let no_such_day = FaultKind::NoSuchDay { days: 2 };
        let order = FaultKind::from(TimeError::Order);
        let next_day = FaultKind::from(TimeError::NextDay);
        for (stored, patched, expected) in [
            ((1, 540, 720, false), new().day(2), Ok((2, 540, 720, false))),
            ((1, 540, 720, false), new().day(3), day(no_such_day.clone())),
            ((1, 540, 720, false), new().day(0), day(TimeError::DayNumber.into())),
            ((1, 540, 720, false), until_midnight(), Ok((1, 540, 1440, false))),
            ((1, 540, 720, false), new().hours(night.on_day(2).unwrap()), Ok((2, 1320, 360, true))),
            ((1, 540, 720, false), new().ends_next_day(true), end(next_day.clone())),
            ((1, 540, 720, false), new().end_time(time("00:00")), end(order.clone())),
            ((1, 540, 1440, false), new().ends_next_day(true), end(FaultKind::Required)),
            ((1, 540, 1440, false), until_midnight().ends_next_day(true), end(next_day.clone())),
            ((1, 540, 1440, false), new().end_time(time("00:00")).ends_next_day(true), Ok((1, 540, 0, true))),
            ((2, 1320, 360, true), new().start_time(time("23:00")), Ok((2, 1380, 360, true))),
            (
                (2, 1320, 360, true),
                new().start_time(time("21:00")).end_time(time("05:00")),
                Ok((2, 1260, 300, true)),
            ),
            ((2, 1320, 360, true), new().start_time(time("05:00")), end(next_day.clone())),
            ((2, 1320, 360, true), new().ends_next_day(false), end(order.clone())),
            ((2, 1320, 360, true), until_midnight(), end(next_day)),
            ((2, 1320, 360, true), until_midnight().ends_next_day(false), Ok((2, 1320, 1440, false))),
            (
                (2, 1320, 360, true),
                new().day(3).ends_next_day(false),
                Err(vec![("day", no_such_day), ("end_time", order)]),
            ),
        ] {
            let mut shift = shift.clone();
            shift.shift.hours = stored.try_into().unwrap();
            let what = format!("{:?} of {}", patched.hours, shift.hours);
            let expected = expected.map(|hours| Hours::try_from(hours).unwrap()).map_err(|listed| {
                let mut faults = Faults::new();
                listed.into_iter().for_each(|(path, kind)| faults.add(path, kind));
                Error::Invalid(faults)
            });
            let found = patch_shift(&event, shift, ShiftFacts::default(), patched, DELAY, before());
            assert_eq!(found.map(|found| found.outcome.hours), expected, "{what}");
        }
    }

    #[test]
    fn another_day_is_another_time() {
        let EventInFull { event, mut shifts, .. } =
            full_with(|event, _| event.dates.last = "2027-06-06".parse().ok());
        let decision = patch_shift(
            &event,
            shifts.remove(0),
            ShiftFacts::default(),
            ShiftPatch::new().day(2),
            DELAY,
            before(),
        );
        let expected =
            ["Event 1 at 1", "Shift 1 at 1", "no Notice", "put Shift 1 to 2, gate 2", "insert Notice"];
        assert_eq!(lines(&decision.unwrap()), expected);
    }

    #[test]
    fn an_end_before_the_stored_start_and_a_cancelled_event_are_refused() {
        let early = ShiftPatch::new().end_time("09:00".parse().unwrap());
        let order = Error::Invalid(Faults::one("end_time", TimeError::Order));
        assert_eq!(patch(early.clone(), before()).unwrap_err(), order, "the end is the start");
        let mut event = full().event;
        event.cancelled_at = Some(before());
        let shift = ScheduledShift::of(records::shift(&event, 1, 5), &event);
        let refused = patch_shift(&event, shift, ShiftFacts::default(), early, DELAY, before()).unwrap_err();
        assert_eq!(refused, Error::EventCancelled, "the state of the event comes before its hours");
    }
}
