//! The pages for volunteers in headless Chromium: a volunteer signs up and cancels, and every state is accessible.

use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::browser::{Browser, PHONE, axe};
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::page_layout::busy_event;
use crate::page_sign_ups::today;
use crate::pages::{Page, published};
use crate::pictures::Pictures;
use crate::wait::wait_until;

/// The pictures of the pages, apart from those of places that are gone.
pub(crate) const PAGES: &Pictures = &[
    ("start.html", &["start"]),
    ("docs.html", &["docs"]),
    ("event.html", &["open", "just-full", "full", "over", "empty", "long", "clock-change", "draft"]),
    ("sign_up.html", &["form", "bad-input"]),
    ("signed_up.html", &["signed-up"]),
    ("message.html", &["too-many-attempts", "not-found", "incomplete-link"]),
    ("places.html", &["my-places", "cancelled"]),
    ("cancel_place.html", &["cancel-place"]),
    ("choose_place.html", &["cancel-which", "cancel-none"]),
    ("news_mail.html", &["mail"]),
];

/// The pictures of a family that signs up for several shifts.
pub(crate) const FAMILY: &Pictures = &[
    ("event.html", &["chosen", "some-saved"]),
    ("sign_up.html", &["family", "overlap"]),
    ("signed_up.html", &["family-signed-up", "signed-up-elsewhere"]),
];

/// The pictures of cancelled events and of places that are gone.
pub(crate) const GONE: &Pictures = &[
    ("event.html", &["event-cancelled", "event-cancelled-refusal"]),
    (
        "places.html",
        &["shift-removed-my-place", "event-cancelled-my-place", "over-my-place", "removed-my-place"],
    ),
    ("news_mail.html", &["mail-cancelled"]),
];

/// The number of places that are left falls with the sign-up and rises with the cancellation by the mailed link.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_signs_up_and_cancels_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    let (url, early) = (format!("{}{}", server.url, page.path), page.slot("Early"));
    let left = async || browser.of_shift(&early, ".places").await.text().await.unwrap();
    browser.go(&url).await;
    assert_eq!(left().await, "4 of 4 places left");
    browser.sign_up(&early, "Ada", "ada@example.org").await;
    browser.wait_for("Your place is saved").await;
    browser.go(&url).await;
    assert_eq!(left().await, "3 of 4 places left");

    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    browser.go(&format!("{}{}", server.url, mail.signup_path().unwrap())).await;
    browser.wait_for("Your places").await;
    browser.driver.find(By::Css("a.button")).await.unwrap().send_keys(Key::Enter).await.unwrap();
    browser.wait_for("Do you want to cancel this place?").await;
    browser.driver.find(By::Tag("button")).await.unwrap().send_keys(Key::Enter).await.unwrap();
    browser.wait_for("You cancelled this place.").await;
    browser.go(&url).await;
    assert_eq!(left().await, "4 of 4 places left");
}

