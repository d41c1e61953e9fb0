//! Changing an event: its fields, its days, and whether it is published.

use jiff::{SignedDuration, Timestamp};

use super::activity::changes_of_event;
use super::edit::{
    active_events_below, changed_or_not_empty, changed_or_taken, check_not_cancelled, is_announced,
    moves_reminder, require_free_external_id, require_no_active_signups,
};
use super::merge::merge_event;
use super::promote::{self, queue_promotion};
use super::recipient::want_all;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::{Event, EventDates, SignupPhase};
use crate::fault::{FaultKind, Faults};
use crate::hours::{Day, EventDate, LocalDateTime, TimeError};
use crate::id::EventId;
use crate::input::{Change, EventPatch, check_closing, check_last_day};
use crate::notice::Notice;
use crate::plan::PlanLimits;
use crate::receipt::EventWithShifts;
use crate::shift::{ScheduledShift, sort_by_running_order};
use crate::store::{ChangeSet, EventInFull, EventLocationData, Record, Refusal, Write};
use crate::text::LocationData;
use crate::time_and_place::TimeAndPlace;

/// Changes the fields that `patch` names. `holder` is the event that has the external id of the patch.
///
/// A patch that changes no value writes nothing, not even `updated_at`. A new first day moves the last day, and the opening and the
/// closing of sign-ups, by as many days, unless the patch names these. A new zone keeps dates and wall times. Volunteers are mailed
/// about each shift whose instants or whose place change, unless the patch suppresses it or the shift is over by both its old and
/// its new hours. The mails are due `delay` later, together with other changes of the event: `job` is the one that
/// [gathers them](crate::EventChange).
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::EventHasSignups`] if the patch unpublishes an event with active sign-ups.
/// - [`Error::ExternalIdTaken`].
/// - [`Error::Invalid`] if the patch changes the days, and one is out of range, or the last day is before the first, beyond
///   the plan's longest event, or before a day with shifts; and if sign-ups would close when they open or before.
pub(crate) fn patch_event(
    full: EventInFull,
    patch: EventPatch,
    holder: Option<EventId>,
    limits: PlanLimits,
    job: Option<Notice>,
    delay: SignedDuration,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Error> {
    let EventInFull { event, location_data, shifts, .. } = full;
    check_not_cancelled(&event)?;
    let patch = merge_event(patch, &event)?;
    let is_published = patch.is_published.unwrap_or(event.is_published);
    let mut change = ChangeSet::default();
    change.require_unchanged(&event);
    if event.is_published && !is_published && !require_no_active_signups(&mut change, &event, &shifts, now) {
        return Err(Error::EventHasSignups);
    }
    let with_fields = patch.clone().apply(event.clone());
    if with_fields.external_id != event.external_id {
        require_free_external_id(&mut change, &with_fields, holder, now)?;
    }
    let dates = days(&event.dates, &patch, &shifts, limits)?;
    if dates.days() < event.dates.days() {
        // Another edit could move a shift to a day that the event loses.
        shifts.iter().for_each(|shift| change.require_unchanged(&shift.shift));
    }
    let zone = patch.zone.clone().unwrap_or_else(|| event.dates.first.zone().clone());
    // What the patch sets does not move.
    let unset = Event {
        signups_open_at: event.signups_open_at.filter(|_| patch.signups_open_at.is_none()),
        signups_close_at: event.signups_close_at.filter(|_| patch.signups_close_at.is_none()),
        ..event.clone()
    };
    let moved = unset.with_signups_moved(dates.first.date().days_since(event.dates.first.date()));
    let moved = moved.ok_or_else(|| Faults::one("start_date", TimeError::SignupDay))?;
    let changed = Event { dates: dates.in_zone(zone), is_published, ..patch.clone().apply(moved) };
    if let Some(closes) = changed.signups_close_at {
        check_closing(changed.signups_open_at, closes)
            .map_err(|fault| Faults::one("signups_close_at", fault))?;
    }
    let is_new = |data: &Option<LocationData>| match (data, &location_data) {
        (Some(data), Some(present)) => !data.has_same_value(present),
        (data, present) => data.is_some() || present.is_some(),
    };
    let new_data = patch.location_data.map(Change::into_value).filter(is_new);
    if changed == event && new_data.is_none() {
        return Ok(Decision::unchanged(EventWithShifts { event, shifts }));
    }
    let raises_gate = changed.is_published != event.is_published
        || changed.dates != event.dates
        || changed.signups_open_at != event.signups_open_at
        || changed.signups_close_at != event.signups_close_at
        || changed.waitlist_enabled != event.waitlist_enabled;
    let changed = Event {
        version: event.version + 1,
        gate: event.gate + u32::from(raises_gate),
        updated_at: now,
        ..changed
    };
    if changed.is_active(now) && !event.is_active(now) {
        change.requires.push(active_events_below(event.organization, limits, now));
    }
    change.writes.push(Write::Put { before: Some(event.clone().into()), after: changed.clone().into() });
    let activity = activity(&event, &changed, new_data.is_some());
    if let Some(data) = new_data {
        change.writes.extend(location_data_write(&event, location_data, data));
    }
    let moved = Moved { event: &event, changed: &changed, is_notified: !patch.without_mail, now };
    let reminds = |event: &Event| event.is_published && event.reminders_enabled;
    let are_turned_on = reminds(&changed) && !reminds(&event);
    let (mut after, mut concerned, mut has_news) = (vec![], vec![], false);
    let mut owes_places = false;
    for before in shifts {
        let shift = moved.shift(before.clone(), &mut change);
        let is_announced = shift.announced != before.announced;
        let are_reminded = are_turned_on && shift.occupancy.filled > 0;
        let is_concerned = is_announced || are_reminded || moves_reminder(&before, &shift, now);
        concerned.extend(is_concerned.then_some(shift.id));
        has_news |= is_announced;
        // After the cutoff, and while the event is a draft, nobody joins, so no more people wait than were read. But places may
        // have come free since.
        let gave_nothing = promote::was_past_cutoff(&before, now) || !event.is_published;
        owes_places |= gave_nothing && shift.occupancy.waitlisted > 0 && shift.promotes(&changed, now);
        after.push(shift);
    }
    if owes_places {
        queue_promotion(&mut change, &changed, now);
    }
    let delay = has_news.then_some(delay);
    want_all(&mut change, (event.organization, event.id), &concerned, job, delay, now);
    sort_by_running_order(&mut after);
    let outcome = EventWithShifts { event: changed, shifts: after };
    let decides_again = |refusal: &Refusal| changed_or_taken(refusal) || changed_or_not_empty(refusal);
    Ok(Decision::new(outcome, change, activity).again_after(decides_again))
}

/// Returns the patch that closes sign-ups at the present minute. Removes an opening that is ahead, or in the present minute.
pub(crate) fn close_signups(event: &Event, now: Timestamp) -> EventPatch {
    let closes = LocalDateTime::shown_at(now, event.dates.first.zone());
    let patch = EventPatch::new().signups_close_at(closes);
    let is_ahead = event.signups_open().is_some_and(|opens| opens > now);
    if is_ahead || event.signups_open_at.is_some_and(|opens| opens >= closes) {
        patch.clear_signups_open_at()
    } else {
        patch
    }
}

/// Returns the patch that opens sign-ups at `now` and keeps them open. Removes an opening that is ahead.
pub(crate) fn open_signups(event: &Event, now: Timestamp) -> EventPatch {
    let patch = EventPatch::new().clear_signups_close_at();
    let opened = Event { signups_close_at: None, ..event.clone() };
    if opened.signup_phase(now) == SignupPhase::Open { patch } else { patch.clear_signups_open_at() }
}

/// Returns the activity of a patch. A change of fields comes before the publication.
fn activity(before: &Event, after: &Event, has_new_data: bool) -> Vec<NewActivity> {
    let changes = changes_of_event(before, after, has_new_data);
    let updated = NewActivity::of(ActivityType::EVENT_UPDATED, after);
    let published = match (before.is_published, after.is_published) {
        (false, true) => Some(ActivityType::EVENT_PUBLISHED),
        (true, false) => Some(ActivityType::EVENT_UNPUBLISHED),
        _ => None,
    };
    let updated = (!changes.is_empty()).then(|| updated.with_changes(changes));
    updated.into_iter().chain(published.map(|kind| NewActivity::of(kind, after))).collect()
}

/// Returns the write that replaces the location data of an event, which its version protects.
fn location_data_write(
    event: &Event,
    before: Option<LocationData>,
    after: Option<LocationData>,
) -> Option<Write> {
    let record =
        |data| Record::from(EventLocationData { organization: event.organization, event: event.id, data });
    match (before.map(record), after.map(record)) {
        (before, Some(after)) => Some(Write::Put { before, after }),
        (Some(before), None) => Some(Write::Remove(before)),
        (None, None) => None,
    }
}

/// Returns the days after a patch. A last day that the patch does not name moves with the first.
fn days(
    present: &EventDates,
    patch: &EventPatch,
    shifts: &[ScheduledShift],
    limits: PlanLimits,
) -> Result<EventDates, Faults> {
    let mut faults = Faults::new();
    let first = patch.start_date.and_then(|first| faults.check("start_date", EventDate::try_from(first)));
    let last = patch
        .end_date
        .map(|last| last.into_value().and_then(|last| faults.check("end_date", EventDate::try_from(last))));
    faults.into_result(Some(()))?;
    let first = first.unwrap_or(present.first.date());
    let dates = match last {
        Some(last) => EventDates { first: Day::new(first, present.first.zone().clone()), last },
        None => present.moved_to(first).ok_or_else(|| Faults::one("start_date", TimeError::LastDay))?,
    };
    if dates == *present {
        return Ok(dates);
    }
    if let Some(last) = dates.last {
        check_last_day(Some(first), last, limits).map_err(|fault| Faults::one("end_date", fault))?;
    }
    match shifts.iter().map(|shift| shift.hours.day()).max() {
        Some(day) if day > dates.days() => Err(Faults::one("end_date", FaultKind::LeavesOutDay { day })),
        _ => Ok(dates),
    }
}

/// A change of an event, as its shifts see it.
struct Moved<'e> {
    event: &'e Event,
    changed: &'e Event,
    is_notified: bool,
    now: Timestamp,
}

impl Moved<'_> {
    /// Returns the shift after the change. Replaces its record if its instants, its place or what its answer shows become others.
    fn shift(&self, shift: ScheduledShift, change: &mut ChangeSet) -> ScheduledShift {
        let before = TimeAndPlace::of(&shift, self.event);
        let mut moved = ScheduledShift::of(shift.shift, self.changed);
        let after = TimeAndPlace::of(&moved, self.changed);
        let is_shown = before.interval != after.interval || shift.is_virtual != moved.is_virtual;
        if !is_shown && before.is_same_as(&after) {
            return moved;
        }
        let read = moved.shift.clone();
        moved.shift.version += 1;
        if is_shown {
            moved.shift.updated_at = self.now;
        }
        moved.shift.announced += u32::from(self.is_notified && is_announced([&before, &after], self.now));
        change.replace(read, moved.shift.clone());
        moved
    }
}

#[cfg(test)]
mod tests;
