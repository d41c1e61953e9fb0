//! An organizer at work in headless Chromium: an event from its first form to its cancellation, and a token.

use thirtyfour::prelude::*;

use crate::browser::Browser;
use crate::console::{ADA, Organizer, wait_for_code, wait_for_text};
use crate::harness::Server;
use crate::mailbox::Mailbox;

/// The address of the volunteer.
const BOB: &str = "bob@example.org";

/// Signs Ada in with a mailed code.
async fn sign_in(browser: &Browser, server: &Server, mailbox: &Mailbox) {
    browser.go(&format!("{}/sign-in", server.url)).await;
    browser.fill("email", ADA).await;
    browser.press("Continue").await;
    browser.wait_for("Check your email").await;
    browser.fill("code", &wait_for_code(mailbox, ADA, 0).await).await;
    browser.press("Sign in").await;
    browser.wait_for("No events yet.").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_is_created_published_changed_copied_and_cancelled_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    Organizer::first_owner(&server).await;
    sign_in(&browser, &server, &mailbox).await;

    browser.follow("Create the first one").await;
    browser.wait_for("New event").await;
    for (name, text) in [
        ("title", "Food drive"),
        ("start_date", "2097-06-05"),
        ("shifts.0.title", "Packing"),
        ("shifts.0.start_time", "09:00"),
        ("shifts.0.end_time", "12:00"),
        ("shifts.0.capacity", "2"),
        ("shifts.0.each_minutes", "60"),
        ("shifts.1.title", "Driving"),
        ("shifts.1.capacity", "3"),
    ] {
        browser.fill(name, text).await;
    }
    let zone = browser.driver.find(By::Css("#timezone option[value='Europe/Berlin']")).await.unwrap();
    zone.click().await.unwrap();
    browser.press("Create event").await;
    browser.wait_for("9 of 9 still needed").await;
    browser.press("Publish").await;
    browser.wait_for("Volunteers can see the public page and sign up.").await;
    let event = browser.driver.current_url().await.unwrap();

    browser.follow("Open the public page").await;
    browser.wait_for("is looking for volunteers").await;
    let shift = browser.driver.find(By::XPath("//li[.//h3 = 'Driving']")).await.unwrap();
    let slot = shift.id().await.unwrap().unwrap();
    browser.sign_up(slot.strip_prefix("slot-").unwrap(), "Bob", BOB).await;
    browser.wait_for("your place on Driving is saved").await;
    wait_for_text(&mailbox, BOB, "Driving").await;
    browser.go(event.as_str()).await;
    browser.wait_for("8 of 9 still needed").await;
    browser.follow("Sign-ups").await;
    browser.wait_for(BOB).await;

    browser.go(event.as_str()).await;
    browser.follow("Edit").await;
    browser.wait_for("Edit Food drive").await;
    browser.fill("location", "Riverside Hall").await;
    browser.press("Save changes").await;
    browser.wait_for("Email them (1 email)").await;
    browser.press("Save changes").await;
    browser.wait_for("Riverside Hall").await;
    wait_for_text(&mailbox, BOB, "Riverside Hall").await;

    browser.follow("Copy to another date").await;
    browser.wait_for("Copy Food drive").await;
    browser.fill("start_date", "2097-07-05").await;
    browser.press("Copy event").await;
    browser.wait_for("Friday 5 July 2097").await;
    browser.wait_for("9 of 9 still needed").await;

    browser.go(event.as_str()).await;
    browser.unfold("More").await;
    browser.follow("Cancel event").await;
    browser.wait_for("Cancel Food drive").await;
    browser.fill("reason", "The hall is flooded.").await;
    browser.press("Cancel event").await;
    browser.wait_for("This cancels 1 sign-up.").await;
    browser.press("Cancel event").await;
    browser.wait_for("The public page says that the event is cancelled.").await;
    wait_for_text(&mailbox, BOB, "The hall is flooded.").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_made_in_a_browser_works_until_it_is_revoked_there() {
    let Some(browser) = Browser::start().await else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let ada = Organizer::first_owner(&server).await;
    let grace = ada.invite(&mailbox, "grace@example.org", "organizer").await;
    let tokens = format!("{}/console/riverside/settings/tokens", server.url);
    browser.sign_in_as(&ada).await;
    browser.go(&tokens).await;
    browser.fill("name", "Calendar script").await;
    let scope = browser.driver.find(By::Css("[name=scopes][value='events:read']")).await.unwrap();
    scope.click().await.unwrap();
    browser.press("Create").await;
    browser.wait_for("Your new API token").await;
    let token = browser.driver.find(By::Css("code.once")).await.unwrap().text().await.unwrap();
    let status = async || server.answer(server.request("GET", "/v1/events").bearer_auth(&token)).await.status;
    assert_eq!(status().await, 200);
    browser.go(&tokens).await;
    assert!(!browser.driver.source().await.unwrap().contains(&token), "a token is shown once");
    let button = "//li[contains(., 'Calendar script')]//button";
    browser.driver.find(By::XPath(button)).await.unwrap().click().await.unwrap();
    browser.wait_for("Revoked on").await;
    assert_eq!(status().await, 401);

    browser.sign_in_as(&grace).await;
    for (page, text) in [
        (format!("{}/console/riverside/", server.url), "No events yet."),
        (tokens, "Only an admin or an owner of this organization can do this."),
    ] {
        browser.go(&page).await;
        browser.wait_for(text).await;
        let links = browser.driver.find_all(By::Css("a[href*='/settings']")).await.unwrap();
        assert!(links.is_empty(), "an organizer has no settings: {page}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_form_that_is_changed_after_going_back_says_what_it_has_created() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    browser.sign_in_as(&Organizer::first_owner(&server).await).await;
    browser.go(&format!("{}/console/riverside/events/new", server.url)).await;
    browser.fill("title", "Gala").await;
    browser.fill("start_date", "2097-06-05").await;
    let zone = browser.driver.find(By::Css("#timezone option[value='Europe/Berlin']")).await.unwrap();
    zone.click().await.unwrap();
    browser.press("Create event").await;
    browser.wait_for("Copy to another date").await;
    browser.driver.back().await.unwrap();
    browser.wait_for("New event").await;
    assert_eq!(browser.field("title").await.value().await.unwrap().as_deref(), Some("Gala"));
    browser.fill("title", "Ball").await;
    browser.press("Create event").await;
    browser.wait_for("It created the event “Gala”.").await;
    assert_eq!(server.count_events().await, 1);
}
