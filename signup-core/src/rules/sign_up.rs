//! Signing up: the people of one form, each for every shift of the form.
//!
//! A form is one change set. A shift that refuses is left out, for all people of the form, and the rest is decided again. A form of
//! `n` people asks each shift for `n` places, even for people who have one. So a refusal does not reveal who is signed up.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::edit::check_not_cancelled;
use super::recipient::{WantedBy, want};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::{Event, SignupPhase};
use crate::id::{ShiftId, SignupId};
use crate::input::NewSignup;
use crate::notice::Notice;
use crate::question::Question;
use crate::shift::{ScheduledShift, Shift};
use crate::signup::{Signup, SignupState, Told};
use crate::store::{ChangeSet, Refusal, Requirement, Total, Unique};
use crate::text::EmailAddress;

/// The records on which signing up depends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SignUpFacts {
    /// The event.
    pub(crate) event: Event,
    /// The shifts of the form, in running order.
    pub(crate) shifts: Vec<ScheduledShift>,
    /// The shifts of the form that are deleted.
    pub(crate) deleted: Vec<ScheduledShift>,
    /// The event's questions.
    pub(crate) questions: Vec<Question>,
}

/// What the address has already, and what earlier attempts of the same call have found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct KnownPlaces {
    /// The active sign-ups that people of the form have already, by the shift and by the index of the person.
    pub(crate) held: BTreeMap<(ShiftId, usize), Signup>,
    /// The shifts that have too little room.
    pub(crate) full: BTreeSet<ShiftId>,
    /// The recipient of the address at the event.
    pub(crate) recipient: Option<Notice>,
}

/// The result of a form for one of its shifts: a place for each person of the form, or for nobody. If the form
/// [joins the waiting list](NewSignup::joins_waitlist), some or all may wait instead.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShiftOutcome {
    /// The shift, as it was before.
    pub shift: ScheduledShift,
    /// The places in the order of the people, or why the shift takes nobody: [`Error::ShiftFull`], [`Error::ShiftOver`],
    /// [`Error::SignupsClosed`] or [`Error::ShiftDeleted`].
    pub places: Result<Vec<Place>, Error>,
}

/// The place of one person on one shift, or on its waiting list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The sign-up that holds the place. If the person had the place already, this is the record as it was before the mail about
    /// the repeated sign-up was queued: it keeps its first name and answers.
    pub signup: Signup,
    /// Whether the sign-up is new.
    pub is_new: bool,
}

/// Checks that the event shows forms.
///
/// # Errors
/// Returns [`Error::NotFound`] if the event is a draft, and [`Error::EventCancelled`].
pub(crate) fn check_form(event: &Event) -> Result<(), Error> {
    if !event.is_published {
        return Err(Error::NotFound);
    }
    check_not_cancelled(event)
}

