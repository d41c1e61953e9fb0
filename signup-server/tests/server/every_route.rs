//! Rules that hold on every route under `/v1`: bodies, content types, idempotency keys, `HEAD` and `OPTIONS`.
//!
//! The tests take the routes from the OpenAPI document, so no route is left out. For a new kind of record, add an
//! id to the test of `HEAD`.

use serde_json::{Value, json};

use crate::contract::DOCUMENT;
use crate::harness::{Answer, Server};
use crate::pages::{Page, published};
use crate::webhooks::new_webhook;

/// The id of a record that does not exist.
pub(crate) const UNKNOWN: &str = "01a1fc0c-06a8-79da-abb2-b84ac8892247";

/// Returns the described paths under `/v1` with their operations.
pub(crate) fn paths() -> impl Iterator<Item = (&'static String, &'static Value)> {
    DOCUMENT["paths"].as_object().unwrap().iter().filter(|(path, _)| path.starts_with("/v1/"))
}

pub(crate) struct Write {
    pub(crate) method: String,
    /// The path of a record that does not exist, where the path names one.
    pub(crate) path: String,
    needs_body: bool,
}

/// Returns the described writes. The body is checked before the record is looked up, so the tests need no record.
pub(crate) fn writes() -> Vec<Write> {
    let mut writes = vec![];
    for (template, item) in paths() {
        for method in ["post", "patch", "put", "delete"] {
            let Some(operation) = item.get(method) else { continue };
            writes.push(Write {
                method: method.to_uppercase(),
                path: template.replace("{event_id}", UNKNOWN).replace("{id}", UNKNOWN),
                needs_body: operation["requestBody"]["required"] == json!(true),
            });
        }
    }
    assert!(writes.len() >= 19, "{} writes", writes.len());
    writes
}

async fn send(
    server: &Server,
    write: &Write,
    headers: &[(&str, &str)],
    body: impl Into<reqwest::Body>,
) -> Answer {
    let mut request = server.request(&write.method, &write.path).bearer_auth(&server.token);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    server.answer(request.body(body)).await
}

#[tokio::test]
async fn every_write_refuses_a_body_that_is_not_a_json_object() {
    let server = Server::start(&[]);
    for write in writes() {
        let name = format!("{} {}", write.method, write.path);
        let deep = "[".repeat(100_000);
        for body in ["[]", "null", "5", "\"x\"", "{", "{} {}", "\u{feff}[]", " ", "title=x", &deep] {
            let answer = send(&server, &write, &[], body.to_owned()).await;
            assert_eq!(answer.fields(), ["body"], "{name} {}", &body[..body.len().min(20)]);
        }
        let empty = send(&server, &write, &[], "").await;
        if write.needs_body {
            let message = "The request has no body. Send a JSON object.";
            assert_eq!(empty.json()["errors"], json!({"body": [message]}), "{name}");
            continue;
        }
        assert_eq!(empty.status, 404, "{name} needs no body: {}", empty.text);
        for content_type in ["application/json", "text/plain"] {
            let empty = send(&server, &write, &[("content-type", content_type)], "").await;
            assert_eq!(empty.status, 404, "{name} needs no body of {content_type}: {}", empty.text);
        }
    }
}

#[tokio::test]
async fn every_write_takes_the_content_types_of_json_and_no_other() {
    let server = Server::start(&[]);
    for write in writes() {
        let name = format!("{} {}", write.method, write.path);
        for good in ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"] {
            let answer = send(&server, &write, &[("content-type", good)], "[]").await;
            assert_eq!(answer.fields(), ["body"], "{name} {good}");
        }
        for bad in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "json"] {
            let answer = send(&server, &write, &[("content-type", bad)], "[]").await;
            assert_eq!(answer.status, 415, "{name} {bad}: {}", answer.text);
            assert!(answer.json()["message"].is_string(), "{name} {bad}");
        }
    }
}

#[tokio::test]
async fn every_write_refuses_an_encoded_body_and_ignores_a_byte_order_mark() {
    let server = Server::start(&[]);
    for write in writes() {
        let name = format!("{} {}", write.method, write.path);
        for encoding in ["gzip", "br", "gzip, identity"] {
            let answer = send(&server, &write, &[("content-encoding", encoding)], "{}").await;
            assert_eq!((answer.status, answer.header("accept-encoding")), (415, Some("identity")), "{name}");
            assert!(answer.json()["message"].is_string(), "{name}");
        }
        let plain = send(&server, &write, &[], "{}").await;
        for (encoding, body) in [("identity", "{}"), ("identity", "\u{feff}{}")] {
            let answer = send(&server, &write, &[("content-encoding", encoding)], body).await;
            assert_eq!((answer.status, answer.text), (plain.status, plain.text.clone()), "{name}");
        }
    }
}

