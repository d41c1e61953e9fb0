//! The mail with a message from an organizer.

use signup_core::{
    Acceptance, Capacity, MessageMail, NewInvitation, NewMessage, NewShift, NewSignup, OrganizationPatch,
    Role,
};

use super::delivered::{Sample, parts};
use super::*;

/// Returns the mail of a message to a volunteer with two shifts.
async fn sent(subject: &str, text: &str) -> (Mail, MessageMail) {
    let sample = Sample::create().await;
    drop(sample.delivery().await);
    let organization = sample.session.organization_id();
    let (admin, people) = (sample.service.admin(), sample.service.people());
    let update = OrganizationPatch::new().contact("help@riverside.example".parse().unwrap());
    admin.update_organization(organization, update).await.unwrap();
    let grace =
        NewInvitation::new("grace@example.org".parse().unwrap(), "Grace".parse().unwrap(), Role::Organizer);
    let (_, link) = admin.invite_person(organization, grace).await.unwrap().unwrap();
    let (grace, _) = people.accept(&link, None, Acceptance::Member { name: None }).await.unwrap().unwrap();
    let organizer = grace.session(&grace.memberships()[0].1.slug).unwrap();
    let late =
        NewShift::new("Late".parse().unwrap(), Capacity::new(1).unwrap()).location("Dock 4".parse().unwrap());
    let late = organizer.add_shifts(sample.event, vec![late]).await.unwrap().remove(0);
    let form = sample.service.volunteers().form_of(organization, [late.id]).await.unwrap();
    form.sign_up(NewSignup::new("Ada".parse().unwrap(), "Ada@example.org".parse().unwrap()))
        .await
        .unwrap()
        .into_places()
        .unwrap();
    drop(sample.delivery().await);
    let message = NewMessage::new(subject.parse().unwrap(), text.parse().unwrap());
    organizer.send_message(sample.event, message).await.unwrap();
    let mail = sample.delivery().await;
    let MailContent::Message(sent) = &mail.content else { panic!("{mail:?}") };
    let sent = MessageMail::clone(sent);
    (mail, sent)
}

#[tokio::test]
async fn a_message_shows_its_text_and_each_shift_with_its_link() {
    let (mail, sent) =
        sent("Bring gloves", "It will be cold.\r\nMap: https://example.org/map?a=b&c\n<b>").await;
    let mail = parts(&mail);
    assert_eq!(mail.subject, "Bring gloves");
    assert_eq!(mail.from, format!("{} <help@example.org>", sent.organization.name));
    assert_eq!(mail.reply_to.as_deref(), Some("help@riverside.example"));
    assert_eq!(mail.calendar, "");
    let link = |place: usize| format!("https://example.org/signups/{}", sent.places[place].secret.reveal());
    let organization = &sent.organization.name;
    let offer = "See the details, add the shift to your calendar or cancel:";
    let text = format!(
        "Hello Ada,\n\n{organization} sent you a message about Food drive:\n\n\
         It will be cold.\nMap: https://example.org/map?a=b&c\n<b>\n\nYour shifts\n\n\
         Shift: Early\nWhen: Saturday 6 June 2099, all day (UTC)\n{offer}\n{}\n\n\
         Shift: Late\nWhen: Saturday 6 June 2099, all day (UTC)\nWhere: Dock 4\n{offer}\n{}\n\n\
         Questions? Write to help@riverside.example.\n\n{organization}",
        link(0),
        link(1)
    );
    assert_eq!(mail.text.trim_end(), text);
    let map = "Map: <a href=\"https://example.org/map?a=b&#38;c\" rel=\"noopener noreferrer nofollow ugc\">";
    for html in ["It will be cold.<br>\n", map, "&#60;b&#62;</p>", &link(0), &link(1)] {
        assert!(mail.html.contains(html), "{html} in {}", mail.html);
    }
}

#[tokio::test]
async fn a_message_adds_no_header() {
    let (plain, _) = sent("Gloves", "Cold.").await;
    let (mail, _) = sent("Gloves Bcc: x@example.org", "\r\nBcc: all@example.org\r\n\r\nCold.").await;
    assert_eq!(parts(&mail).headers, parts(&plain).headers);
}

#[tokio::test]
async fn a_message_is_from_the_organizer_if_the_organization_could_pass_for_another_sender() {
    let (mut mail, _) = sent("Gloves", "Cold.").await;
    let MailContent::Message(sent) = &mut mail.content else { panic!("{mail:?}") };
    sent.organization.name = "help@bank.example".parse().unwrap();
    let mail = parts(&mail);
    mail.assert_says("The organizer sent you a message about Food drive");
    mail.assert_does_not_say("bank.example");
    assert_eq!(mail.from, "Signup <help@example.org>", "the sender of --mail-from");
}
