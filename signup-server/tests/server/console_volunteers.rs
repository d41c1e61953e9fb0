//! The console's pages of volunteers: the list over all events, and the data that is found by address, downloaded and erased.

use serde_json::json;

use crate::console::{ADA, Organizer, wait_for_code};
use crate::console_guard::assert_protected;
use crate::console_signups::{HOSTILE, Scene, link};
use crate::harness::{Answer, Server};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::wait::wait_until;

const PATH: &str = "/console/riverside/settings/people";

async fn act(browser: &Organizer<'_>, action: &str, email: &str) -> Answer {
    browser.post(PATH, &[("action", action), ("email", email)]).await
}

#[tokio::test]
async fn the_page_and_the_download_have_everything_that_is_stored_about_an_address() {
    // No mail server listens there, so the mails wait.
    let server = Server::start(&["--smtp", "smtp://127.0.0.1:1"]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Early", (&format!("Bob {HOSTILE}"), "bob@example.org"), HOSTILE).await;
    scene.sign_up("Late", ("Bob", "BOB@example.org"), "").await;
    scene.sign_up("Late", ("Eve", "eve@example.org"), "").await;
    assert_eq!(scene.ada.get(PATH).await.status, 200);
    let found = act(&scene.ada, "find", " Bob@Example.org ").await;
    assert!(found.status == 200 && found.text.contains("2 sign-ups and"), "{}", found.text);
    assert!(!found.text.contains("Eve<") && !found.text.contains("as Eve"), "{}", found.text);

    let export = act(&scene.ada, "export", "bob@example.org").await;
    assert_eq!((export.status, export.header("content-type")), (200, Some("application/json")));
    assert_protected(&export, "volunteer.json");
    assert_eq!(export.header("content-disposition"), Some("attachment; filename=\"volunteer.json\""));
    let data = export.json();
    let [late, early] = data["signups"].as_array().unwrap().as_slice() else { panic!("{data}") };
    assert_eq!((&late["email"], &late["status"]), (&json!("BOB@example.org"), &json!("confirmed")));
    assert_eq!(early["answers"][0]["value"], HOSTILE);
    assert_eq!(early["event"]["organization"], "Riverside");
    assert_eq!(data["mails"][0]["cause"], "news");
    assert!(!export.text.contains("eve@"), "{data}");
}

#[tokio::test]
async fn export_and_erase_require_a_recent_sign_in() {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite_with(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Early", ("Bob", "bob@example.org"), "").await;
    server.sql("UPDATE sign_ins SET created_at = created_at - 901").await;
    // The server may show the former row for a second.
    wait_until(SOON, async || {
        let page = scene.ada.get("/console/riverside/settings/tokens").await.text;
        if page.contains("Before you can change") { Ok(()) } else { Err(page) }
    })
    .await;
    for fields in
        [&[("action", "export")][..], &[("action", "erase")], &[("action", "erase"), ("confirmed", "yes")]]
    {
        let refused = scene.ada.post(PATH, &[fields, &[("email", "bob@example.org")]].concat()).await;
        assert!(refused.status == 403 && refused.text.contains("Email me a code"), "{}", refused.text);
        assert!(refused.text.contains("fill in the form again"), "{}", refused.text);
    }
    assert!(act(&scene.ada, "find", "bob@example.org").await.text.contains("1 sign-up and"));
    assert!(mailbox.mails().iter().all(|mail| mail.to != ADA), "a code is mailed only when it is asked for");

    scene.ada.post("/sign-in", &[("email", ADA), ("next", PATH)]).await;
    let code = wait_for_code(&mailbox, ADA, 0).await;
    let entered = scene.ada.post("/sign-in/code", &[("code", &*code), ("next", PATH)]).await;
    assert_eq!((entered.status, entered.header("location")), (303, Some(PATH)));
    assert_eq!(act(&scene.ada, "export", "bob@example.org").await.status, 200);
}

#[tokio::test]
async fn volunteers_are_listed_over_all_events_and_lead_to_their_places() {
    const LIST: &str = "/console/riverside/volunteers";
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    let other = Page::create(&server, &published()).await;
    scene.sign_up("Early", ("=Jürgen Öz", "juergen@example.org"), "").await;
    scene.sign_up("Late", (&format!("Ana {HOSTILE}"), "JUERGEN@example.org"), "").await;
    other.signed_up(&server, &other.slot("Early"), "Jürgen", "juergen@example.org").await;
    for number in 0..26 {
        scene.sign_up("Early", ("Zoe", &format!("v{number:02}@example.org")), "").await;
    }
    let first = scene.ada.get(LIST).await;
    assert!(first.text.contains("v23@") && !first.text.contains("v24@"), "{}", first.text);
    let second = scene.ada.get(&link(&first, "Next page").unwrap()).await;
    assert!(second.text.contains("v24@") && !second.text.contains("v23@"), "{}", second.text);
    assert_eq!((link(&second, "Next page"), link(&first, "Previous page")), (None, None));
    assert!(scene.ada.get(&link(&second, "Previous page").unwrap()).await.text.contains("v23@"));
    let searched = scene.ada.get(&format!("{LIST}?q=ZO")).await;
    assert!(!searched.text.contains("juergen@"), "{}", searched.text);
    let next = link(&searched, "Next page").unwrap();
    assert!(next.contains("q=ZO") && scene.ada.get(&next).await.text.contains("v25@"), "{next}");
    for (query, status, sentence) in [
        ("q=oz+jurg", 200, ">juergen@example.org<"),
        ("q=nobody", 200, "No volunteers match your search."),
        ("cursor=x", 422, "Go back to the first page of the list"),
    ] {
        let found = scene.ada.get(&format!("{LIST}?{query}")).await;
        assert!(found.status == status && found.text.contains(sentence), "{query}: {}", found.text);
    }

    let found = scene.ada.get(&format!("{LIST}?q=ana")).await;
    let volunteer = scene.ada.get(&link(&found, "=Jürgen Öz, Ana").unwrap()).await;
    for part in ["Food drive", "Drive &#60;script", "<dd>3</dd>", "Download or erase this data"] {
        assert!(volunteer.text.contains(part), "{part}: {}", volunteer.text);
    }

    let csv = scene.ada.get(&format!("{LIST}.csv")).await;
    assert_eq!((csv.status, csv.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    assert_protected(&csv, "volunteers.csv");
    let lines: Vec<_> = csv.text.trim_start_matches('\u{feff}').split("\r\n").collect();
    assert_eq!(lines[0], "names,email,signups,attended,absent,hours,first_day,last_day");
    assert!(lines[1].ends_with(",\"juergen@example.org\",3,0,0,0,2027-06-05,2097-06-05"), "{}", lines[1]);
    assert!(lines[1].starts_with("\"'=Jürgen Öz; Ana "), "{}", lines[1]);
    assert_eq!(lines.len(), 1 + 27 + 1, "{}", csv.text);
    let european = scene.ada.get(&format!("{LIST}.csv?separator=semicolon")).await.text;
    assert!(european.contains("names;email;") && european.contains(";3;0;0;0;"), "{european}");
    assert_eq!(scene.ada.get(&format!("{LIST}.csv?separator=tab")).await.status, 422);
}
