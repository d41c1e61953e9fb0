//! Promotion: the places that come free on a shift go to those who wait for one, in the commit that frees them.
//!
//! **Invariants**, until [`Shift::WAITLIST_CUTOFF`] before an open shift begins:
//!
//! - While somebody waits, the shift is full: the total [`Waiting`](Total::Waiting) is 0, or [`Filled`](Total::Filled) is at least
//!   the capacity.
//! - No promotion takes `Filled` above the capacity.
//!
//! # Why they hold
//!
//! Capacity, hours and days are fixed by the gates, which every change set here requires. Write *f* and *w* for the totals when the
//! store checks the requirements, under its lock. A change set that takes *d* confirmed sign-ups off the shift and promotes *p*
//! leaves *f − d + p* and *w − p*: each promoted sign-up is required unchanged, so all of them still wait.
//!
//! - Nobody waits, as was read: *w* has to be below 1, so nobody waits afterwards.
//! - A promotion requires *f* below *capacity + d − p + 1*, so afterwards *f* is at most the capacity.
//! - If somebody may wait afterwards, *f* has to be at least *capacity + d − p*, so the shift is full afterwards.
//! - If all are promoted who were read, and places are left, *w* has to be below *p + 1*, so nobody waits afterwards.
//!
//! The other change sets keep the invariants, too. A sign-up requires that nobody waits, until the cutoff. Somebody joins the list
//! only where the same change set leaves the shift full. A sign-up that waits and is cancelled or erased leaves *f*, and a lower
//! capacity makes no room. A move of the whole event past the cutoff is the exception, and the publication of a draft, on which
//! nobody is promoted: they can concern a thousand shifts. They [queue a job](queue_promotion), and until then such a shift takes
//! nobody.
//!
//! A change set that is refused is decided again, on records that are read again.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::recipient::{WantedBy, promotion_id, want_each};
use super::{Decision, NewActivity};
use crate::activity::{ActivityType, Actor};
use crate::event::Event;
use crate::notice::{Notice, NoticeCause};
use crate::shift::ScheduledShift;
#[cfg(doc)]
use crate::shift::Shift;
use crate::signup::Signup;
use crate::store::{ChangeSet, Refusal, Requirement, Total};

/// Those who wait for a place on a shift, as they were read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WaitingList {
    /// The sign-ups that wait, in the order of joining.
    signups: Vec<Signup>,
    /// The recipients of their addresses at the event, by the key of the address.
    recipients: BTreeMap<String, Notice>,
}

impl WaitingList {
    /// Creates the list of these sign-ups, in any order, without recipients.
    pub(crate) fn new(mut signups: Vec<Signup>) -> Self {
        signups.sort_by_key(|signup| (signup.created_at, signup.id));
        Self { signups, recipients: BTreeMap::new() }
    }

    /// Returns the first `places` sign-ups.
    pub(crate) fn first(&self, places: u32) -> &[Signup] {
        let places = usize::try_from(places).unwrap_or(usize::MAX).min(self.signups.len());
        self.signups.get(..places).unwrap_or_default()
    }

    /// Adds the recipient of an address that waits.
    pub(crate) fn add_recipient(&mut self, signup: &Signup, recipient: Notice) {
        self.recipients.insert(signup.email.key().to_owned(), recipient);
    }

    /// Returns the place in the line of a sign-up, from 1; `None` if the sign-up is not in it.
    pub(crate) fn place_of(&self, signup: &Signup) -> Option<u32> {
        let index = self.signups.iter().position(|found| found.id == signup.id)?;
        u32::try_from(index).ok().map(|index| index + 1)
    }
}

/// Returns whether the shift owes places to those who wait, because a move of the event has put it before the cutoff
/// again, or the event was a draft.
pub(crate) fn owes_places(event: &Event, shift: &ScheduledShift, now: Timestamp) -> bool {
    shift.promotes(event, now) && shift.occupancy.has_room() && shift.occupancy.waitlisted > 0
}

/// Returns whether places of the shift may have come free for nobody, because a process has taken it to be past the cutoff.
pub(super) fn was_past_cutoff(shift: &ScheduledShift, now: Timestamp) -> bool {
    !shift.is_before_cutoff(now + Notice::CLOCK_SKEW)
}

