//! The wording of the mails to people who sign in or are invited.

use jiff::Timestamp;
use jiff::tz::Offset;
use signup_core::{Code, EmailAddress, InvitationMail, Role, Secret};

use super::name::{safe_name, safe_organization};
use crate::page::times;
use crate::texts::Texts;

/// The content of a mail to a person, as its text and its HTML show it.
#[derive(Debug, Clone)]
pub(super) struct PersonMail {
    pub(super) texts: Texts,
    pub(super) subject: String,
    pub(super) name: Option<String>,
    pub(super) heading: String,
    /// The code to sign in, as two groups of characters.
    pub(super) code: Option<String>,
    /// The sentences under the heading.
    pub(super) intro: Vec<String>,
    /// The URL of the invitation.
    pub(super) link: Option<String>,
    /// The sentences at the end.
    pub(super) outro: Vec<String>,
    /// The organization's address for questions.
    pub(super) contact: Option<String>,
}

impl PersonMail {
    /// Returns the content of the mail with a code to sign in. The mail has no link that signs in. So it does no
    /// harm if another person asked for the code.
    pub(super) fn code(code: &Code) -> Self {
        let heading = "Your sign-in code";
        Self {
            texts: Texts::ENGLISH,
            subject: heading.to_owned(),
            name: None,
            heading: heading.to_owned(),
            code: Some(code.grouped()),
            intro: vec!["It works for 10 minutes, in the browser where you asked for it.".to_owned()],
            link: None,
            outro: vec!["If you did not ask for it, you can ignore this email.".to_owned()],
            contact: None,
        }
    }

    /// Returns the content of the mail of an invitation. `secret` opens the invitation.
    pub(super) fn invitation(invited: &InvitationMail, secret: &Secret, base_url: &str) -> Self {
        let organization = safe_organization(&invited.organization.name);
        let organization = organization.as_deref().unwrap_or("an organization");
        let inviter = invited.inviter.as_ref().and_then(safe_name);
        let heading = match inviter {
            Some(inviter) => format!("{inviter} invites you to help run {organization}"),
            None => format!("You are invited to help run {organization}"),
        };
        Self {
            texts: Texts::ENGLISH,
            subject: format!("Invitation to {organization}"),
            name: safe_name(&invited.invitee.name),
            heading,
            code: None,
            intro: vec![role_in_words(invited.role).to_owned()],
            link: Some(format!("{base_url}/invitations/{}", secret.reveal())),
            outro: vec![
                format!("The link works once, until {}.", in_words(invited.expires_at)),
                "If you did not expect this invitation, you can ignore this email.".to_owned(),
            ],
            contact: invited.organization.contact.as_ref().map(EmailAddress::to_string),
        }
    }
}

/// Returns what a role may do, in one sentence.
fn role_in_words(role: Role) -> &'static str {
    match role {
        Role::Owner => {
            "As an owner, you can do everything that an admin can do, change the organization’s details, and choose its owners."
        }
        Role::Admin => {
            "As an admin, you can do everything that an organizer can do, invite and remove members, and connect other software."
        }
        // An organizer, or a role that is newer than this mapping.
        _ => {
            "As an organizer, you can create events and shifts, see who has signed up, and write to volunteers."
        }
    }
}

/// Returns an instant such as `Saturday 6 March 2027, 14:00 UTC`.
fn in_words(instant: Timestamp) -> String {
    let wall = Offset::UTC.to_datetime(instant);
    format!("{}, {} UTC", times::day(wall.date(), Texts::ENGLISH), wall.strftime("%H:%M"))
}
