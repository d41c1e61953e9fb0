//! Changing a shift.

use jiff::Timestamp;

use super::Decision;
use super::edit::check_not_cancelled;
use crate::error::Error;
use crate::event::Event;
use crate::fault::Faults;
use crate::id::NoticeId;
use crate::input::{Change, ShiftPatch};
use crate::notice::{Notice, NoticeCause, ShiftChange, TimeAndPlace};
use crate::occupancy::Occupancy;
use crate::shift::Shift;
use crate::store::ChangeSet;

/// Changes the fields that `patch` names.
///
/// A patch that changes no value writes nothing, not even `updated_at`. A capacity below the number of confirmed
/// sign-ups cancels none of them. Queues a notice to the volunteers if the time or the place changes, unless the patch
/// suppresses the notice or the shift is over by both its old and its new hours.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with a fault of `end_time` if the shift would not end after its start.
pub(crate) fn patch_shift(
    event: &Event,
    shift: Shift,
    patch: ShiftPatch,
    notice: NoticeId,
    now: Timestamp,
) -> Result<Decision<Shift>, Error> {
    check_not_cancelled(event)?;
    let hours = patch.hours.apply(shift.hours).map_err(|error| Faults::one("end_time", error))?;
    let before = TimeAndPlace::of(&shift, event);
    let mut changed = Shift {
        title: patch.title.unwrap_or_else(|| shift.title.clone()),
        location: patch.location.map_or_else(|| shift.location.clone(), Change::into_value),
        hours,
        occupancy: Occupancy {
            capacity: patch.capacity.unwrap_or(shift.occupancy.capacity),
            ..shift.occupancy
        },
        ..shift.clone()
    };
    if changed == shift {
        return Ok(Decision::unchanged(shift));
    }
    changed.updated_at = now;
    changed.version += 1;
    if changed.hours != shift.hours || changed.occupancy != shift.occupancy {
        changed.gate += 1;
    }
    let mut change = ChangeSet::default();
    change.require_unchanged(event);
    let path = (shift.organization, shift.event, shift.id);
    change.replace(shift, changed.clone());
    let after = TimeAndPlace::of(&changed, event);
    let is_over = before.interval.is_over(now) && after.interval.is_over(now);
    if patch.notify_volunteers && before != after && !is_over {
        let told = ShiftChange { before, after, shift_version: changed.version, with_event: false };
        let cause = NoticeCause::ShiftChanged { change: told, fanned_out_to: None };
        change.insert(Notice::new(notice, path, cause, now));
    }
    Ok(Decision::new(changed, change))
}
