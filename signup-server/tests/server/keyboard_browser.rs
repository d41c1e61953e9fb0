//! The keyboard in headless Chromium: the Tab key reaches every action, and the focus is seen.

use thirtyfour::prelude::*;

use crate::browser::{Browser, DESKTOP, PHONE};
use crate::console_signups::Scene;
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::wait::wait_until;

/// A script: numbers what the Tab key should reach, in the order of the page. Returns how many elements these are.
const NUMBER: &str = "
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]')];
    const stops = all.filter(element => element.type !== 'hidden' && element.tabIndex >= 0 && element.checkVisibility()
        && (element.type !== 'radio' || element.checked));
    stops.forEach((element, number) => element.dataset.stop = number);
    return stops.length;";

/// A script: returns the number of the element that has the focus, and whether its outline is seen on the screen.
const FOCUS: &str = "
    const element = document.activeElement, style = getComputedStyle(element), box = element.getBoundingClientRect();
    const isOutlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
    const isOnScreen = box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
    return [Number(element.dataset.stop ?? -1), isOutlined && isOnScreen, element.outerHTML];";

async fn press(browser: &Browser, key: Key) {
    browser.driver.action_chain().send_keys(key).perform().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tab_key_reaches_every_action_in_order_and_the_focus_is_seen() {
    let Some(browser) = Browser::start().await else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Late", ("Grace Hopper", "grace@example.org"), "").await;
    let places = wait_until(SOON, async || {
        let of_grace = mailbox.mails().into_iter().find(|mail| mail.to == "grace@example.org");
        of_grace.and_then(|mail| mail.signup_path()).ok_or_else(|| "no mail to Grace arrived".to_owned())
    })
    .await;
    browser.sign_in_as(&scene.ada).await;
    for path in [
        scene.page.path.clone(),
        places.clone(),
        format!("{places}/cancel"),
        scene.path(""),
        scene.path("signups"),
        "/console/riverside/events/new".to_owned(),
        "/console/riverside/settings/members".to_owned(),
        "/console/riverside/settings/tokens".to_owned(),
    ] {
        for (screen, scheme) in [(DESKTOP, "light"), (PHONE, "dark")] {
            browser.screen(screen, scheme).await;
            browser.go(&format!("{}{}", server.url, path.trim_end_matches('/'))).await;
            let stops: i64 = browser.driver.execute(NUMBER, vec![]).await.unwrap().convert().unwrap();
            assert!(stops > 2, "{path}");
            let mut at = -1;
            // An input of a date or a time takes several presses.
            for _ in 0..stops * 8 {
                press(&browser, Key::Tab).await;
                let focus = browser.driver.execute(FOCUS, vec![]).await.unwrap();
                let (stop, is_seen, element): (i64, bool, String) = focus.convert().unwrap();
                assert!(stop == at || stop == at + 1, "{path}: {stop} after {at} of {stops}: {element}");
                assert!(is_seen, "{path} on {screen:?}: the focus is not seen on {element}");
                at = stop;
                if at == stops - 1 {
                    break;
                }
            }
            assert_eq!(at, stops - 1, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_link_skips_to_the_main_content() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    browser.sign_in_as(&scene.ada).await;
    browser.go(&format!("{}{}", server.url, scene.path("signups"))).await;
    press(&browser, Key::Tab).await;
    let skip = browser.driver.active_element().await.unwrap();
    assert_eq!(skip.text().await.unwrap(), "Skip to main content");
    press(&browser, Key::Enter).await;
    press(&browser, Key::Tab).await;
    let first = browser.driver.find(By::Css("main a")).await.unwrap();
    let focused = browser.driver.active_element().await.unwrap();
    assert_eq!(focused.element_id(), first.element_id());
}

/// Without a script: the summary has the attribute `autofocus`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_summary_of_faults_has_the_focus_and_leads_to_the_fields() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    browser.sign_in_as(&scene.ada).await;
    for (path, button) in [
        (scene.path("message"), "Preview"),
        ("/console/riverside/events/new".to_owned(), "Create event"),
        ("/console/riverside/settings/members".to_owned(), "Invite"),
    ] {
        browser.go(&format!("{}{path}", server.url)).await;
        browser.press(button).await;
        browser.wait_for("There is a problem").await;
        let focused = browser.driver.active_element().await.unwrap();
        assert_eq!(focused.id().await.unwrap().as_deref(), Some("problems"), "{path}");
        // The first link leads to the first field that is to be corrected.
        press(&browser, Key::Tab).await;
        press(&browser, Key::Enter).await;
        let focused = browser.driver.active_element().await.unwrap();
        assert_eq!(focused.attr("aria-invalid").await.unwrap().as_deref(), Some("true"), "{path}");
    }
}
