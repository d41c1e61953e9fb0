//! The console's pages on which an event is published, copied, cancelled and deleted, and its shifts and questions change.

use serde_json::json;

use crate::console::Organizer;
use crate::console_events::{Fields, ROOT, event_of, location, mistakes};
use crate::harness::{Answer, Server, event};
use crate::mailbox::Mailbox;
use crate::mails::{SOON, to, with_mailbox};
use crate::pages::{Page, published};
use crate::wait::wait_until;

#[tokio::test]
async fn an_event_is_published_copied_and_made_a_draft() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &event()).await;
    let path = format!("{ROOT}/events/{}", page.event["id"].as_str().unwrap());
    let shown = ada.get(&path).await;
    assert!(shown.text.contains("Draft") && shown.text.contains(page.event["public_url"].as_str().unwrap()));
    assert_eq!(ada.get(&format!("{path}/publish")).await.status, 200);
    assert_eq!(location(&ada.post(&format!("{path}/publish"), &[]).await), path);
    assert_eq!(page.get(&server).await.status, 200);
    assert!(ada.get(&format!("{ROOT}/")).await.text.contains("still needed"));
    assert_eq!(ada.get(&format!("{path}/unpublish")).await.status, 200);
    assert_eq!(location(&ada.post(&format!("{path}/unpublish"), &[]).await), path);
    assert_eq!(page.get(&server).await.status, 404);

    let copy = format!("{path}/duplicate");
    let form = Fields::of(&ada.get(&copy).await);
    assert_eq!(mistakes(&form.post(&ada, &copy).await), [("start_date", "Enter the first day")]);
    let form = form.with("start_date", "2027-07-03");
    let copied = form.post(&ada, &copy).await;
    assert_ne!(location(&copied), path);
    assert_eq!(location(&form.post(&ada, &copy).await), location(&copied));
    assert!(ada.get(location(&copied)).await.text.contains("Saturday 3 July 2027"));
}

#[tokio::test]
async fn a_plan_that_is_used_up_is_explained_where_it_happens() {
    let server = Server::start_on_sqlite();
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &event()).await;
    let publish = format!("{ROOT}/events/{}/publish", page.event["id"].as_str().unwrap());
    server.manage(&["organization", "plan", "--organization", "riverside", "--plan", "free"]);
    for day in 1..=5 {
        let mut other = published();
        other["start_date"] = json!(format!("2027-07-0{day}"));
        server.create(&other).await;
    }
    // The server may read the plan up to a second late.
    wait_until(SOON, async || match ada.get(&publish).await.text {
        text if text.contains("5 of 5 active events are in use") => Ok(()),
        text => Err(text),
    })
    .await;
    let refused = ada.post(&publish, &[]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Your plan allows 5 active events"), "{}", refused.text);

    let (new, edit) = (format!("{ROOT}/events/new"), publish.replace("/publish", "/edit"));
    let typed = |form: Fields| form.with("title", "One too many").with("is_published", "yes");
    let form = Fields::of(&ada.get(&new).await).with("start_date", "2027-07-09").with("timezone", "UTC");
    for (form, path) in [(form, &new), (Fields::of(&ada.get(&edit).await), &edit)] {
        let refused = typed(form).post(&ada, path).await;
        assert_eq!(refused.status, 422, "{path}");
        assert!(refused.text.contains("Your plan allows 5 active events"), "{path}: {}", refused.text);
        let kept = Fields::of(&refused);
        assert_eq!((kept.get("title"), kept.get("is_published")), ("One too many", "yes"), "{path}");
    }
    assert_eq!(event_of(&server, &edit.replace("/edit", "")).await["title"], "Food drive");
    assert_eq!(server.count_events().await, 6);
}

#[tokio::test]
async fn a_cancellation_asks_first_and_an_event_with_sign_ups_is_not_deleted_or_unpublished() {
    let (server, mailbox) = with_mailbox("memory:");
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &published()).await;
    assert_eq!(page.sign_up(&server, &page.slot("Early"), "Bo", "bo@example.org").await.status, 303);
    mailbox.wait_for(1, SOON).await;
    let path = format!("{ROOT}/events/{}", page.event["id"].as_str().unwrap());
    let [cancel, delete] = ["cancel", "delete"].map(|action| format!("{path}/{action}"));
    let unpublish = format!("{path}/unpublish");
    for (path, why) in [
        (&delete, "so you can’t delete it yet. Cancel the event first"),
        (&unpublish, "so you can’t unpublish it"),
    ] {
        let shown = ada.get(path).await.text;
        assert!(shown.contains(why) && shown.contains(&format!("href=\"{cancel}\"")), "{path}: {shown}");
    }
    let confirmed = [("confirmed", "yes")];
    for (path, form) in [(&delete, &[][..]), (&delete, &confirmed), (&unpublish, &confirmed)] {
        let refused = ada.post(path, form).await;
        assert!(
            refused.status == 409 && refused.text.contains("You can’t delete or unpublish the event"),
            "{}",
            refused.text
        );
    }

    let form = Fields::of(&ada.get(&cancel).await);
    let long = form.clone().with("reason", &"x".repeat(1001)).post(&ada, &cancel).await;
    assert_eq!((long.status, mistakes(&long)[0].0), (422, "reason"));
    let asked = form.with("reason", "The hall is flooded").post(&ada, &cancel).await;
    assert_eq!(asked.status, 200);
    assert!(asked.text.contains("This cancels 1 sign-up."), "{}", asked.text);
    assert_eq!(location(&Fields::of(&asked).post(&ada, &cancel).await), path);
    let mail = mailbox.wait_for(2, SOON).await.remove(1);
    assert!(mail.text().contains("The hall is flooded"));
    assert!(ada.get(&path).await.text.contains("The hall is flooded"));
    assert_eq!(ada.get(&format!("{path}/edit")).await.status, 409, "a cancelled event");

    let asked = ada.post(&delete, &[]).await;
    assert_eq!(asked.status, 200);
    assert_eq!(location(&Fields::of(&asked).post(&ada, &delete).await), format!("{ROOT}/"));
    assert_eq!(ada.get(&path).await.status, 404);
}

