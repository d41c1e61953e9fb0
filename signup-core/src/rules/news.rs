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
        PlaceChange::Unchanged if may_have_been_told(found, unreported_at) => PlaceChange::Cancelled,
        // An attempt without a report may have told of a place, before a move to hours that are over.
        PlaceChange::Unchanged if unreported_at.is_some() && is_untold(found) => moved(found, now),
        PlaceChange::Unchanged if is_reminded && reminder::is_due(found, now) => PlaceChange::Reminder,
        change => change,
    };
    // An attempt without a report may have told of a change that was undone since.
    let may_be_wrong = |found: &SignupInFull| {
        unreported_at.is_some_and(|claimed_at| is_settled(found, now) || may_be_back(found, claimed_at))
    };
    let has_news = found.iter().any(|found| change(found) != PlaceChange::Unchanged || may_be_wrong(found));
    if !has_news && !is_asked {
        return None;
    }
    let place = |found: &SignupInFull| {
        let SignupInFull { event, shift, signup, place_in_line, .. } = found;
        let change = match change(found) {
            PlaceChange::Unchanged if !signup.is_active() => return None,
            PlaceChange::Unchanged if shift.is_over(now) && has_news => return None,
            change => change,
        };
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

/// Returns whether an attempt without a report, which was claimed at `unreported_at`, may have told of a place that its volunteer then
/// cancelled.
fn may_have_been_told(SignupInFull { signup, .. }: &SignupInFull, unreported_at: Option<Timestamp>) -> bool {
    let is_untold = signup.told.status.is_none() && signup.cancelled_by() == Some(CancelledBy::Volunteer);
    is_untold && unreported_at.is_some_and(|claimed_at| signup.created_at <= claimed_at + Notice::CLOCK_SKEW)
}

/// Returns whether somebody has a place or waits, and no mail was reported that had it.
fn is_untold(SignupInFull { signup, .. }: &SignupInFull) -> bool {
    signup.told.status.is_none() && signup.is_active()
}

/// Returns whether the organizer may have moved a sign-up back to the shift that the address knows, after an attempt that was claimed at
/// `claimed_at`.
fn may_be_back(SignupInFull { signup, .. }: &SignupInFull, claimed_at: Timestamp) -> bool {
    let is_told = signup.told.status.is_some() && signup.is_confirmed() && !signup.is_moved();
    is_told && signup.changed_at.is_some_and(|at| at + Notice::CLOCK_SKEW >= claimed_at)
}

/// How a change by the organizer concerns an address. The smaller one includes the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Concern {
    /// There is news, or a change was announced and undone.
    News,
    /// The address may have to be reminded at this time.
    Reminder(Timestamp),
}

/// Returns how a change by the organizer concerns the address of a sign-up. What the volunteer did makes the mail due itself. But the first
/// mail may be under way with what held before an announced change.
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
/// - A confirmed sign-up that no mail had yet is new, or promoted if it waited before, unless its shift is over. So is one that was told
///   that it waits promoted. A sign-up that the organizer has moved to another shift since its form is moved, and not new.
/// - A sign-up that waits and that no mail had yet is told so, unless its shift is over.
/// - A change of time or place counts if it was [announced](crate::Shift::announced), and was not undone. It does not count if the
///   shift is over by both its old and its new hours.
/// - A cancellation counts unless it was silent. A volunteer who cancelled before the first mail hears of neither.
fn change(found: &SignupInFull, now: Timestamp) -> PlaceChange {
    let SignupInFull { shift, signup, .. } = found;
    let status = &signup.told.status;
    match (status, signup.status()) {
        (_, SignupStatus::Cancelled) if *status == Some(SignupStatus::Cancelled) => PlaceChange::Unchanged,
        (_, SignupStatus::Cancelled) => {
            let is_unheard = status.is_none() && signup.cancelled_by() == Some(CancelledBy::Volunteer);
            let is_silent = signup.is_cancelled_silently(shift);
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

/// Returns the announced change of the time or the place since the form or the last mail, unless it was undone or does not count. A sign-up
/// that is on another shift since then has moved, too.
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