/// A parent of three signs up for two shifts that overlap, on a phone, and then once more for a shift that is nearly full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_family_of_four_signs_up_for_two_shifts_on_a_phone() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let page = busy_event(&server).await;
    let url = format!("{}{}", server.url, page.path);
    browser.screen(PHONE, "light").await;
    browser.go(&url).await;
    for title in ["Driving", "Taking down"] {
        let slot = page.slot(title);
        browser.of_shift(&slot, "input[type=checkbox]").await.send_keys(" ").await.unwrap();
    }
    browser.look("chosen", &axe).await;
    browser.screen(PHONE, "light").await;
    let button = By::XPath("//main//button[.='Sign up for the chosen shifts']");
    let button = browser.driver.find(button).await.unwrap();
    let bottom = "return [scrollY = 0, arguments[0].getBoundingClientRect().bottom, innerHeight]";
    let seen = browser.driver.execute(bottom, vec![button.to_json().unwrap()]).await.unwrap();
    let [_, bottom, height]: [f64; 3] = seen.convert().unwrap();
    assert!(bottom <= height, "the button is in view above the end of the list");
    button.click().await.unwrap();
    browser.wait_for("Your 2 shifts").await;
    browser.fill("name", "Ada").await;
    browser.fill("email", "family@example.org").await;
    for (row, name) in [(1, "Bo"), (2, "Cy"), (3, "Di")] {
        browser.press("Add another person").await;
        browser.wait_for(&format!("Person {}", row + 1)).await;
        let added = browser.driver.active_element().await.unwrap();
        let field = format!("people.{row}.name");
        assert_eq!(added.attr("name").await.unwrap(), Some(field.clone()), "the new field has the focus");
        browser.fill(&field, name).await;
    }
    assert_eq!(page.filled(&server, "Driving").await, 0, "to add a person signs nobody up");
    browser.look("family", &axe).await;
    browser.screen(PHONE, "light").await;
    browser.field("people.3.name").await.send_keys(Key::Enter).await.unwrap();
    browser.wait_for("There is a problem").await;
    browser.look("overlap", &axe).await;
    browser.screen(PHONE, "light").await;
    browser.field("overlap").await.click().await.unwrap();
    browser.field("name").await.send_keys(Key::Enter).await.unwrap();
    browser.wait_for("Ada, Bo, Cy and Di, your places on 2 shifts are saved.").await;
    browser.look("family-signed-up", &axe).await;
    for title in ["Driving", "Taking down"] {
        assert_eq!(page.filled(&server, title).await, 4, "{title}");
    }

    browser.follow("Choose another shift").await;
    browser.wait_for("Setting up").await;
    for title in ["Setting up", "Driving"] {
        let slot = page.slot(title);
        browser.of_shift(&slot, "input[type=checkbox]").await.send_keys(" ").await.unwrap();
    }
    browser.press("Sign up for the chosen shifts").await;
    browser.wait_for("Your 2 shifts").await;
    for (row, name) in [(1, "Fay"), (2, "Gus")] {
        browser.press("Add another person").await;
        browser.wait_for(&format!("Person {}", row + 1)).await;
        browser.fill(&format!("people.{row}.name"), name).await;
    }
    browser.send_form("Eve", "friends@example.org").await;
    browser.wait_for("We could only save some of your places").await;
    browser.wait_for("it doesn’t have 3 places left").await;
    browser.look("some-saved", &axe).await;
    browser.go(&format!("{url}/signed-up")).await;
    browser.driver.delete_all_cookies().await.unwrap();
    browser.go_and_look(&format!("{url}/signed-up"), "signed-up-elsewhere", &axe).await;
    browser.wait_for("Check your email").await;
    browser.assert_has_pictures(FAMILY);
}

