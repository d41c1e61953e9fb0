//! Volunteers over all events, and their data: found by address, exported and erased.

use super::Session;
use crate::error::Result;
use crate::fault::Faults;
use crate::id::SignupId;
use crate::permission::Permission;
use crate::service::VolunteerData;
use crate::signup::Signup;
use crate::store::{Page, RecordKey, SignupInFull, SignupQuery, VolunteerQuery};
use crate::text::EmailAddress;
use crate::token::Scope;
use crate::volunteer::Volunteer;

impl Session {
    /// Lists the volunteers of the organization by address or by name, with the totals of their sign-ups for all events.
    ///
    /// A page has at most `limit` volunteers. A `limit` outside 1 to 100 counts as the nearest bound. Requires
    /// [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Returns [`Error::Invalid`](crate::Error::Invalid) if the position is that of a list in the other order.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::VolunteerQuery;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let found = session.volunteers(VolunteerQuery::new().search("lovel".parse()?)).await?.items;
    /// assert_eq!((found[0].names[0].as_str(), found[0].confirmed), ("Ada Lovelace", 1));
    /// # Ok(()) }) }
    /// ```
    pub async fn volunteers(&self, query: VolunteerQuery) -> Result<Page<Volunteer>> {
        self.require(Scope::SignupsRead)?;
        query.check_position().map_err(|fault| Faults::one("cursor", fault))?;
        let query = VolunteerQuery { limit: query.limit.clamp(1, VolunteerQuery::MAX_LIMIT), ..query };
        Ok(self.shared.store.volunteers(self.organization_id(), &query).await?)
    }

    /// Reads every sign-up of the address that a sign-up has, newest first, with its event and its shift. Sign-ups of deleted
    /// events are left out.
    ///
    /// Requires [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`](crate::Error::NotFound) if the organization has no such sign-up, or the sign-up was erased.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::VolunteerQuery;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let found = session.volunteers(VolunteerQuery::new()).await?.items;
    /// let signups = session.signups_of_volunteer(found[0].newest).await?;
    /// assert_eq!(signups[0].event.title, created.event.title);
    /// # Ok(()) }) }
    /// ```
    pub async fn signups_of_volunteer(&self, id: SignupId) -> Result<Vec<SignupInFull>> {
        self.require(Scope::SignupsRead)?;
        let organization = self.organization_id();
        let signup: Signup = self.shared.get(RecordKey::Signup(organization, id)).await?;
        self.shared.all_signups_in_full(organization, SignupQuery::new().email(signup.email)).await
    }

    /// Finds what the organization stores about the volunteer with this address, for a page that shows how much there is. A program
    /// that hands out the data calls [`volunteer_data`](Self::volunteer_data).
    ///
    /// Requires [`Permission::FindVolunteers`].
    ///
    /// See [`erase_volunteer`](Self::erase_volunteer) for an example.
    pub async fn find_volunteer(&self, email: &EmailAddress) -> Result<VolunteerData> {
        self.require(Permission::FindVolunteers)?;
        self.shared.volunteer_data(self.organization_id(), email).await
    }

    /// Reads everything that the organization stores about the volunteer with this address: the sign-ups with their answers, the
    /// mails that wait, and the membership or the invitation of the address, in any spelling. Nothing is stored about an
    /// unknown address.
    ///
    /// Requires [`Permission::ManageVolunteers`].
    ///
    /// See [`erase_volunteer`](Self::erase_volunteer) for an example.
    pub async fn volunteer_data(&self, email: &EmailAddress) -> Result<VolunteerData> {
        self.require(Permission::ManageVolunteers)?;
        self.shared.volunteer_data(self.organization_id(), email).await
    }

    /// Removes every sign-up of an email address in the organization, with its answers, links, opt-outs and notices, and frees the
    /// places, which go to those who wait. Returns how many sign-ups this call removed. Sends the address no mail. A membership and
    /// an invitation stay.
    ///
    /// Requires [`Permission::ManageVolunteers`]. An idempotency key is ignored: erasing again is safe.
    ///
    /// # Errors
    /// Returns only the errors that every method has. Some sign-ups may then be left. Another call removes them.
    ///
    /// # Example
    ///
    /// No scope of a token allows this:
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, ada, .. }| {
    /// use signup_core::{Error, Role};
    ///
    /// assert_eq!(session.erase_volunteer(&ada.email).await, Err(Error::MissingRole(Role::Admin)));
    /// assert_eq!(session.find_volunteer(&ada.email).await, Err(Error::MissingRole(Role::Admin)));
    /// assert_eq!(session.volunteer_data(&ada.email).await, Err(Error::MissingRole(Role::Admin)));
    /// # Ok(()) }) }
    /// ```
    pub async fn erase_volunteer(&self, email: &EmailAddress) -> Result<u64> {
        self.require(Permission::ManageVolunteers)?;
        self.shared.erase_volunteer(self.organization_id(), email, &self.actor).await
    }
}
