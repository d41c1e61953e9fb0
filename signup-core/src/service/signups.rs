//! How volunteers come and go: for whoever shows them a page. No token is asked for; a caller who lists sign-ups manages
//! the installation.

use super::Service;
use crate::error::{Error, Result};
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::input::SignUpInput;
use crate::rules::{self, SignUpFacts, SignUpIds};
use crate::secret::{self, Secret};
use crate::signup::Signup;
use crate::store::Refusal;

/// What signing up led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedUp {
    /// The sign-up that holds the place.
    pub signup: Signup,
    /// Whether it is new. If not, the address had a place already, and keeps its first name and answers.
    pub is_new: bool,
}

impl Service {
    /// Takes a place on a shift of a published event, and queues the mail that confirms it.
    ///
    /// An address holds at most one place on a shift: signing up again gives the place that it has. However many sign up at
    /// the same moment, `filled` never passes the capacity.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown event, a draft, or a shift of another event; [`Error::Invalid`] with every fault of
    /// the input; [`Error::ShiftFull`]; [`Error::ShiftOver`].
    pub async fn sign_up(
        &self,
        organization: OrganizationId,
        event: EventId,
        shift: ShiftId,
        input: &SignUpInput<'_>,
    ) -> Result<SignedUp> {
        let decided = self
            .commit(move |now| async move {
                let event = self.store.event(organization, event).await?.ok_or(Error::NotFound)?;
                let shift = self.store.shift(organization, shift).await?.ok_or(Error::NotFound)?;
                let questions = self.store.questions(organization, event.id).await?.ok_or(Error::NotFound)?;
                let ids = SignUpIds {
                    signup: SignupId::new(secret::new_uuid(now)),
                    notice: NoticeId::new(secret::new_uuid(now)),
                    secret: Secret::generate(),
                };
                rules::sign_up(SignUpFacts { event, shift, questions }, input, ids, now)
            })
            .await?;
        match decided {
            Ok(Some(signup)) => Ok(SignedUp { signup, is_new: true }),
            Ok(None) => Err(Error::ShiftOver),
            Err(Refusal::AddressOnShift(signup)) => Ok(SignedUp { signup: *signup, is_new: false }),
            Err(Refusal::ShiftFull) => Err(Error::ShiftFull),
            Err(_) => Err(Error::Contended),
        }
    }

    /// Gives the place of a sign-up back and queues the mail that says so. Doing it again is harmless.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no sign-up has this secret.
    pub async fn cancel_signup(&self, secret: &Secret) -> Result<Signup> {
        let cancelled = self
            .commit(move |now| async move {
                let signup = self.store.signup_by_secret(&secret.digest()).await?.ok_or(Error::NotFound)?;
                Ok(rules::cancel_signup(signup, NoticeId::new(secret::new_uuid(now)), now))
            })
            .await?;
        cancelled.map_err(|_| Error::Contended)
    }

    /// The sign-up with this secret, cancelled or not.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no sign-up has this secret.
    pub async fn signup(&self, secret: &Secret) -> Result<Signup> {
        self.store.signup_by_secret(&secret.digest()).await?.ok_or(Error::NotFound)
    }

    /// At most `limit` sign-ups of an event whose id is above `after`, by id; cancelled ones too.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn list_signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        Ok(self.store.signups(organization, event, after, limit).await?)
    }
}