/// Takes a place on each shift of a form for each person of the form. A person with a place keeps it and gets the mail again.
///
/// The store checks under its lock that each person has a place or none, as `known` says, and then that each shift has room. It
/// refuses with the sign-up of a person with a place, even if the shift is full or over, or sign-ups are closed. It refuses with a
/// total of a shift that has no room. The caller then reads what is known again, or adds the full shift, and decides again.
///
/// Somebody who waits keeps waiting until the [cutoff](Shift::WAITLIST_CUTOFF). After it, they take a place as everybody does, with
/// the sign-up that waits.
///
/// # Errors
/// Returns the errors of [`check_form`], and [`Error::Invalid`] with every fault of the form.
pub(crate) fn sign_up(
    facts: &SignUpFacts,
    new: &NewSignup,
    known: &KnownPlaces,
    ids: Vec<SignupId>,
    now: Timestamp,
) -> Result<Decision<Vec<ShiftOutcome>>, Error> {
    let SignUpFacts { event, shifts, deleted, questions } = facts;
    check_form(event)?;
    let answers = new.answers_to(questions, shifts)?;
    let mut ids = ids.into_iter();
    let mut change = ChangeSet::default();
    change.require_gate(event);
    let (mut rooms, mut added, mut promoted, mut repeated) = (vec![], vec![], vec![], vec![]);
    let mut outcomes = vec![];
    for shift in shifts {
        change.require_gate(&shift.shift);
        let is_full = known.full.contains(&shift.id);
        let refused = check_open(event, shift, now).err().or(is_full.then_some(Error::ShiftFull));
        let with_list = joins_list(event, shift, new, now);
        let mut free = if with_list { shift.room(now) } else { u32::MAX };
        let (mut confirmed, mut waiting) = (0, 0);
        let mut places = vec![];
        for (index, person) in new.people.iter().enumerate() {
            let id = ids.next();
            if let Some(signup) = known.held.get(&(shift.id, index)) {
                // After the cutoff, a place that came free is open to everybody, and so to those who wait.
                let signup = if signup.is_waitlisted() && refused.is_none() && !shift.is_before_cutoff(now) {
                    let after = signup.clone().promoted(now);
                    promoted.push((signup.clone(), after.clone()));
                    after
                } else {
                    repeated.push(signup.clone());
                    signup.clone()
                };
                places.push(Place { signup, is_new: false });
                continue;
            }
            let unique = Unique::place(shift.organization, shift.id, &new.email, &person.name);
            change.requires.push(Requirement::Absent { unique, now });
            if let Some(id) = id.filter(|_| refused.is_none()) {
                let path = (shift.organization, event.id, shift.id);
                let told = Told::by_form(shift, event);
                let mut signup = Signup::new(id, path, person.name.clone(), new.email.clone(), told, now);
                signup.answers = answers.get(index).cloned().unwrap_or_default();
                if free > 0 {
                    (free, confirmed) = (free - 1, confirmed + 1);
                } else {
                    (signup.state, signup.has_waited) = (SignupState::Waitlisted, true);
                    waiting += 1;
                }
                places.push(Place { signup: signup.clone(), is_new: true });
                added.push(signup);
            }
        }
        if refused.is_none() {
            let of_list = with_list.then_some(OfList { confirmed, waiting });
            rooms.extend(room(shift, number(&new.people), of_list, &new.email, now));
        }
        outcomes.push(ShiftOutcome { shift: shift.clone(), places: refused.map_or(Ok(places), Err) });
    }
    let gone =
        |shift: &ScheduledShift| ShiftOutcome { shift: shift.clone(), places: Err(Error::ShiftDeleted) };
    outcomes.extend(deleted.iter().map(gone));
    change.requires.extend(rooms);
    let activity_of = |signup: &Signup| {
        let waits = signup.is_waitlisted();
        let kind = if waits { ActivityType::SIGNUP_WAITLISTED } else { ActivityType::SIGNUP_CREATED };
        NewActivity::of(kind, signup)
    };
    let mut activity: Vec<_> = added.iter().map(activity_of).collect();
    activity.extend(promoted.iter().map(|(_, after)| NewActivity::of(ActivityType::SIGNUP_PROMOTED, after)));
    let first = added.first().or(promoted.first().map(|(_, after)| after));
    let mut wanted = first.map(|first| (first.clone(), WantedBy::Volunteer));
    added.into_iter().for_each(|signup| change.insert(signup));
    promoted.into_iter().for_each(|(before, after)| change.replace(before, after));
    for signup in repeated {
        if repeat(&mut change, &signup, now) {
            wanted = Some((signup, WantedBy::VolunteerAgain));
        }
    }
    if let Some((signup, by)) = wanted {
        want(&mut change, &signup, known.recipient.clone(), by, now);
    }
    let decision = Decision::new(outcomes, change, activity);
    // The number of those who get a place was decided for the room that was read.
    Ok(decision.again_after(if new.joins_waitlist { changed_or_filled } else { changed_or_taken }))
}

const fn changed_or_taken(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Changed(_) | Refusal::Taken(_))
}

const fn changed_or_filled(refusal: &Refusal) -> bool {
    let total = match refusal {
        Refusal::NotBelow { total, .. } | Refusal::NotAtLeast { total, .. } => total,
        _ => return changed_or_taken(refusal),
    };
    matches!(total, Total::Filled(..) | Total::Waiting(..))
}

