//! Reminders: which place an address is reminded of, and when.
//!
//! Nothing is stored for a reminder that was sent. A mail that [had the sign-up](crate::Told::sent_at) at the moment of the
//! reminder or later is one, or takes its place. So an address gets one reminder for each moment, and another one if the shift
//! moves to another day.

use jiff::{SignedDuration, Timestamp};

use crate::shift::ScheduledShift;
use crate::store::SignupInFull;

/// How long before the start of a shift its reminder is no longer sent.
const LATEST: SignedDuration = SignedDuration::from_hours(2);

/// Returns the [moment](crate::ScheduledShift::reminded_at) of the reminder of a place. `None` if the sign-up has no place.
fn moment(SignupInFull { shift, signup, .. }: &SignupInFull) -> Option<Timestamp> {
    let has_place = signup.is_confirmed() && shift.deleted_at.is_none();
    shift.reminded_at().filter(|_| has_place)
}

/// Returns whether it is too late to remind of a shift: it starts within [`LATEST`], or has started.
pub(super) fn is_too_late(shift: &ScheduledShift, now: Timestamp) -> bool {
    now >= shift.interval().start - LATEST
}

/// Returns whether the reminder of a place is due: its moment has come, the shift does not start within [`LATEST`], and no mail had
/// the place since that moment.
pub(super) fn is_due(found: &SignupInFull, now: Timestamp) -> bool {
    let SignupInFull { event, shift, signup, .. } = found;
    let reminds = event.is_published && event.reminders_enabled && !event.is_cancelled();
    let is_in_time = !is_too_late(shift, now);
    let is_untold = |at: &Timestamp| signup.told.sent_at.is_none_or(|sent_at| sent_at < *at);
    let is_now = moment(found).filter(|at| *at <= now).is_some_and(|at| is_untold(&at));
    reminds && event.deleted_at.is_none() && is_in_time && is_now
}

/// Returns whether the reminder of a place of an address is due.
pub(crate) fn has_due(found: &[SignupInFull], now: Timestamp) -> bool {
    found.iter().any(|found| is_due(found, now))
}

/// Returns when the reminder of a place has to be looked at: at its moment, even if the event sends none at present. `None` if the
/// moment has passed and no reminder is due.
pub(super) fn next_of(found: &SignupInFull, now: Timestamp) -> Option<Timestamp> {
    moment(found).filter(|at| *at > now || is_due(found, now))
}

/// Returns the first moment after `now` of the places of an address.
pub(super) fn next(found: &[SignupInFull], now: Timestamp) -> Option<Timestamp> {
    found.iter().filter_map(moment).filter(|at| *at > now).min()
}

#[cfg(test)]
mod tests;
