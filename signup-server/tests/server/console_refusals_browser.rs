//! The pages of the console for signing in, for invitations, and for refused requests, in headless Chromium. axe-core finds no
//! violation.

use serde_json::Value;
use thirtyfour::prelude::*;

use crate::browser::{Browser, axe};
use crate::console::{ADA, Organizer, wait_for_text};
use crate::every_route::UNKNOWN;
use crate::harness::{Server, event};
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::pictures::Pictures;
use crate::wait::wait_until;

/// The pictures of invitations, sign-ins and requests that are refused.
pub(crate) const SIGN_INS: &Pictures = &[
    ("console/refused.html", &["console-missing-role", "console-record-gone", "console-last-owner"]),
    (
        "console/refused_outside.html",
        &["console-invitation-gone", "console-too-many-codes", "console-cross-site"],
    ),
    ("console/other_person.html", &["console-other-person"]),
    ("console/confirm.html", &["console-confirm"]),
    ("console/settings/tokens.html", &["console-tokens-not-recent"]),
];

/// The pictures of actions on an event that are refused.
pub(crate) const EVENTS: &Pictures = &[
    ("console/refused.html", &["console-event-has-sign-ups", "console-too-many-messages"]),
    ("console/organizations.html", &["console-organizations"]),
    ("console/publish.html", &["console-publish-limit"]),
    ("console/event_new.html", &["console-event-new-limit"]),
];

