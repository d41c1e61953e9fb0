//! People: the members of organizations, and their invitations.

use super::Admin;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::id::{InvitationId, OrganizationId};
use crate::input::NewInvitation;
use crate::invitation::Invitation;
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::rules;
use crate::secret::{self, Secret};
use crate::store::RecordKey;
use crate::text::EmailAddress;

impl Admin {
    /// Invites a person to an organization, and queues the mail with the link. Returns the invitation and the secret of the link.
    ///
    /// Returns `None` and changes nothing if a member has the address. An open invitation of the address is replaced, and its link
    /// stops working. So a retry after an unknown result is safe.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such organization.
    ///
    /// See [`People`](crate::People) for an example.
    pub async fn invite_person(
        &self,
        organization: OrganizationId,
        new: NewInvitation,
    ) -> Result<Option<(Invitation, Secret)>> {
        let organization: Organization = self.shared.get(RecordKey::Organization(organization)).await?;
        let (id, new, secret) = (organization.id, &new, &Secret::generate());
        let invite = move |now| self.shared.invite(id, None, new, secret, now);
        let invited = self.shared.commit_unrefused(&Actor::Operator, invite).await?;
        Ok(invited.map(|invitation| (invitation, secret.clone())))
    }

    /// Makes an invitation for the first owner of an organization, who gives their own name and address. Returns the secret of the
    /// link. The link stops working once the organization has an owner.
    ///
    /// A retry after an unknown result may make a second invitation.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such organization.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, FirstOwner, Role};
    ///
    /// let link = service.admin().invite_first_owner(organization.id).await?;
    /// let owner = FirstOwner {
    ///     name: "Ada Lovelace".parse()?,
    ///     email: "ada@example.org".parse()?,
    ///     organization_name: "Lakeside Pantry".parse()?,
    ///     contact: "help@lakeside.example.org".parse()?,
    /// };
    /// let (ada, _) = service.people().accept(&link, None, Acceptance::FirstOwner(owner)).await?.ok_or("a person already")?;
    /// let (membership, organization) = &ada.memberships()[0];
    /// assert_eq!((membership.role, organization.slug.as_str()), (Role::Owner, "lakeside-pantry"));
    /// # Ok(()) }) }
    /// ```
    pub async fn invite_first_owner(&self, organization: OrganizationId) -> Result<Secret> {
        let organization: &Organization = &self.shared.get(RecordKey::Organization(organization)).await?;
        let secret = &Secret::generate();
        self.shared
            .commit_unrefused(&Actor::Operator, move |now| async move {
                let id = InvitationId::new(secret::new_uuid(now));
                Ok(rules::invite_first_owner(organization, id, secret, now))
            })
            .await?;
        Ok(secret.clone())
    }

    /// Lists the members of an organization: owners first, then by name.
    ///
    /// # Errors
    /// Fails only if the store fails. An unknown organization has no members.
    ///
    /// See [`remove_person`](Self::remove_person) for an example.
    pub async fn members(&self, organization: OrganizationId) -> Result<Vec<(Membership, Person)>> {
        Ok(self.shared.store.members(organization).await?)
    }

    /// Ends the membership of the person with this address. Returns the member. The end of the last membership removes the person,
    /// and so every sign-in.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if no member of the organization has the address.
    /// - [`Error::LastOwner`] if the organization would have no owner left.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, NewInvitation, Role};
    ///
    /// let admin = service.admin();
    /// let email = "ada@example.org".parse()?;
    /// # let new = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Organizer);
    /// # let (_, link) = admin.invite_person(organization.id, new).await?.ok_or("a member already")?;
    /// # service.people().accept(&link, None, Acceptance::Member { name: None }).await?;
    /// let (membership, person) = admin.remove_person(organization.id, &email).await?;
    /// assert_eq!((membership.role, person.email), (Role::Organizer, email));
    /// assert!(admin.members(organization.id).await?.is_empty());
    /// # Ok(()) }) }
    /// ```
    pub async fn remove_person(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
    ) -> Result<(Membership, Person)> {
        let person = self.shared.find_person(email).await?.ok_or(Error::NotFound)?;
        self.shared.remove_member(&Actor::Operator, organization, None, person.id).await
    }

    /// Ends every sign-in of the person with this address. Returns the person.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if no person has the address.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// # use signup_core::{Acceptance, Error, NewInvitation, Role};
    /// # let email = "ada@example.org".parse()?;
    /// # let new = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Organizer);
    /// # let (_, link) = service.admin().invite_person(organization.id, new).await?.ok_or("a member already")?;
    /// # let people = service.people();
    /// # let (_, secret) = people.accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// service.admin().sign_out_person(&email).await?;
    /// assert_eq!(people.signed_in(&secret).await.err(), Some(Error::Unauthenticated));
    /// # Ok(()) }) }
    /// ```
    pub async fn sign_out_person(&self, email: &EmailAddress) -> Result<Person> {
        let person = self.shared.find_person(email).await?.ok_or(Error::NotFound)?;
        self.shared.sign_out_everywhere(&Actor::Operator, person.id).await
    }
}
