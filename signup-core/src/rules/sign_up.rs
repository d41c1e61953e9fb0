//! Signing up for a shift.

use jiff::Timestamp;

use super::Decision;
use super::edit::check_not_cancelled;
use crate::error::Error;
use crate::event::Event;
use crate::id::{NoticeId, SignupId};
use crate::input::NewSignup;
use crate::notice::{Notice, NoticeCause};
use crate::question::Question;
use crate::secret::Secret;
use crate::shift::Shift;
use crate::signup::{Signup, SignupState};
use crate::store::{ChangeSet, Requirement, Total, Unique};

/// The records on which signing up depends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SignUpFacts {
    /// The event.
    pub(crate) event: Event,
    /// The shift.
    pub(crate) shift: Shift,
    /// The event's questions.
    pub(crate) questions: Vec<Question>,
}

/// The ids and the secret for one new sign-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignUpIds {
    /// The id of the sign-up.
    pub(crate) signup: SignupId,
    /// The id of the notice that confirms the sign-up.
    pub(crate) notice: NoticeId,
    /// The secret in the link to cancel.
    pub(crate) secret: Secret,
}

/// The outcome of signing up, unless the store refuses the change set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SignUpOutcome {
    /// The new sign-up and the secret to cancel it with; `None` if the shift is over.
    pub(crate) signup: Option<(Signup, Secret)>,
    /// Why the shift accepted no sign-up when it was read; `None` if it had room. An address that already has a place
    /// gets this answer.
    pub(crate) closed: Option<Closed>,
}

/// Why a shift accepts no sign-ups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// No place is left.
    Full,
    /// The shift has ended.
    Over,
}

/// Checks that the event shows a form for the shift.
///
/// # Errors
/// Returns [`Error::NotFound`] if the event is a draft or the shift belongs to another event, and
/// [`Error::EventCancelled`].
pub(crate) fn check_form(SignUpFacts { event, shift, .. }: &SignUpFacts) -> Result<(), Error> {
    if !event.is_published || shift.event != event.id {
        return Err(Error::NotFound);
    }
    check_not_cancelled(event)
}

/// Takes a place on a shift.
///
/// The store checks under its lock that the address has no place yet and that a place is left, in this order. An
/// address with a place is refused with its sign-up, even if the shift is full or over. The service then
/// [mails the confirmation again](mail_again).
///
/// # Errors
/// Returns the errors of [`check_form`], and [`Error::Invalid`] with every fault of the answers.
pub(crate) fn sign_up(
    facts: SignUpFacts,
    new: &NewSignup,
    ids: SignUpIds,
    now: Timestamp,
) -> Result<Decision<SignUpOutcome>, Error> {
    check_form(&facts)?;
    let SignUpFacts { event, shift, questions } = facts;
    let answers = new.answers_to(&questions)?;
    let organization = shift.organization;
    let mut change = ChangeSet::default();
    change.require_gate(&event);
    change.require_gate(&shift);
    let place = Unique::Place(organization, shift.id, new.email.key());
    change.requires.push(Requirement::Absent { unique: place, now });
    if shift.is_over(now) {
        let outcome = SignUpOutcome { signup: None, closed: Some(Closed::Over) };
        return Ok(Decision::new(outcome, change));
    }
    let closed = (!shift.occupancy.has_room()).then_some(Closed::Full);
    let signup = Signup {
        id: ids.signup,
        organization,
        event: event.id,
        shift: shift.id,
        shift_version: shift.version,
        name: new.name.clone(),
        email: new.email.clone(),
        answers,
        state: SignupState::Confirmed,
        secret: ids.secret.digest(),
        version: 1,
        created_at: now,
        mailed_at: now,
    };
    let cause = NoticeCause::SignedUp { signup: signup.id, secret: ids.secret.clone() };
    let notice = Notice::new(ids.notice, (organization, event.id, shift.id), cause, now);
    let (total, bound) = (Total::Filled(organization, shift.id), shift.occupancy.capacity.volunteers());
    change.requires.push(Requirement::Below { total, bound, now });
    change.insert(signup.clone());
    change.insert(notice);
    let outcome = SignUpOutcome { signup: Some((signup, ids.secret)), closed };
    Ok(Decision::new(outcome, change))
}

/// Queues the confirmation of a sign-up again, with a new secret. The secret of the earlier mail becomes invalid.
///
/// Changes nothing within [`Signup::MAIL_AGAIN_AFTER`] of the last mail, so repeated forms cannot flood a mailbox. A
/// `mailed_at` in the future was set by a clock that was ahead, and counts as old.
pub(crate) fn mail_again(signup: &Signup, notice: NoticeId, secret: Secret, now: Timestamp) -> ChangeSet {
    let was_mailed_lately = signup.mailed_at <= now && now < signup.mailed_at + Signup::MAIL_AGAIN_AFTER;
    if was_mailed_lately {
        return ChangeSet::default();
    }
    let path = (signup.organization, signup.event, signup.shift);
    let renewed =
        Signup { secret: secret.digest(), mailed_at: now, version: signup.version + 1, ..signup.clone() };
    let cause = NoticeCause::SignedUp { signup: signup.id, secret };
    let mut change = ChangeSet::default();
    change.replace(signup.clone(), renewed);
    change.insert(Notice::new(notice, path, cause, now));
    change
}
