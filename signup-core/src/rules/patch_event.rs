//! Changing an event: its fields, its days, and whether it is published.

use jiff::Timestamp;

use super::Decision;
use super::edit::{check_not_cancelled, event_at_version, no_active_signups, shift_at_version};
use crate::error::Error;
use crate::event::{Event, EventDates};
use crate::fault::{FaultKind, Faults};
use crate::hours::Day;
use crate::id::NoticeId;
use crate::input::{Change, DatesPatch, EventPatch};
use crate::notice::{Notice, NoticeCause, ShiftChange, TimeAndPlace};
use crate::plan::PlanLimits;
use crate::receipt::EventWithShifts;
use crate::shift::{Shift, sort_by_running_order};
use crate::store::{ChangeSet, EventInFull, Requirement, Write};
use crate::text::LocationData;

/// Changes the fields that `patch` names.
///
/// A patch that changes no value writes nothing, not even `updated_at`. A new first day moves the last day by as many days,
/// unless the patch names the last day. A new zone keeps dates and wall times. Queues a notice for each shift whose
/// instants or whose place change, unless the patch suppresses it or the shift is over by both its old and its new hours.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::EventHasSignups`] if the patch unpublishes an event with active sign-ups.
/// - [`Error::Invalid`] if the patch changes the days, and the last day is before the first, out of range, or beyond the
///   plan's longest event.
pub(crate) fn patch_event(
    full: EventInFull,
    patch: EventPatch,
    dates: DatesPatch,
    limits: PlanLimits,
    notices: Vec<NoticeId>,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Error> {
    let EventInFull { event, location_data, shifts, .. } = full;
    check_not_cancelled(&event)?;
    let is_published = patch.is_published.unwrap_or(event.is_published);
    let mut requires = vec![event_at_version(&event)];
    if event.is_published && !is_published {
        requires.extend(no_active_signups(&event, &shifts, now).ok_or(Error::EventHasSignups)?);
    }
    let zone = patch.zone.unwrap_or_else(|| event.dates.first.zone().clone());
    let changed = Event {
        title: patch.title.unwrap_or_else(|| event.title.clone()),
        description: patch.description.map_or_else(|| event.description.clone(), Change::into_value),
        location: patch.location.map_or_else(|| event.location.clone(), Change::into_value),
        is_virtual: patch.is_virtual.unwrap_or(event.is_virtual),
        latitude: patch.latitude.map_or(event.latitude, Change::into_value),
        longitude: patch.longitude.map_or(event.longitude, Change::into_value),
        dates: days(&event.dates, dates, limits)?.in_zone(zone),
        is_published,
        theme: patch.theme.map_or(event.theme, Change::into_value),
        badge_label: patch.badge_label.map_or_else(|| event.badge_label.clone(), Change::into_value),
        ..event.clone()
    };
    let is_new = |data: &Option<LocationData>| match (data, &location_data) {
        (Some(data), Some(present)) => !data.has_same_value(present),
        (data, present) => data.is_some() || present.is_some(),
    };
    let new_data = patch.location_data.map(Change::into_value).filter(is_new);
    if changed == event && new_data.is_none() {
        return Ok(Decision { outcome: EventWithShifts { event, shifts }, change: ChangeSet::default() });
    }
    let changed = Event { version: event.version + 1, updated_at: now, ..changed };
    if changed.is_active(now) && !event.is_active(now) {
        let (organization, limit) = (event.organization, limits.active_events);
        requires.push(Requirement::ActiveEventsBelow { organization, limit, now });
    }
    let may_change_activity = event.is_published != changed.is_published || event.dates != changed.dates;
    let mut writes = vec![Write::UpdateEvent { event: Box::new(changed.clone()), may_change_activity }];
    if let Some(location_data) = new_data {
        let (organization, event) = (event.organization, event.id);
        writes.push(Write::SetLocationData { organization, event, location_data });
    }
    let moved = Moved { event: &event, changed: &changed, is_notified: patch.notify_volunteers, now };
    let (mut after, mut queued) = (vec![], vec![]);
    for (shift, notice) in shifts.into_iter().zip(notices) {
        let (shift, is_changed) = moved.shift(&shift, notice, &mut requires, &mut queued);
        if is_changed {
            writes.push(Write::UpdateShift(Box::new(shift.clone())));
        }
        after.push(shift);
    }
    if !queued.is_empty() {
        writes.push(Write::InsertNotices(queued));
    }
    sort_by_running_order(&mut after);
    let outcome = EventWithShifts { event: changed, shifts: after };
    Ok(Decision { outcome, change: ChangeSet { requires, writes } })
}

/// Returns the days after a patch. A last day that the patch does not name moves with the first.
fn days(present: &EventDates, patch: DatesPatch, limits: PlanLimits) -> Result<EventDates, Faults> {
    let first = patch.first.unwrap_or(present.first.date());
    let dates = match patch.last {
        Some(last) => {
            let first = Day::new(first, present.first.zone().clone());
            EventDates { first, last: last.into_value() }
        }
        None => {
            present.moved_to(first).ok_or_else(|| Faults::one("start_date", FaultKind::LastDayOutOfRange))?
        }
    };
    if dates == *present {
        return Ok(dates);
    }
    if dates.last.is_some_and(|last| last < first) {
        return Err(Faults::one("end_date", FaultKind::LastDayBeforeFirst));
    }
    if dates.days() > limits.event_days {
        return Err(Faults::one("end_date", FaultKind::TooManyDays { max: limits.event_days }));
    }
    Ok(dates)
}

/// A change of an event, as its shifts see it.
struct Moved<'e> {
    event: &'e Event,
    changed: &'e Event,
    is_notified: bool,
    now: Timestamp,
}

impl Moved<'_> {
    /// Returns the shift after the change, and whether its record changes: if its instants, its place or what its answer
    /// shows become others.
    fn shift(
        &self,
        shift: &Shift,
        notice: NoticeId,
        requires: &mut Vec<Requirement>,
        queued: &mut Vec<Notice>,
    ) -> (Shift, bool) {
        let before = TimeAndPlace::of(shift, self.event);
        let mut changed = Shift {
            day: self.changed.dates.first.clone(),
            is_virtual: self.changed.is_virtual,
            ..shift.clone()
        };
        let after = TimeAndPlace::of(&changed, self.changed);
        let is_shown = before.interval != after.interval || shift.is_virtual != changed.is_virtual;
        if !is_shown && before == after {
            return (changed, false);
        }
        requires.push(shift_at_version(shift));
        changed.version += 1;
        if is_shown {
            changed.updated_at = self.now;
        }
        let is_over = before.interval.end.max(after.interval.end) <= self.now;
        if self.is_notified && before != after && !is_over {
            let change = ShiftChange { before, after, shift_version: changed.version, with_event: true };
            let cause = NoticeCause::ShiftChanged { change, fanned_out_to: None };
            let shift_path = (shift.organization, shift.event, shift.id);
            queued.push(Notice::new(notice, shift_path, cause, self.now));
        }
        (changed, true)
    }
}
