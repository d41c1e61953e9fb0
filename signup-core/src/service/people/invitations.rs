//! Open invitations, and their acceptance.

use super::{People, SignedIn};
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::id::PersonId;
use crate::input::{Acceptance, Asked};
use crate::invitation::Invitation;
use crate::organization::Organization;
use crate::person::Person;
use crate::rules::{self, AcceptFacts};
use crate::secret::{self, Secret};
use crate::sign_in::SignIn;
use crate::store::{RecordKey, Unique};

/// An invitation whose link works, with what its page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// The organization.
    pub organization: Organization,
    /// The member who invites. `None` for the operator.
    pub inviter: Option<Person>,
    /// Which fields the acceptance has.
    pub asked: Asked,
}

impl People {
    /// Reads the invitation whose link has this secret.
    ///
    /// # Errors
    /// Returns [`Error::InvitationGone`] if the link does not work: the invitation was accepted, withdrawn or replaced, it has
    /// expired, or its inviter has lost the right to invite.
    ///
    /// See [`People`] for an example.
    pub async fn invitation(&self, secret: &Secret) -> Result<OpenInvitation> {
        let invitation = self.stored_invitation(secret).await?;
        let person = match &invitation.invitee {
            Some(invitee) => self.shared.find_person(&invitee.email).await?,
            None => None,
        };
        let members = self.shared.store.members(invitation.organization).await?;
        let inviter = rules::check_invitation(&invitation, &members, self.shared.now())?;
        let inviter = inviter.map(|(_, person)| person.clone());
        let organization = self.shared.get(RecordKey::Organization(invitation.organization)).await?;
        let asked = match (&invitation.invitee, person) {
            (None, _) => Asked::FirstOwner,
            (Some(_), Some(_)) => Asked::Nothing,
            (Some(_), None) => Asked::Name,
        };
        Ok(OpenInvitation { invitation, organization, inviter, asked })
    }

    /// Accepts the invitation whose link has this secret. `current` is the person who is signed in in the browser.
    ///
    /// If no person has the address, the call creates one and signs them in. Returns the signed-in person, and the secret of the
    /// sign-in. Returns `None` for a person who exists: a link can be forwarded, so it opens no other organization of the person.
    /// They sign in with a code, unless they are `current`.
    ///
    /// A person who joins another organization stays signed in as `current`, and is signed out of every other browser. So a sign-in
    /// that an earlier invitation has opened for somebody else does not open this organization.
    ///
    /// A person who is a member already keeps the present role, unless they become the first owner. The first owner of an
    /// organization also gives it a name and a contact, and the slug follows the name this once.
    ///
    /// # Errors
    /// - [`Error::InvitationGone`] as of [`invitation`](Self::invitation).
    /// - [`Error::OtherPerson`] if `current` is another person, or if the first owner gives the address of a person who is not
    ///   `current`.
    /// - [`Error::Invalid`] if the invitation is for the first owner of an organization and `acceptance` is not, or the other way
    ///   round.
    ///
    /// See [`People`] for an example.
    pub async fn accept(
        &self,
        secret: &Secret,
        current: Option<&SignedIn>,
        acceptance: Acceptance,
    ) -> Result<Option<(SignedIn, Secret)>> {
        let (shared, new, acceptance) = (&self.shared, &Secret::generate(), &acceptance);
        let accept = move |now| async move {
            let invitation = self.stored_invitation(secret).await?;
            let (email, _) = rules::invitee(&invitation, acceptance)?;
            let person = shared.find_person(&email).await?;
            let members = shared.store.members(invitation.organization).await?;
            let organization: Organization =
                shared.get(RecordKey::Organization(invitation.organization)).await?;
            let slug = match acceptance {
                Acceptance::FirstOwner(owner) => {
                    shared.free_slug(&owner.organization_name, Some(organization.id)).await?
                }
                Acceptance::Member { .. } => organization.slug.clone(),
            };
            let current = shared.present(current).await?;
            let summary = match &person {
                Some(person) => shared.summary_notice(organization.id, person.id).await?,
                None => None,
            };
            let facts = AcceptFacts { invitation, organization, slug, person, members, current, summary };
            rules::accept(facts, acceptance, PersonId::new(secret::new_uuid(now)), new, now)
        };
        let sign_in: Option<SignIn> = shared.commit_unrefused(&Actor::System, accept).await?;
        if matches!(acceptance, Acceptance::FirstOwner(_)) {
            // The next session of a token has the new name of the organization.
            shared.tokens.clear();
        }
        match sign_in {
            Some(_) => Ok(Some((self.signed_in(new).await?, new.clone()))),
            None => Ok(None),
        }
    }

    async fn stored_invitation(&self, secret: &Secret) -> Result<Invitation> {
        let found = self.shared.store.find(Unique::InvitationSecret(secret.digest())).await?;
        found.ok_or(Error::InvitationGone)
    }
}
