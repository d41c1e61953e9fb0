//! The pages of events of the console in headless Chromium. axe-core finds no violation in any state.

use serde_json::json;

use crate::browser::{Browser, DESKTOP, PHONE, axe};
use crate::console_events::ROOT;
use crate::harness::{Server, event};
use crate::page_layout::busy_event;
use crate::pages::{Page, published};
use crate::pictures::Pictures;

/// The pictures of events, shifts and questions.
pub(crate) const PICTURES: &Pictures = &[
    ("console/home.html", &["console-home-empty", "console-home"]),
    ("console/events_found.html", &["console-events-found"]),
    ("console/event_new.html", &["console-event-new", "console-event-refused"]),
    (
        "console/event.html",
        &[
            "console-event-unfolded",
            "console-event-200-shifts",
            "console-event-no-shifts",
            "console-event-over",
            "console-event-cancelled",
        ],
    ),
    ("console/event_edit.html", &["console-event-edit"]),
    ("console/event_copy.html", &["console-event-copy"]),
    ("console/publish.html", &["console-event-publish"]),
    (
        "console/ask.html",
        &[
            "console-event-unpublish",
            "console-event-delete",
            "console-question-delete",
            "console-ask",
            "console-event-cancel-ask",
        ],
    ),
    ("console/reason.html", &["console-event-cancel", "console-shift-delete"]),
    ("console/shifts_new.html", &["console-shifts-new", "console-shifts-refused"]),
    ("console/question.html", &["console-question-new", "console-question-edit", "console-question-refused"]),
    ("console/shift_edit.html", &["console-shift-edit", "console-conflict"]),
    ("console/settings/invitation_link.html", &["console-invitation-link"]),
];

/// A script: disables each field and each button of the page and enables it again. Returns those whose look did not change.
const ENABLED_LOOKS: &str = "
    const look = element => {
        const style = getComputedStyle(element);
        return [style.borderStyle, style.backgroundColor, style.color, style.cursor].join();
    };
    const fields = document.querySelectorAll('main :is(input:not([type=hidden]), select, textarea, button)');
    return [...fields].filter(field => {
        const enabled = look(field);
        field.disabled = true;
        const disabled = look(field);
        field.disabled = false;
        return enabled === disabled || !disabled.endsWith('not-allowed');
    }).map(field => field.name);";

