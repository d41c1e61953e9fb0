//! The data of volunteers: found by address, exported and erased.

use super::Session;
use crate::error::Result;
use crate::permission::Permission;
use crate::service::VolunteerData;
use crate::text::EmailAddress;

impl Session {
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
