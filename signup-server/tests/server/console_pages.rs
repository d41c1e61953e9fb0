//! Each page of the console, and each of its forms filled in once: the snapshots show what a person reads.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::console::Organizer;
use crate::console_events::{Fields, ROOT};
use crate::console_roles::{Records, pages};
use crate::coverage::create_event_of_today;
use crate::harness::{Answer, Server, event};
use crate::lives::{id, path};
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::snapshots::{readable, stable};
use crate::wait::wait_until;

/// The arguments of a server whose mails wait: no mail server listens there.
const SMTP: [&str; 2] = ["--smtp", "smtp://127.0.0.1:1"];

/// Returns a page as a person reads it, without its last lines, which each page has.
fn shown(page: &Answer) -> String {
    readable(page).split("\nYou’re signed in as").next().unwrap().to_owned()
}

/// Returns the name of a page in the names of files.
fn name_of(page: &str) -> String {
    let name = page.trim_matches('/').replace(['/', '{', '}', '?', '='], "_");
    if name.is_empty() { "home".to_owned() } else { name }
}

#[tokio::test]
async fn each_page_of_the_console() {
    let server = Server::start(&SMTP);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let mut count = 0;
    for page in pages("GET") {
        let answer = ada.get(&records.path(&page)).await;
        if answer.header("content-type") == Some("text/html; charset=utf-8") {
            assert_snapshot!(format!("page_{}", name_of(&page)), stable(&readable(&answer)));
            count += 1;
        }
    }
    assert!(count > 25, "{count} pages");
}

/// A page with what is typed into its fields. `*` takes the value that the page has.
type Filled = (&'static str, &'static [(&'static str, &'static str)]);

/// Every form of the console. Each is accepted after those before it.
#[rustfmt::skip]
const FORMS: [Filled; 30] = [
    ("/settings", &[("name", "Riverside Pantry"), ("contact", "desk@riverside.example.org"), ("privacy_url", "https://riverside.example.org/privacy"), ("sport", "Rowing"), ("public_url", "https://riverside.example.org/")]),
    ("/settings/members", &[("action", "invite"), ("email", "grace@example.org"), ("name", "Grace"), ("role", "organizer")]),
    ("/settings/members", &[("action", "invite"), ("email", "ada@example.org"), ("name", "Ada"), ("role", "admin")]),
    ("/settings/members", &[("action", "withdraw"), ("invitation_id", "*")]),
    ("/settings/tokens", &[("action", "create"), ("name", "import"), ("scopes", "events:read"), ("expires_in_days", "30")]),
    ("/settings/tokens", &[("action", "revoke"), ("token_id", "*")]),
    ("/settings/webhooks", &[("action", "create"), ("url", "https://hooks.example.org/in"), ("types", "event.*")]),
    ("/settings/webhooks/{id}", &[("action", "test")]),
    ("/settings/webhooks/{id}", &[("action", "disable")]),
    ("/settings/webhooks/{id}", &[("action", "enable")]),
    ("/settings/webhooks/{id}", &[("action", "update"), ("url", "https://hooks.example.org/out"), ("types", "signup.*"), ("description", "Calendar")]),
    ("/settings/webhooks/{id}", &[("action", "rotate")]),
    ("/settings/webhooks/{id}", &[("action", "delete")]),
    ("/settings/people", &[("action", "find"), ("email", "bo@example.org")]),
    ("/events/new", &[("title", "Gala"), ("start_date", "2099-06-05"), ("timezone", "America/New_York"), ("shifts.0.title", "Till"), ("shifts.0.start_time", "09:00"), ("shifts.0.end_time", "17:00"), ("shifts.0.each_minutes", "240"), ("shifts.0.capacity", "2")]),
    ("/events/new", &[("title", "Night"), ("start_date", "2088-03-14"), ("timezone", "America/New_York"), ("shifts.0.title", "Early"), ("shifts.0.start_time", "02:30"), ("shifts.0.end_time", "05:00"), ("shifts.0.capacity", "2")]),
    ("/events/{id}/edit", &[("location", "Hall B"), ("badge_label", "New")]),
    ("/events/{id}/duplicate", &[("title", "Copy"), ("start_date", "2099-07-03")]),
    ("/events/{id}/publish", &[]),
    ("/events/{id}/unpublish", &[]),
    ("/events/{id}/shifts/new", &[("shifts.0.title", "Night"), ("shifts.0.start_time", "20:00"), ("shifts.0.capacity", "3")]),
    ("/shifts/{id}/edit", &[("title", "Later"), ("start_time", "14:00"), ("location", "Dock 5")]),
    ("/shifts/{id}/delete", &[]),
    ("/events/{id}/questions/new", &[("label", "Shirt"), ("type", "select"), ("options", "S\r\nM\r\n"), ("required", "yes")]),
    ("/questions/{id}/edit", &[("label", "Food"), ("position", "7")]),
    ("/questions/{id}/delete", &[]),
    ("/events/{id}/message", &[("subject", "Gloves"), ("text", "Bring gloves: https://example.org/gloves")]),
    ("/events/{id}/cancel", &[("reason", "The hall is flooded")]),
    ("/events/{id}/delete", &[]),
    ("/settings/people", &[("action", "erase"), ("email", "bo@example.org")]),
];

