//! The handle of volunteers: the event behind a slug, signing up, and the sign-up behind a secret.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::Shared;
use super::commit::Refused;
use crate::allowance::{Allowance, RateKey};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{NoticeId, OrganizationId, ShiftId, SignupId};
use crate::input::SignUpForm;
use crate::organization::Organization;
use crate::question::Question;
use crate::rules::{self, Closed, Decision, SignUpFacts, SignUpIds, SignUpOutcome};
use crate::secret::{self, Secret};
use crate::shift::Shift;
use crate::signup::{CancelledBy, Signup, SignupStatus};
use crate::store::{EventInFull, Refusal, SignupInFull};

/// An event as volunteers see it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PublicEvent {
    /// The organization that owns the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// The shifts in running order.
    pub shifts: Vec<Shift>,
    /// The questions by position.
    pub questions: Vec<Question>,
}

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

/// The handle of volunteers, who hold a slug or a secret instead of a token.
///
/// No method takes an idempotency key, and each is safe to retry. Signing up again returns the existing sign-up, and
/// cancelling again changes nothing. Each call of [`count_attempt`](Self::count_attempt) counts as one attempt, a retry
/// included.
///
/// # Errors
/// Each async method returns [`Error::Store`] if the store fails, besides the errors that it lists. After a write, it
/// is then unknown whether the write was applied. A write returns [`Error::Contended`] if other changes of the same
/// record preceded each attempt.
///
/// # Example
///
/// ```
/// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
/// # use signup_store_memory::MemoryStore;
/// use signup_core::NewSignup;
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
/// let public = service.public();
/// let found = public.event(&created.event.slug).await?;
/// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
/// let place = public.sign_up_by_slug(&found.event.slug, found.shifts[0].id, ada).await?;
/// assert!(place.is_new());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Public {
    shared: Arc<Shared>,
}