/// axe-core finds no violation in any state. A test of the style proves that the colours of each theme are readable.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_state_of_the_pages_is_accessible() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite_with(&["--smtp", &mailbox.url()]);
    let url = |path: &str| format!("{}{path}", server.url);

    for (state, path) in [("start", "/"), ("docs", "/docs")] {
        browser.go(&url(path)).await;
        // Opens every answer, so that the check covers its contents.
        let open = "document.querySelectorAll('details').forEach(details => details.open = true)";
        browser.driver.execute(open, vec![]).await.unwrap();
        browser.look(state, &axe).await;
    }
    let page = busy_event(&server).await;
    browser.go_and_look(&url(&page.path), "open", &axe).await;
    let add = |arguments: &[&str]| {
        let event = page.event["id"].as_str().unwrap();
        server.manage(&[&["question", "add", "--event", event], arguments].concat())
    };
    add(&["--label", "T-shirt size", "--type", "select", "--option", "S", "--option", "M", "--required"]);
    add(&["--label", "I have read the safety rules", "--type", "checkbox", "--required"]);
    add(&["--label", "Anything that we should know?"]);
    let slot = page.slot("Setting up");
    browser.go_and_look(&url(&format!("{}/signups?slot_id={slot}", page.path)), "form", &axe).await;

    browser.do_not_validate().await;
    browser.send_form("", "ada@nowhere").await;
    browser.wait_for("There is a problem").await;
    browser.look("bad-input", &axe).await;

    let plain = Page::create(&server, &published()).await;
    let late = plain.slot("Late");
    browser.go(&url(&plain.path)).await;
    browser.sign_up(&late, "Ada", "first@example.org").await;
    browser.wait_for("Your place is saved").await;
    browser.look("signed-up", &axe).await;
    browser.go(&url(&plain.path)).await;
    browser.open_form(&late).await;
    // The last place is taken while the form is open.
    server.patch(&format!("/v1/slots/{late}"), &json!({"capacity": 1})).await;
    let event = format!("/v1/events/{}", plain.event["id"].as_str().unwrap());
    server.patch(&event, &json!({"waitlist_enabled": true})).await;
    browser.send_form("Bob", "bob@example.org").await;
    browser.wait_for("Sorry, this shift is full").await;
    browser.look("just-full", &axe).await;
    // The Enter key chooses the ticked shift. It does not press the button of the waiting list above.
    let early = plain.slot("Early");
    let tick = browser.of_shift(&early, "input[type=checkbox]").await;
    tick.send_keys(" ").await.unwrap();
    tick.send_keys(Key::Enter).await.unwrap();
    browser.wait_for("Your shift").await;
    assert_eq!(browser.driver.title().await.unwrap(), "Sign up: Food drive");
    browser.press("Choose other shifts").await;
    browser.wait_for("We’ve kept what you typed.").await;
    browser.of_shift(&early, "button").await.click().await.unwrap();
    browser.wait_for("Your shift").await;
    for (field, value) in [("name", "Bob"), ("email", "bob@example.org")] {
        assert_eq!(browser.field(field).await.prop("value").await.unwrap().as_deref(), Some(value));
    }
    browser.field("name").await.send_keys(Key::Enter).await.unwrap();
    browser.wait_for("Your place is saved").await;
    server.patch(&event, &json!({"waitlist_enabled": false})).await;
    browser.go_and_look(&url(&plain.path), "full", &axe).await;

    let mail = wait_until(Duration::from_secs(60), async || {
        let mail = mailbox.mails().into_iter().find(|mail| mail.to == "first@example.org");
        mail.ok_or_else(|| "no mail to first@example.org arrived".to_owned())
    })
    .await;
    let path = mail.signup_path().unwrap();
    plain.sign_up(&server, &plain.slot("Early"), "Ada", "first@example.org").await;
    browser.go_and_look(&url(&path), "my-places", &axe).await;
    browser.go_and_look(&url(&format!("{path}/cancel")), "cancel-which", &axe).await;
    browser.do_not_validate().await;
    browser.driver.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    browser.wait_for("There is a problem").await;
    browser.look("cancel-none", &axe).await;
    browser.go(&url(&path)).await;
    browser.driver.find(By::Css("a.button")).await.unwrap().click().await.unwrap();
    browser.wait_for("Do you want to cancel this place?").await;
    browser.look("cancel-place", &axe).await;
    browser.driver.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    browser.wait_for("You cancelled this place.").await;
    browser.look("cancelled", &axe).await;
    browser.look_at_mail("mail", &mail, &axe).await;

    browser.go(&url(&plain.path)).await;
    for _ in 0..120 {
        plain.sign_up(&server, &early, "", "").await;
    }
    browser.sign_up(&early, "Bob", "bob@example.org").await;
    browser.wait_for("Too many attempts").await;
    browser.look("too-many-attempts", &axe).await;

    let with = |change: Value| {
        let mut event = published();
        event.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        event
    };
    for (state, event) in [
        ("over", with(json!({"start_date": "2020-06-06"}))),
        (
            "empty",
            with(json!({"shifts": [], "is_virtual": true, "location": "https://meet.example.org/abc"})),
        ),
        (
            "long",
            with(json!({
                "title": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
                "badge_label": "A badge that goes on and on until it needs another line on a small screen",
                "end_date": "2027-06-07",
                "timezone": "America/Argentina/Buenos_Aires",
                "location": "Bürgerbegegnungszentrumsnebengebäude, Donaudampfschifffahrtsgesellschaftsstraße 1234567890",
                "shifts": [
                    {"title": "مساعدة في توزيع الطعام", "location": "القاعة الكبرى", "capacity": 1_000_000},
                    {"title": "Wort".repeat(60), "location": "Ort".repeat(80), "start_time": "09:00", "capacity": 3},
                    {"title": "A long title ".repeat(19), "end_time": "12:30", "capacity": 3},
                ],
            })),
        ),
        // Clocks go back on this day.
        (
            "clock-change",
            with(json!({"start_date": "2027-11-07", "shifts": [
                {"title": "Night", "start_time": "00:30", "end_time": "05:00", "capacity": 3}, {"title": "Day", "capacity": 3},
            ]})),
        ),
        ("draft", with(json!({"is_published": false}))),
    ] {
        let page = Page::create(&server, &event).await;
        browser.go_and_look(&url(&page.path), state, &axe).await;
    }
    for (state, path) in [("not-found", "/events/nothing"), ("incomplete-link", "/signups/x")] {
        browser.go_and_look(&url(path), state, &axe).await;
    }
    browser.assert_has_pictures(PAGES);
}