/// Returns whether a shift, as it was read, takes all people of the form: each gets a place, or a place on the waiting list if the
/// form asks for that.
pub(crate) fn takes_all(event: &Event, shift: &ScheduledShift, new: &NewSignup, now: Timestamp) -> bool {
    shift.room(now) >= number(&new.people) || joins_list(event, shift, new, now)
}

/// Returns whether people of the form have to wait for the shift, and can.
///
/// The list has room for as many as would wait if nobody of them had a place. So the answer does not reveal who has one.
fn joins_list(event: &Event, shift: &ScheduledShift, new: &NewSignup, now: Timestamp) -> bool {
    let surplus = number(&new.people).saturating_sub(shift.room(now));
    new.joins_waitlist && surplus > 0 && surplus <= shift.waiting_room(event, now)
}

fn number<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// How many people of a form get a place, and how many wait, apart from those who had either.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfList {
    confirmed: u32,
    waiting: u32,
}

/// Returns the requirements that a shift has room for this number of people of an address: a place for each of them, or if they
/// join the waiting list, places for as many as were counted on, and room on the list for the others.
///
/// Nobody passes those who wait: until the cutoff, a place requires that nobody does. Somebody waits only on a shift that the form
/// leaves full. Both keep the [invariants of promotion](super::promote).
pub(super) fn room(
    shift: &ScheduledShift,
    people: u32,
    of_list: Option<OfList>,
    email: &EmailAddress,
    now: Timestamp,
) -> Vec<Requirement> {
    let (organization, id) = (shift.organization, shift.id);
    let (filled, waiting) = (Total::Filled(organization, id), Total::Waiting(organization, id));
    let places_of = Total::PlacesOf(organization, id, email.key().to_owned());
    let capacity = shift.occupancy.capacity.volunteers();
    // The bound below which there is room for `more`.
    let for_more = |total: &Total, max: u32, more: u32| {
        let bound = (max + 1).saturating_sub(more);
        Requirement::Below { total: total.clone(), bound, now }
    };
    let mut requires = vec![];
    let confirmed = of_list.map_or(people, |of_list| of_list.confirmed);
    if confirmed > 0 {
        requires.push(for_more(&filled, capacity, confirmed));
        if shift.is_before_cutoff(now) {
            requires.push(for_more(&waiting, 0, 0));
        }
    }
    if let Some(of_list) = of_list {
        if of_list.waiting > 0 {
            let bound = capacity.saturating_sub(confirmed);
            requires.push(Requirement::AtLeast { total: filled, bound, now });
        }
        let surplus = people.saturating_sub(shift.room(now));
        requires.push(for_more(&waiting, Shift::MAX_WAITLISTED, surplus));
    }
    requires.push(for_more(&places_of, Signup::MAX_PER_ADDRESS, people));
    requires
}

/// Checks that the shift takes sign-ups at `now` if it has room.
///
/// # Errors
/// Returns [`Error::ShiftOver`], and [`Error::SignupsClosed`] before they open and after they close.
fn check_open(event: &Event, shift: &ScheduledShift, now: Timestamp) -> Result<(), Error> {
    if shift.is_over(now) {
        return Err(Error::ShiftOver);
    }
    // The request that closed sign-ups may have had a later clock.
    match event.signup_phase(now.max(event.updated_at)) {
        SignupPhase::Open => Ok(()),
        SignupPhase::Ahead | SignupPhase::Closed => Err(Error::SignupsClosed),
    }
}

/// Notes that a person has signed up again. Returns whether the address is mailed what it has.
///
/// Only requires that the sign-up is unchanged within [`Signup::MAIL_AGAIN_AFTER`] of the last such mail, so repeated forms cannot
/// flood a mailbox. A `repeated_at` in the future was set by a clock that was ahead, and counts as old.
fn repeat(change: &mut ChangeSet, signup: &Signup, now: Timestamp) -> bool {
    let was_mailed_lately =
        signup.repeated_at.is_some_and(|at| at <= now && now < at + Signup::MAIL_AGAIN_AFTER);
    if was_mailed_lately {
        change.require_unchanged(signup);
        return false;
    }
    let repeated = Signup { repeated_at: Some(now), version: signup.version + 1, ..signup.clone() };
    change.replace(signup.clone(), repeated);
    true
}

#[cfg(test)]
mod tests;
