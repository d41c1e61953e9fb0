//! What an address has to hear about its places at an event: the difference between what it was told and what holds.

use jiff::Timestamp;

use super::reminder;
use crate::news::{News, PlaceChange, PlaceNews};
use crate::notice::{Notice, Recipient};
use crate::shift::CancelledBy;
use crate::signup::{Signup, SignupStatus, Told};
use crate::store::SignupInFull;

/// Returns the mail to an address whose sign-ups at an event are `found`, in any order. Returns `None` if there is nothing to say.
///
/// The mail has what changed since the last one, and every other place that is not over. If the volunteer [asked for
/// it](Recipient::is_asked), there is a mail even if nothing changed, with every place. Other mails remind of the places whose
/// [reminder](reminder) is due, unless the address has turned reminders off.
pub(crate) fn news(
    found: &[SignupInFull],
    recipient: &Recipient,
    wants_reminders: bool,
    now: Timestamp,
) -> Option<News> {
    let Recipient { was_asked: is_asked, unreported_at, .. } = *recipient;
    let is_reminded = wants_reminders && !is_asked;
    let change = |found: &SignupInFull| match change(found, now) {
        PlaceChange::Unchanged if is_reminded && reminder::is_due(found, now) => Some(PlaceChange::Reminder),
        PlaceChange::Unchanged => unreported_at.and_then(|claimed_at| correction(found, claimed_at, now)),
        change => Some(change),
    };
    let has_news = found.iter().any(|found| change(found).is_some());
    if !has_news && !is_asked {
        return None;
    }
    let place = |found: &SignupInFull| {
        let SignupInFull { event, shift, signup, place_in_line, .. } = found;
        let is_shown = signup.is_active() && !(has_news && shift.is_over(now));
        let change = change(found).or(is_shown.then_some(PlaceChange::Unchanged))?;
        let sequence = signup.told.sequence + u32::from(unreported_at.is_some());
        let (at, shift, signup) = (signup.time_and_place(shift, event), shift.clone(), signup.clone());
        Some(PlaceNews { shift, signup, at, change, sequence, place_in_line: *place_in_line })
    };
    let mut places: Vec<_> = found.iter().filter_map(place).collect();
    places.sort_by_cached_key(|place| (place.shift.order_key(), place.signup.id));
    let SignupInFull { organization, event, .. } = found.first()?.clone();
    let email = places.first()?.signup.email.clone();
    Some(News { organization, event, email, places, is_asked })
}

/// Returns how a mail corrects what an address may know about a sign-up without a [change], from the mail of an attempt without a
/// report that was claimed at `claimed_at`. Returns `None` if there is nothing to correct:
///
/// - The attempt may have told of a place that its volunteer has cancelled since, or that has moved since to hours that are over.
/// - It may have told of a change that was undone since: an announced one, or a move to another shift. Then the mail repeats what
///   holds. A mark of the attendance or a corrected name since the attempt looks like a move to another shift and back.
fn correction(found: &SignupInFull, claimed_at: Timestamp, now: Timestamp) -> Option<PlaceChange> {
    let SignupInFull { signup, .. } = found;
    let is_since = |at: Timestamp| at + Notice::CLOCK_SKEW >= claimed_at;
    match (signup.told.status, signup.cancelled_by()) {
        (None, Some(CancelledBy::Volunteer)) => {
            let is_before = signup.created_at <= claimed_at + Notice::CLOCK_SKEW;
            is_before.then_some(PlaceChange::Cancelled)
        }
        (None, None) => Some(moved(found, now)).filter(|change| *change != PlaceChange::Unchanged),
        (Some(_), None) => {
            let may_be_back =
                signup.is_confirmed() && !signup.is_moved() && signup.changed_at.is_some_and(is_since);
            (is_settled(found, now) || may_be_back).then_some(PlaceChange::Unchanged)
        }
        _ => None,
    }
}

/// Returns whether somebody has a place or waits, and no mail was reported that had it.
fn is_untold(SignupInFull { signup, .. }: &SignupInFull) -> bool {
    signup.told.status.is_none() && signup.is_active()
}

/// How a change by the organizer concerns an address. The smaller one includes the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Concern {
    /// There is news, or a change was announced and undone.
    News,
    /// The address may have to be reminded at this time.
    Reminder(Timestamp),
}

