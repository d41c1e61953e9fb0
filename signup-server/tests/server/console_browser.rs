//! The pages of signing in and of the settings in headless Chromium. axe-core finds no violation in any state.

use thirtyfour::prelude::*;

use crate::browser::{Browser, axe};
use crate::console::{ADA, wait_for_code};
use crate::harness::{Server, event};
use crate::mailbox::Mailbox;

/// Types a text into the field of this name.
async fn fill(browser: &Browser, name: &str, text: &str) {
    let field = browser.driver.find(By::Css(format!("main [name={name}]:not([type=hidden])"))).await.unwrap();
    field.clear().await.unwrap();
    field.send_keys(text).await.unwrap();
}

/// Presses the button with this text in the main part of the page.
async fn press(browser: &Browser, text: &str) {
    let button = format!("//main//button[starts-with(normalize-space(.), '{text}')]");
    browser.driver.find(By::XPath(button)).await.unwrap().click().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_sets_up_signs_in_and_makes_a_token_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let url = |path: &str| format!("{}{path}", server.url);
    browser.go(&server.console).await;
    browser.look("console-first-owner", &axe).await;
    for (name, text) in
        [("organization_name", "Riverside"), ("contact", "help@riverside.example.org"), ("email", "ada")]
    {
        fill(&browser, name, text).await;
    }
    press(&browser, "Set up").await;
    browser.wait_for("There is a problem").await;
    browser.look("console-first-owner-refused", &axe).await;
    fill(&browser, "email", ADA).await;
    fill(&browser, "name", "Ada Lovelace").await;
    press(&browser, "Set up").await;
    browser.wait_for("Sign out").await;

    server.create(&event()).await;
    for page in
        ["settings", "settings/members", "settings/tokens", "settings/webhooks", "settings/activity", "leave"]
    {
        browser.go(&url(&format!("/console/riverside/{page}"))).await;
        browser.look(&format!("console-{}", page.replace('/', "-")), &axe).await;
    }
    browser.go(&url("/console/riverside/settings/members")).await;
    fill(&browser, "email", "grace@example.org").await;
    fill(&browser, "name", "Grace Hopper").await;
    press(&browser, "Invite").await;
    browser.wait_for("Open invitations").await;
    browser.look("console-invited", &axe).await;

    browser.go(&url("/console/riverside/settings/tokens")).await;
    fill(&browser, "name", "Calendar script").await;
    press(&browser, "Create").await;
    browser.wait_for("There is a problem").await;
    browser.look("console-token-refused", &axe).await;
    browser.driver.find(By::Id("scopes")).await.unwrap().click().await.unwrap();
    press(&browser, "Create").await;
    browser.wait_for("Your new API token").await;
    browser.look("console-token", &axe).await;

    browser.go(&url("/console/riverside/settings/webhooks")).await;
    fill(&browser, "url", "https://hooks.example.org/in").await;
    press(&browser, "Create").await;
    browser.wait_for("The secret of the webhook").await;
    browser.driver.find(By::LinkText("Go to the webhook")).await.unwrap().click().await.unwrap();
    browser.wait_for("Deliveries").await;
    press(&browser, "Send test").await;
    browser.wait_for("webhook.test").await;
    browser.look("console-webhook", &axe).await;

    browser.go(&url("/sign-out")).await;
    browser.look("console-sign-out", &axe).await;
    press(&browser, "Sign out everywhere").await;
    browser.wait_for("Enter your email address").await;
    browser.look("console-sign-in", &axe).await;
    browser.go(&url("/console/riverside/settings/tokens")).await;
    fill(&browser, "email", ADA).await;
    press(&browser, "Continue").await;
    browser.wait_for("Check your email").await;
    browser.look("console-code", &axe).await;
    let code = wait_for_code(&mailbox, ADA, 0).await;
    fill(&browser, "code", &code).await;
    press(&browser, "Sign in").await;
    browser.wait_for("Calendar script").await;
    browser.go(&url("/console/nowhere/")).await;
    browser.look("console-not-found", &axe).await;
}
