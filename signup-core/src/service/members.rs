//! Changes of people and members, which sessions, people themselves and the operator make by the same rules.

use jiff::Timestamp;

use super::Shared;
use crate::activity::Actor;
use crate::error::Result;
use crate::id::{InvitationId, OrganizationId, PersonId};
use crate::input::NewInvitation;
use crate::invitation::Invitation;
use crate::notice::Notice;
use crate::person::{Membership, Person, Role};
use crate::rules::{self, Decision, InviteFacts, MailIds};
use crate::secret::{self, Secret};
use crate::store::{RecordKey, Unique};
use crate::text::EmailAddress;

impl Shared {
    /// Decides on the invitation of an address to an organization. Its link has this secret. The outcome is `None` if a member has
    /// the address. `caller` is `None` for the operator, as in each of these methods.
    pub(super) async fn invite(
        &self,
        organization: OrganizationId,
        caller: Option<PersonId>,
        new: &NewInvitation,
        secret: &Secret,
        now: Timestamp,
    ) -> Result<Decision<Option<Invitation>>> {
        let before: Option<Invitation> =
            self.store.find(Unique::InvitedEmail(organization, new.email.key().to_owned())).await?;
        let members = self.store.members(organization).await?;
        let person = self.find_person(&new.email).await?;
        let facts = InviteFacts { organization, before, members, person };
        let id = InvitationId::new(secret::new_uuid(now));
        let mail = MailIds { secret: secret.clone(), ..MailIds::generate(now) };
        rules::invite(facts, caller, new, id, mail, now)
    }

    /// Gives a member another role.
    pub(super) async fn change_role(
        &self,
        actor: &Actor,
        organization: OrganizationId,
        caller: Option<PersonId>,
        person: PersonId,
        role: Role,
    ) -> Result<Membership> {
        self.commit_unrefused(actor, move |_| async move {
            let members = self.store.members(organization).await?;
            // Read after the version of the membership, which each invitation of the member raises.
            let invitations = self.store.invitations(organization).await?;
            rules::change_role(&members, &invitations, caller, person, role)
        })
        .await
    }

    /// Ends a membership.
    pub(super) async fn remove_member(
        &self,
        actor: &Actor,
        organization: OrganizationId,
        caller: Option<PersonId>,
        person: PersonId,
    ) -> Result<(Membership, Person)> {
        self.commit_unrefused(actor, move |_| async move {
            let members = self.store.members(organization).await?;
            // Read after the versions of the membership and of the person, which the rule requires.
            let invitations = self.store.invitations(organization).await?;
            let memberships = self.store.memberships(person).await?.len();
            let decision = rules::remove_member(&members, &invitations, caller, person, memberships)?;
            Ok(rules::end_summary(decision, self.summary_notice(organization, person).await?))
        })
        .await
    }

    /// Reads the notice for the summaries of a person.
    pub(super) async fn summary_notice(
        &self,
        organization: OrganizationId,
        person: PersonId,
    ) -> Result<Option<Notice>> {
        let id = rules::summary_id(organization, person);
        Ok(self.store.get(RecordKey::Notice(organization, id)).await?)
    }

    /// Ends every sign-in of a person.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such person.
    pub(super) async fn sign_out_everywhere(&self, actor: &Actor, person: PersonId) -> Result<Person> {
        self.commit_unrefused(actor, move |_| async move {
            Ok(rules::sign_out_everywhere(self.get(RecordKey::Person(person)).await?))
        })
        .await
    }

    /// Finds the person who has an address.
    pub(super) async fn find_person(&self, email: &EmailAddress) -> Result<Option<Person>> {
        Ok(self.store.find(Unique::PersonEmail(email.key().to_owned())).await?)
    }
}