/// A script: returns the titles of the shifts whose bars do not stand below the hours of their day, from edge to edge.
const BARS_BESIDE_THE_HOURS: &str = "
    const edges = element => { const {left, right} = element.getBoundingClientRect(); return [left, right]; };
    return [...document.querySelectorAll('.timeline summary')].filter(row => {
        const hours = edges(row.closest('.timeline').querySelector('.hours'));
        const bars = edges(row.querySelector('.bars'));
        const places = edges(row.querySelector('.places'));
        const isApart = hours.some((edge, at) => Math.abs(edge - bars[at]) > 1);
        return isApart || places[0] < bars[0] - 1 || places[1] > bars[1] + 1 || bars[1] - bars[0] < 150;
    }).map(row => row.querySelector('h3, h4').textContent);";

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
        browser.fill(name, text).await;
    }
    browser.press_and_look("Set up", "No events yet.", "console-home-empty", &axe).await;

    browser.go_and_look(&url("/events/new"), "console-event-new", &axe).await;
    browser.fill("title", "حملة الغذاء").await;
    browser.fill("shifts.0.title", "Till").await;
    browser.unfold("More settings").await;
    browser.fill("shifts.0.each_minutes", "7").await;
    browser.press("More rows").await;
    browser.wait_for("10").await;
    let focused = "return [document.activeElement.name, document.activeElement.getBoundingClientRect().top]";
    let (name, top): (String, f64) =
        browser.driver.execute(focused, vec![]).await.unwrap().convert().unwrap();
    assert!(name == "shifts.3.day" && (0.0..900.0).contains(&top), "{name} is at {top}");
    let disabled: Vec<String> =
        browser.driver.execute(ENABLED_LOOKS, vec![]).await.unwrap().convert().unwrap();
    assert_eq!(disabled, [""; 0], "each looks as if it were enabled");
    browser.press_and_look("Create event", "There is a problem", "console-event-refused", &axe).await;

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
    let question = question["id"].as_str().unwrap();
    let mut over = published();
    over["start_date"] = json!("2020-06-06");
    let over = Page::create(&server, &over).await;
    let over = over.event["id"].as_str().unwrap();
    browser.go_and_look(&url("/"), "console-home", &axe).await;
    browser.go_and_look(&url("/?q=food"), "console-events-found", &axe).await;
    let busy = busy_event(&server).await;
    browser.go(&url(&format!("/events/{}", busy.event["id"].as_str().unwrap()))).await;
    let unfold = "document.querySelectorAll('main details').forEach(details => details.open = true)";
    browser.driver.execute(unfold, vec![]).await.unwrap();
    browser.look("console-event-unfolded", &axe).await;
    for screen in [DESKTOP, PHONE] {
        browser.screen(screen, "light").await;
        let loose: Vec<String> =
            browser.driver.execute(BARS_BESIDE_THE_HOURS, vec![]).await.unwrap().convert().unwrap();
        assert_eq!(loose, [""; 0], "these bars are not over their hours on {screen:?}");
    }
    for (state, path) in [
        ("event-200-shifts", format!("/events/{large}")),
        ("event-no-shifts", format!("/events/{none}")),
        ("event-over", format!("/events/{over}")),
        ("event-edit", format!("/events/{large}/edit")),
        ("event-copy", format!("/events/{large}/duplicate")),
        ("event-publish", format!("/events/{none}/publish")),
        ("event-unpublish", format!("/events/{none}/unpublish")),
        ("event-cancel", format!("/events/{large}/cancel")),
        ("event-delete", format!("/events/{none}/delete")),
        ("shifts-new", format!("/events/{none}/shifts/new")),
        ("question-new", format!("/events/{none}/questions/new")),
        ("question-edit", format!("/questions/{question}/edit")),
        ("question-delete", format!("/questions/{question}/delete")),
        ("shift-delete", format!("/shifts/{slot}/delete")),
    ] {
        browser.go_and_look(&url(&path), &format!("console-{state}"), &axe).await;
    }

    browser.go(&url(&format!("/events/{none}/shifts/new"))).await;
    browser.fill("shifts.0.title", "Till").await;
    browser.fill("shifts.2.capacity", "-1").await;
    browser.press_and_look("Add shifts", "There is a problem", "console-shifts-refused", &axe).await;
    browser.go(&url(&format!("/questions/{question}/edit"))).await;
    browser.fill("label", "").await;
    browser.fill("options", "").await;
    browser.press_and_look("Save changes", "There is a problem", "console-question-refused", &axe).await;

    browser.go_and_look(&url(&format!("/shifts/{slot}/edit")), "console-shift-edit", &axe).await;
    server.patch(&format!("/v1/slots/{slot}"), &json!({"title": "Theirs"})).await;
    browser.fill("title", "Mine").await;
    browser
        .press_and_look(
            "Save changes",
            "This has been changed since you opened the page",
            "console-conflict",
            &axe,
        )
        .await;
    browser.fill("location", "Dock 5").await;
    browser
        .press_and_look(
            "Save changes",
            "This changes the time or the place for 1 sign-up.",
            "console-ask",
            &axe,
        )
        .await;
    browser.press("Save changes").await;
    browser.wait_for("Dock 5").await;

    browser.go(&url(&format!("/events/{}/cancel", busy.event["id"].as_str().unwrap()))).await;
    browser.press_and_look("Cancel event", "This cancels", "console-event-cancel-ask", &axe).await;
    browser.press_and_look("Cancel event", "Cancelled", "console-event-cancelled", &axe).await;

    browser.go(&url("/settings/members")).await;
    browser.fill("email", "grace@example.org").await;
    browser.fill("name", "Grace Hopper").await;
    browser.press_and_look("Invite", "The link of the invitation", "console-invitation-link", &axe).await;
    browser.assert_has_pictures(PICTURES);
}
