//! The handle of volunteers: the event behind a slug, signing up, and the sign-up behind a secret.

mod form;

use std::net::IpAddr;
use std::sync::Arc;

pub use form::{SignUpForm, SignedUp};

use super::Shared;
use crate::activity::Actor;
use crate::allowance::{Allowance, RateKey};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::link::Link;
use crate::organization::Organization;
use crate::question::Question;
use crate::rules::{self, MailIds};
pub use crate::rules::{Place, ShiftOutcome};
use crate::secret::Secret;
use crate::shift::{CancelledBy, ScheduledShift};
use crate::signup::Signup;
use crate::store::{EventInFull, RecordKey, SignupInFull, Unique};

/// An event as volunteers see it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PublicEvent {
    /// The organization that owns the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// The shifts in running order.
    pub shifts: Vec<ScheduledShift>,
    /// The questions by position.
    pub questions: Vec<Question>,
}

/// The handle of volunteers, who hold a slug or a secret instead of a token.
///
/// No method takes an idempotency key, and each is safe to retry. Cancelling again changes nothing.
/// [Signing up](SignUpForm::sign_up) again takes no second place, but may queue a mail about the place. Each call of
/// [`count_attempts`](Self::count_attempts) counts, a retry included.
///
/// # Errors
/// Each async method returns [`Error::Store`] if the store fails, besides the errors that it lists. After a write, it
/// is then unknown whether the write was applied. A write returns [`Error::Contended`] if other changes of the same
/// record kept it from committing for 10 seconds.
///
/// # Example
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
/// use signup_core::NewSignup;
///
/// let volunteers = service.volunteers();
/// let found = volunteers.event(&created.event.slug).await?;
/// let form = volunteers.form(&found.event.slug, [found.shifts[0].id]).await?;
/// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
/// let places = form.sign_up(ada).await?.into_places()?;
/// assert!(places[0].is_new());
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone)]
pub struct Volunteers {
    shared: Arc<Shared>,
}

impl Volunteers {
    /// The maximum number of attempts to sign up from one IP address in a minute.
    pub const ATTEMPTS_PER_MINUTE: u32 = 120;

    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Counts attempts to sign up from the IP address `address` against
    /// [`ATTEMPTS_PER_MINUTE`](Self::ATTEMPTS_PER_MINUTE): one for each place that a form asks for.
    ///
    /// The caller refuses the form unless [`Allowance::is_allowed`]. Attempts and other requests are counted
    /// separately. An IPv6 address counts as its /64 network.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, .. }| {
    /// let allowance = service.volunteers().count_attempts("192.0.2.7".parse()?, 2).await?;
    /// assert_eq!((allowance.is_allowed, allowance.remaining), (true, 118));
    /// # Ok(()) }) }
    /// ```
    pub async fn count_attempts(&self, address: IpAddr, places: u32) -> Result<Allowance> {
        self.shared.count_several(RateKey::visitor(address), places, Self::ATTEMPTS_PER_MINUTE).await
    }

    /// Reads the published event with this slug.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if no event has this slug, or the event is a draft.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// let found = service.volunteers().event(&created.event.slug).await?;
    /// assert_eq!(found.organization.name.as_str(), "Riverside Food Bank");
    /// assert_eq!(found.shifts[0].occupancy.remaining(), 8);
    /// # Ok(()) }) }
    /// ```
    pub async fn event(&self, slug: &str) -> Result<PublicEvent> {
        let found = self.shared.store.event_by_slug(slug).await?.filter(|found| found.event.is_published);
        let EventInFull { event, shifts, questions, .. } = found.ok_or(Error::NotFound)?;
        let organization = self.shared.get(RecordKey::Organization(event.organization)).await?;
        Ok(PublicEvent { organization, event, shifts, questions })
    }

    /// Reads the sign-up with this secret, and its event.
    ///
    /// Returns the sign-up and its event with that one shift, even if the shift is deleted, and without questions.
    /// [`Signup::time_and_place`] has the time and the place to show.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] for an unknown secret, and for one that is [outdated](Link::LIFETIME).
    ///
    /// See [`cancel`](Self::cancel) for an example.
    pub async fn signup_with_event(&self, secret: &Secret) -> Result<(Signup, PublicEvent)> {
        let SignupInFull { organization, event, shift, signup } = self.found(secret).await?;
        Ok((signup, PublicEvent { organization, event, shifts: vec![shift], questions: vec![] }))
    }

    /// Cancels the sign-up with this secret, frees its place and queues a mail about the cancellation. Cancelling again
    /// changes nothing.
    ///
    /// # Errors
    /// - [`Error::ShiftOver`] or [`Error::ShiftDeleted`] if the sign-up is confirmed, and its shift is over or deleted.
    /// - [`Error::NotFound`] for an unknown secret, and for one that is [outdated](Link::LIFETIME).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::{NewSignup, SignupStatus};
    ///
    /// let volunteers = service.volunteers();
    /// let form = volunteers.form(&created.event.slug, [created.shifts[0].id]).await?;
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// let place = form.sign_up(ada).await?.into_places()?.remove(0);
    /// let secret = place.secret.ok_or("the person had a place before")?;
    ///
    /// let (signup, found) = volunteers.signup_with_event(&secret).await?;
    /// assert_eq!((signup.status(), found.event.id), (SignupStatus::Confirmed, created.event.id));
    /// volunteers.cancel(&secret).await?;
    /// let (signup, _) = volunteers.signup_with_event(&secret).await?;
    /// assert_eq!(signup.status(), SignupStatus::Cancelled);
    /// # Ok(()) }) }
    /// ```
    pub async fn cancel(&self, secret: &Secret) -> Result<Signup> {
        self.shared
            .commit_unrefused(&Actor::Volunteer, move |now| async move {
                let found = self.found(secret).await?;
                let mail = Some(MailIds::generate(now));
                rules::cancel_signup(found, (CancelledBy::Volunteer, None), mail, now)
            })
            .await
    }

    /// Reads the sign-up that a link with this secret shows, if the link works at present.
    async fn found(&self, secret: &Secret) -> Result<SignupInFull> {
        let store = &self.shared.store;
        let link: Link = store.find(Unique::Link(secret.digest())).await?.ok_or(Error::NotFound)?;
        let found = store.signup_in_full(link.organization, link.signup).await?;
        let is_shown = |SignupInFull { event, shift, signup, .. }: &SignupInFull| {
            let at = signup.time_and_place(shift, event);
            event.deleted_at.is_none() && Link::works_at(at.interval, self.shared.now())
        };
        found.filter(is_shown).ok_or(Error::NotFound)
    }
}