/// Promotes those who wait in a change set that takes `freed` confirmed sign-ups off the shift. `shift` has the capacity and the
/// hours after the change, and the totals as they were read. Returns who was promoted.
///
/// The caller [wants](want_each) the mails, [records](record_promotions) the promotions, and decides again after a refusal that
/// [`changed_or_promoted`] names.
pub(super) fn promote(
    change: &mut ChangeSet,
    event: &Event,
    shift: &ScheduledShift,
    freed: u32,
    waiting: &WaitingList,
    now: Timestamp,
) -> Vec<Signup> {
    if !shift.promotes(event, now) {
        return vec![];
    }
    let (organization, id) = (shift.organization, shift.id);
    let below = |total, bound| Requirement::Below { total, bound, now };
    let number = |list: &[Signup]| u32::try_from(list.len()).unwrap_or(u32::MAX);
    if waiting.signups.is_empty() {
        change.requires.push(below(Total::Waiting(organization, id), 1));
        return vec![];
    }
    let capacity = shift.occupancy.capacity.volunteers();
    let room = (capacity + freed).saturating_sub(shift.occupancy.filled);
    let promoted = waiting.first(room);
    let places = number(promoted);
    for gate in [Requirement::gate_unchanged(event), Requirement::gate_unchanged(&shift.shift)] {
        change.requires.extend(gate.filter(|gate| !change.requires.contains(gate)));
    }
    // The number of confirmed sign-ups with which the promotions fill the shift.
    let before = (capacity + freed).saturating_sub(places);
    if places > 0 {
        change.requires.push(below(Total::Filled(organization, id), before + 1));
    }
    change.requires.push(if room > places {
        below(Total::Waiting(organization, id), places + 1)
    } else {
        Requirement::AtLeast { total: Total::Filled(organization, id), bound: before, now }
    });
    let put = |signup: &Signup| {
        let after = signup.clone().promoted(now);
        change.replace(signup.clone(), after.clone());
        after
    };
    promoted.iter().map(put).collect()
}

/// Returns the mails about promotions. A promotion is never silent.
pub(super) fn mails_about<'p>(
    promoted: &'p [Signup],
    waiting: &'p WaitingList,
) -> impl Iterator<Item = (Signup, Option<Notice>, WantedBy)> + 'p {
    promoted.iter().map(|signup| {
        let recipient = waiting.recipients.get(signup.email.key()).cloned();
        (signup.clone(), recipient, WantedBy::Organizer)
    })
}

/// Returns the activity of promotions. The service decides them, whatever freed the places.
pub(super) fn record_promotions(promoted: &[Signup]) -> impl Iterator<Item = NewActivity> {
    let of = |signup| NewActivity::of(ActivityType::SIGNUP_PROMOTED, signup).by(Actor::System);
    promoted.iter().map(of)
}

/// Promotes those whom a shift [owes](owes_places) places.
pub(crate) fn promote_owed(
    event: &Event,
    shift: &ScheduledShift,
    waiting: &WaitingList,
    now: Timestamp,
) -> Decision<()> {
    let mut change = ChangeSet::default();
    let promoted = promote(&mut change, event, shift, 0, waiting, now);
    if promoted.is_empty() {
        return Decision::unchanged(());
    }
    want_each(&mut change, mails_about(&promoted, waiting), now);
    let activity: Vec<_> = record_promotions(&promoted).collect();
    Decision::new((), change, activity).again_after(changed_or_promoted)
}

/// Queues the job that promotes those who wait for shifts of a moved event. `changed` is the event after the move, whose version
/// gives the job its id.
pub(super) fn queue_promotion(change: &mut ChangeSet, changed: &Event, now: Timestamp) {
    let id = promotion_id(changed.id, changed.version);
    change.insert(Notice::new(id, changed.organization, Some(changed.id), NoticeCause::Promotion, now));
}

/// Returns whether a record has changed, or a total of a shift with a waiting list.
pub(super) const fn changed_or_promoted(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Changed(_)
            | Refusal::NotBelow { total: Total::Filled(..) | Total::Waiting(..), .. }
            | Refusal::NotAtLeast { .. }
    )
}

#[cfg(test)]
mod tests;
