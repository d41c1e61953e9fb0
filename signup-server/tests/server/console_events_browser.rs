//! The pages of events of the console in headless Chromium. axe-core finds no violation in any state.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::browser::{Browser, axe};
use crate::console_events::ROOT;
use crate::harness::{Server, event};
use crate::pages::{Page, published};

/// Types a text into the field of this name.
async fn fill(browser: &Browser, name: &str, text: &str) {
    let field =
        browser.driver.find(By::Css(format!("main [name='{name}']:not([type=hidden])"))).await.unwrap();
    field.clear().await.unwrap();
    field.send_keys(text).await.unwrap();
}

/// Presses the button with this text in the main part of the page.
async fn press(browser: &Browser, text: &str) {
    let button = format!("//main//button[normalize-space(.)='{text}']");
    browser.driver.find(By::XPath(button)).await.unwrap().click().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_organizer_creates_and_changes_events_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let server = Server::start(&[]);
    let url = |path: &str| format!("{}{ROOT}{path}", server.url);
    browser.go(&server.console).await;
    for (name, text) in [
        ("organization_name", "Riverside"),
        ("contact", "help@riverside.example.org"),
        ("email", "ada@example.org"),
        ("name", "Ada Lovelace"),
    ] {
        fill(&browser, name, text).await;
    }
    press(&browser, "Set up").await;
    browser.wait_for("No events yet.").await;
    browser.look("console-home-empty", &axe).await;

    browser.go(&url("/events/new")).await;
    browser.look("console-event-new", &axe).await;
    fill(&browser, "title", "حملة الغذاء").await;
    fill(&browser, "shifts.0.title", "Till").await;
    fill(&browser, "shifts.0.each_minutes", "7").await;
    press(&browser, "More rows").await;
    browser.wait_for("Shift 6").await;
    press(&browser, "Create event").await;
    browser.wait_for("There is a problem").await;
    browser.look("console-event-refused", &axe).await;

    let mut large = published();
    large["title"] = json!("A very long title of a food drive in the community hall ".repeat(4));
    let shift = |number: u32| json!({"title": format!("Shift {number} סידור המדפים"), "start_time": format!("{:02}:00", number % 23), "capacity": 1 + number % 3});
    large["shifts"] = (0..200).map(shift).collect();
    let large = Page::create(&server, &large).await;
    let slot = large.event["slots"][0]["id"].as_str().unwrap();
    assert_eq!(large.sign_up(&server, slot, "דוד", "bo@example.org").await.status, 303);
    let mut none = event();
    none["shifts"] = json!([]);
    let none = Page::create(&server, &none).await;
    let [large, none] = [&large, &none].map(|page| page.event["id"].as_str().unwrap());
    let question = json!({"label": "Size", "type": "select", "options": ["S", "M"]});
    let question = server.post(&format!("/v1/events/{large}/questions"), &question).await.data();
    browser.go(&url("/")).await;
    browser.look("console-home", &axe).await;
    for (state, path) in [
        ("event-200-shifts", format!("/events/{large}")),
        ("event-no-shifts", format!("/events/{none}")),
        ("event-edit", format!("/events/{large}/edit")),
        ("event-copy", format!("/events/{large}/duplicate")),
        ("event-publish", format!("/events/{none}/publish")),
        ("event-unpublish", format!("/events/{none}/unpublish")),
        ("event-cancel", format!("/events/{large}/cancel")),
        ("event-delete", format!("/events/{none}/delete")),
        ("shifts-new", format!("/events/{none}/shifts/new")),
        ("question-new", format!("/events/{none}/questions/new")),
        ("question-edit", format!("/questions/{}/edit", question["id"].as_str().unwrap())),
        ("shift-delete", format!("/shifts/{slot}/delete")),
    ] {
        browser.go(&url(&path)).await;
        browser.look(&format!("console-{state}"), &axe).await;
    }

    browser.go(&url(&format!("/shifts/{slot}/edit"))).await;
    browser.look("console-shift-edit", &axe).await;
    server.patch(&format!("/v1/slots/{slot}"), &json!({"title": "Theirs"})).await;
    fill(&browser, "title", "Mine").await;
    press(&browser, "Save changes").await;
    browser.wait_for("This has been changed since you opened the page").await;
    browser.look("console-conflict", &axe).await;
    fill(&browser, "location", "Dock 5").await;
    press(&browser, "Save changes").await;
    browser.wait_for("Email them (1 email)").await;
    browser.look("console-ask", &axe).await;
    press(&browser, "Save changes").await;
    browser.wait_for("Dock 5").await;

    browser.go(&url(&format!("/events/{large}/cancel"))).await;
    press(&browser, "Cancel event").await;
    browser.wait_for("This cancels 1 sign-up.").await;
    press(&browser, "Cancel event").await;
    browser.wait_for("Cancelled").await;
    browser.look("console-event-cancelled", &axe).await;
}
