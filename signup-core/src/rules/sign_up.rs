//! Signing up for a shift.

use jiff::Timestamp;

use super::Decision;
use super::edit::{check_not_cancelled, event_at_version};
use crate::error::Error;
use crate::event::Event;
use crate::id::{NoticeId, SignupId};
use crate::input::SignUpForm;
use crate::notice::{Notice, NoticeCause};
use crate::question::Question;
use crate::secret::Secret;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, Requirement, Write};

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

/// Takes a place on a shift.
///
/// The store checks under its lock that the address has no place yet and that a place is left, in this order. An
/// address with a place is refused with its sign-up, even if the shift is full or over. The service then
/// [mails the confirmation again](mail_again).
///
/// # Errors
/// Returns [`Error::NotFound`] if the event is a draft or the shift belongs to another event, and [`Error::Invalid`]
/// with every fault of the form.
pub(crate) fn sign_up(
    facts: SignUpFacts,
    form: &impl SignUpForm,
    ids: SignUpIds,
    now: Timestamp,
) -> Result<Decision<SignUpOutcome>, Error> {
    let SignUpFacts { event, shift, questions } = facts;
    if !event.is_published || shift.event != event.id {
        return Err(Error::NotFound);
    }
    check_not_cancelled(&event)?;
    let new = form.check(&questions)?;
    let organization = shift.organization;
    let not_yet = Requirement::AddressNotOnShift { organization, shift: shift.id, email: new.email.clone() };
    if shift.interval().end <= now {
        let outcome = SignUpOutcome { signup: None, closed: Some(Closed::Over) };
        return Ok(Decision {
            outcome,
            change: ChangeSet { requires: vec![event_at_version(&event), not_yet], writes: vec![] },
        });
    }
    let closed = (!shift.occupancy.has_room()).then_some(Closed::Full);
    let signup = Signup {
        id: ids.signup,
        organization,
        event: event.id,
        shift: shift.id,
        shift_version: shift.version,
        name: new.name,
        email: new.email,
        answers: new.answers,
        status: SignupStatus::Confirmed,
        secret: ids.secret.digest(),
        created_at: now,
        mailed_at: now,
        cancelled_at: None,
        cancelled_by: None,
    };
    let cause = NoticeCause::SignedUp { signup: signup.id, secret: ids.secret.clone() };
    let notice = Notice::new(ids.notice, (organization, event.id, shift.id), cause, now);
    let requires =
        vec![event_at_version(&event), not_yet, Requirement::ShiftHasRoom { organization, shift: shift.id }];
    let writes = vec![Write::InsertSignup(Box::new(signup.clone())), Write::InsertNotices(vec![notice])];
    let outcome = SignUpOutcome { signup: Some((signup, ids.secret)), closed };
    Ok(Decision { outcome, change: ChangeSet { requires, writes } })
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
    let (organization, shift, id) = (signup.organization, signup.shift, signup.id);
    let digest = secret.digest();
    let cause = NoticeCause::SignedUp { signup: id, secret };
    let notice = Notice::new(notice, (organization, signup.event, shift), cause, now);
    ChangeSet {
        requires: vec![Requirement::SignupHasSecret {
            organization,
            shift,
            signup: id,
            secret: signup.secret,
        }],
        writes: vec![
            Write::RenewSecret { organization, shift, signup: id, secret: digest, at: now },
            Write::InsertNotices(vec![notice]),
        ],
    }
}
