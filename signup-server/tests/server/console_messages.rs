//! The console's pages of messages to the volunteers of an event.

use serde_json::json;

use crate::console::wait_for_text;
use crate::console_settings::hidden;
use crate::console_signups::Scene;
use crate::every_route::UNKNOWN;
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;

#[tokio::test]
async fn a_message_is_previewed_and_goes_to_each_address_once() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    let volunteers = [
        ("Early", "Bob", "bob@example.org"),
        ("Late", "Bob", "bob@example.org"),
        ("Late", "Eve", "eve@example.org"),
    ];
    for (before, (title, name, email)) in volunteers.into_iter().enumerate() {
        scene.sign_up(title, (name, email), "").await;
        mailbox.wait_for(before + 1, SOON).await;
    }
    let path = scene.path("message");
    let form = scene.ada.get(&path).await;
    assert_eq!(form.status, 200);
    let key = hidden(&form.text, "<form", "idempotency_key");

    let text = "Bring gloves: https://example.org/gloves";
    let fields = [("idempotency_key", &*key), ("slot_id", ""), ("subject", "Gloves <b>"), ("text", text)];
    let preview = scene.ada.post(&path, &fields).await;
    assert!(
        preview.status == 200 && preview.text.contains("This sends 2 emails: one to each email address"),
        "{}",
        preview.text
    );
    assert!(preview.text.contains("<a href=\"https://example.org/gloves\""), "{}", preview.text);
    let early = scene.page.slot("Early");
    let narrowed = scene.ada.post(&path, &[&fields[2..], &[("slot_id", &early)]].concat()).await;
    assert!(narrowed.text.contains("This sends 1 email."), "{}", narrowed.text);
    let changed =
        scene.ada.post(&path, &[&fields[..], &[("confirmed", "yes"), ("action", "change")]].concat()).await;
    assert!(changed.status == 200 && changed.text.contains("<textarea"), "{}", changed.text);

    // The form is sent twice.
    for _ in 0..2 {
        let sent = scene.ada.post(&path, &[&fields[..], &[("confirmed", "yes")]].concat()).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }
    let page = scene.ada.get(&format!("/console/riverside/events/{}", scene.id())).await.text;
    assert!(page.contains("Your message is on its way."), "{page}");
    let earlier = scene.ada.get(&path).await.text;
    for part in [
        "Earlier messages",
        "Gloves &#60;b&#62;</h3>",
        ", by Ada Lovelace. Everyone with a place: 2 people (email addresses).",
    ] {
        assert!(earlier.contains(part), "{part} in {earlier}");
    }
    let attended = scene.ada.post(&path, &[&fields[2..], &[("audience", "attended")]].concat()).await;
    assert!(attended.text.contains("no one gets this message"), "{}", attended.text);
    let unknown = scene.ada.post(&path, &[&fields[2..], &[("audience", "friends")]].concat()).await;
    assert!(
        unknown.status == 422 && unknown.text.contains("Problem: </span>Choose who gets the message"),
        "{}",
        unknown.text
    );
    for email in ["bob@example.org", "eve@example.org"] {
        wait_for_text(&mailbox, email, "Bring gloves: https://example.org/gloves").await;
    }
    mailbox.wait_for_exactly(5, SOON).await;
}

/// Faults are refused before the preview. The tests of the console's forms have them.
#[tokio::test]
async fn a_message_to_nobody_has_no_button_and_the_sixth_of_a_day_is_a_conflict() {
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    let path = scene.path("message");
    let nobody = scene.ada.post(&path, &[("subject", "Hello"), ("text", "Hello")]).await;
    assert!(nobody.status == 200 && !nobody.text.contains(">Send<"), "{}", nobody.text);
    scene.sign_up("Early", ("Bob", "bob@example.org"), "").await;
    let send = [("subject", "Hello"), ("text", "Hello"), ("confirmed", "yes")];
    let strange = [&send[..], &[("slot_id", UNKNOWN)]].concat();
    assert_eq!(scene.ada.post(&path, &strange).await.status, 404);
    for expected in [303, 303, 303, 303, 303, 409] {
        let sent = scene.ada.post(&path, &send).await;
        assert_eq!(sent.status, expected, "{}", sent.text);
    }
    let cancelled = server.post(&format!("/v1/events/{}/cancel", scene.id()), &json!({})).await;
    assert_eq!(cancelled.status, 200);
    let late = scene.ada.post(&path, &[]).await;
    assert_eq!(late.status, 409, "{}", late.text);
    assert!(
        late.text.contains("because the event is cancelled") && !late.text.contains("#subject"),
        "{}",
        late.text
    );
}
