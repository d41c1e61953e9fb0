//! What the mails to people who sign in or are invited show.

use jiff::Timestamp;

use super::Outbox;
use crate::error::Result;
use crate::id::{InvitationId, OrganizationId};
use crate::invitation::Invitation;
use crate::mail::{InvitationMail, MailContent};
use crate::notice::{Notice, NoticeCause};
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::secret::Secret;
use crate::store::{RecordKey, Unique};

impl Outbox {
    /// Reads what the mail of a notice to a person shows. Returns `None` if the notice is obsolete.
    ///
    /// Whether a person has the address of a code is looked up here, and not when the code is asked for. So the request takes the
    /// same time for an unknown address.
    pub(super) async fn content_for_person(
        &self,
        notice: &Notice,
        now: Timestamp,
    ) -> Result<Option<MailContent>> {
        match &notice.cause {
            NoticeCause::SignInCode { email, code } if !notice.is_useless(now) => {
                let person = self.shared.store.find::<Person>(Unique::PersonEmail(email.key())).await?;
                let content = |_| MailContent::SignInCode { email: email.clone(), code: code.clone() };
                Ok(person.map(content))
            }
            NoticeCause::Invited { invitation, secret } => {
                let mail = self.invitation_mail(notice.organization, *invitation, secret, now).await?;
                Ok(mail.map(|mail| MailContent::Invitation(Box::new(mail))))
            }
            _ => Ok(None),
        }
    }

    /// Reads an open invitation. Returns `None` if the secret in the mail opens no invitation, or if the member who invited may no
    /// longer do so.
    async fn invitation_mail(
        &self,
        owner: OrganizationId,
        id: InvitationId,
        secret: &Secret,
        now: Timestamp,
    ) -> Result<Option<InvitationMail>> {
        let store = &self.shared.store;
        let found = store.get::<Invitation>(RecordKey::Invitation(owner, id)).await?;
        let is_open =
            |invitation: &Invitation| invitation.digest == secret.digest() && now < invitation.expires_at;
        let Some(invitation) = found.filter(is_open) else { return Ok(None) };
        let organization = store.get::<Organization>(RecordKey::Organization(owner)).await?;
        let Some((organization, invitee)) = organization.zip(invitation.invitee) else { return Ok(None) };
        let inviter = match invitation.inviter {
            Some(person) => {
                let membership = store.get::<Membership>(RecordKey::Membership(owner, person)).await?;
                let may_invite = membership.is_some_and(|member| member.role >= invitation.role.manager());
                match store.get::<Person>(RecordKey::Person(person)).await?.filter(|_| may_invite) {
                    Some(person) => Some(person.name),
                    None => return Ok(None),
                }
            }
            None => None,
        };
        let mail = InvitationMail::new(organization, invitee, invitation.role, invitation.expires_at);
        Ok(Some(InvitationMail { inviter, ..mail }))
    }
}
