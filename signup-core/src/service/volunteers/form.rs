//! Signing up for a shift, and the mail to an address that already has a place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Shared, Volunteers};
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{OrganizationId, ShiftId, SignupId};
use crate::input::NewSignup;
use crate::question::Question;
use crate::rules::{self, Decision, MailIds, SignUpFacts};
use crate::secret::{self, Secret};
use crate::shift::{ScheduledShift, Shift};
use crate::signup::Signup;
use crate::store::{Entity as _, EventInFull, RecordKey, Refusal};

/// The result of signing up.
///
/// Show the volunteer the same text whether or not the sign-up is new. Another text, or the name in `signup`, would
/// tell a stranger that the address is signed up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedUp {
    /// The sign-up that holds the place. If the address had a place already, this is the record as it was before the
    /// mail about the repeated sign-up was queued.
    pub signup: Signup,
    /// The secret of a new sign-up, with which the volunteer reads and cancels the sign-up. The confirmation mail
    /// carries it, too.
    ///
    /// `None` if the address had a place already. That place keeps its first name and answers, and its secrets are sent
    /// only by mail to the address.
    pub secret: Option<Secret>,
}

impl SignedUp {
    /// Returns whether the sign-up is new.
    pub const fn is_new(&self) -> bool {
        self.secret.is_some()
    }
}

/// The form with which a volunteer signs up for one shift: the shift, its event and the questions. Only a published event
/// that is not cancelled has forms.
///
/// [`Volunteers::form`] and [`Volunteers::form_of`] return forms. A form is a snapshot: [`sign_up`](Self::sign_up) decides on
/// the records as they are when it commits.
#[derive(Debug, Clone)]
pub struct SignUpForm {
    shared: Arc<Shared>,
    facts: SignUpFacts,
}

impl Volunteers {
    /// Returns the form of a shift of the event with this slug.
    ///
    /// # Errors
    /// - [`Error::NotFound`] for an unknown slug, a draft, or a shift that the event does not have.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// [`NewSignup`] has an example with typed answers. This one takes the fields of a form on a page:
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::SignUpInput;
    ///
    /// let form = service.volunteers().form(&created.event.slug, created.shifts[0].id).await?;
    /// let typed = SignUpInput { name: "Ada Lovelace".into(), email: "ada@example.org".into(), ..SignUpInput::default() };
    /// let place = form.sign_up(typed.check(form.questions())?).await?;
    /// assert!(place.is_new());
    /// # Ok(()) }) }
    /// ```
    pub async fn form(&self, slug: &str, shift: ShiftId) -> Result<SignUpForm> {
        self.form_in(self.shared.store.event_by_slug(slug).await?, shift)
    }

    /// Returns the form of a shift of this organization, for a program that does not know the slug of the event.
    ///
    /// # Errors
    /// Returns the errors of [`form`](Self::form).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, .. }| {
    /// use signup_core::{Error, NewSignup};
    ///
    /// let form = service.volunteers().form_of(organization.id, created.shifts[0].id).await?;
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// match form.sign_up(ada).await {
    ///     Ok(place) => println!("You are signed up. A mail to {} confirms your place.", place.signup.email),
    ///     Err(Error::ShiftFull | Error::ShiftOver | Error::SignupsClosed) => println!("No place is left."),
    ///     Err(Error::Invalid(faults)) => faults.iter().for_each(|fault| println!("{fault}")),
    ///     Err(error) => return Err(error.into()),
    /// }
    /// # Ok(()) }) }
    /// ```
    pub async fn form_of(&self, organization: OrganizationId, shift: ShiftId) -> Result<SignUpForm> {
        let key = RecordKey::Shift(organization, shift);
        self.form_in(self.shared.store.event_in_full(&key).await?, shift)
    }

    fn form_in(&self, full: Option<EventInFull>, shift: ShiftId) -> Result<SignUpForm> {
        let facts = facts(full, shift)?;
        rules::check_form(&facts)?;
        Ok(SignUpForm { shared: Arc::clone(&self.shared), facts })
    }
}

impl SignUpForm {
    /// Returns the event.
    pub const fn event(&self) -> &Event {
        &self.facts.event
    }

    /// Returns the shift.
    #[doc(alias = "slot")]
    pub const fn shift(&self) -> &ScheduledShift {
        &self.facts.shift
    }

    /// Returns the questions of the event by position.
    pub fn questions(&self) -> &[Question] {
        &self.facts.questions
    }

