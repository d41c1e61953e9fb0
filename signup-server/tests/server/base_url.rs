//! A server behind a proxy that adds a host and a path: URLs in answers, pages, mails and calendars have the base URL.

use crate::harness::Server;
use crate::mailbox::{Calendar, Mailbox};
use crate::mails::SOON;
use crate::operations::{Operation, Records};
use crate::pages::{Page, published};

const BASE_URL: &str = "https://signup.example.org/api";

/// Starts a server with a mail server. The server ignores the final slash of the base URL.
fn behind_a_proxy() -> (Server, Mailbox) {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url(), "--base-url", &format!("{BASE_URL}/")]);
    (server, mailbox)
}

#[tokio::test]
async fn every_url_in_an_answer_has_the_base_url() {
    let (server, _mailbox) = behind_a_proxy();
    let records = Records::create(&server).await;
    server.create(&published()).await;
    for Operation { method, path, body, .. } in records.operations() {
        let answer = server.send(method, &path, (method != "GET").then_some(&body)).await;
        assert!(!answer.text.contains(&server.url), "{method} {path}: {}", answer.text);
        let urls = ["\"public_url\":\"", "\"path\":\"", "\"next\":\""]
            .iter()
            .flat_map(|name| answer.text.split(name).skip(1));
        for url in urls {
            assert!(url.starts_with(BASE_URL), "{method} {path}: {url}");
        }
    }
    let next = server.get("/v1/events?per_page=1").await.json()["links"]["next"].clone();
    assert!(next.as_str().unwrap().starts_with(&format!("{BASE_URL}/v1/events?")), "{next}");
}

/// Returns the addresses of the links and forms of a page.
fn targets(html: &str) -> Vec<&str> {
    let attributes = ["href=\"", "action=\""];
    let values = attributes.iter().flat_map(|attribute| html.split(attribute).skip(1));
    values
        .map(|rest| rest.split('"').next().unwrap())
        .filter(|target| !target.starts_with('#') && !target.starts_with("data:"))
        .collect()
}

#[tokio::test]
async fn every_link_of_a_page_and_of_a_mail_has_the_base_url() {
    let (server, mailbox) = behind_a_proxy();
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    let done = page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let location = done.header("location").unwrap();
    assert!(location.starts_with(&format!("/api{}/signed-up", page.path)), "{location}");
    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    let signup = mail.signup_path().unwrap();
    for part in [mail.text(), mail.html()] {
        for path in [&signup, &page.path] {
            assert!(part.contains(&format!("{BASE_URL}{path}")), "{path} in {part}");
        }
        assert!(!part.contains(&server.url), "{part}");
    }
    assert_eq!(mail.calendar().property("URL"), format!("{BASE_URL}{}", page.path));
    let file = server.browse("GET", &format!("{signup}/calendar.ics"), None).await;
    assert_eq!(Calendar::read(&file.text).property("URL"), format!("{BASE_URL}{}", page.path));
    for path in [&page.path, &signup, location.strip_prefix("/api").unwrap()] {
        let shown = server.browse("GET", path, None).await;
        assert_eq!(shown.status, 200, "{path}");
        let targets = targets(&shown.text);
        assert!(!targets.is_empty(), "{}", shown.text);
        for target in targets {
            assert!(target.starts_with("/api/") || target.starts_with(BASE_URL), "{target} in {path}");
        }
    }
    let slashed = server.browse("GET", &format!("{}/?slot_id={early}", page.path), None).await;
    assert_eq!(slashed.header("location"), Some(format!("/api{}?slot_id={early}", page.path).as_str()));
    let missing = server.browse("GET", "/events/nothing", None).await;
    assert!(missing.text.contains("href=\"/api/\""), "{}", missing.text);
    let cancelled = server.browse("POST", &format!("{signup}/cancel"), None).await;
    assert_eq!(cancelled.header("location"), Some(format!("/api{signup}").as_str()));
}
