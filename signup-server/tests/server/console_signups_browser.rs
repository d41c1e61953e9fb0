//! The pages of sign-ups and volunteers' data in headless Chromium. axe-core finds no violation in any state.

use thirtyfour::prelude::*;

use crate::browser::{Browser, axe};
use crate::console_signups::Scene;
use crate::harness::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_ups_are_read_printed_cancelled_and_erased_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    let url = |path: &str| format!("{}{path}", server.url);
    browser.go(&url("/sign-in")).await;
    let cookie = Cookie::new("signup", scene.ada.cookie("signup").unwrap());
    browser.driver.add_cookie(cookie).await.unwrap();
    let press = async |text: &str| {
        let button = format!("//main//button[normalize-space(.) = '{text}']");
        browser.driver.find(By::XPath(button)).await.unwrap().click().await.unwrap();
    };
    let fill = async |name: &str, text: &str| {
        let field = format!("main [name={name}]:not([type=hidden])");
        browser.driver.find(By::Css(field)).await.unwrap().send_keys(text).await.unwrap();
    };

    browser.go(&url(&scene.path("signups"))).await;
    browser.look("console-signups-empty", &axe).await;
    scene
        .sign_up("Late", ("Grace Hopper", "grace@example.org"), "No nuts, no milk, and please no mushrooms")
        .await;
    scene.sign_up("Late", ("مريم العلوي", "maryam@example.org"), "نباتي").await;
    scene
        .sign_up(
            "Early",
            (&"Wolfeschlegelsteinhausenbergerdorff".repeat(3), &format!("{}@example.org", "x".repeat(60))),
            "",
        )
        .await;
    for (page, state) in [
        ("signups", "console-signups"),
        ("signups?q=nobody", "console-signups-none"),
        ("signups?status=maybe", "console-signups-refused"),
        ("roster", "console-roster"),
        ("roster?addresses=1", "console-roster-addresses"),
    ] {
        browser.go(&url(&scene.path(page))).await;
        browser.look(state, &axe).await;
    }

    browser.go(&url(&scene.path("signups?q=grace"))).await;
    browser
        .driver
        .find(By::XPath("//main//table//a[starts-with(., 'Cancel')]"))
        .await
        .unwrap()
        .click()
        .await
        .unwrap();
    browser.wait_for("Optional.").await;
    browser.look("console-cancel-signup", &axe).await;
    fill("reason", "The hall is closed").await;
    press("Continue").await;
    browser.wait_for("We’ll email grace@example.org").await;
    browser.look("console-cancel-signup-ask", &axe).await;
    press("Cancel the place").await;
    browser.wait_for("Cancelled by the organizer").await;

    browser.go(&url("/console/riverside/settings/people")).await;
    browser.look("console-people", &axe).await;
    fill("email", "grace@example.org").await;
    press("Find").await;
    browser.wait_for("1 sign-up is stored").await;
    browser.look("console-people-found", &axe).await;
    press("Erase").await;
    browser.wait_for("You can’t undo this").await;
    browser.look("console-people-erase", &axe).await;
    press("Erase").await;
    browser.wait_for("The data has been erased").await;
    browser.look("console-people-erased", &axe).await;
}
