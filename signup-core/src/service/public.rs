//! The handle of volunteers: the event behind a slug, signing up, and the sign-up behind a secret.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::Shared;
use super::commit::Refused;
use crate::allowance::{Allowance, RateKey};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::input::SignUpInput;
use crate::organization::Organization;
use crate::question::Question;
use crate::rules::{self, Closed, Decision, SignUpFacts, SignUpIds, SigningUp};
use crate::secret::{self, Secret};
use crate::shift::Shift;
use crate::signup::Signup;
use crate::store::{EventInFull, Refusal};

/// An event as volunteers see it.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicEvent {
    /// Who organizes it.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// Its shifts in running order.
    pub shifts: Vec<Arc<Shift>>,
    /// What each volunteer is asked, in order.
    pub questions: Vec<Question>,
}

/// What signing up led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedUp {
    /// The sign-up that holds the place.
    pub signup: Signup,
    /// The secret to read and cancel a new sign-up with; its mail carries the same. `None` if the address had a place already,
    /// which keeps its first name and answers: the secret of that place is known to the holder of the address only.
    pub secret: Option<Secret>,
}

impl SignedUp {
    /// Whether the sign-up is new.
    pub const fn is_new(&self) -> bool {
        self.secret.is_some()
    }
}

/// The handle of volunteers, who hold a slug or a secret instead of a token.
#[derive(Debug, Clone)]
pub struct Public {
    shared: Arc<Shared>,
}

impl Public {
    /// How many times a minute an address may try to sign up.
    pub const ATTEMPTS_PER_MINUTE: u32 = 30;

    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Counts an attempt to sign up from `address`, apart from every other request, against
    /// [`ATTEMPTS_PER_MINUTE`](Self::ATTEMPTS_PER_MINUTE).
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn count_attempt(&self, address: IpAddr) -> Result<Allowance> {
        self.shared.count(RateKey::visitor(address), Self::ATTEMPTS_PER_MINUTE).await
    }

    /// Takes a place on a shift of a published event, and queues the mail that confirms it.
    ///
    /// An address holds at most one place on a shift: signing up again gives the place that it has, and mails its confirmation
    /// again, [at most once an hour](rules::MAIL_AGAIN_AFTER). However many sign up at
    /// the same moment, `filled` never passes the capacity.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown event, a draft, or a shift of another event; [`Error::Invalid`] with every fault of
    /// the input; [`Error::ShiftFull`]; [`Error::ShiftOver`].
    ///
    /// A shift that is full or over gives its error to an address with a place on it, too, so that the answer does not tell who
    /// is signed up. That address keeps its place, and its confirmation is mailed again.
    pub async fn sign_up(
        &self,
        organization: OrganizationId,
        event: EventId,
        shift: ShiftId,
        input: &SignUpInput<'_>,
    ) -> Result<SignedUp> {
        let decided = self
            .shared
            .commit(move |now| async move {
                let event = self.shared.store.event(organization, event).await?.ok_or(Error::NotFound)?;
                let shift = self.shared.store.shift(organization, shift).await?.ok_or(Error::NotFound)?;
                let questions =
                    self.shared.store.questions(organization, event.id).await?.ok_or(Error::NotFound)?;
                rules::sign_up(SignUpFacts { event, shift, questions }, input, new_ids(now), now)
            })
            .await?;
        self.signed_up(decided).await
    }

    /// Like [`sign_up`](Self::sign_up), for whoever knows the event by its slug.
    ///
    /// # Errors
    /// The same.
    pub async fn sign_up_for(&self, slug: &str, shift: ShiftId, input: &SignUpInput<'_>) -> Result<SignedUp> {
        let decided = self
            .shared
            .commit(move |now| async move {
                let full = self.shared.store.event_by_slug(slug).await?.ok_or(Error::NotFound)?;
                let EventInFull { event, shifts, questions, .. } = full;
                let shift = shifts.into_iter().find(|found| found.id == shift).ok_or(Error::NotFound)?;
                let shift = Arc::unwrap_or_clone(shift);
                rules::sign_up(SignUpFacts { event, shift, questions }, input, new_ids(now), now)
            })
            .await?;
        self.signed_up(decided).await
    }

    async fn signed_up(
        &self,
        decided: std::result::Result<SigningUp, Refused<SigningUp>>,
    ) -> Result<SignedUp> {
        match decided {
            Ok(SigningUp { signup: Some((signup, secret)), .. }) => {
                Ok(SignedUp { signup, secret: Some(secret) })
            }
            Ok(SigningUp { signup: None, .. }) => Err(Error::ShiftOver),
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
        // It is refused if another request has just mailed it again, or cancelled: then there is nothing to do.
        self.shared.commit(decide).await?.or(Ok(()))
    }

    /// The published event with this slug.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none, or it is a draft.
    pub async fn event(&self, slug: &str) -> Result<PublicEvent> {
        let found = self.shared.store.event_by_slug(slug).await?.filter(|found| found.event.is_published);
        let EventInFull { event, shifts, questions, .. } = found.ok_or(Error::NotFound)?;
        let organization =
            self.shared.store.organization(event.organization).await?.ok_or(Error::NotFound)?;
        Ok(PublicEvent { organization, event, shifts, questions })
    }

    /// The sign-up with this secret, and its event with that shift alone.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no sign-up has this secret.
    pub async fn signup_with_event(&self, secret: &Secret) -> Result<(Signup, PublicEvent)> {
        let signup = self.signup(secret).await?;
        let owner = signup.organization;
        let event = self.shared.store.event(owner, signup.event).await?.ok_or(Error::NotFound)?;
        let shift = self.shared.store.shift(owner, signup.shift).await?.ok_or(Error::NotFound)?;
        let organization = self.shared.store.organization(owner).await?.ok_or(Error::NotFound)?;
        Ok((signup, PublicEvent { organization, event, shifts: vec![Arc::new(shift)], questions: vec![] }))
    }

    /// Gives the place of a sign-up back and queues the mail that says so. Doing it again is harmless.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no sign-up has this secret.
    pub async fn cancel(&self, secret: &Secret) -> Result<Signup> {
        self.shared
            .commit_unrefused(move |now| async move {
                let signup =
                    self.shared.store.signup_by_secret(&secret.digest()).await?.ok_or(Error::NotFound)?;
                Ok(rules::cancel_signup(signup, NoticeId::new(secret::new_uuid(now)), now))
            })
            .await
    }

    /// The sign-up with this secret, cancelled or not.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no sign-up has this secret.
    pub async fn signup(&self, secret: &Secret) -> Result<Signup> {
        self.shared.store.signup_by_secret(&secret.digest()).await?.ok_or(Error::NotFound)
    }
}

/// The ids and the secret of one more sign-up.
fn new_ids(now: Timestamp) -> SignUpIds {
    SignUpIds {
        signup: SignupId::new(secret::new_uuid(now)),
        notice: NoticeId::new(secret::new_uuid(now)),
        secret: Secret::generate(),
    }
}
