//! The mails to people who sign in or are invited.

use signup_core::{
    Code, InvitationId, InvitationMail, Invitee, NoticeId, Organization, OrganizationId, Role, Secret,
};

use super::delivered::parts;
use super::*;

fn notice(cause: NoticeCause) -> Notice {
    Notice::to_person(NoticeId::NONE, OrganizationId::NONE, cause, Timestamp::UNIX_EPOCH)
}

fn code() -> Mail {
    let (email, code): (EmailAddress, Code) =
        ("ada@example.org".parse().unwrap(), "abcd2345".parse().unwrap());
    let digest = Secret::generate().digest();
    let cause = NoticeCause::SignInCode { email: email.clone(), code: code.clone(), browser: digest, digest };
    Mail::new(notice(cause), MailContent::SignInCode { email, code })
}

/// Returns an invitation that ends at noon on 2027-06-08.
fn invitation(change: impl FnOnce(&mut InvitationMail)) -> (Mail, String) {
    let created_at = Timestamp::UNIX_EPOCH;
    let mut organization = Organization::new(
        OrganizationId::NONE,
        "Riverside Food Bank".parse().unwrap(),
        "riverside-food-bank".to_owned(),
        created_at,
    );
    organization.contact = Some("help@riverside.example".parse().unwrap());
    let invitee = Invitee { email: "ada@example.org".parse().unwrap(), name: "Ada".parse().unwrap() };
    let expires_at = "2027-06-08T12:00:00Z".parse().unwrap();
    let mut invited = InvitationMail::new(organization, invitee, Role::Organizer, expires_at);
    invited.inviter = Some("Grace Hopper".parse().unwrap());
    change(&mut invited);
    let secret = Secret::generate();
    let link = format!("https://example.org/invitations/{}", secret.reveal());
    let cause = NoticeCause::Invited { invitation: InvitationId::NONE, secret };
    (Mail::new(notice(cause), MailContent::Invitation(Box::new(invited))), link)
}

#[test]
fn the_mail_with_a_code_has_no_link() {
    let mail = parts(&code());
    assert_eq!(mail.subject, "Your sign-in code");
    let text = "Hello,\n\nYour sign-in code:\n\nabcd 2345\n\n\
                It works for 10 minutes, in the browser where you asked for it.\n\n\
                If you did not ask for it, you can ignore this email.\n";
    assert_eq!(mail.text, text);
    mail.assert_says("abcd 2345");
    mail.assert_does_not_say("http");
    mail.assert_does_not_say("mailto");
    assert_eq!((mail.reply_to, mail.calendar.as_str()), (None, ""));
    assert_eq!(mail.from, "Signup <help@example.org>", "it is from no organization");
}

#[test]
fn the_mail_of_an_invitation_says_who_invites_to_what() {
    let (mail, link) = invitation(|_| {});
    let mail = parts(&mail);
    assert_eq!(mail.subject, "Invitation to Riverside Food Bank");
    let text = format!(
        "Hello Ada,\n\nGrace Hopper invites you to help run Riverside Food Bank.\n\n\
         As an organizer, you can create events and shifts, see who has signed up, and write to volunteers.\n\n\
         See the invitation:\n{link}\n\n\
         The link works once, until Tuesday 8 June 2027, 12:00 UTC.\n\n\
         If you did not expect this invitation, you can ignore this email.\n\n\
         Questions? Write to help@riverside.example.\n"
    );
    assert_eq!(mail.text, text);
    assert_eq!(mail.reply_to.as_deref(), Some("help@riverside.example"));
    assert_eq!(mail.from, "Riverside Food Bank <help@example.org>");
    assert!(mail.html.contains(&format!("<a href=\"{link}\">See the invitation</a>")), "{}", mail.html);
    for (role, words) in [(Role::Admin, "As an admin, you can"), (Role::Owner, "As an owner, you can")] {
        parts(&invitation(|invited| invited.role = role).0).assert_says(words);
    }
    let by_operator = parts(&invitation(|invited| invited.inviter = None).0);
    by_operator.assert_says("You are invited to help run Riverside Food Bank");
}

/// A member chooses the three names, and can invite any address.
#[test]
fn the_mail_of_an_invitation_has_no_name_that_could_be_read_as_a_link() {
    let (mail, link) = invitation(|invited| {
        invited.organization.name = "evil.example/win".parse().unwrap();
        invited.organization.contact = None;
        invited.invitee.name = "evil.example".parse().unwrap();
        invited.inviter = Some("Call tel:0900 \u{202e}".parse().unwrap());
    });
    let mail = parts(&mail);
    assert_eq!(mail.subject, "Invitation to an organization");
    assert_eq!(mail.from, "Signup <help@example.org>");
    mail.assert_says("You are invited to help run an organization");
    mail.assert_says(&link);
    for text in ["evil", "tel:", "\u{202e}"] {
        mail.assert_does_not_say(text);
    }
    let (plain, _) = invitation(|invited| invited.organization.contact = None);
    assert_eq!(mail.headers, parts(&plain).headers, "a name adds no header");
    let long = "Food bank ".repeat(20);
    let (mail, _) = invitation(|invited| invited.organization.name = long.trim().parse().unwrap());
    assert!(parts(&mail).subject.chars().count() < 100, "{}", parts(&mail).subject);
}