#[tokio::test]
async fn shifts_and_questions_are_added_changed_and_deleted() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &published()).await;
    let id = page.event["id"].as_str().unwrap();
    let path = format!("{ROOT}/events/{id}");
    let new = format!("{path}/shifts/new");
    let form = Fields::of(&ada.get(&new).await);
    assert_eq!(mistakes(&form.post(&ada, &new).await), [("shifts", "Enter at least one shift")]);
    let form = form
        .with("shifts.0.title", "Night")
        .with("shifts.0.start_time", "20:00")
        .with("shifts.0.capacity", "3");
    assert_eq!(location(&form.post(&ada, &new).await), path);
    let by_time = ada.get(&format!("{path}?order=time")).await;
    assert!(by_time.text.contains("20:00") && by_time.text.contains("24:00"), "an end at midnight");

    let early = page.slot("Early");
    assert_eq!(page.sign_up(&server, &early, "Bo", "bo@example.org").await.status, 303);
    let delete = format!("{ROOT}/shifts/{early}/delete");
    let asked = Fields::of(&ada.get(&delete).await).with("reason", "No room").post(&ada, &delete).await;
    assert!(asked.text.contains("This also cancels 1 sign-up."), "{}", asked.text);
    assert_eq!(location(&Fields::of(&asked).post(&ada, &delete).await), path);
    assert_eq!(server.get(&format!("/v1/slots/{early}")).await.status, 404);

    let new = format!("{path}/questions/new");
    let form = Fields::of(&ada.get(&new).await).with("label", "Size").with("type", "select");
    assert_eq!(mistakes(&form.post(&ada, &new).await)[0].0, "options");
    let added = form.with("options", "S\r\nM\r\n").with("required", "yes").post(&ada, &new).await;
    assert_eq!(location(&added), path);
    let questions = async || server.get(&format!("/v1/events/{id}/questions")).await.data();
    let question = questions().await[0].clone();
    assert_eq!((&question["options"], &question["required"]), (&json!(["S", "M"]), &json!(true)));
    let edit = format!("{ROOT}/questions/{}/edit", question["id"].as_str().unwrap());
    let form = Fields::of(&ada.get(&edit).await);
    assert_eq!(location(&form.with("options", "S\r\nM\r\nL").post(&ada, &edit).await), path);
    assert_eq!(questions().await[0]["options"], json!(["S", "M", "L"]));
    let delete = format!("{ROOT}/questions/{}/delete", question["id"].as_str().unwrap());
    assert_eq!(ada.get(&delete).await.status, 200);
    let asked = ada.post(&delete, &[]).await;
    assert_eq!(location(&Fields::of(&asked).post(&ada, &delete).await), path);
    assert_eq!(questions().await, json!([]));
}

#[tokio::test]
async fn an_unticked_checkbox_mails_no_volunteer() {
    let (server, mailbox) = with_mailbox("memory:");
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &published()).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    for (slot, email) in [(&early, "bo@example.org"), (&early, "cy@example.org"), (&late, "di@example.org")] {
        assert_eq!(page.sign_up(&server, slot, "Bo", email).await.status, 303);
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
        let asked = Fields::of(&ada.get(&path).await).with(field, value).post(&ada, &path).await;
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
        let signed_up = page.sign_up(&server, &page.slot("Early"), "Bo", email).await;
        assert_eq!(signed_up.status, 303, "{}", signed_up.text);
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
        assert!(again.status == 200 && again.text.contains("one for each sign-up"), "{}", again.text);
        assert_eq!(Fields::of(&again).get(field.0), field.1, "{path}");
        assert_eq!(unticked(&again).post(&ada, path).await.status, 303, "{path}: everybody was asked about");
        mailbox.wait_for_exactly(before + 1, SOON).await;
    }
}
