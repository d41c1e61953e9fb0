//! The members of a session's organization, and their invitations. Only people have these permissions.

use super::{PendingWrite, Session};
use crate::error::{Error, Result};
use crate::id::{InvitationId, PersonId};
use crate::input::NewInvitation;
use crate::invitation::Invitation;
use crate::permission::Permission;
use crate::person::{Membership, Person, Role};
use crate::receipt::OperationKind;
use crate::rules;
use crate::secret::Secret;
use crate::store::RecordKey;

impl Session {
    /// Lists the members of the organization: owners first, then by name.
    ///
    /// Requires [`Permission::ReadMembers`].
    ///
    /// See [`invite`](Self::invite) for an example.
    pub async fn members(&self) -> Result<Vec<(Membership, Person)>> {
        self.require(Permission::ReadMembers)?;
        Ok(self.shared.store.members(self.organization_id()).await?)
    }

    /// Lists the invitations whose links work, the newest first.
    ///
    /// Requires [`Permission::ReadMembers`].
    ///
    /// See [`invite`](Self::invite) for an example.
    pub async fn invitations(&self) -> Result<Vec<Invitation>> {
        let (members, now) = (self.members().await?, self.shared.now());
        let invitations = self.shared.store.invitations(self.organization_id()).await?.into_iter();
        let works = |invitation: &Invitation| rules::check_invitation(invitation, &members, now).is_ok();
        Ok(invitations.filter(works).collect())
    }

    /// Invites a person to the organization, and queues the mail with the link. An open invitation of the address is replaced, and
    /// its link stops working. So a repeated call is safe, but queues another mail unless it has the same idempotency key.
    ///
    /// Returns the invitation and the secret of its link. A retry with the same idempotency key returns the first invitation
    /// without the secret. Returns `None` and changes nothing if a member has the address. Requires [`Permission::ManageMembers`].
    ///
    /// # Errors
    /// Returns [`Error::MissingRole`] if the caller is no owner, and the new or the replaced invitation is for the role
    /// [`Role::Owner`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, NewInvitation, Role};
    /// # let owner = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, owner).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let session = ada.session(&organization.slug)?;
    /// let grace = NewInvitation::new("grace@example.org".parse()?, "Grace Hopper".parse()?, Role::Organizer);
    /// let (invitation, _) = session.invite(grace).await?.ok_or("a member already")?;
    /// assert_eq!(session.invitations().await?, [invitation.clone()]);
    /// assert_eq!(session.members().await?.len(), 1);
    /// session.withdraw_invitation(invitation.id).await?;
    /// assert!(session.invitations().await?.is_empty());
    /// # Ok(()) }) }
    /// ```
    pub fn invite(&self, new: NewInvitation) -> PendingWrite<'_, Option<(Invitation, Option<Secret>)>> {
        let secret = Secret::generate();
        self.write(OperationKind::Invite, (new, secret.clone()), move |(new, secret), now| async move {
            let caller = self.manager()?;
            self.shared.invite(self.organization_id(), Some(caller), &new, &secret, now).await
        })
        .map(move |invited: Option<Invitation>| {
            let invitation = invited?;
            let is_new = invitation.digest == secret.digest();
            Some((invitation, is_new.then_some(secret)))
        })
    }

    /// Withdraws an invitation. Its link stops working.
    ///
    /// Requires [`Permission::ManageMembers`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such invitation.
    /// - [`Error::MissingRole`] if the invitation is for an owner, and the caller is no owner.
    ///
    /// See [`invite`](Self::invite) for an example.
    pub async fn withdraw_invitation(&self, id: InvitationId) -> Result<()> {
        let (caller, organization) = (self.manager()?, self.organization_id());
        self.shared
            .commit_unrefused(&self.actor, move |now| async move {
                let invitation: Invitation = self.shared.get(RecordKey::Invitation(organization, id)).await?;
                let person = match &invitation.invitee {
                    Some(invitee) => self.shared.find_person(&invitee.email).await?.map(|person| person.id),
                    None => None,
                };
                let members = self.shared.store.members(organization).await?;
                rules::withdraw(invitation, person, &members, Some(caller), now)
            })
            .await
    }

    /// Gives a member another role.
    ///
    /// Requires [`Permission::ManageMembers`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the person is no member.
    /// - [`Error::MissingRole`] if the present or the new role is [`Role::Owner`], and the caller is no owner.
    /// - [`Error::LastOwner`] if the organization would have no owner left.
    ///
    /// See [`remove_member`](Self::remove_member) for an example.
    pub async fn change_role(&self, person: PersonId, role: Role) -> Result<Membership> {
        let caller = self.manager()?;
        self.shared.change_role(&self.actor, self.organization_id(), Some(caller), person, role).await
    }

    /// Ends a membership. The sessions of the person lose the organization at once. The end of the last membership removes the
    /// person. A token that the person made stays valid.
    ///
    /// Requires [`Permission::ManageMembers`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the person is no member.
    /// - [`Error::MissingRole`] if the person is an owner, and the caller is not.
    /// - [`Error::LastOwner`] if the organization would have no owner left.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, Error, NewInvitation, Role};
    /// # let owner = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, owner).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let session = ada.session(&organization.slug)?;
    /// let me = ada.person().id;
    /// assert_eq!(session.change_role(me, Role::Admin).await, Err(Error::LastOwner));
    /// assert_eq!(session.remove_member(me).await, Err(Error::LastOwner));
    /// # Ok(()) }) }
    /// ```
    pub async fn remove_member(&self, person: PersonId) -> Result<()> {
        let caller = self.manager()?;
        let removed = self.shared.remove_member(&self.actor, self.organization_id(), Some(caller), person);
        removed.await.map(drop)
    }

    /// Returns the person who manages members.
    fn manager(&self) -> Result<PersonId> {
        self.require(Permission::ManageMembers)?;
        // Only people have the permission.
        self.person_id().ok_or(Error::MissingRole(Permission::ManageMembers.role()))
    }
}
