//! The console's page of volunteers' data: found by address, downloaded and erased.

use serde_json::json;

use crate::console::{ADA, Organizer, wait_for_code};
use crate::console_guard::assert_protected;
use crate::console_signups::{HOSTILE, Scene};
use crate::harness::{Answer, Server};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
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
