//! What the mails to people who sign in or are invited show.

use jiff::Timestamp;

use super::Outbox;
use crate::error::Result;
use crate::id::{InvitationId, OrganizationId};
use crate::invitation::Invitation;
use crate::mail::{InvitationMail, MailContent};
use crate::notice::{Notice, NoticeCause};
use crate::organization::Organization;
use crate::person::Person;
use crate::rules;
use crate::secret::Secret;
use crate::sign_in::SignInCode;
use crate::store::RecordKey;

impl Outbox {
    /// Reads what the mail of a notice to a person shows. Returns `None` if the notice is obsolete.
    ///
    /// The person with the address of a code is looked up here, and not when the code is asked for. So that request takes the same
    /// time for an unknown address.
    pub(super) async fn content_for_person(
        &self,
        notice: &Notice,
        now: Timestamp,
    ) -> Result<Option<MailContent>> {
        match &notice.cause {
            NoticeCause::SignInCode { email, code, browser, digest } => {
                let store = &self.shared.store;
                let asked = store.get::<SignInCode>(RecordKey::SignInCode(*browser)).await?;
                if !asked.is_some_and(|asked| asked.digest == *digest && asked.works(now)) {
                    return Ok(None);
                }
                let person = self.shared.find_person(email).await?;
                let content = |Person { email, .. }| MailContent::SignInCode { email, code: code.clone() };
                Ok(person.map(content))
            }
            NoticeCause::Invited { invitation, secret } => {
                let mail = self.invitation_mail(notice.organization, *invitation, secret, now).await?;
                Ok(mail.map(|mail| MailContent::Invitation(Box::new(mail))))
            }
            _ => Ok(None),
        }
    }

    /// Reads what the mail of an invitation shows. Returns `None` if the link in the mail does not work.
    async fn invitation_mail(
        &self,
        owner: OrganizationId,
        id: InvitationId,
        secret: &Secret,
        now: Timestamp,
    ) -> Result<Option<InvitationMail>> {
        let store = &self.shared.store;
        let found = store.get::<Invitation>(RecordKey::Invitation(owner, id)).await?;
        let is_mailed = |invitation: &Invitation| invitation.digest == secret.digest();
        let Some(invitation) = found.filter(is_mailed) else { return Ok(None) };
        let members = store.members(owner).await?;
        let Ok(inviter) = rules::check_invitation(&invitation, &members, now) else { return Ok(None) };
        let organization = store.get::<Organization>(RecordKey::Organization(owner)).await?;
        let Some((organization, invitee)) = organization.zip(invitation.invitee) else { return Ok(None) };
        let inviter = inviter.map(|(_, person)| person.name.clone());
        let mail = InvitationMail::new(organization, invitee, invitation.role, invitation.expires_at);
        Ok(Some(InvitationMail { inviter, ..mail }))
    }
}