/// Starts a browser, and a server on a new SQLite file in a folder. Returns both with the text of axe-core, the folder and the
/// mailbox; `None` if the browser or axe-core is not installed.
async fn start() -> Option<(Browser, String, Server, Mailbox, tempfile::TempDir)> {
    let (browser, axe) = (Browser::start().await?, axe()?);
    let (folder, mailbox) = (tempfile::tempdir().unwrap(), Mailbox::start());
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    let server = Server::start_on(&database, &["--smtp", &mailbox.url()]);
    Some((browser, axe, server, mailbox, folder))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invitations_and_sign_ins_that_do_not_work_say_what_to_do_next() {
    let Some((browser, axe, server, mailbox, _folder)) = start().await else { return };
    let url = |path: &str| format!("{}{path}", server.url);
    let ada = Organizer::first_owner(&server).await;

    let invitation = [
        ("action", "invite"),
        ("email", "grace@example.org"),
        ("name", "Grace Hopper"),
        ("role", "organizer"),
    ];
    assert_eq!(ada.post("/console/riverside/settings/members", &invitation).await.status, 303);
    let mail = wait_for_text(&mailbox, "grace@example.org", "/invitations/").await;
    let link = mail.split_whitespace().find(|word| word.contains("/invitations/")).unwrap();
    browser.sign_in_as(&ada).await;
    browser.go(link).await;
    browser.wait_for("This invitation is for someone else").await;
    browser.look("console-other-person", &axe).await;
    let grace = Organizer::new(&server);
    let accepted = grace.post(link.strip_prefix(&server.url).unwrap(), &[("name", "Grace Hopper")]).await;
    assert_eq!(accepted.status, 303, "{}", accepted.text);
    browser.go(link).await;
    browser.wait_for("This invitation doesn’t work any more").await;
    browser.look("console-invitation-gone", &axe).await;

    let hanna = ada.invite(&mailbox, "hanna@example.org", "owner").await;
    browser.go(&url("/console/riverside/leave")).await;
    assert_eq!(hanna.post("/console/riverside/leave", &[]).await.status, 303);
    browser.press_and_look("Leave", "An organization needs an owner", "console-last-owner", &axe).await;
    browser.go(&url(&format!("/console/riverside/events/{UNKNOWN}"))).await;
    browser.wait_for("Page not found").await;
    browser.look("console-record-gone", &axe).await;

    // A page of another site.
    let form =
        format!("<form method=post action={}><button>Leave</button></form>", url("/console/riverside/leave"));
    browser.go(&format!("data:text/html,{form}")).await;
    browser.driver.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    browser.wait_for("Your browser says that another website sent this.").await;
    browser.look("console-cross-site", &axe).await;

    // The code was entered 20 minutes ago. The server may have cached the sign-in.
    server.sql("UPDATE sign_ins SET created_at = created_at - 1200 RETURNING 1").await;
    wait_until(SOON, async || {
        browser.go(&url("/console/riverside/settings/tokens")).await;
        let page = browser.driver.source().await.unwrap();
        if page.contains("Email me a code") { Ok(()) } else { Err("the sign-in is still recent".to_owned()) }
    })
    .await;
    browser.look("console-tokens-not-recent", &axe).await;
    browser.press_and_look("Create", "Nothing has been done yet.", "console-confirm", &axe).await;

    browser.sign_in_as(&grace).await;
    browser.go(&url("/console/riverside/settings/tokens")).await;
    browser.wait_for("You can’t do this").await;
    browser.look("console-missing-role", &axe).await;

    for _ in 0..5 {
        Organizer::new(&server).post("/sign-in", &[("email", ADA)]).await;
    }
    browser.go(&url("/sign-out")).await;
    browser.press("Sign out").await;
    browser.wait_for("Enter your email address").await;
    browser.fill("email", ADA).await;
    browser.press_and_look("Continue", "Too many attempts.", "console-too-many-codes", &axe).await;
    browser.assert_has_pictures(SIGN_INS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_on_an_event_that_are_refused_say_why() {
    let Some((browser, axe, server, _mailbox, _folder)) = start().await else { return };
    let url = |path: &str| format!("{}{path}", server.url);
    let ada = Organizer::first_owner(&server).await;
    browser.sign_in_as(&ada).await;

    let page = Page::create(&server, &published()).await;
    let event_path = format!("/console/riverside/events/{}", page.event["id"].as_str().unwrap());
    browser.go(&url(&format!("{event_path}/delete"))).await;
    // Somebody signs up while the question is on the screen.
    page.signed_up(&server, &page.slot("Early"), "Bob", "bob@example.org").await;
    browser
        .press_and_look(
            "Delete",
            "You can’t delete or unpublish the event.",
            "console-event-has-sign-ups",
            &axe,
        )
        .await;
    let message = [("subject", "Hello"), ("text", "Hello"), ("confirmed", "yes")];
    for _ in 0..5 {
        assert_eq!(ada.post(&format!("{event_path}/message"), &message).await.status, 303);
    }
    browser.go(&url(&format!("{event_path}/message"))).await;
    browser.fill("subject", "Hello").await;
    browser.fill("text", "Hello").await;
    browser
        .press_and_look("Preview", "You’ve sent 5 messages within a day", "console-too-many-messages", &axe)
        .await;

    // An organization whose plan allows five active events.
    server.command("organization create --name Harbor --plan free");
    browser.go(&url(&server.invite("harbor", ADA, "owner"))).await;
    browser.press("Accept").await;
    browser.wait_for("No events yet.").await;
    browser.go_and_look(&url("/console"), "console-organizations", &axe).await;
    let token = server.command("token create --organization harbor --name Harbor");
    let create = async |event: Value| {
        let request = server.request("POST", "/v1/events").bearer_auth(token["token"].as_str().unwrap());
        let created = server.answer(request.json(&event)).await;
        assert_eq!(created.status, 201, "{}", created.text);
        created.data()
    };
    for _ in 0..5 {
        create(published()).await;
    }
    let draft = create(event()).await;
    browser.go(&url(&format!("/console/harbor/events/{}/publish", draft["id"].as_str().unwrap()))).await;
    browser.press_and_look("Publish", "Your plan’s limit is reached", "console-publish-limit", &axe).await;
    browser.go(&url("/console/harbor/events/new")).await;
    browser.fill("title", "Beach clean").await;
    browser.fill("start_date", "2097-06-05").await;
    browser.field("is_published").await.click().await.unwrap();
    browser
        .press_and_look("Create event", "Your plan’s limit is reached", "console-event-new-limit", &axe)
        .await;
    browser.assert_has_pictures(EVENTS);
}