#[tokio::test]
async fn each_form_asks_where_it_mails_somebody_and_says_what_was_done() {
    let server = Server::start(&SMTP);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let mut text = String::new();
    for (page, typed) in FORMS {
        let path = records.path(page);
        let loaded = Fields::of(&ada.get(&path).await);
        let form = if page.starts_with("/settings/") { Fields(vec![]) } else { loaded.clone() };
        let value = |name: &str, value: &str| {
            if value == "*" { loaded.get(name).to_owned() } else { value.to_owned() }
        };
        let form = typed.iter().fold(form, |form, (name, typed)| form.with(name, &value(name, typed)));
        let mut answer = form.post(&ada, &path).await;
        text += &format!("\n=== {page} {typed:?}\n");
        if answer.text.contains("name=\"confirmed\"") {
            text += &format!("{}\n", shown(&answer));
            answer = Fields::of(&answer).post(&ada, &path).await;
        }
        match answer.header("location") {
            Some(location) => {
                let next = ada.get(location).await;
                let is_secret = page.starts_with("/settings/") && next.text.contains("class=\"once\"");
                let (_, said) = next.text.split_once("role=\"status\">").unwrap_or(("", "<p></p>"));
                let said =
                    if is_secret { shown(&next) } else { said.split("</div>").next().unwrap().to_owned() };
                text += &format!("{} {location}\n{said}\n", answer.status);
            }
            None => text += &format!("{}\n", shown(&answer)),
        }
    }
    // Some mails become several when the worker gets to them.
    let lines: Vec<_> = text.lines().filter(|line| !line.contains(" unsent email")).collect();
    assert_snapshot!(stable(&lines.join("\n")));
}

/// Returns the page of an event, as Ada sees it.
async fn page_of(ada: &Organizer<'_>, event: &Value) -> Answer {
    ada.get(&format!("{ROOT}/events/{}", id(event))).await
}

#[tokio::test]
async fn an_event_in_each_state() {
    let server = Server::start(&SMTP);
    let ada = Organizer::first_owner(&server).await;
    let dated = |mut event: Value, date: &str| {
        event["start_date"] = json!(date);
        event
    };
    let mut bare = dated(event(), "2099-06-05");
    bare["shifts"] = json!([]);
    let mut minimum = dated(published(), "2099-06-05");
    minimum["shifts"][0]["minimum"] = json!(2);
    for (name, body, is_cancelled) in [
        ("draft_without_shifts", bare, false),
        ("published_with_a_minimum", minimum, false),
        ("cancelled", dated(published(), "2099-06-05"), true),
        ("cancelled_draft", dated(event(), "2099-06-05"), true),
        ("over", dated(published(), "2026-01-03"), false),
        ("draft_over", dated(event(), "2026-01-03"), false),
    ] {
        let event = server.create(&body).await;
        if is_cancelled {
            assert_eq!(server.post(&format!("{}/cancel", path(&event)), &json!({})).await.status, 200);
        }
        assert_snapshot!(format!("event_{name}"), stable(&shown(&page_of(&ada, &event).await)));
    }
    let home = ada.get(&format!("{ROOT}/")).await;
    assert_snapshot!("home_with_events_in_each_state", stable(&shown(&home)));
}

