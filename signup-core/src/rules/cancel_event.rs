//! Cancelling an event.

use jiff::Timestamp;

use super::Decision;
use super::edit::{event_at_version, is_over, shift_at_version};
use crate::error::Error;
use crate::event::Event;
use crate::id::NoticeId;
use crate::input::CancelEvent;
use crate::notice::{Notice, NoticeCause};
use crate::receipt::EventWithShifts;
use crate::signup::CancelledBy;
use crate::store::{ChangeSet, EventInFull, Write};

/// Cancels an event for good, cancels its active sign-ups, and queues one notice to all of them, unless the request
/// suppresses the notice. A cancelled event stays unchanged.
///
/// # Errors
/// Returns [`Error::EventOver`] if the event is over.
pub(crate) fn cancel_event(
    full: EventInFull,
    cancel: CancelEvent,
    notice: NoticeId,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Error> {
    let EventInFull { event, mut shifts, .. } = full;
    if event.is_cancelled() {
        return Ok(Decision { outcome: EventWithShifts { event, shifts }, change: ChangeSet::default() });
    }
    if event.is_over(now) {
        return Err(Error::EventOver);
    }
    let cancelled = Event {
        cancelled_at: Some(now),
        cancellation_reason: cancel.reason,
        version: event.version + 1,
        updated_at: now,
        ..event.clone()
    };
    let mut requires = vec![event_at_version(&event)];
    // The hours decide which sign-ups are active.
    requires.extend(shifts.iter().map(shift_at_version));
    let may_change_activity = event.is_published;
    let mut writes = vec![Write::UpdateEvent { event: Box::new(cancelled.clone()), may_change_activity }];
    let mut queued = None;
    for shift in shifts.iter_mut().filter(|shift| !is_over(shift, now)) {
        let (organization, id) = (shift.organization, shift.id);
        let by = CancelledBy::EventCancellation;
        writes.push(Write::CloseShift { organization, shift: id, at: now, by });
        shift.occupancy.filled = 0;
        let cause = NoticeCause::EventCancelled { fanned_out_to: None };
        queued.get_or_insert_with(|| Notice::new(notice, (organization, shift.event, id), cause, now));
    }
    let queued = queued.filter(|_| cancel.notify_volunteers);
    writes.extend(queued.map(|notice| Write::InsertNotices(vec![notice])));
    let outcome = EventWithShifts { event: cancelled, shifts };
    Ok(Decision { outcome, change: ChangeSet { requires, writes } })
}
