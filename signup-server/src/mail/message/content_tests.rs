//! What every mail about a sign-up shows: the answers, the description of the event, the contact, and a link that works.

use signup_core::{Capacity, EventPatch, NewSignup, OrganizationPatch, QuestionKind, ShiftPatch};

use super::delivered::{Sample, about, parts};
use super::*;

/// Delivers the confirmation of a volunteer who gave these answers.
async fn answered(sample: &Sample, answers: &[&str]) -> Mail {
    drop(sample.delivery().await);
    let two = ShiftPatch::new().capacity(Capacity::new(2).unwrap());
    sample.session.patch_shift(sample.shift, two).await.unwrap();
    let admin = sample.service.admin();
    let mut new = NewSignup::new("Bob".parse().unwrap(), "bob@example.org".parse().unwrap());
    for (number, answer) in answers.iter().enumerate() {
        let label = format!("Question {number}").parse().unwrap();
        let question = signup_core::NewQuestion::new(label, QuestionKind::Text);
        let question = admin.add_question(sample.event, question).await.unwrap();
        new = new.answer(question.id, answer.parse().unwrap());
    }
    let owner = admin.event_owner(sample.event).await.unwrap();
    let form = sample.service.volunteers().form_of(owner, [sample.shift]).await.unwrap();
    form.sign_up(new).await.unwrap().into_places().unwrap();
    sample.delivery().await
}

#[tokio::test]
async fn a_mail_shows_the_answers_but_none_that_could_be_read_as_a_link() {
    let sample = Sample::create().await;
    let mail =
        parts(&answered(&sample, &["vegan/gluten-free", "see evil.example/x", "<b>\r\nBcc: x", "yes"]).await);
    assert!(mail.text.contains(
        "Your answers\nQuestion 0: vegan/gluten-free\nQuestion 1: (see the details)\nQuestion 2: <b> Bcc: x\nQuestion 3: Yes\n"
    ), "{}", mail.text);
    mail.assert_does_not_say("evil.example");
    mail.assert_says("vegan/gluten-free");
    assert!(mail.html.contains("&#60;b&#62; Bcc: x</span>"), "{}", mail.html);
    let plain = parts(&Sample::create().await.delivery().await);
    plain.assert_does_not_say("Your answers");
    assert_eq!(mail.headers, plain.headers, "an answer adds no header");
}

#[tokio::test]
async fn a_mail_shows_the_descriptions_as_text_with_links_in_its_html() {
    let sample = Sample::create().await;
    let description =
        "# Bring gloves\r\n\r\nMap: https://example.org/map?a=b&c\n<script>alert(1)</script>\tThanks";
    let patch = EventPatch::new().description(description.parse().unwrap());
    sample.session.patch_event(sample.event, patch).await.unwrap();
    let patch = ShiftPatch::new().description("Lift 20 kg.".parse().unwrap());
    sample.session.patch_shift(sample.shift, patch).await.unwrap();
    let mail = sample.mail().await;
    let text = "About the shift\nLift 20 kg.\n\nAbout the event\n# Bring gloves\n\nMap: https://example.org/map?a=b&c\n<script>alert(1)</script> Thanks\n";
    assert!(mail.text.contains(text), "{}", mail.text);
    let link = "Map: <a href=\"https://example.org/map?a=b&#38;c\" rel=\"noopener noreferrer nofollow ugc\">";
    for html in ["# Bring gloves<br>\n<br>\n", link, "&#60;script&#62;alert(1)&#60;/script&#62; Thanks</p>"] {
        assert!(mail.html.contains(html), "{html} in {}", mail.html);
    }
}

#[tokio::test]
async fn replies_go_to_the_contact_of_the_organization_if_it_has_one() {
    let sample = Sample::create().await;
    let without = sample.delivery().await;
    let mail = parts(&without);
    assert_eq!(mail.reply_to, None);
    mail.assert_does_not_say("Questions?");
    let update = OrganizationPatch::new().contact("help@riverside.example".parse().unwrap());
    sample
        .service
        .admin()
        .update_organization(without.signup().unwrap().organization.id, update)
        .await
        .unwrap();
    let mut delivery = answered_again(&sample).await;
    let mail = parts(&delivery);
    assert_eq!(mail.reply_to.as_deref(), Some("help@riverside.example"));
    assert!(mail.text.contains("Questions? Write to help@riverside.example.\n"), "{}", mail.text);
    let link = "<a href=\"mailto:help@riverside.example\">help@riverside.example</a>";
    assert!(mail.html.contains(link), "{}", mail.html);
    about(&mut delivery).organization.contact = Some("help@bücher.example".parse().unwrap());
    let mail = parts(&delivery);
    assert_eq!(mail.reply_to.as_deref(), Some("help@xn--bcher-kva.example"));
    mail.assert_says("help@bücher.example");
}