    /// Takes a place on the shift, and queues the mail that confirms it.
    ///
    /// A person, by address and [name](crate::PersonName::key), holds at most one place on a shift, and an address at most
    /// [`Signup::MAX_PER_ADDRESS`]: over that, the shift counts as full. Signing up again mails the volunteer what place they have,
    /// [at most once an hour](Signup::MAIL_AGAIN_AFTER). That mail carries another secret, and earlier secrets keep
    /// working. The call returns the existing sign-up without a secret, or [`Error::ShiftFull`], [`Error::ShiftOver`] or
    /// [`Error::SignupsClosed`], like for anyone else, if the shift takes no sign-up. Simultaneous sign-ups never take `filled` above the
    /// capacity.
    ///
    /// If the questions have changed since the form was read, the answers are checked against the present ones. Answers to
    /// questions that were deleted since are ignored.
    ///
    /// Each sign-up is safe to retry. If the first call was applied, a retry returns the existing sign-up without a secret, or
    /// [`Error::ShiftFull`] if the shift is full by then. The retry queues a mail about the place.
    ///
    /// [`Volunteers::form_of`] has an example.
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault of the answers. An answer to a question that the form never had is a fault of
    ///   the kind [`Unknown`](crate::FaultKind::Unknown).
    /// - [`Error::ShiftFull`], [`Error::ShiftOver`] or [`Error::SignupsClosed`]. An address with a place on the shift gets the same error, so
    ///   that the answer does not reveal which addresses are signed up. The place is kept, and its volunteer gets a mail.
    /// - [`Error::NotFound`] or [`Error::EventCancelled`] if the event or the shift has changed since the form was read.
    /// - [`Error::Store`] if the store fails. It is then unknown whether the place was taken.
    /// - [`Error::Contended`] if other changes of the same shift kept the sign-up from committing for 10 seconds.
    pub async fn sign_up(&self, new: NewSignup) -> Result<SignedUp> {
        new.check_known(&self.facts.questions)?;
        let (new, is_first) = (&new, &AtomicBool::new(true));
        let decided = self
            .shared
            .commit(&Actor::Volunteer, move |now| async move {
                let sign_up = |facts: &SignUpFacts| {
                    let id = SignupId::new(secret::new_uuid(now));
                    rules::sign_up(facts, new, id, MailIds::generate(now), now)
                };
                if is_first.swap(false, Ordering::Relaxed) {
                    match sign_up(&self.facts) {
                        // The questions may have changed since the form was read.
                        Err(Error::Invalid(_)) => {}
                        decided => return decided,
                    }
                }
                sign_up(&self.present_facts().await?)
            })
            .await?;
        match decided {
            Ok(taken) => taken.map(|(signup, secret)| SignedUp { signup, secret: Some(secret) }),
            Err(Refusal::Taken(record)) => {
                let signup = Signup::try_from(*record)
                    .map_err(|record| Error::Refused(Refusal::Taken(Box::new(record)).into()))?;
                self.mail_again(&signup).await?;
                // Every other address would get this answer now, however old the form is.
                let facts = self.present_facts().await?;
                rules::check_open(&facts, self.shared.now())?;
                if facts.shift.occupancy.has_room() {
                    Ok(SignedUp { signup, secret: None })
                } else {
                    Err(Error::ShiftFull)
                }
            }
            Err(Refusal::NotBelow { .. }) => Err(Error::ShiftFull),
            Err(refusal) => Err(Error::Refused(refusal.into())),
        }
    }

    async fn present_facts(&self) -> Result<SignUpFacts> {
        let Shift { organization, id, .. } = self.facts.shift.shift;
        facts(self.shared.store.event_in_full(&RecordKey::Shift(organization, id)).await?, id)
    }

    async fn mail_again(&self, signup: &Signup) -> Result<()> {
        let is_first = &AtomicBool::new(true);
        self.shared
            .commit_unrefused(&Actor::Volunteer, move |now| async move {
                let present = match is_first.swap(false, Ordering::Relaxed) {
                    true => Some(signup.clone()),
                    // The sign-up has changed, or was erased.
                    false => self.shared.store.get(signup.key()).await?,
                };
                Ok(match present {
                    Some(signup) => rules::sign_up_again(signup, MailIds::generate(now), now),
                    None => Decision::unchanged(()),
                })
            })
            .await
    }
}

/// Returns what signing up for a shift of this event depends on.
fn facts(full: Option<EventInFull>, shift: ShiftId) -> Result<SignUpFacts> {
    let EventInFull { event, shifts, questions, .. } = full.ok_or(Error::NotFound)?;
    let shift = shifts.into_iter().find(|found| found.id == shift).ok_or(Error::NotFound)?;
    Ok(SignUpFacts { event, shift, questions })
}
