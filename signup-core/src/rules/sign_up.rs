//! Signing up for a shift.

use jiff::{SignedDuration, Timestamp};

use super::Decision;
use crate::error::Error;
use crate::event::Event;
use crate::id::{NoticeId, SignupId};
use crate::input::SignUpInput;
use crate::notice::{Notice, NoticeCause};
use crate::question::Question;
use crate::secret::Secret;
use crate::shift::Shift;
use crate::signup::{Signup, SignupStatus};
use crate::store::{ChangeSet, Requirement, Write};

/// What signing up depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct SignUpFacts {
    /// The event.
    pub event: Event,
    /// The shift.
    pub shift: Shift,
    /// The event's questions.
    pub questions: Vec<Question>,
}

/// The ids and the secret for one new sign-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignUpIds {
    /// The sign-up's.
    pub signup: SignupId,
    /// The notice's.
    pub notice: NoticeId,
    /// What the link to cancel will carry.
    pub secret: Secret,
}

/// What a sign-up leads to unless the store refuses it.
#[derive(Debug, Clone, PartialEq)]
pub struct SigningUp {
    /// The new sign-up and the secret to cancel it with; `None` if the shift is over.
    pub signup: Option<(Signup, Secret)>,
    /// Why the shift takes nobody, by the facts; `None` if it has room. It is the answer to an address that has a place already.
    pub closed: Option<Closed>,
}

/// Why a shift takes nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// No place is left.
    Full,
    /// The shift has ended.
    Over,
}

/// Takes a place on a shift.
///
/// The store finds out under its lock whether a place is left and whether the address has one already. It checks the address
/// first, and refuses with the sign-up that is there, also if the shift is full or over: the confirmation of that sign-up is to
/// be [mailed again](mail_again).
///
/// # Errors
/// [`Error::NotFound`] if the event is a draft, [`Error::Invalid`] for what is wrong with the input.
pub fn sign_up(
    facts: SignUpFacts,
    input: &SignUpInput<'_>,
    ids: SignUpIds,
    now: Timestamp,
) -> Result<Decision<SigningUp>, Error> {
    let SignUpFacts { event, shift, questions } = facts;
    if !event.is_published || shift.event != event.id {
        return Err(Error::NotFound);
    }
    let new = input.check(&questions)?;
    let organization = shift.organization;
    let not_yet = Requirement::AddressNotOnShift { organization, shift: shift.id, email: new.email.clone() };
    if shift.interval().end <= now {
        let outcome = SigningUp { signup: None, closed: Some(Closed::Over) };
        return Ok(Decision { outcome, change: ChangeSet { requires: vec![not_yet], writes: vec![] } });
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
    };
    let cause = NoticeCause::SignedUp { signup: signup.id, secret: ids.secret.clone() };
    let notice = Notice::new(ids.notice, (organization, event.id, shift.id), cause, now);
    let requires = vec![not_yet, Requirement::ShiftHasRoom { organization, shift: shift.id }];
    let writes = vec![Write::InsertSignup(Box::new(signup.clone())), Write::InsertNotices(vec![notice])];
    let outcome = SigningUp { signup: Some((signup, ids.secret)), closed };
    Ok(Decision { outcome, change: ChangeSet { requires, writes } })
}

/// For how long the mail that confirms a sign-up is not sent again.
pub const MAIL_AGAIN_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// Mails the confirmation of a sign-up again, with a new secret. The secret of the mail before is of no use any more.
///
/// Changes nothing within [`MAIL_AGAIN_AFTER`] of the last mail, so that one form sent over and over fills no mailbox. A last
/// mail in the future was dated by a clock that was ahead, and counts as old.
pub fn mail_again(signup: &Signup, notice: NoticeId, secret: Secret, now: Timestamp) -> ChangeSet {
    let was_mailed_lately = signup.mailed_at <= now && now < signup.mailed_at + MAIL_AGAIN_AFTER;
    if was_mailed_lately {
        return ChangeSet::default();
    }
    let (organization, id) = (signup.organization, signup.id);
    let digest = secret.digest();
    let cause = NoticeCause::SignedUp { signup: id, secret };
    let notice = Notice::new(notice, (organization, signup.event, signup.shift), cause, now);
    ChangeSet {
        requires: vec![Requirement::SignupHasSecret { organization, signup: id, secret: signup.secret }],
        writes: vec![
            Write::RenewSecret { organization, signup: id, secret: digest, at: now },
            Write::InsertNotices(vec![notice]),
        ],
    }
}
