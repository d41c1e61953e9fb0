//! The console's pages of messages to the volunteers of an event.

use crate::console::wait_for_text;
use crate::console_signups::{HOSTILE, Scene, assert_escaped};
use crate::harness::{Answer, Server};
use crate::mailbox::Mailbox;
use crate::mails::SOON;

/// Returns the value of the idempotency key of a form.
fn key(page: &Answer) -> String {
    let (_, rest) = page.text.split_once("name=\"idempotency_key\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_message_is_previewed_and_goes_to_each_address_once() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    for title in ["Early", "Late"] {
        scene.sign_up(title, ("Bob", "bob@example.org"), "").await;
    }
    scene.sign_up("Late", ("Eve", "eve@example.org"), "").await;
    mailbox.wait_for(3, SOON).await;
    let path = scene.path("message");
    let form = scene.ada.get(&path).await;
    assert_eq!(form.status, 200);
    assert_escaped(&form);
    let key = key(&form);

    let text = format!("Bring gloves: https://example.org/gloves {HOSTILE}");
    let fields = [("idempotency_key", &*key), ("slot_id", ""), ("subject", "Gloves <b>"), ("text", &text)];
    let preview = scene.ada.post(&path, &fields).await;
    assert!(preview.status == 200 && preview.text.contains("2 people get this message."), "{}", preview.text);
    assert!(preview.text.contains("<a href=\"https://example.org/gloves\""), "{}", preview.text);
    assert_escaped(&preview);
    let early = scene.page.slot("Early");
    let narrowed = scene.ada.post(&path, &[&fields[2..], &[("slot_id", &early)]].concat()).await;
    assert!(narrowed.text.contains("1 person gets this message."), "{}", narrowed.text);
    let changed =
        scene.ada.post(&path, &[&fields[..], &[("confirmed", "yes"), ("action", "change")]].concat()).await;
    assert!(changed.status == 200 && changed.text.contains("<textarea"), "{}", changed.text);
    assert_escaped(&changed);

    // The form is sent twice.
    for _ in 0..2 {
        let sent = scene.ada.post(&path, &[&fields[..], &[("confirmed", "yes")]].concat()).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }
    let page = scene.ada.get(&format!("/console/riverside/events/{}", scene.id())).await.text;
    assert!(page.contains("Your message is on its way."), "{page}");
    for email in ["bob@example.org", "eve@example.org"] {
        wait_for_text(&mailbox, email, "Bring gloves: https://example.org/gloves").await;
    }
    let mails = mailbox.wait_for_exactly(5, SOON).await;
    let mail = mails.iter().find(|mail| mail.text().contains("Bring gloves")).unwrap();
    assert!(mail.header("Reply-To").contains("help@riverside.example.org"), "{}", mail.header("Reply-To"));
    let activity = server.get("/v1/activity?type=message.sent").await.data();
    assert_eq!(activity.as_array().unwrap().len(), 1, "{activity}");
    assert_eq!(activity[0]["actor"]["name"], "Ada Lovelace");
}

#[tokio::test]
async fn a_message_that_cannot_be_sent_is_refused_before_the_preview_or_with_a_conflict() {
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    let path = scene.path("message");
    let nobody = scene.ada.post(&path, &[("subject", "Hello"), ("text", "Hello")]).await;
    assert!(nobody.status == 200 && !nobody.text.contains(">Send<"), "{}", nobody.text);
    scene.sign_up("Early", ("Bob", "bob@example.org"), "").await;
    for (subject, text, field) in [
        ("", "Hello", "subject"),
        (&*"x".repeat(151), "Hello", "subject"),
        ("Hello", " ", "text"),
        ("Hello", &*"x".repeat(5001), "text"),
    ] {
        let refused = scene.ada.post(&path, &[("subject", subject), ("text", text)]).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text.contains(&format!("href=\"#{field}\"")), "{field}: {}", refused.text);
    }
    let longest = [("subject", &*"x".repeat(150)), ("text", &*"x".repeat(5000))];
    assert_eq!(scene.ada.post(&path, &longest).await.status, 200);
    let strange =
        [("subject", "Hello"), ("text", "Hello"), ("slot_id", "00000000-0000-0000-0000-000000000000")];
    assert_eq!(scene.ada.post(&path, &strange).await.status, 404);
    let send = [("subject", "Hello"), ("text", "Hello"), ("confirmed", "yes")];
    for expected in [303, 303, 303, 303, 303, 409] {
        let sent = scene.ada.post(&path, &send).await;
        assert_eq!(sent.status, expected, "{}", sent.text);
    }
}
