//! Adding shifts to an event, and deleting one.

use jiff::Timestamp;

use super::Decision;
use super::edit::{
    check_not_cancelled, event_at_version, is_over, next_version, no_active_signups, shift_at_version,
};
use crate::error::Error;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::{NoticeId, ShiftId};
use crate::input::{DeleteShift, NewShift};
use crate::notice::{Notice, NoticeCause};
use crate::occupancy::Occupancy;
use crate::shift::{Shift, sort_by_running_order};
use crate::signup::CancelledBy;
use crate::store::{ChangeSet, EventInFull, Write};

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
/// - [`Error::Invalid`] with a fault of `shifts` if the event would have more than [`Event::MAX_SHIFTS`] shifts.
pub(crate) fn add_shifts(
    full: EventInFull,
    new: Vec<NewShift>,
    ids: Vec<ShiftId>,
    now: Timestamp,
) -> Result<Decision<Vec<Shift>>, Error> {
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
    let requires = vec![event_at_version(&event)];
    let writes = vec![Write::InsertShifts(shifts.clone()), next_version(&event)];
    Ok(Decision { outcome: shifts, change: ChangeSet { requires, writes } })
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
    let (organization, id) = (shift.organization, shift.id);
    let mut requires = vec![event_at_version(event)];
    let mut writes = vec![next_version(event), Write::DeleteShift { organization, shift: id, at: now }];
    if delete.cancel_signups && !is_over(shift, now) {
        requires.push(shift_at_version(shift));
        writes.push(Write::CloseShift { organization, shift: id, at: now, by: CancelledBy::ShiftDeletion });
        if delete.notify_volunteers {
            let cause = NoticeCause::ShiftDeleted { fanned_out_to: None };
            let notice = Notice::new(notice, (organization, shift.event, id), cause, now);
            writes.push(Write::InsertNotices(vec![notice]));
        }
    } else {
        requires.extend(no_active_signups(event, [shift], now).ok_or(Error::ShiftHasSignups)?);
    }
    Ok(Decision { outcome: (), change: ChangeSet { requires, writes } })
}