impl Public {
    /// The maximum number of attempts to sign up from one IP address in a minute.
    pub const ATTEMPTS_PER_MINUTE: u32 = 30;

    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Counts an attempt to sign up from the IP address `address` against
    /// [`ATTEMPTS_PER_MINUTE`](Self::ATTEMPTS_PER_MINUTE).
    ///
    /// The caller refuses the attempt unless [`Allowance::is_allowed`]. Attempts and other requests are counted
    /// separately. An IPv6 address counts as its /64 network.
    ///
    /// # Errors
    /// Fails only if the store fails.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::Service;
    /// # use signup_store_memory::MemoryStore;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = Service::new(MemoryStore::new());
    /// let allowance = service.public().count_attempt("192.0.2.7".parse()?).await?;
    /// assert_eq!((allowance.is_allowed, allowance.remaining), (true, 29));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn count_attempt(&self, address: IpAddr) -> Result<Allowance> {
        self.shared.count(RateKey::visitor(address), Self::ATTEMPTS_PER_MINUTE).await
    }

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
                let store = &self.shared.store;
                let found = store.shift_with_event(organization, shift).await?;
                let (shift, event) = found.ok_or(Error::NotFound)?;
                let questions = store.questions(organization, event.id).await?.ok_or(Error::NotFound)?;
                rules::sign_up(SignUpFacts { event, shift, questions }, form, new_ids(now), now)
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
                let full = self.shared.store.event_by_slug(slug).await?.ok_or(Error::NotFound)?;
                let EventInFull { event, shifts, questions, .. } = full;
                let shift = shifts.into_iter().find(|found| found.id == shift).ok_or(Error::NotFound)?;
                rules::sign_up(SignUpFacts { event, shift, questions }, form, new_ids(now), now)
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
            Err(Refused { refusal: Refusal::AddressOnShift(signup), planned }) => {
                self.mail_again(&signup).await?;
                match planned.closed {
                    Some(Closed::Full) => Err(Error::ShiftFull),
                    Some(Closed::Over) => Err(Error::ShiftOver),
                    None => Ok(SignedUp { signup: *signup, secret: None }),
                }
            }
            Err(Refused { refusal: Refusal::ShiftFull, .. }) => Err(Error::ShiftFull),
            Err(Refused { refusal, .. }) => Err(Error::Refused(refusal.into())),
        }
    }

    async fn mail_again(&self, signup: &Signup) -> Result<()> {
        let now = self.shared.now();
        let notice = NoticeId::new(secret::new_uuid(now));
        let change = rules::mail_again(signup, notice, Secret::generate(), now);
        let decide = |_| async { Ok(Decision { outcome: (), change: change.clone() }) };
        // A refusal means that another request has just mailed the confirmation, or cancelled or erased the sign-up.
        // Nothing is left to do.
        self.shared.commit(decide).await?.or(Ok(()))
    }

    /// Reads the published event with this slug.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if no event has this slug, or the event is a draft.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
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
    /// let found = service.public().event(&created.event.slug).await?;
    /// assert_eq!(found.organization.name.as_str(), "Riverside Food Bank");
    /// assert_eq!(found.shifts[0].occupancy.remaining(), 8);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn event(&self, slug: &str) -> Result<PublicEvent> {
        let found = self.shared.store.event_by_slug(slug).await?.filter(|found| found.event.is_published);
        let EventInFull { event, shifts, questions, .. } = found.ok_or(Error::NotFound)?;
        let organization =
            self.shared.store.organization(event.organization).await?.ok_or(Error::NotFound)?;
        Ok(PublicEvent { organization, event, shifts, questions })
    }

    /// Reads the sign-up with this secret, and its event. The event has only the shift of the sign-up, deleted or not, and
    /// no questions. If the shift is deleted, the sign-up is shown as cancelled, although one for a past shift stays
    /// confirmed in the lists.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if no sign-up has this secret.
    ///
    /// See [`cancel`](Self::cancel) for an example.
    pub async fn signup_with_event(&self, secret: &Secret) -> Result<(Signup, PublicEvent)> {
        let signup = self.signup(secret).await?;
        let found = self.shared.store.signup_in_full(signup.organization, signup.id).await?;
        let found = found.filter(|found| !found.is_event_deleted).ok_or(Error::NotFound)?;
        let SignupInFull { organization, event, shift, shift_deleted_at, mut signup, .. } = found;
        if signup.status == SignupStatus::Confirmed && shift_deleted_at.is_some() {
            signup.status = SignupStatus::Cancelled;
            signup.cancelled_at = shift_deleted_at;
            signup.cancelled_by = Some(CancelledBy::ShiftDeletion);
        }
        Ok((signup, PublicEvent { organization, event, shifts: vec![shift], questions: vec![] }))
    }

    /// Cancels the sign-up with this secret, frees its place and queues a mail about the cancellation. Cancelling again
    /// changes nothing.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if no sign-up has this secret.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{NewSignup, SignupStatus};
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
    /// let public = service.public();
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// let place = public.sign_up(organization.id, created.shifts[0].id, ada).await?;
    /// let secret = place.secret.ok_or("the address had a place before")?;
    ///
    /// let (signup, found) = public.signup_with_event(&secret).await?;
    /// assert_eq!((signup.status, found.event.id), (SignupStatus::Confirmed, created.event.id));
    /// public.cancel(&secret).await?;
    /// assert_eq!(public.signup(&secret).await?.status, SignupStatus::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn cancel(&self, secret: &Secret) -> Result<Signup> {
        self.shared
            .commit_unrefused(move |now| async move {
                let signup =
                    self.shared.store.signup_by_secret(&secret.digest()).await?.ok_or(Error::NotFound)?;
                Ok(rules::cancel_signup(
                    signup,
                    CancelledBy::Volunteer,
                    NoticeId::new(secret::new_uuid(now)),
                    now,
                ))
            })
            .await
    }

    /// Reads the sign-up with this secret, confirmed or cancelled.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if no sign-up has this secret.
    ///
    /// See [`cancel`](Self::cancel) for an example.
    pub async fn signup(&self, secret: &Secret) -> Result<Signup> {
        self.shared.store.signup_by_secret(&secret.digest()).await?.ok_or(Error::NotFound)
    }
}

/// Generates the ids and the secret of a new sign-up.
fn new_ids(now: Timestamp) -> SignUpIds {
    SignUpIds {
        signup: SignupId::new(secret::new_uuid(now)),
        notice: NoticeId::new(secret::new_uuid(now)),
        secret: Secret::generate(),
    }
}