/// Returns how a change by the organizer concerns the address of a sign-up. What the volunteer did makes the mail due itself. But
/// the first mail may be under way with what held before an announced change.
pub(crate) fn concern(found: &SignupInFull, now: Timestamp) -> Option<Concern> {
    let is_news = match change(found, now) {
        PlaceChange::Moved { .. } => true,
        PlaceChange::Cancelled => found.signup.cancelled_by() != Some(CancelledBy::Volunteer),
        PlaceChange::New | PlaceChange::Waiting | PlaceChange::Promoted => {
            found.signup.told.announced != found.shift.announced
        }
        PlaceChange::Reminder => false,
        PlaceChange::Unchanged if is_untold(found) => moved(found, now) != PlaceChange::Unchanged,
        PlaceChange::Unchanged => is_settled(found, now),
    };
    if is_news { Some(Concern::News) } else { reminder::next_of(found, now).map(Concern::Reminder) }
}

/// Returns whether announced changes of a place were undone before a mail.
fn is_settled(found: &SignupInFull, now: Timestamp) -> bool {
    let SignupInFull { shift, signup, .. } = found;
    let is_told = signup.told.status.is_some() && !signup.is_moved();
    let is_announced = is_told && signup.told.announced != shift.announced;
    is_announced && signup.is_active() && change(found, now) == PlaceChange::Unchanged
}

/// Returns what changed about a sign-up since the last mail that had it:
///
/// - A confirmed sign-up that no mail had yet is new, or promoted if it waited before, unless its shift is over. So is one that was
///   told that it waits promoted. A sign-up that the organizer has moved to another shift since its form is moved, and not new.
/// - A sign-up that waits and that no mail had yet is told so, unless its shift is over.
/// - A change of time or place counts if it was [announced](crate::Shift::announced), and was not undone. It does not count if the
///   shift is over by both its old and its new hours.
/// - A cancellation counts unless it was silent. If the organizer had moved the sign-up to another shift, it counts even if it was
///   silent, because the address has not been told of the move. A volunteer who cancelled before the first mail hears of neither.
fn change(found: &SignupInFull, now: Timestamp) -> PlaceChange {
    let SignupInFull { shift, signup, .. } = found;
    let status = &signup.told.status;
    match (status, signup.status()) {
        (_, SignupStatus::Cancelled) if *status == Some(SignupStatus::Cancelled) => PlaceChange::Unchanged,
        (_, SignupStatus::Cancelled) => {
            let is_unheard = status.is_none() && signup.cancelled_by() == Some(CancelledBy::Volunteer);
            let is_silent = signup.is_cancelled_silently(shift) && !signup.is_moved();
            if is_unheard || is_silent { PlaceChange::Unchanged } else { PlaceChange::Cancelled }
        }
        (None | Some(SignupStatus::Waitlisted), SignupStatus::Confirmed) if !shift.is_over(now) => {
            match signup.promoted_at {
                Some(_) => PlaceChange::Promoted,
                None if signup.is_moved() => moved(found, now),
                None => PlaceChange::New,
            }
        }
        (None, SignupStatus::Waitlisted) if !shift.is_over(now) => PlaceChange::Waiting,
        (Some(SignupStatus::Confirmed | SignupStatus::Waitlisted), _) => moved(found, now),
        _ => PlaceChange::Unchanged,
    }
}

/// Returns the announced change of the time or the place since the form or the last mail, unless it was undone or does not count. A
/// sign-up that is on another shift since then has moved, too.
fn moved(SignupInFull { event, shift, signup, .. }: &SignupInFull, now: Timestamp) -> PlaceChange {
    let Told { at: before, announced, .. } = &signup.told;
    let at = signup.time_and_place(shift, event);
    let is_over = before.interval.is_over(now) && at.interval.is_over(now);
    let is_same = !signup.is_moved() && (*announced == shift.announced || before.is_same_as(&at));
    if is_same || is_over { PlaceChange::Unchanged } else { PlaceChange::Moved { before: before.clone() } }
}

/// Returns the sign-ups whose announced changes were undone, each as told with the present value of
/// [`announced`](crate::Shift::announced). Otherwise a later silent change would be taken for an announced one.
pub(crate) fn settled(found: &[SignupInFull], now: Timestamp) -> Vec<(Signup, Told)> {
    let settle = |found: &SignupInFull| {
        let told = Told { announced: found.shift.announced, ..found.signup.told.clone() };
        (found.signup.clone(), told)
    };
    found.iter().filter(|found| is_settled(found, now)).map(settle).collect()
}

#[cfg(test)]
mod tests;