#[tokio::test]
async fn a_mail_is_from_the_organization_with_the_address_of_the_sender() {
    let mut delivery = Sample::create().await.delivery().await;
    for (name, from) in [
        ("Riverside Food Bank", "Riverside Food Bank <help@example.org>"),
        ("St.Mary’s, Inc.", "St.Mary’s, Inc. <help@example.org>"),
    ] {
        about(&mut delivery).organization.name = name.parse().unwrap();
        assert_eq!(parts(&delivery).from, from);
    }
    about(&mut delivery).organization.name = "Food bank ".repeat(20).trim().parse().unwrap();
    assert!(parts(&delivery).from.chars().count() < 110, "{}", parts(&delivery).from);
}

#[tokio::test]
async fn a_name_that_could_pass_for_another_sender_is_shown_nowhere_as_the_sender() {
    let mut delivery = Sample::create().await.delivery().await;
    for name in ["help@bank.example", "Bank\u{202e}"] {
        about(&mut delivery).organization.name = name.parse().unwrap();
        let mail = parts(&delivery);
        assert_eq!(mail.from, "Signup <help@example.org>", "the sender of --mail-from");
        assert!(mail.text.trim_end().ends_with("\n\nThe organizer"), "{}", mail.text);
        mail.assert_does_not_say(name);
        assert_eq!(mail.property("ORGANIZER"), "mailto:help@example.org");
    }
}

/// Signs the volunteer of the sample up again, and delivers the mail about that.
async fn answered_again(sample: &Sample) -> Mail {
    let owner = sample.service.admin().event_owner(sample.event).await.unwrap();
    let form = sample.service.volunteers().form_of(owner, [sample.shift]).await.unwrap();
    let again = NewSignup::new("ADA".parse().unwrap(), "ada@example.org".parse().unwrap());
    // The shift has one place.
    assert_eq!(form.sign_up(again).await.unwrap().into_places(), Err(signup_core::Error::ShiftFull));
    sample.delivery().await
}

#[tokio::test]
async fn a_repeated_sign_up_is_told_the_name_as_it_was_first_written() {
    let sample = Sample::create().await;
    drop(sample.delivery().await);
    let mail = parts(&answered_again(&sample).await);
    assert_eq!(mail.subject, "You already have a place: Food drive – Early, Saturday 6 June");
    assert!(mail.text.contains("\nName: Ada\n") && !mail.text.contains("ADA"), "{}", mail.text);
    mail.assert_says("You still have your place. Nothing has changed.");
    assert!(
        mail.text.contains(
            "See the details, add the shift to your calendar or cancel:\nhttps://example.org/signups/"
        ),
        "{}",
        mail.text
    );
}

#[tokio::test]
async fn the_link_says_whether_a_place_can_be_cancelled() {
    let delivery = Sample::create().await.delivery().await;
    let end = delivery.signup().unwrap().shift.interval().end;
    let from = "Riverside <help@example.org>".parse().unwrap();
    let text = |now| write(&delivery, &from, "https://example.org", now).unwrap().text;
    let secret = delivery.notice.cause.secret().unwrap().reveal();
    for (now, offer) in [
        (
            end - jiff::SignedDuration::from_secs(1),
            "See the details, add the shift to your calendar or cancel:",
        ),
        (end, "See the details:"),
    ] {
        let text = text(now);
        let shown = format!("{offer}\nhttps://example.org/signups/{secret}\n");
        assert!(text.contains(&shown), "{text}");
    }
}

#[tokio::test]
async fn a_subject_cuts_long_titles_so_that_the_shift_and_the_day_stay() {
    let mut delivery = Sample::create().await.delivery().await;
    about(&mut delivery).event.title = "Food drive ".repeat(20).trim().parse().unwrap();
    let of_event = "Food drive Food drive Food drive Food drive Food drive Food drive Food…";
    assert_eq!(parts(&delivery).subject, format!("You’re signed up: {of_event} – Early, Saturday 6 June"));
    assert!(parts(&delivery).text.contains("\nYou’re signed up for Early.\n"), "{}", parts(&delivery).text);
}

#[tokio::test]
async fn a_mail_about_an_online_event_says_so() {
    let mut delivery = Sample::create().await.delivery().await;
    parts(&delivery).assert_does_not_say("nline");
    about(&mut delivery).event.is_virtual = true;
    assert!(parts(&delivery).text.contains("\nWhere: Online\n"), "{}", parts(&delivery).text);
    about(&mut delivery).event.location = Some("Hall B".parse().unwrap());
    parts(&delivery).assert_says("Hall B (online)");
    about(&mut delivery).event.location = Some("https://example.org/meet".parse().unwrap());
    let link = "<a href=\"https://example.org/meet\" rel=\"noopener noreferrer nofollow ugc\">\
                https://example.org/meet</a> (online)";
    assert!(parts(&delivery).html.contains(link), "{}", parts(&delivery).html);
}