#[tokio::test]
async fn an_event_of_today_with_shifts_in_each_state() {
    let server = Server::start(&SMTP);
    let event = create_event_of_today(&server).await.event;
    let ada = Organizer::first_owner(&server).await;
    for (name, query) in [("by_time", ""), ("first_open", "?order=gaps")] {
        let page = ada.get(&format!("{ROOT}/events/{}{query}", id(&event))).await;
        let shown = stable(&shown(&page));
        // The zone follows from the present hour.
        let shifts: Vec<_> = shown
            .lines()
            .skip_while(|line| !line.contains("still needed"))
            .filter(|line| !line.contains(':'))
            .collect();
        assert_snapshot!(format!("shifts_{name}"), shifts.join("\n"));
    }
}

#[tokio::test]
async fn an_event_whose_shifts_take_no_sign_up_a_roster_with_people_and_a_poster() {
    let server = Server::start(&SMTP);
    let ada = Organizer::first_owner(&server).await;
    let mut event = published();
    event["start_date"] = json!("2099-06-05");
    let page = Page::create(&server, &event).await;
    for (name, email) in [("Zoe", "zoe@example.org"), ("Ángel", "angel@example.org")] {
        page.signed_up(&server, &page.slot("Late"), name, email).await;
    }
    let at = format!("{ROOT}/events/{}", id(&page.event));
    assert_snapshot!("poster", stable(&shown(&ada.get(&format!("{at}/poster")).await)));
    for (file, content_type) in [("qr.svg", "image/svg+xml"), ("qr.png", "image/png")] {
        let found = ada.get(&format!("{at}/{file}")).await;
        assert_eq!((found.status, found.header("content-type")), (200, Some(content_type)));
    }
    assert_snapshot!("roster", stable(&shown(&ada.get(&format!("{at}/roster?addresses=1")).await)));
    for title in ["Early", "Late"] {
        assert_eq!(
            server.patch(&format!("/v1/slots/{}", page.slot(title)), &json!({"capacity": 0})).await.status,
            200
        );
    }
    let mut text = String::new();
    for path in [format!("{ROOT}/"), at.clone(), format!("{at}/signups"), format!("{at}/roster")] {
        text += &format!("{}\n\n", shown(&ada.get(&path).await));
    }
    assert_snapshot!("no_sign_up_for_any_shift", stable(&text));
}

/// The pages that refuse what cannot be done, before and after the form was sent.
#[tokio::test]
async fn what_cannot_be_done_is_explained_where_it_happens() {
    let server = Server::start_on_sqlite().restart_with(&SMTP);
    let ada = Organizer::owner_of_starter(&server).await;
    let root = "/console/starter";
    let mut event = published();
    event["start_date"] = json!("2099-06-05");
    let page = Page::create(&server, &event).await;
    page.signed_up(&server, &page.slot("Early"), "Bo", "bo@example.org").await;
    event["is_published"] = json!(false);
    let draft = server.create(&event).await;
    let cancelled = server.create(&event).await;
    assert_eq!(server.post(&format!("{}/cancel", path(&cancelled)), &json!({})).await.status, 200);
    event["is_published"] = json!(true);
    for _ in 0..4 {
        server.create(&event).await;
    }
    server.command("organization plan --organization starter --plan free");
    let publish = format!("{root}/events/{}/publish", id(&draft));
    // The server may read the plan up to a second late.
    wait_until(SOON, async || match ada.get(&publish).await.text {
        text if text.contains("5 of 5 active events are in use") => Ok(()),
        text => Err(text),
    })
    .await;
    let at = |event: &Value, rest: &str| format!("{root}/events/{}/{rest}", id(event));
    let mut text = String::new();
    for (path, confirmed) in [
        (publish, "yes"),
        (at(&draft, "edit"), "yes"),
        (at(&page.event, "delete"), "yes"),
        (at(&page.event, "unpublish"), "yes"),
        (at(&cancelled, "edit"), "yes"),
        (at(&cancelled, "publish"), "yes"),
        (at(&cancelled, "cancel"), "yes"),
        (at(&cancelled, "message"), "yes"),
        (format!("{root}/leave"), "yes"),
        (at(&json!({"id": "none"}), "edit"), "yes"),
    ] {
        let page = ada.get(&path).await;
        let form = Fields::of(&page).with("confirmed", confirmed).with("is_published", "yes");
        let refused = form.post(&ada, &path).await;
        text += &format!("=== GET {path}\n{}\n\n=== POST {path}\n{}\n\n", shown(&page), shown(&refused));
    }
    assert_snapshot!(stable(&text));
}
