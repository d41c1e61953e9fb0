//! The pages of signing in and of the settings in headless Chromium. axe-core finds no violation in any state.

use thirtyfour::prelude::*;

use crate::browser::{Browser, axe};
use crate::console::{ADA, wait_for_code};
use crate::harness::{Server, event};
use crate::mailbox::{Mail, Mailbox};
use crate::mails::SOON;
use crate::pictures::Pictures;
use crate::wait::wait_until;

/// The pictures of signing in and of the settings.
pub(crate) const PICTURES: &Pictures = &[
    (
        "console/invitation.html",
        &["console-first-owner", "console-first-owner-refused", "console-invitation"],
    ),
    ("console/settings/organization.html", &["console-settings", "console-settings-refused"]),
    (
        "console/settings/members.html",
        &["console-settings-members", "console-invited", "console-members-refused"],
    ),
    ("console/settings/tokens.html", &["console-settings-tokens", "console-token-refused", "console-tokens"]),
    ("console/settings/token.html", &["console-token"]),
    (
        "console/settings/webhooks.html",
        &["console-settings-webhooks", "console-webhook-refused", "console-webhooks"],
    ),
    ("console/settings/secret.html", &["console-webhook-secret"]),
    ("console/settings/webhook.html", &["console-webhook", "console-webhook-disabled"]),
    ("console/settings/activity.html", &["console-settings-activity"]),
    ("console/leave.html", &["console-leave"]),
    ("console/sign_out.html", &["console-sign-out"]),
    ("console/sign_in.html", &["console-sign-in", "console-sign-in-refused"]),
    ("console/code.html", &["console-code", "console-code-refused"]),
    ("console/refused_outside.html", &["console-not-found"]),
    ("person_mail.html", &["mail-invitation", "mail-code"]),
];

/// Waits for a mail to an address.
async fn wait_for_mail(mailbox: &Mailbox, to: &str) -> Mail {
    wait_until(SOON, async || {
        mailbox.mails().into_iter().find(|mail| mail.to == to).ok_or(format!("no mail to {to}"))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_sets_up_signs_in_and_makes_a_token_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let url = |path: &str| format!("{}{path}", server.url);
    browser.go_and_look(&server.console, "console-first-owner", &axe).await;
    for (name, text) in
        [("organization_name", "Riverside"), ("contact", "help@riverside.example.org"), ("email", "ada")]
    {
        browser.fill(name, text).await;
    }
    browser.press_and_look("Set up", "There is a problem", "console-first-owner-refused", &axe).await;
    browser.fill("email", ADA).await;
    browser.fill("name", "Ada Lovelace").await;
    browser.press("Set up").await;
    browser.wait_for("Sign out").await;

    server.create(&event()).await;
    for page in
        ["settings", "settings/members", "settings/tokens", "settings/webhooks", "settings/activity", "leave"]
    {
        browser
            .go_and_look(
                &url(&format!("/console/riverside/{page}")),
                &format!("console-{}", page.replace('/', "-")),
                &axe,
            )
            .await;
    }
    browser.go(&url("/console/riverside/settings")).await;
    browser.fill("name", "").await;
    browser.fill("public_url", "riverside").await;
    browser.press_and_look("Save", "There is a problem", "console-settings-refused", &axe).await;

    browser.go(&url("/console/riverside/settings/members")).await;
    browser.press_and_look("Invite", "There is a problem", "console-members-refused", &axe).await;
    browser.fill("email", "grace@example.org").await;
    browser.fill("name", "Grace Hopper").await;
    browser.press_and_look("Invite", "Open invitations", "console-invited", &axe).await;

    browser.go(&url("/console/riverside/settings/tokens")).await;
    browser.fill("name", "Calendar script").await;
    browser.press_and_look("Create", "There is a problem", "console-token-refused", &axe).await;
    browser.driver.find(By::Id("scopes")).await.unwrap().click().await.unwrap();
    browser.press_and_look("Create", "Your new API token", "console-token", &axe).await;
    browser.follow("Back to the tokens").await;
    browser.wait_for("Calendar script").await;
    browser.press_and_look("Revoke", "Revoked on", "console-tokens", &axe).await;

    browser.go(&url("/console/riverside/settings/webhooks")).await;
    browser.fill("url", "http://localhost").await;
    browser.press_and_look("Create", "There is a problem", "console-webhook-refused", &axe).await;
    browser.fill("url", "https://hooks.example.org/in").await;
    browser.press_and_look("Create", "The secret of the webhook", "console-webhook-secret", &axe).await;
    browser.go_and_look(&url("/console/riverside/settings/webhooks"), "console-webhooks", &axe).await;
    browser.follow("https://hooks.example.org/in").await;
    browser.wait_for("Deliveries").await;
    browser.press_and_look("Send test", "webhook.test", "console-webhook", &axe).await;
    browser.press_and_look("Disable", "Disabled", "console-webhook-disabled", &axe).await;

    browser.go_and_look(&url("/sign-out"), "console-sign-out", &axe).await;
    browser.press_and_look("Sign out everywhere", "Enter your email address", "console-sign-in", &axe).await;
    browser.press_and_look("Continue", "There is a problem", "console-sign-in-refused", &axe).await;
    browser.go(&url("/console/riverside/settings/tokens")).await;
    browser.fill("email", ADA).await;
    browser.press_and_look("Continue", "Check your email", "console-code", &axe).await;
    let code = wait_for_code(&mailbox, ADA, 0).await;
    browser.fill("code", "aaaa").await;
    browser.press_and_look("Sign in", "There is a problem", "console-code-refused", &axe).await;
    browser.fill("code", &code).await;
    browser.press("Sign in").await;
    browser.wait_for("Calendar script").await;
    browser.go_and_look(&url("/console/nowhere/"), "console-not-found", &axe).await;
    browser.look_at_mail("mail-code", &wait_for_mail(&mailbox, ADA).await, &axe).await;
    let invitation = wait_for_mail(&mailbox, "grace@example.org").await;
    browser.look_at_mail("mail-invitation", &invitation, &axe).await;
    browser.go(&url("/sign-out")).await;
    browser.press("Sign out").await;
    browser.wait_for("Enter your email address").await;
    let text = invitation.text();
    browser
        .go_and_look(
            text.split_whitespace().find(|word| word.contains("/invitations/")).unwrap(),
            "console-invitation",
            &axe,
        )
        .await;
    browser.assert_has_pictures(PICTURES);
}
