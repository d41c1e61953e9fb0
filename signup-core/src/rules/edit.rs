//! Shared by the edits of an event: its next version, and requirements, such as that shifts have no active sign-up.
//!
//! A sign-up is active if it is confirmed or waits, and its shift is not over. Whether a shift is over follows from its hours
//! before the edit.
//!
//! **Invariants:** every edit of an event, of the set of its shifts or of its questions adds 1 to the version of the event. An
//! edit that changes whether and how volunteers may sign up also adds 1 to the gate of the event or of the shift. A sign-up
//! requires both gates, so it never succeeds on facts that such an edit has changed.

use jiff::Timestamp;

use super::reminder;
use crate::caller_key::ExternalId;
use crate::error::Error;
use crate::event::Event;
use crate::id::{EventId, OrganizationId};
use crate::plan::PlanLimits;
use crate::shift::{ScheduledShift, Shift};
use crate::store::{ChangeSet, Entity as _, Record, Refusal, Requirement, Total, Unique, Write};
use crate::time_and_place::TimeAndPlace;

/// Refuses an edit of a cancelled event.
pub(super) const fn check_not_cancelled(event: &Event) -> Result<(), Error> {
    if event.is_cancelled() { Err(Error::EventCancelled) } else { Ok(()) }
}

/// Returns the event at its next version: its shifts or questions change.
pub(super) fn next_version(event: &Event) -> Event {
    Event { version: event.version + 1, ..event.clone() }
}

/// Returns the event at its next version, with its gate raised.
pub(super) fn next_gate(event: &Event) -> Event {
    Event { gate: event.gate + 1, ..next_version(event) }
}

/// Requires that none of these shifts of the event has an active sign-up. Returns `false` if one has.
///
/// A rule that uses this function decides again after [`changed_or_not_empty`].
#[must_use]
pub(super) fn require_no_active_signups<'s>(
    change: &mut ChangeSet,
    event: &Event,
    shifts: impl IntoIterator<Item = &'s ScheduledShift>,
    now: Timestamp,
) -> bool {
    let (over, others): (Vec<_>, Vec<_>) = shifts.into_iter().partition(|shift| shift.is_over(now));
    if others.iter().any(|shift| shift.occupancy.filled > 0 || shift.occupancy.waitlisted > 0) {
        return false;
    }
    // Another edit could move a past shift to a later time.
    over.into_iter().for_each(|shift| change.require_unchanged(&shift.shift));
    if !others.is_empty() {
        let totals = others.into_iter().flat_map(|shift| shift.shift.stored_totals()).collect();
        change.requires.push(Requirement::AllZero { parent: event.key(), totals });
    }
    true
}

/// Returns whether volunteers are mailed about the change of a shift: if its time or its place changes, and the shift is not over
/// by both its old and its new hours.
pub(super) fn is_announced([before, after]: [&TimeAndPlace; 2], now: Timestamp) -> bool {
    let is_over = before.interval.is_over(now) && after.interval.is_over(now);
    !before.is_same_as(after) && !is_over
}

/// Returns whether the volunteers of a shift that is not over are reminded at another moment after its change, or can be reminded
/// again, because the hours before it were too late for that.
pub(super) fn moves_reminder(before: &ScheduledShift, after: &ScheduledShift, now: Timestamp) -> bool {
    let is_moved = before.reminded_at() != after.reminded_at();
    let is_in_time_again = reminder::is_too_late(before, now) && !reminder::is_too_late(after, now);
    (is_moved || is_in_time_again) && !after.is_over(now)
}

/// Returns an upper bound of the mails that a change of an event or of its shifts causes: the number of active sign-ups of the
/// shifts whose change is announced, or that are closed, unless silently, and the number of sign-ups that are promoted.
pub(crate) fn mails_of(change: &ChangeSet) -> u32 {
    let is_told = |before: &Shift, after: &Shift| {
        let is_closed =
            before.closing.is_none() && after.closing.as_ref().is_some_and(|closing| !closing.is_silent);
        is_closed || before.announced != after.announced
    };
    let mails = change.writes.iter().map(|write| match write {
        Write::Put { before: Some(Record::Shift(before)), after: Record::Shift(after) }
            if is_told(before, after) =>
        {
            before.occupancy.filled.saturating_add(before.occupancy.waitlisted)
        }
        Write::Put { before: Some(Record::Signup(before)), after: Record::Signup(after) } => {
            u32::from(before.is_waitlisted() && after.is_confirmed())
        }
        _ => 0,
    });
    mails.sum()
}

