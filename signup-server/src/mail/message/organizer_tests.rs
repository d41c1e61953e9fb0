//! The mail with a message from an organizer.

use insta::assert_snapshot;
use signup_core::{
    Acceptance, Capacity, NewInvitation, NewMessage, NewShift, NewSignup, OrganizationPatch, Role,
};

use super::sample::{html, mail_of, shown, written};
use super::*;
use crate::sample_event::sample_event;

/// Returns the mail of a message to Ada and Ben, who share an address. Ada has two shifts.
async fn sent(subject: &str, text: &str) -> MailContent {
    let (service, created) = sample_event().await;
    let organization = created.event.organization;
    let (admin, people) = (service.admin(), service.people());
    let update = OrganizationPatch::new().contact("help@riverside.example".parse().unwrap());
    admin.update_organization(organization, update).await.unwrap();
    let grace =
        NewInvitation::new("grace@example.org".parse().unwrap(), "Grace".parse().unwrap(), Role::Organizer);
    let (_, link) = admin.invite_person(organization, grace).await.unwrap().unwrap();
    let (grace, _) = people.accept(&link, None, Acceptance::Member { name: None }).await.unwrap().unwrap();
    let organizer = grace.session(&grace.memberships()[0].1.slug).unwrap();
    let late =
        NewShift::new("Late".parse().unwrap(), Capacity::new(2).unwrap()).location("Dock 4".parse().unwrap());
    let late = organizer.add_shifts(created.event.id, vec![late]).await.unwrap().remove(0);
    for (shift, name) in [(created.shifts[0].id, "Ada"), (late.id, "Ada"), (late.id, "Ben")] {
        let form = service.volunteers().form_of(organization, [shift]).await.unwrap();
        let new = NewSignup::new(name.parse().unwrap(), "ada@example.org".parse().unwrap());
        drop(form.sign_up(new).await.unwrap());
    }
    let message = NewMessage::new(subject.parse().unwrap(), text.parse().unwrap());
    organizer.send_message(created.event.id, message).await.unwrap();
    let outbox = service.outbox();
    loop {
        for notice in outbox.due(9).await.unwrap() {
            if let Some(Mail { content: content @ MailContent::Message(_), .. }) =
                outbox.claim(&notice).await.unwrap()
            {
                return content;
            }
        }
    }
}

#[tokio::test]
async fn a_message() {
    let text = "It will be cold.\r\nMap: https://example.org/map?a=b&c\n<b>";
    let mail = written(&mail_of(sent("Bring gloves", text).await));
    assert_snapshot!(shown(&mail));
    let html = html(&mail);
    let map = "Map: <a href=\"https://example.org/map?a=b&#38;c\" rel=\"noopener noreferrer nofollow ugc\">";
    for part in ["It will be cold.<br>\n", map, "&#60;b&#62;</p>", &format!("/signups/{}\"", "s".repeat(43))]
    {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[tokio::test]
async fn a_message_adds_no_header() {
    let headers = async |subject, text| {
        let mail = written(&mail_of(sent(subject, text).await));
        let parsed = mailparse::parse_mail(mail.content.as_bytes()).unwrap();
        parsed.headers.iter().map(mailparse::MailHeader::get_key).collect::<Vec<_>>()
    };
    let injected = headers("Gloves Bcc: x@example.org", "\r\nBcc: all@example.org\r\n\r\nCold.").await;
    assert_eq!(injected, headers("Gloves", "Cold.").await);
}

#[tokio::test]
async fn a_message_is_from_the_organizer_if_the_organization_could_pass_for_another_sender() {
    let mut content = sent("Gloves", "Cold.").await;
    let MailContent::Message(message) = &mut content else { panic!("{content:?}") };
    message.organization.name = "help@bank.example".parse().unwrap();
    let mail = shown(&written(&mail_of(content)));
    assert!(mail.contains("\nThe organizer sent you a message about Food drive:\n"), "{mail}");
    assert!(
        mail.starts_with("From: Signup <help@example.org>\n") && !mail.contains("bank.example"),
        "{mail}"
    );
}
