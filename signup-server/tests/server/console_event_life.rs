//! Changes in the console that mail volunteers: whom the page asks about, and who gets no mail.

use serde_json::json;

use crate::console::Organizer;
use crate::console_events::{Fields, ROOT};
use crate::harness::{Answer, Server};
use crate::mailbox::Mailbox;
use crate::mails::{SOON, to, with_mailbox};
use crate::pages::{Page, published};

#[tokio::test]
async fn an_unticked_checkbox_mails_no_volunteer() {
    let (server, mailbox) = with_mailbox("memory:");
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &published()).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    for (slot, email) in [(&early, "bo@example.org"), (&early, "cy@example.org"), (&late, "di@example.org")] {
        page.signed_up(&server, slot, "Bo", email).await;
    }
    mailbox.wait_for(3, SOON).await;
    let signups = server.get(&format!("/v1/signups?slot_id={early}")).await.data();
    let event = page.event["id"].as_str().unwrap();
    for (path, field, value) in [
        (format!("shifts/{early}/edit"), "location", "Dock 5"),
        (format!("events/{event}/edit"), "start_date", "2027-06-12"),
        (format!("signups/{}/cancel", signups[0]["id"].as_str().unwrap()), "reason", "No room"),
        (format!("shifts/{late}/delete"), "reason", "No room"),
        (format!("events/{event}/cancel"), "reason", "The hall is flooded"),
    ] {
        let path = format!("{ROOT}/{path}");
        let typed = Fields::of(&ada.get(&path).await).without("confirmed").with(field, value);
        let asked = typed.post(&ada, &path).await;
        assert_eq!(asked.status, 200, "{path}: {}", asked.text);
        let mut form = Fields::of(&asked);
        assert_eq!((form.get("notify_volunteers"), form.get(field)), ("yes", value), "{path}");
        form.0.retain(|(name, _)| name != "notify_volunteers");
        assert_eq!(form.post(&ada, &path).await.status, 303, "{path}");
    }
    assert_eq!(server.get("/v1/signups?status=confirmed").await.data(), json!([]));
    mailbox.wait_for_exactly(3, SOON).await;
}

#[tokio::test]
async fn a_volunteer_who_signs_up_while_the_page_asks_is_mailed() {
    let mailbox = Mailbox::start();
    let server = Server::start_on("memory:", &["--smtp", &mailbox.url(), "--change-mail-delay", "0"]);
    let ada = Organizer::first_owner(&server).await;
    let mut forward = published();
    forward["start_date"] = json!("2088-03-14");
    let page = Page::create(&server, &forward).await;
    let sign_up = async |email| {
        page.signed_up(&server, &page.slot("Early"), "Bo", email).await;
    };
    let edit = format!("{ROOT}/shifts/{}/edit", page.slot("Early"));
    let form = Fields::of(&ada.get(&edit).await);
    let asked = form.with("start_time", "02:30").post(&ada, &edit).await;
    assert!(asked.status == 200 && !asked.text.contains("type=\"checkbox\""), "{}", asked.text);
    sign_up("bo@example.org").await;
    mailbox.wait_for(1, SOON).await;
    assert_eq!(Fields::of(&asked).post(&ada, &edit).await.status, 303);
    let mails = mailbox.wait_for(2, SOON).await;
    assert_eq!(to(&mails), ["bo@example.org"; 2]);

    // The box is about one sign-up, and another one follows.
    let cancel = format!("{ROOT}/events/{}/cancel", page.event["id"].as_str().unwrap());
    for (path, field) in [(&edit, ("location", "Hall 9")), (&cancel, ("reason", "Storm"))] {
        let before = mailbox.count();
        let unticked = |asked: &Answer| {
            let mut form = Fields::of(asked);
            form.0.retain(|(name, _)| name != "notify_volunteers");
            form
        };
        let asked = Fields::of(&ada.get(path).await).with(field.0, field.1).post(&ada, path).await;
        let email = if path == &edit { "cy@example.org" } else { "di@example.org" };
        sign_up(email).await;
        mailbox.wait_for(before + 1, SOON).await;
        let again = unticked(&asked).post(&ada, path).await;
        assert!(again.status == 200 && again.text.contains("at most "), "{}", again.text);
        assert_eq!(Fields::of(&again).get(field.0), field.1, "{path}");
        assert_eq!(unticked(&again).post(&ada, path).await.status, 303, "{path}: everybody was asked about");
        mailbox.wait_for_exactly(before + 1, SOON).await;
    }
}
