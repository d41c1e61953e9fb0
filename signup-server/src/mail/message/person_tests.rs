//! The mails to people who sign in or are invited.

use insta::assert_snapshot;
use signup_core::{InvitationId, InvitationMail, Invitee, Organization, OrganizationId, Role, Secret};

use super::sample::{html, notice, shown, written};
use super::*;

/// Returns an invitation that ends at noon on 2027-06-08.
fn invitation(change: impl FnOnce(&mut InvitationMail)) -> WrittenMail {
    let (name, slug) = ("Riverside Food Bank".parse().unwrap(), "riverside".to_owned());
    let mut organization = Organization::new(OrganizationId::NONE, name, slug, Timestamp::UNIX_EPOCH);
    organization.contact = Some("help@riverside.example".parse().unwrap());
    let invitee = Invitee { email: "ada@example.org".parse().unwrap(), name: "Ada".parse().unwrap() };
    let expires_at = "2027-06-08T12:00:00Z".parse().unwrap();
    let mut invited = InvitationMail::new(organization, invitee, Role::Organizer, expires_at);
    invited.inviter = Some("Grace Hopper".parse().unwrap());
    change(&mut invited);
    let cause =
        NoticeCause::Invited { invitation: InvitationId::NONE, secret: "s".repeat(43).parse().unwrap() };
    written(&Mail::new(notice(cause), MailContent::Invitation(Box::new(invited))))
}

/// The mail with a code has no link, and is from no organization.
#[test]
fn a_code() {
    let (email, code) = (
        "ada@example.org".parse::<EmailAddress>().unwrap(),
        "abcd2345".parse::<signup_core::Code>().unwrap(),
    );
    let digest = Secret::generate().digest();
    let cause = NoticeCause::SignInCode { email: email.clone(), code: code.clone(), browser: digest, digest };
    let mail = written(&Mail::new(notice(cause), MailContent::SignInCode { email, code }));
    assert_snapshot!(shown(&mail));
    assert!(html(&mail).contains("abcd 2345") && !html(&mail).contains("href"), "{}", html(&mail));
}

#[test]
fn an_invitation() {
    let mail = invitation(|_| {});
    assert_snapshot!(shown(&mail));
    let link = format!(" href=\"https://example.org/invitations/{}\">See the invitation</a>", "s".repeat(43));
    assert!(html(&mail).contains(&link), "{}", html(&mail));
    for (role, words) in [(Role::Admin, "\nAs an admin, you can"), (Role::Owner, "\nAs an owner, you can")] {
        let text = invitation(|invited| invited.role = role).text;
        assert!(text.contains(words), "{text}");
    }
    let text = invitation(|invited| invited.inviter = None).text;
    assert!(text.contains("\nYou are invited to help run Riverside Food Bank.\n"), "{text}");
}

/// A member chooses the three names, and can invite any address.
#[test]
fn an_invitation_without_names_that_could_be_read_as_links() {
    let mail = invitation(|invited| {
        invited.organization.name = "evil.example/win".parse().unwrap();
        invited.organization.contact = None;
        invited.invitee.name = "evil.example".parse().unwrap();
        invited.inviter = Some("Call tel:0900 \u{202e}".parse().unwrap());
    });
    assert_snapshot!(shown(&mail));
    assert!(!html(&mail).contains("evil") && !html(&mail).contains("tel:"), "{}", html(&mail));
    let long = "Food bank ".repeat(20);
    let mail = invitation(|invited| invited.organization.name = long.trim().parse().unwrap());
    assert!(mail.subject.chars().count() < 100, "{}", mail.subject);
}
