//! Adding shifts to an event, and deleting one.

use jiff::{SignedDuration, Timestamp};

use super::cancel_event::closed;
use super::edit::{
    changed_or_not_empty, check_free_external_id, check_not_cancelled, next_version,
    require_no_active_signups,
};
use super::recipient::want_all;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::ShiftId;
use crate::input::{DeleteShift, NewShift, check_added_shifts, check_external_ids, check_shift_days};
use crate::notice::Notice;
use crate::shift::{CancelledBy, ScheduledShift, Shift};
use crate::store::{ChangeSet, EventInFull};

/// Returns the records of new shifts, in the order of the input. Their positions begin at `first_position`.
pub(super) fn new_shifts(
    event: &Event,
    new: Vec<NewShift>,
    ids: Vec<ShiftId>,
    first_position: u32,
    now: Timestamp,
) -> Vec<Shift> {
    let shifts = ids.into_iter().zip(new).zip(first_position..).map(|((id, new), position)| {
        let (organization, ends_at) = (event.organization, event.dates.first.interval(new.hours).end);
        let shift = Shift::new(id, organization, event.id, new.title.clone(), new.capacity, now);
        Shift { ends_at, position, ..new.fill(shift) }
    });
    shifts.collect()
}

/// Adds shifts to an event, behind those that it has. The outcome has the new shifts in running order.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::ExternalIdTaken`] if a shift of the event has the external id of a new one.
/// - [`Error::Invalid`] with a fault of `shifts` if none or too many are added, or the event would have more than
///   [`Event::MAX_SHIFTS`] shifts, with a fault of each new shift that repeats an external id, and of each whose day the event
///   does not have.
pub(crate) fn add_shifts(
    full: EventInFull,
    new: Vec<NewShift>,
    ids: Vec<ShiftId>,
    now: Timestamp,
) -> Result<Decision<Vec<ScheduledShift>>, Error> {
    let mut faults = Faults::new();
    faults.check("shifts", check_added_shifts(new.len()));
    check_external_ids(&mut faults, &new);
    faults.into_result(Some(()))?;
    let EventInFull { event, shifts: present, .. } = full;
    check_not_cancelled(&event)?;
    new.iter()
        .filter_map(|shift| shift.external_id.as_ref())
        .try_for_each(|id| check_free_external_id(&present, id))?;
    let max = Event::MAX_SHIFTS;
    let mut faults = Faults::new();
    if present.len() + new.len() > max {
        faults.add("shifts", FaultKind::TooMany { items: "shifts", max, present: present.len() });
    }
    check_shift_days(&mut faults, &new, event.dates.days());
    faults.into_result(Some(()))?;
    let position = present.iter().map(|shift| shift.position + 1).max().unwrap_or(0);
    let shifts = new_shifts(&event, new, ids, position, now);
    let shifts = ScheduledShift::in_running_order(shifts, &event);
    let mut change = ChangeSet::default();
    let next = next_version(&event);
    change.replace(event, next);
    shifts.iter().for_each(|shift| change.insert(shift.shift.clone()));
    let created = shifts.iter().map(|shift| NewActivity::of(ActivityType::SHIFT_CREATED, &shift.shift));
    let created: Vec<_> = created.collect();
    Ok(Decision::new(shifts, change, created))
}

