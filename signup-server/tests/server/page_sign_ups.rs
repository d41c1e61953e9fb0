//! Sign-ups and cancellations over the public pages, without a browser.

use reqwest::header::HeaderMap;
use rstest::rstest;
use serde_json::{Value, json};
use signup_core::{Clock as _, SystemClock};

use crate::harness::{Answer, Server};
use crate::mailbox::{Calendar, Mailbox};
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};

/// Returns an event of today in a zone where it is noon, so that a patch can move its shift into the past.
pub(crate) fn today() -> Value {
    let hour = i8::try_from(SystemClock.now().as_second() / 3600 % 24).unwrap();
    let offset = jiff::tz::Offset::constant(12 - hour);
    json!({
        "title": "Food drive",
        "start_date": offset.to_datetime(SystemClock.now()).date().to_string(),
        // The names `Etc/GMT±N` have inverted signs: `Etc/GMT+5` is UTC−5.
        "timezone": format!("Etc/GMT{:+}", hour - 12),
        "is_published": true,
        "shifts": [{"title": "All day", "capacity": 2}],
    })
}

/// Returns the headers but those that differ with each answer.
pub(crate) fn headers(answer: &Answer) -> HeaderMap {
    let mut headers = answer.headers.clone();
    assert!(headers.remove("x-request-id").is_some() && headers.remove("date").is_some());
    headers
}

/// The answers to a signed-up address, in upper or lower case, and to an unknown address are equal byte for byte. The
/// signed-up address gets a mail with a link, at most once an hour.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_or_past_shift_does_not_reveal_who_is_signed_up(#[values(false, true)] is_past: bool) {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite().restart_with(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    for name in ["ada", "bob"] {
        page.signed_up(&server, &slot, name, &format!("{name}@example.org")).await;
    }
    mailbox.wait_for(2, SOON).await;
    if is_past {
        let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
        assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &past).await.status, 200);
    }
    let unknown = page.sign_up(&server, &slot, "Cyd", "cyd@example.org").await;
    assert_eq!(unknown.status, 409, "{}", unknown.text);
    assert_eq!(unknown.text.contains("this shift is over"), is_past, "{}", unknown.text);
    for address in ["ada@example.org", "Ada@Example.org"] {
        let known = page.sign_up(&server, &slot, "Ada", address).await;
        // The page keeps what was typed.
        let text = known
            .text
            .replace("\"Ada\"", "\"Cyd\"")
            .replace(&format!("\"{address}\""), "\"cyd@example.org\"");
        assert_eq!((known.status, &text), (unknown.status, &unknown.text));
        assert_eq!(headers(&known), headers(&unknown));
    }
    let mail = mailbox.wait_for_exactly(3, SOON).await.remove(2);
    assert_eq!(mail.to, "ada@example.org");
    let shown = server.browse("GET", &mail.signup_path().unwrap(), None).await;
    let says = if is_past { "This shift is over." } else { "Cancel this place" };
    assert!(shown.text.contains(says), "{}", shown.text);
    assert!(mail.text().contains("You already have a place"), "{}", mail.text());
    assert_eq!(page.filled(&server, "All day").await, 2);
}

/// A calendar program merges two entries with the same UID.
#[tokio::test]
async fn a_calendar_to_subscribe_to_has_the_entry_of_the_mail() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    let path = mail.signup_path().unwrap();
    let shown = server.browse("GET", &path, None).await.text;
    assert!(shown.contains(&format!("href=\"{}{path}/calendar.ics\"", server.url)), "{shown}");
    let file = server.browse("GET", &format!("{path}/calendar.ics"), None).await;
    assert_eq!(file.status, 200);
    for (name, value) in [
        ("content-type", "text/calendar; charset=utf-8"),
        ("cache-control", "private, max-age=900"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(file.header(name), Some(value));
    }
    assert_eq!(
        Calendar::read(&file.text).without_time_of_writing(),
        mail.calendar().without_time_of_writing()
    );
}

#[tokio::test]
async fn only_a_volunteer_with_a_place_reads_the_instructions() {
    let (server, mailbox) = with_mailbox("memory:");
    let mut event = published();
    event["instructions"] = json!("Ring twice.\nDoor code: 4711");
    let page = Page::create(&server, &event).await;
    assert!(!page.get(&server).await.text.contains("4711"));
    page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    assert!(mail.text().contains("Good to know\nRing twice.\nDoor code: 4711"), "{}", mail.text());
    let path = mail.signup_path().unwrap();
    assert!(server.browse("GET", &path, None).await.text.contains("4711"));
    server.browse("POST", &format!("{path}/cancel"), Some(&[])).await;
    assert!(!server.browse("GET", &path, None).await.text.contains("4711"));
    assert!(!mailbox.wait_for(2, SOON).await[1].text().contains("4711"));
}
