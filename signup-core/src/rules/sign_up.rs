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
use crate::shift::ScheduledShift;
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
    /// The places that people of the form have already, by the shift and by the index of the person.
    pub(crate) held: BTreeMap<(ShiftId, usize), Signup>,
    /// The shifts that have too little room.
    pub(crate) full: BTreeSet<ShiftId>,
    /// The recipient of the address at the event.
    pub(crate) recipient: Option<Notice>,
}

/// The result of a form for one of its shifts: a place for each person of the form, or for nobody.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShiftOutcome {
    /// The shift, as it was before.
    pub shift: ScheduledShift,
    /// The places in the order of the people, or why the shift takes nobody: [`Error::ShiftFull`], [`Error::ShiftOver`],
    /// [`Error::SignupsClosed`] or [`Error::ShiftDeleted`].
    pub places: Result<Vec<Place>, Error>,
}

/// The place of one person on one shift.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The sign-up that holds the place. If the person had the place already, this is the record as it was before the mail about the
    /// repeated sign-up was queued: it keeps its first name and answers.
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
    let (mut rooms, mut taken, mut repeated, mut outcomes) = (vec![], vec![], vec![], vec![]);
    for shift in shifts {
        change.require_gate(&shift.shift);
        let is_full = known.full.contains(&shift.id);
        let refused = check_open(event, shift, now).err().or(is_full.then_some(Error::ShiftFull));
        if refused.is_none() {
            rooms.extend(room(shift, new.people.len(), &new.email, now));
        }
        let mut places = vec![];
        for (index, person) in new.people.iter().enumerate() {
            let id = ids.next();
            if let Some(signup) = known.held.get(&(shift.id, index)) {
                places.push(Place { signup: signup.clone(), is_new: false });
                repeated.push(signup.clone());
                continue;
            }
            let unique = Unique::place(shift.organization, shift.id, &new.email, &person.name);
            change.requires.push(Requirement::Absent { unique, now });
            if let Some(id) = id.filter(|_| refused.is_none()) {
                let signup = Signup {
                    id,
                    organization: shift.organization,
                    event: event.id,
                    shift: shift.id,
                    name: person.name.clone(),
                    email: new.email.clone(),
                    told: Told::by_form(shift, event),
                    answers: answers.get(index).cloned().unwrap_or_default(),
                    state: SignupState::Confirmed,
                    version: 1,
                    created_at: now,
                    reason: None,
                    is_silent: false,
                    repeated_at: None,
                };
                places.push(Place { signup: signup.clone(), is_new: true });
                taken.push(signup);
            }
        }
        outcomes.push(ShiftOutcome { shift: shift.clone(), places: refused.map_or(Ok(places), Err) });
    }
    let gone =
        |shift: &ScheduledShift| ShiftOutcome { shift: shift.clone(), places: Err(Error::ShiftDeleted) };
    outcomes.extend(deleted.iter().map(gone));
    change.requires.extend(rooms);
    let activity: Vec<_> =
        taken.iter().map(|signup| NewActivity::of(ActivityType::SIGNUP_CREATED, signup)).collect();
    let mut wanted = taken.first().map(|first| (first.clone(), WantedBy::Volunteer));
    taken.into_iter().for_each(|signup| change.insert(signup));
    for signup in repeated {
        if repeat(&mut change, &signup, now) {
            wanted = Some((signup, WantedBy::VolunteerAgain));
        }
    }
    if let Some((signup, by)) = wanted {
        want(&mut change, &signup, known.recipient.clone(), by, now);
    }
    let decides_again = |refusal: &Refusal| matches!(refusal, Refusal::Changed(_) | Refusal::Taken(_));
    Ok(Decision::new(outcomes, change, activity).again_after(decides_again))
}

/// Returns the requirements that a shift has room for this number of people of an address.
fn room(
    shift: &ScheduledShift,
    people: usize,
    email: &EmailAddress,
    now: Timestamp,
) -> impl Iterator<Item = Requirement> {
    let (organization, id) = (shift.organization, shift.id);
    let others = u32::try_from(people).unwrap_or(u32::MAX).saturating_sub(1);
    let totals = [
        (Total::Filled(organization, id), shift.occupancy.capacity.volunteers()),
        (Total::PlacesOf(organization, id, email.key().to_owned()), Signup::MAX_PER_ADDRESS),
    ];
    totals.into_iter().map(move |(total, max)| {
        let bound = max.saturating_sub(others);
        Requirement::Below { total, bound, now }
    })
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