#[tokio::test]
async fn every_write_refuses_a_body_of_more_than_1_mib() {
    let server = Server::start(&[]);
    for write in writes() {
        let name = format!("{} {}", write.method, write.path);
        let padded = |length: usize| format!("[{}]", " ".repeat(length - 2));
        let answer = send(&server, &write, &[], padded(1024 * 1024)).await;
        assert_eq!(answer.fields(), ["body"], "{name}");
        let answer = send(&server, &write, &[], padded(1024 * 1024 + 1)).await;
        assert_eq!(answer.status, 413, "{name}: {}", answer.text);
        assert!(answer.json()["message"].is_string(), "{name}");
        let part = || Ok::<_, std::io::Error>(" ".repeat(64 * 1024));
        let parts = futures_util::stream::iter((0..17).map(move |_| part()));
        let chunked = send(&server, &write, &[], reqwest::Body::wrap_stream(parts)).await;
        assert_eq!(chunked.status, 413, "{name}: a body of unknown length is counted while it is read");
    }
}

#[tokio::test]
async fn every_write_checks_its_idempotency_key_before_its_body() {
    let server = Server::start(&[]);
    let (longest, too_long) = ("~".repeat(255), "~".repeat(256));
    for write in writes() {
        let name = format!("{} {}", write.method, write.path);
        for bad in [too_long.as_str(), "two words", "tab\tbed", "é"] {
            let answer = send(&server, &write, &[("Idempotency-Key", bad)], "[]").await;
            assert_eq!(answer.fields(), ["Idempotency-Key"], "{name} {bad}");
        }
        let twice = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")];
        assert_eq!(send(&server, &write, &twice, "[]").await.fields(), ["Idempotency-Key"], "{name}");
        for good in ["", "a", &longest] {
            let answer = send(&server, &write, &[("Idempotency-Key", good)], "[]").await;
            assert_eq!(answer.fields(), ["body"], "{name} {good}");
        }
    }
}

#[tokio::test]
async fn head_answers_every_read_with_the_status_and_headers_of_get_and_no_body() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    page.signed_up(&server, &slot, "Ada", "ada@example.org").await;
    let signups = server.get("/v1/signups").await.data();
    let webhook = new_webhook(&server).await;
    let event = page.event["id"].as_str().unwrap();
    let mut reads = 0;
    for (template, _) in paths().filter(|(_, item)| item.get("get").is_some()) {
        let record = if template.starts_with("/v1/signups/") {
            signups[0]["id"].as_str().unwrap()
        } else if template.starts_with("/v1/webhooks/") {
            webhook["id"].as_str().unwrap()
        } else {
            slot.as_str()
        };
        for (event, record, status) in [(event, record, 200), (UNKNOWN, UNKNOWN, 404)] {
            let path = template.replace("{event_id}", event).replace("{id}", record);
            if path == *template && status == 404 {
                continue;
            }
            let (get, head) = (server.get(&path).await, server.send("HEAD", &path, None).await);
            assert_eq!((get.status, head.status, head.text.as_str()), (status, status, ""), "{path}");
            for header in ["content-type", "content-length", "cache-control"] {
                assert_eq!(head.header(header), get.header(header), "{path}: {header}");
            }
            assert_eq!(head.header("content-length"), Some(get.text.len().to_string().as_str()), "{path}");
            assert!(head.header("x-ratelimit-limit").is_some(), "{path}");
            reads += 1;
        }
    }
    // Without routes the test would pass.
    assert!(reads >= 25, "{reads} reads");
}

#[tokio::test]
async fn options_names_the_described_methods_of_every_path() {
    let server = Server::start(&[]);
    for (template, item) in paths() {
        let path = template.replace("{event_id}", UNKNOWN).replace("{id}", UNKNOWN);
        let mut expected = vec!["OPTIONS".to_owned()];
        for method in ["get", "post", "patch", "put", "delete"] {
            if item.get(method).is_some() {
                expected.push(method.to_uppercase());
            }
        }
        if item.get("get").is_some() {
            expected.push("HEAD".to_owned());
        }
        expected.sort_unstable();
        let answer = server.send("OPTIONS", &path, None).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
        let mut allowed: Vec<_> = answer.header("allow").unwrap().split(", ").collect();
        allowed.sort_unstable();
        assert_eq!(allowed, expected, "{path}");
    }
}

#[tokio::test]
async fn every_read_names_the_parameters_that_it_does_not_take() {
    let server = Server::start(&[]);
    for (template, _) in paths().filter(|(_, item)| item.get("get").is_some()) {
        let path = template.replace("{event_id}", UNKNOWN).replace("{id}", UNKNOWN);
        let answer = server.get(&format!("{path}?z&per-page=5&z=1")).await;
        assert_eq!(answer.fields(), ["z", "per-page"], "{path}: {}", answer.text);
    }
}
