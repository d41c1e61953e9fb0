//! The public page of an event: its contents and its security headers.
//!
//! The tests request the pages over HTTP, without a browser.

use serde_json::{Value, json};

use crate::harness::{Answer, Server, event};
use crate::mails::{SOON, with_mailbox};

/// Returns the body of [`event`], published.
pub(crate) fn published() -> Value {
    let mut event = event();
    event["is_published"] = json!(true);
    event
}

/// The public page of an event.
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) event: Value,
}

impl Page {
    /// Creates an event and returns its page.
    pub(crate) async fn create(server: &Server, event: &Value) -> Self {
        let event = server.create(event).await;
        let path = format!("/events/{}", event["slug"].as_str().unwrap());
        assert!(event["public_url"].as_str().unwrap().ends_with(&path));
        Self { path, event }
    }

    /// Returns the id of the shift with this title.
    pub(crate) fn slot(&self, title: &str) -> String {
        let slots = self.event["slots"].as_array().unwrap();
        slots.iter().find(|slot| slot["title"] == title).unwrap()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, server: &Server) -> Answer {
        server.browse("GET", &self.path, None).await
    }

    /// Submits a sign-up form. The server accepts at most 120 forms a minute from one address.
    pub(crate) async fn post(&self, server: &Server, fields: &[(&str, &str)]) -> Answer {
        server.browse("POST", &format!("{}/signups", self.path), Some(fields)).await
    }

    pub(crate) async fn sign_up(&self, server: &Server, slot: &str, name: &str, email: &str) -> Answer {
        self.post(server, &[("slot_id", slot), ("name", name), ("email", email)]).await
    }

    /// Signs a volunteer up. Panics if the form is refused.
    pub(crate) async fn signed_up(&self, server: &Server, slot: &str, name: &str, email: &str) {
        let answer = self.sign_up(server, slot, name, email).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
    }

    /// Returns the number of volunteers of the shift with this title.
    pub(crate) async fn filled(&self, server: &Server, title: &str) -> u64 {
        let event = self.event["id"].as_str().unwrap();
        let slots = server.get(&format!("/v1/events/{event}/slots")).await.data();
        let slot = self.slot(title);
        slots.as_array().unwrap().iter().find(|found| found["id"] == slot.as_str()).unwrap()["filled"]
            .as_u64()
            .unwrap()
    }
}

/// Panics unless the answer is an HTML page with the security headers, and without scripts and inline styles.
pub(crate) fn assert_is_secured(answer: &Answer) {
    let (status, text) = (answer.status, &answer.text);
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{status}: {text}");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{status}: {policy}");
    for part in ["; img-src data:;", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{status}: {policy}");
    }
    assert!(!policy.contains("unsafe"), "{status}: {policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{status}, {name}: {text}");
    }
    let caching = answer.header("cache-control");
    assert!(matches!(caching, Some("no-store" | "no-cache")), "{status}, {caching:?}: {text}");
    assert!(!text.contains("<script"), "{status}: {text}");
    assert!(!text.contains(" style="), "the policy forbids inline styles; {status}: {text}");
}

#[tokio::test]
async fn every_page_has_the_security_headers() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    let answers = [
        page.get(&server).await,
        server.browse("GET", "/events/nothing", None).await,
        server.browse("GET", "/signups/nothing", None).await,
        server.browse("DELETE", &page.path, None).await,
        page.post(&server, &[("slot_id", &slot)]).await,
        page.sign_up(&server, &slot, "Ada", "ada@example.org").await,
        server.browse("GET", &format!("{}/signed-up?slot_id={slot}", page.path), None).await,
        server.browse("GET", &format!("{}/signups", page.path), None).await,
        server.browse("GET", &format!("{}/", page.path), None).await,
        server.browse("GET", "/", None).await,
        server.browse("GET", "/docs", None).await,
        server.browse("DELETE", "/docs", None).await,
    ];
    let statuses = answers.each_ref().map(|answer| answer.status);
    assert_eq!(statuses, [200, 404, 404, 405, 422, 303, 200, 200, 308, 200, 200, 405]);
    answers.iter().for_each(assert_is_secured);
}

#[tokio::test]
async fn every_page_about_a_refusal_or_a_cancellation_has_the_security_headers() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let late = page.slot("Late");
    for name in ["ada", "bob"] {
        page.sign_up(&server, &late, name, &format!("{name}@example.org")).await;
    }
    let signup = mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    let form = format!("{}/signups", page.path);
    let post = |content_type: &str, length: usize| {
        let request = server.request("POST", &form).header("content-type", content_type);
        server.page_answer(request.body("x".repeat(length)))
    };
    let mut answers = vec![
        server.browse("GET", &signup, None).await,
        page.sign_up(&server, &late, "Cyd", "cyd@example.org").await,
        post("text/plain", 1).await,
        post("application/x-www-form-urlencoded", 1024 * 1024 + 1).await,
        server.browse("POST", &format!("{signup}/cancel"), None).await,
        server.browse("GET", &signup, None).await,
    ];
    let cancel = format!("/v1/events/{}/cancel", page.event["id"].as_str().unwrap());
    assert_eq!(server.post(&cancel, &json!({"reason": "Storm"})).await.status, 200);
    answers.push(page.get(&server).await);
    answers.push(page.sign_up(&server, &late, "Cyd", "cyd@example.org").await);
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 409, 415, 413, 303, 200, 200, 409]);
    answers.iter().for_each(assert_is_secured);
}

#[tokio::test]
async fn a_draft_and_an_unknown_slug_are_not_found() {
    let server = Server::start(&[]);
    let draft = Page::create(&server, &event()).await;
    let slot = draft.slot("Early");
    for path in [&draft.path, "/events/food-drive-aaaaaaaa", "/events/a/b", "/events/%2e", "/signups/x"] {
        let answer = server.browse("GET", path, None).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (404, Some("text/html; charset=utf-8")),
            "{path}"
        );
    }
    assert_eq!(draft.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 404);
    assert_eq!(server.browse("GET", &format!("{}/signed-up", draft.path), None).await.status, 404);
}

/// The preview is for search engines and messengers.
#[tokio::test]
async fn the_head_of_an_event_page_has_a_preview() {
    let server = Server::start(&[]);
    let mut event = published();
    event["description"] = json!("Bring \"gloves\".");
    let page = Page::create(&server, &event).await;
    let shown = page.get(&server).await.text;
    let url = page.event["public_url"].as_str().unwrap();
    for tag in [
        "<meta property=\"og:title\" content=\"Food drive\">",
        "<meta property=\"og:description\" content=\"Saturday 5 June 2027. Bring &#34;gloves&#34;.\">",
        &format!("<meta property=\"og:url\" content=\"{url}\">"),
        "<meta property=\"og:type\" content=\"website\">",
        "<meta property=\"og:site_name\" content=\"Starter\">",
        "<meta property=\"og:locale\" content=\"en_GB\">",
    ] {
        assert!(shown.contains(tag), "{tag} in {shown}");
    }
}