/// Deletes a shift. If the request says so, cancels its active sign-ups for the reason that it gives, and marks all of them to be
/// mailed.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::ShiftHasSignups`] if the shift has active sign-ups, and the request does not cancel them.
pub(crate) fn delete_shift(
    event: &Event,
    shift: &ScheduledShift,
    delete: DeleteShift,
    job: Option<Notice>,
    now: Timestamp,
) -> Result<Decision<()>, Error> {
    check_not_cancelled(event)?;
    let mut change = ChangeSet::default();
    change.replace(event.clone(), next_version(event));
    let closes = delete.cancel_signups && !shift.is_over(now);
    let deleted = if closes {
        let by = (CancelledBy::ShiftDeletion, delete.reason);
        closed(shift.shift.clone(), now, by, delete.without_mail)
    } else {
        if !require_no_active_signups(&mut change, event, [shift], now) {
            return Err(Error::ShiftHasSignups);
        }
        Shift { version: shift.version + 1, gate: shift.gate + 1, ..shift.shift.clone() }
    };
    change.replace(shift.shift.clone(), Shift { deleted_at: Some(now), ..deleted });
    if closes && !delete.without_mail {
        want_all(
            &mut change,
            (event.organization, event.id),
            &[shift.id],
            job,
            Some(SignedDuration::ZERO),
            now,
        );
    }
    let activity = NewActivity::of(ActivityType::SHIFT_DELETED, &shift.shift);
    Ok(Decision::new((), change, [activity]).again_after(changed_or_not_empty))
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::occupancy::Capacity;
    use crate::store::{Refusal, Total};
    use crate::text::CancellationReason;

    fn new(count: usize) -> Vec<NewShift> {
        vec![NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap()); count]
    }

    fn add(full: EventInFull, count: usize) -> Result<Decision<Vec<ScheduledShift>>, Error> {
        let ids = (0..count).map(|number| ShiftId::new(records::uuid(20 + number as u32))).collect();
        add_shifts(full, new(count), ids, before())
    }

    fn delete(filled: u32, delete: DeleteShift, now: Timestamp) -> Result<Decision<()>, Error> {
        let EventInFull { event, mut shifts, .. } = full();
        shifts[0].shift.occupancy.filled = filled;
        delete_shift(&event, &shifts[0], delete, None, now)
    }

    #[test]
    fn a_new_shift_has_an_external_id_that_no_shift_of_the_event_has() {
        let add = |full, [one, other]: [&str; 2]| {
            let [one, other] = [one, other].map(|id| new(1).remove(0).external_id(id.parse().unwrap()));
            let ids = vec![ShiftId::new(records::uuid(20)), ShiftId::new(records::uuid(21))];
            add_shifts(full, vec![one, other], ids, before())
        };
        let full = || full_with(|_, shifts| shifts[1].external_id = "b".parse().ok());
        let added = add(full(), ["a", "B"]).unwrap();
        assert_eq!(lines(&added)[..2], ["Event 1 at 1", "put Event 1 to 2"], "excludes other edits of ids");
        assert_eq!(added.outcome[0].external_id, "a".parse().ok());
        let taken = Error::ExternalIdTaken { existing_id: records::uuid(2) };
        assert_eq!(add(full(), ["a", "b"]).unwrap_err(), taken);
        let Err(Error::Invalid(faults)) = add(full(), ["a", "a"]) else { panic!() };
        assert_eq!(fault_paths(&faults), ["shifts[1].external_id"]);
        let crowded = || EventInFull { shifts: vec![full().shifts[1].clone(); 999], ..full() };
        assert_eq!(add(crowded(), ["a", "b"]).unwrap_err(), taken, "before the number of shifts");
        let cancelled = |mut full: EventInFull| {
            full.event.cancelled_at = Some(before());
            full
        };
        assert_eq!(add(cancelled(full()), ["a", "b"]).unwrap_err(), Error::EventCancelled);
    }

    #[test]
    fn new_shifts_follow_the_last_position() {
        let decision = add(full_with(|_, shifts| shifts[0].position = 9), 2).unwrap();
        let expected = ["Event 1 at 1", "put Event 1 to 2", "insert Shift 20", "insert Shift 21"];
        assert_eq!(lines(&decision), expected);
        assert_eq!(decision.outcome.iter().map(|shift| shift.position).collect::<Vec<_>>(), [10, 11]);
        let first = add(EventInFull::new(full().event, vec![], vec![]), 1).unwrap();
        assert_eq!(first.outcome[0].position, 0);
    }

    #[test]
    fn new_shifts_are_returned_in_running_order() {
        let mut late_and_early = new(2);
        late_and_early[0].hours = (1200, 1260).try_into().unwrap();
        let ids = [20, 21].map(|number| ShiftId::new(records::uuid(number)));
        let added = add_shifts(full(), late_and_early, ids.to_vec(), before()).unwrap().outcome;
        let found: Vec<_> = added.iter().map(|shift| (shift.id, shift.position)).collect();
        assert_eq!(found, [(ids[1], 4), (ids[0], 3)]);
    }

    #[test]
    fn one_to_500_shifts_are_added_up_to_1000() {
        let with = |count: u32| {
            let event = full().event;
            let shifts = (1..=count).map(|number| records::shift(&event, number, 5)).collect();
            EventInFull::new(event, shifts, vec![])
        };
        for (present, count, is_taken) in [
            (0, 0, false),
            (0, 500, true),
            (0, 501, false),
            (999, 1, true),
            (999, 2, false),
            (1000, 1, false),
        ] {
            match add(with(present), count) {
                Ok(added) => assert!(is_taken && added.outcome.len() == count, "{present} and {count}"),
                Err(Error::Invalid(faults)) => {
                    let paths = fault_paths(&faults);
                    assert!(!is_taken && paths == ["shifts"], "{present} and {count}: {paths:?}");
                }
                Err(error) => panic!("{error:?}"),
            }
        }
    }

    #[test]
    fn new_shifts_are_on_the_days_of_the_event() {
        let two_days = || full_with(|event, _| event.dates.last = "2027-06-06".parse().ok());
        let mut shifts = new(3);
        shifts[1].hours = shifts[1].hours.on_day(2).unwrap();
        shifts[2].hours = (2, 1320, 360, true).try_into().unwrap();
        let ids = |shifts: &[NewShift]| {
            (20..).zip(shifts).map(|(number, _)| ShiftId::new(records::uuid(number))).collect::<Vec<_>>()
        };
        let added = add_shifts(two_days(), shifts.clone(), ids(&shifts), before()).unwrap().outcome;
        let ends: Vec<_> = added.iter().map(|shift| shift.ends_at.to_string()).collect();
        assert_eq!(ends, ["2027-06-06T04:00:00Z", "2027-06-07T04:00:00Z", "2027-06-07T10:00:00Z"]);
        shifts[0].hours = shifts[0].hours.on_day(3).unwrap();
        let refused = add_shifts(two_days(), shifts.clone(), ids(&shifts), before()).unwrap_err();
        let path = crate::fault::FaultPath::new().field("shifts").index(0).field("day");
        assert_eq!(refused, Error::Invalid(Faults::one(path, FaultKind::NoSuchDay { days: 2 })));
    }

    #[test]
    fn a_deletion_cancels_active_sign_ups_only_on_request() {
        let (event, shift) = (["Event 1 at 1"], ["put Event 1 to 2", "put Shift 1 to 2, gate 2"]);
        let empty = [
            &event[..],
            &["sign-ups of Shift 1, waiting for Shift 1 of Event 1 zero", "Shift 1 at 1"],
            &shift,
        ]
        .concat();
        let closed = [&event[..], &["Shift 1 at 1"], &shift].concat();
        let past = [&event[..], &["Shift 1 at 1", "Shift 1 at 1"], &shift].concat();
        let told = [&event[..], &["Shift 1 at 1", "no Notice"], &shift, &["insert Notice"]].concat();
        let cancel = || DeleteShift::new().cancel_signups();
        for (what, filled, request, now, expected) in [
            ("an empty shift", 0, DeleteShift::new(), before(), Some(empty)),
            ("a sign-up", 1, DeleteShift::new(), before(), None),
            ("a sign-up to cancel", 1, cancel(), before(), Some(told)),
            ("a sign-up to cancel without mail", 1, cancel().without_mail(), before(), Some(closed)),
            ("a past sign-up", 1, DeleteShift::new(), after_shifts(), Some(past.clone())),
            ("a past sign-up to cancel", 1, cancel(), after_shifts(), Some(past)),
        ] {
            match (delete(filled, request, now), expected) {
                (Ok(decision), Some(expected)) => assert_eq!(lines(&decision), expected, "{what}"),
                (Err(error), None) => assert_eq!(error, Error::ShiftHasSignups, "{what}"),
                (decision, _) => panic!("{what}: {decision:?}"),
            }
        }
        let filled = Total::Filled(full().event.organization, full().shifts[0].id);
        let decides_again = delete(0, DeleteShift::new(), before()).unwrap().decides_again;
        assert!(decides_again(&Refusal::NotBelow { total: filled, count: 1 }), "a sign-up came meanwhile");
    }

    #[test]
    fn a_cancelled_event_takes_no_change_of_its_shifts() {
        let cancelled = || full_with(|event, _| event.cancelled_at = Some(before()));
        assert_eq!(add(cancelled(), 1).unwrap_err(), Error::EventCancelled);
        let EventInFull { event, shifts, .. } = cancelled();
        let refused = delete_shift(&event, &shifts[0], DeleteShift::new(), None, before());
        assert_eq!(refused.unwrap_err(), Error::EventCancelled);
    }

    #[test]
    fn only_a_deletion_that_cancels_closes_the_shift_and_keeps_its_reason() {
        let reason: CancellationReason = "The hall is flooded.".parse().unwrap();
        let give = |delete: DeleteShift| delete.reason(reason.clone());
        for (request, now, closed) in [
            (DeleteShift::new().cancel_signups(), before(), Some(None)),
            (give(DeleteShift::new().cancel_signups()), before(), Some(Some(reason.clone()))),
            (give(DeleteShift::new()), before(), None),
            (give(DeleteShift::new().cancel_signups()), after_shifts(), None),
        ] {
            let change = delete(0, request, now).unwrap().change;
            let Some(crate::store::Write::Put { after, .. }) = change.writes.get(1) else {
                panic!("{change:?}")
            };
            let shift = <&Shift>::try_from(after).unwrap();
            assert_eq!(shift.deleted_at, Some(now));
            assert_eq!(shift.closing.clone().map(|closing| closing.reason), closed);
        }
    }
}