/// axe-core finds no violation on the page of a cancelled event, nor on the pages of sign-ups that the organizer
/// cancelled, or whose shift is over or removed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_places_that_are_gone_are_accessible() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    let (url, early, late) = (format!("{}{}", server.url, page.path), page.slot("Early"), page.slot("Late"));
    let mut places = vec![];
    for slot in [&early, &late] {
        page.signed_up(&server, slot, "Ada", "ada@example.org").await;
        let mails = mailbox.wait_for(places.len() + 1, SOON).await;
        places.push(format!("{}{}", server.url, mails[places.len()].signup_path().unwrap()));
    }
    let deletion = format!("/v1/slots/{early}?cancel_signups=true");
    assert_eq!(server.send("DELETE", &deletion, None).await.status, 200);
    browser.go(&places[0]).await;
    browser.wait_for("The organizer has cancelled this shift").await;
    browser.look("shift-removed-my-place", &axe).await;

    browser.go(&url).await;
    browser.open_form(&late).await;
    // The event is cancelled while the form is open.
    let reason = "The hall is flooded.\n\nWe will try again in autumn: https://riverside.example.org/autumn";
    let path = format!("/v1/events/{}/cancel", page.event["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({"reason": reason})).await.status, 200);
    browser.send_form("Bob", "bob@example.org").await;
    browser.wait_for("Sorry, you can’t sign up").await;
    browser.look("event-cancelled-refusal", &axe).await;
    browser.go(&url).await;
    browser.wait_for("This event has been cancelled").await;
    browser.look("event-cancelled", &axe).await;
    browser.go(&places[1]).await;
    browser.wait_for("The organizer has cancelled this event").await;
    browser.look("event-cancelled-my-place", &axe).await;

    let mail = mailbox.wait_for(4, SOON).await.remove(3);
    assert!(mail.html().contains("The organizer’s reason"), "{}", mail.html());
    browser.look_at_mail("mail-cancelled", &mail, &axe).await;

    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    page.signed_up(&server, &slot, "Ada", "past@example.org").await;
    let mail = wait_until(SOON, async || {
        let mail = mailbox.mails().into_iter().find(|mail| mail.to == "past@example.org");
        mail.ok_or_else(|| "no mail to past@example.org arrived".to_owned())
    })
    .await;
    browser.go(&format!("{}{}/cancel", server.url, mail.signup_path().unwrap())).await;
    // The shift is over when the volunteer cancels.
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &past).await.status, 200);
    browser.driver.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    browser.wait_for("you can no longer cancel your place").await;
    browser.look("over-my-place", &axe).await;
    assert_eq!(server.send("DELETE", &format!("/v1/slots/{slot}"), None).await.status, 200);
    browser.go(&format!("{}{}", server.url, mail.signup_path().unwrap())).await;
    browser.wait_for("The organizer has removed this shift.").await;
    browser.look("removed-my-place", &axe).await;
    browser.assert_has_pictures(GONE);
}
