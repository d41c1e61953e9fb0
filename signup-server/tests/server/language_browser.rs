//! The pages and a mail in each language in headless Chromium, on the way of a volunteer who finds a shift full and waits.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::browser::{Browser, axe};
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::pictures::Pictures;
use crate::wait::wait_until;

/// The pictures of waiting, in each language.
pub(crate) const PICTURES: &Pictures = &[
    ("event.html", &["full-de", "full-en-US", "full-es", "full-fr"]),
    ("sign_up.html", &["wait-de", "wait-en-US", "wait-es", "wait-fr"]),
    ("signed_up.html", &["waiting-de", "waiting-en-US", "waiting-es", "waiting-fr"]),
    ("places.html", &["in-line-de", "in-line-en-US", "in-line-es", "in-line-fr"]),
    ("cancel_place.html", &["leave-de", "leave-en-US", "leave-es", "leave-fr"]),
    ("news_mail.html", &["mail-waiting-de", "mail-waiting-en-US", "mail-waiting-es", "mail-waiting-fr"]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_joins_a_waiting_list_in_each_language() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let url = |path: &str| format!("{}{path}", server.url);
    for language in ["de", "en-US", "es", "fr"] {
        let mut event = published();
        event["language"] = json!(language);
        event["waitlist_enabled"] = json!(true);
        let page = Page::create(&server, &event).await;
        let late = page.slot("Late");
        server.patch(&format!("/v1/slots/{late}"), &json!({"capacity": 1})).await;
        page.signed_up(&server, &late, "Ada", "ada@example.org").await;
        browser.go_and_look(&url(&page.path), &format!("full-{language}"), &axe).await;
        browser.of_shift(&late, "a.button").await.click().await.unwrap();
        let hidden = browser.driver.find(By::Css("input[name=waitlist]")).await.unwrap();
        assert_eq!(hidden.attr("value").await.unwrap().as_deref(), Some("1"));
        browser.look(&format!("wait-{language}"), &axe).await;
        let email = format!("bob-{}@example.org", language.to_lowercase());
        browser.send_form("Bob", &email).await;
        browser.wait_for("Bob").await;
        browser.look(&format!("waiting-{language}"), &axe).await;
        let mail = wait_until(SOON, async || {
            let mail = mailbox.mails().into_iter().find(|mail| mail.to == email);
            mail.ok_or_else(|| format!("no mail to {email} arrived"))
        })
        .await;
        let path = mail.signup_path().unwrap();
        browser.go_and_look(&url(&path), &format!("in-line-{language}"), &axe).await;
        browser.go_and_look(&url(&format!("{path}/cancel")), &format!("leave-{language}"), &axe).await;
        browser.look_at_mail(&format!("mail-waiting-{language}"), &mail, &axe).await;
    }
    browser.assert_has_pictures(PICTURES);
}
