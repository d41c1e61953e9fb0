//! Adding shifts to an event, and deleting one.

use jiff::Timestamp;

use super::Decision;
use super::cancel_event::closed;
use super::edit::{changed_or_not_empty, check_not_cancelled, next_version, require_no_active_signups};
use crate::error::Error;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::{NoticeId, ShiftId};
use crate::input::{DeleteShift, NewShift, check_added_shifts};
use crate::notice::{Notice, NoticeCause};
use crate::occupancy::Occupancy;
use crate::shift::{Shift, sort_by_running_order};
use crate::signup::CancelledBy;
use crate::store::{ChangeSet, EventInFull};

/// Returns the records of new shifts, in the order of the input. Their positions begin at `first_position`.
pub(super) fn new_shifts(
    event: &Event,
    new: Vec<NewShift>,
    ids: Vec<ShiftId>,
    first_position: u32,
    now: Timestamp,
) -> Vec<Shift> {
    let shifts = ids.into_iter().zip(new).zip(first_position..).map(|((id, shift), position)| Shift {
        id,
        organization: event.organization,
        event: event.id,
        title: shift.title,
        location: shift.location,
        hours: shift.hours,
        occupancy: Occupancy::empty(shift.capacity),
        position,
        version: 1,
        gate: 1,
        closing: None,
        deleted_at: None,
        created_at: now,
        updated_at: now,
        day: event.dates.first.clone(),
        is_virtual: event.is_virtual,
    });
    shifts.collect()
}

/// Adds shifts to an event, behind those that it has. The outcome has the new shifts in running order.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with a fault of `shifts` if none or too many are added, or the event would have more than
///   [`Event::MAX_SHIFTS`] shifts.
pub(crate) fn add_shifts(
    full: EventInFull,
    new: Vec<NewShift>,
    ids: Vec<ShiftId>,
    now: Timestamp,
) -> Result<Decision<Vec<Shift>>, Error> {
    check_added_shifts(new.len()).map_err(|fault| Faults::one("shifts", fault))?;
    let EventInFull { event, shifts: present, .. } = full;
    check_not_cancelled(&event)?;
    let max = Event::MAX_SHIFTS;
    if present.len() + new.len() > max {
        let kind = FaultKind::TooManyShiftsOfEvent { max, present: present.len() };
        return Err(Faults::one("shifts", kind).into());
    }
    let position = present.iter().map(|shift| shift.position + 1).max().unwrap_or(0);
    let mut shifts = new_shifts(&event, new, ids, position, now);
    sort_by_running_order(&mut shifts);
    let mut change = ChangeSet::default();
    let next = next_version(&event);
    change.replace(event, next);
    shifts.iter().for_each(|shift| change.insert(shift.clone()));
    Ok(Decision::new(shifts, change))
}

/// Deletes a shift. If the request says so, cancels its active sign-ups, and queues one notice to all of them.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::ShiftHasSignups`] if the shift has active sign-ups, and the request does not cancel them.
pub(crate) fn delete_shift(
    event: &Event,
    shift: &Shift,
    delete: DeleteShift,
    notice: NoticeId,
    now: Timestamp,
) -> Result<Decision<()>, Error> {
    check_not_cancelled(event)?;
    let mut change = ChangeSet::default();
    change.replace(event.clone(), next_version(event));
    let closes = delete.cancel_signups && !shift.is_over(now);
    let deleted = if closes {
        closed(shift.clone(), now, CancelledBy::ShiftDeletion)
    } else {
        if !require_no_active_signups(&mut change, event, [shift], now) {
            return Err(Error::ShiftHasSignups);
        }
        Shift { version: shift.version + 1, gate: shift.gate + 1, ..shift.clone() }
    };
    change.replace(shift.clone(), Shift { deleted_at: Some(now), ..deleted });
    if closes && delete.notify_volunteers {
        let cause = NoticeCause::ShiftDeleted { fanned_out_to: None };
        let path = (shift.organization, shift.event, shift.id);
        change.insert(Notice::new(notice, path, cause, now));
    }
    Ok(Decision::new((), change).again_after(changed_or_not_empty))
}
