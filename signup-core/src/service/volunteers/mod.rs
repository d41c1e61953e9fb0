//! The handle of volunteers: the event behind a slug, signing up, and the places behind a secret.

mod form;
mod mail_choice;
mod places;

use std::net::IpAddr;
use std::sync::Arc;

pub use form::{SignUpForm, SignedUp};
pub use mail_choice::MailChoice;
pub use places::Places;

use super::Shared;
use crate::allowance::{Allowance, RateKey};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::organization::Organization;
use crate::question::Question;
pub use crate::rules::{Place, ShiftOutcome};
use crate::shift::ScheduledShift;
use crate::store::{EventInFull, RecordKey};

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
/// assert!(places[0].is_new);
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
}