/// Requires that no event has the external id that `event` gets. `holder` is the event that has it.
///
/// A rule that uses this function decides again after [`changed_or_taken`].
///
/// # Errors
/// Returns [`Error::ExternalIdTaken`] if another event has it.
pub(super) fn require_free_external_id(
    change: &mut ChangeSet,
    event: &Event,
    holder: Option<EventId>,
    now: Timestamp,
) -> Result<(), Error> {
    let Some(id) = event.external_id.clone() else { return Ok(()) };
    if let Some(holder) = holder.filter(|holder| *holder != event.id) {
        return Err(Error::ExternalIdTaken { existing_id: holder.uuid() });
    }
    change
        .requires
        .push(Requirement::Absent { unique: Unique::EventExternalId(event.organization, id), now });
    Ok(())
}

/// Refuses an external id that one of these shifts of an event has. A shift that gets the id raises the version of the event,
/// so of two such edits at once one decides again.
pub(super) fn check_free_external_id<'s>(
    shifts: impl IntoIterator<Item = &'s ScheduledShift>,
    id: &ExternalId,
) -> Result<(), Error> {
    match shifts.into_iter().find(|shift| shift.external_id.as_ref() == Some(id)) {
        Some(shift) => Err(Error::ExternalIdTaken { existing_id: shift.id.uuid() }),
        None => Ok(()),
    }
}

/// Requires that no event has the slug of a new one.
pub(super) fn slug_is_free(event: &Event, now: Timestamp) -> Requirement {
    Requirement::Absent { unique: Unique::EventSlug(event.slug.clone()), now }
}

/// Returns whether a record has changed, or another event has the random slug or the external id.
pub(super) fn changed_or_taken(refusal: &Refusal) -> bool {
    match refusal {
        Refusal::Changed(_) => true,
        Refusal::Taken(record) => matches!(**record, Record::Event(_)),
        Refusal::NotBelow { .. } | Refusal::NotAtLeast { .. } => false,
    }
}

/// Requires that the organization has fewer active events than its plan allows.
pub(super) const fn active_events_below(
    organization: OrganizationId,
    limits: PlanLimits,
    now: Timestamp,
) -> Requirement {
    Requirement::Below { total: Total::ActiveEvents(organization), bound: limits.active_events, now }
}

/// Returns whether a record has changed, or a shift that was empty has a sign-up.
pub(super) const fn changed_or_not_empty(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Changed(_) | Refusal::NotBelow { total: Total::Filled(..) | Total::Waiting(..), .. }
    )
}

#[cfg(test)]
mod tests {
    use super::super::facts::full;
    use super::*;
    use crate::conformance::records;
    use crate::hours::Hours;

    #[test]
    fn shifts_that_are_not_over_have_to_be_empty_and_the_others_unchanged() {
        let event = records::event(1, 1);
        let [mut first, mut second, third] = [1, 2, 3].map(|number| records::shift(&event, number, 5));
        first.hours = (480, 540).try_into().unwrap();
        first.occupancy.filled = 1;
        second.hours = (600, 660).try_into().unwrap();
        let [first, mut second, third] =
            [first, second, third].map(|shift| ScheduledShift::of(shift, &event));
        let now = first.interval().end;
        let mut change = ChangeSet::default();
        assert!(require_no_active_signups(&mut change, &event, [&first, &second, &third], now));
        let totals = [&second, &third].map(|shift| shift.shift.stored_totals()).concat();
        let empty = Requirement::AllZero { parent: event.key(), totals };
        let unchanged = Requirement::unchanged(&first.shift).unwrap();
        assert_eq!(change.requires, [unchanged, empty], "a past sign-up is not active");
        for (filled, waitlisted) in [(1, 0), (0, 1)] {
            (second.shift.occupancy.filled, second.shift.occupancy.waitlisted) = (filled, waitlisted);
            let has_none = require_no_active_signups(&mut change, &event, [&first, &third, &second], now);
            assert!(!has_none, "an active sign-up");
        }
    }

    #[test]
    fn a_shift_that_moves_to_later_hours_of_its_day_is_reminded_if_it_was_too_late_before() {
        let full = full();
        let before = full.shifts[0].clone();
        let times = ["22:00", "23:00"].map(|time| time.parse().unwrap());
        let hours = Hours::between(times[0], times[1]).unwrap();
        let later = ScheduledShift::of(Shift { hours, ..before.shift.clone() }, &full.event);
        assert_eq!(before.reminded_at(), later.reminded_at());
        let start = before.interval().start;
        for (minutes, expected) in [(-121, false), (-120, true), (0, true)] {
            let now = start + jiff::SignedDuration::from_mins(minutes);
            assert_eq!(moves_reminder(&before, &later, now), expected, "{minutes}");
            assert!(!moves_reminder(&before, &before, now));
        }
    }
}
