//! Signing up for a shift, and mailing the confirmation again.

use jiff::Timestamp;

use super::Public;
use crate::error::{Error, Result};
use crate::id::{NoticeId, OrganizationId, ShiftId, SignupId};
use crate::input::SignUpForm;
use crate::rules::{self, Closed, Decision, SignUpFacts, SignUpIds, SignUpOutcome};
use crate::secret::{self, Secret};
use crate::service::commit::Refused;
use crate::signup::Signup;
use crate::store::{EventInFull, RecordKey, Refusal};

/// The result of signing up.
///
/// Show the volunteer the same text whether or not the sign-up is new. Another text, or the name in `signup`, would
/// tell a stranger that the address is signed up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedUp {
    /// The sign-up that holds the place. If the address had a place already, this is the record as it was before the
    /// confirmation was mailed again.
    pub signup: Signup,
    /// The secret of a new sign-up, with which the volunteer reads and cancels the sign-up. The confirmation mail
    /// carries it, too.
    ///
    /// `None` if the address had a place already. That place keeps its first name and answers, and its secret is sent
    /// only by mail to the address.
    pub secret: Option<Secret>,
}

impl SignedUp {
    /// Returns whether the sign-up is new.
    pub const fn is_new(&self) -> bool {
        self.secret.is_some()
    }
}

impl Public {
    /// Takes a place on a shift of a published event, and queues the mail that confirms it.
    ///
    /// `form` is a typed [`NewSignup`](crate::NewSignup) or an untyped [`SignUpInput`](crate::SignUpInput), by value or
    /// by reference. [`NewSignup`](crate::NewSignup) has an example.
    ///
    /// An e-mail address holds at most one place on a shift. Signing up again returns the existing sign-up without a
    /// secret, and mails its confirmation again, [at most once an hour](Signup::MAIL_AGAIN_AFTER). That mail carries a
    /// new secret, and the earlier secret becomes invalid. Simultaneous sign-ups never take `filled` above the
    /// capacity.
    ///
    /// # Errors
    /// - [`Error::NotFound`] for an unknown shift, or a shift of a draft.
    /// - [`Error::EventCancelled`], also if the form has faults.
    /// - [`Error::Invalid`] with every fault of the form.
    /// - [`Error::ShiftFull`] or [`Error::ShiftOver`]. An address with a place on the shift gets the same error, so
    ///   that the answer does not reveal who is signed up. The place is kept, and its confirmation is mailed again.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{Error, NewSignup};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// let place = service.public().sign_up(organization.id, created.shifts[0].id, &ada).await;
    /// match place {
    ///     Ok(_) => println!("You are signed up. A mail to {} confirms your place.", ada.email),
    ///     Err(Error::ShiftFull | Error::ShiftOver) => println!("no place is left"),
    ///     Err(Error::Invalid(faults)) => faults.iter().for_each(|fault| println!("{fault}")),
    ///     Err(error) => return Err(error.into()),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sign_up(
        &self,
        organization: OrganizationId,
        shift: ShiftId,
        form: impl SignUpForm,
    ) -> Result<SignedUp> {
        let form = &form;
        let decided = self
            .shared
            .commit(move |now| async move {
                let key = RecordKey::Shift(organization, shift);
                let full = self.shared.store.event_in_full(&key).await?;
                rules::sign_up(facts(full, shift)?, form, new_ids(now), now)
            })
            .await?;
        self.signed_up(decided).await
    }

    /// Takes a place like [`sign_up`](Self::sign_up), on a shift of the event with this slug.
    ///
    /// # Errors
    /// Returns the errors of [`sign_up`](Self::sign_up), and [`Error::NotFound`] if the shift belongs to another event.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::SignUpInput;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// // The fields of a form, not checked yet.
    /// let form = SignUpInput { name: "Ada Lovelace".into(), email: "ada@example.org".into(), ..SignUpInput::default() };
    /// let place = service.public().sign_up_by_slug(&created.event.slug, created.shifts[0].id, form).await?;
    /// assert!(place.is_new());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn sign_up_by_slug(
        &self,
        slug: &str,
        shift: ShiftId,
        form: impl SignUpForm,
    ) -> Result<SignedUp> {
        let form = &form;
        let decided = self
            .shared
            .commit(move |now| async move {
                let full = self.shared.store.event_by_slug(slug).await?;
                rules::sign_up(facts(full, shift)?, form, new_ids(now), now)
            })
            .await?;
        self.signed_up(decided).await
    }

    async fn signed_up(
        &self,
        decided: std::result::Result<SignUpOutcome, Refused<SignUpOutcome>>,
    ) -> Result<SignedUp> {
        match decided {
            Ok(SignUpOutcome { signup: Some((signup, secret)), .. }) => {
                Ok(SignedUp { signup, secret: Some(secret) })
            }
            Ok(SignUpOutcome { signup: None, .. }) => Err(Error::ShiftOver),
            Err(Refused { refusal: Refusal::Taken(record), planned }) => {
                let signup = Signup::try_from(*record)
                    .map_err(|record| Error::Refused(Refusal::Taken(Box::new(record)).into()))?;
                self.mail_again(&signup).await?;
                match planned.closed {
                    Some(Closed::Full) => Err(Error::ShiftFull),
                    Some(Closed::Over) => Err(Error::ShiftOver),
                    None => Ok(SignedUp { signup, secret: None }),
                }
            }
            Err(Refused { refusal: Refusal::NotBelow { .. }, .. }) => Err(Error::ShiftFull),
            Err(Refused { refusal, .. }) => Err(Error::Refused(refusal.into())),
        }
    }

    async fn mail_again(&self, signup: &Signup) -> Result<()> {
        let now = self.shared.now();
        let notice = NoticeId::new(secret::new_uuid(now));
        let change = rules::mail_again(signup, notice, Secret::generate(), now);
        let decide = |_| async { Ok(Decision::new((), change.clone()).again_after(|_| false)) };
        // A refusal means that another request has just mailed the confirmation, or cancelled or erased the sign-up.
        // Nothing is left to do.
        self.shared.commit(decide).await?.or(Ok(()))
    }
}

/// Returns what signing up for a shift of this event depends on.
fn facts(full: Option<EventInFull>, shift: ShiftId) -> Result<SignUpFacts> {
    let EventInFull { event, shifts, questions, .. } = full.ok_or(Error::NotFound)?;
    let shift = shifts.into_iter().find(|found| found.id == shift).ok_or(Error::NotFound)?;
    Ok(SignUpFacts { event, shift, questions })
}

/// Generates the ids and the secret of a new sign-up.
fn new_ids(now: Timestamp) -> SignUpIds {
    SignUpIds {
        signup: SignupId::new(secret::new_uuid(now)),
        notice: NoticeId::new(secret::new_uuid(now)),
        secret: Secret::generate(),
    }
}
