//! The sign-ups of a session's organization, read-only. Volunteers sign up through [`Public`](crate::Public).

use super::Session;
use crate::error::{Error, Result};
use crate::id::SignupId;
use crate::input::Input;
use crate::signup::Signup;
use crate::store::{Deleted, RecordKey, SignupPage, SignupPosition, SignupQuery, SignupScope};
use crate::token::Scope;

/// A page of a list of sign-ups.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SignupList {
    /// The sign-ups, newest first.
    pub signups: Vec<Signup>,
    /// The query that selected the page, with the limit that applied.
    pub query: SignupQuery,
    /// The position of the next page, or `None` if no sign-up follows.
    pub next: Option<SignupPosition>,
    /// The position of the previous page, or `None` if no sign-up precedes.
    pub previous: Option<SignupPosition>,
}

impl Session {
    /// Lists sign-ups of the organization, of an event or for a shift, newest first.
    ///
    /// `query` is typed, a [`SignupQuery`], or untyped, a [`SignupListInput`](crate::SignupListInput). A limit above
    /// [`SignupQuery::MAX_LIMIT`] means `MAX_LIMIT`. Requires [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault.
    /// - [`Error::NotFound`] if the organization has no such event or shift.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, NewSignup};
    /// # use signup_core::{Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{SignupQuery, SignupStatus};
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
    /// # let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// # service.public().sign_up(organization.id, created.shifts[0].id, ada).await?;
    /// let query = SignupQuery::new().of_event(created.event.id).status(SignupStatus::Confirmed).limit(1);
    /// let mut page = session.signups(query).await?;
    /// while let Some(next) = page.next {
    ///     page = session.signups(page.query.at(next)).await?;
    /// }
    /// assert_eq!(page.signups[0].name.as_str(), "Ada Lovelace");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn signups<I: Input<SignupQuery>>(&self, query: I) -> Result<SignupList, I::Error> {
        self.require(Scope::SignupsRead)?;
        let query = query.read().await?;
        Ok(self.read_signups(query).await?)
    }

    /// Reads a sign-up, confirmed or cancelled.
    ///
    /// Requires [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such sign-up, or the sign-up was erased.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, NewSignup};
    /// # use signup_core::{Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::SignupQuery;
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
    /// # let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// # service.public().sign_up(organization.id, created.shifts[0].id, ada).await?;
    /// let signups = session.signups(SignupQuery::new()).await?.signups;
    /// let signup = session.signup(signups[0].id).await?;
    /// assert_eq!((signup.email.as_str(), signup.cancelled_by), ("ada@example.org", None));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn signup(&self, id: SignupId) -> Result<Signup> {
        self.require(Scope::SignupsRead)?;
        self.shared.get(RecordKey::Signup(self.organization_id(), id)).await
    }

    async fn read_signups(&self, query: SignupQuery) -> Result<SignupList> {
        let (store, organization) = (&self.shared.store, self.organization_id());
        let scope = match query.scope {
            Some(SignupScope::Event(event)) => Some(RecordKey::Event(organization, event)),
            Some(SignupScope::Shift(shift)) => Some(RecordKey::Shift(organization, shift)),
            None => None,
        };
        if let Some(scope) = scope {
            store.record(&scope, Deleted::Excluded).await?.ok_or(Error::NotFound)?;
        }
        let query = SignupQuery { limit: query.limit.clamp(1, SignupQuery::MAX_LIMIT), ..query };
        let SignupPage { signups, above, below } = store.signups(organization, &query).await?;
        Ok(SignupList { signups, query, next: below, previous: above })
    }
}
