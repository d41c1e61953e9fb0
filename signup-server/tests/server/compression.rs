//! Compressed responses: which routes have them, and what their headers say.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::console::Organizer;
use crate::harness::{Server, event};
use crate::pages::{Page, published};
use crate::webhooks::{new_webhook, webhook_path};

/// A response to a client that accepts gzip.
struct Found {
    encoding: Option<String>,
    vary: String,
    length: String,
    body: Vec<u8>,
}

async fn send(request: reqwest::RequestBuilder) -> Found {
    let response = request.header("accept-encoding", "gzip, br").send().await.unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let (encoding, length) = (header("content-encoding"), header("content-length").unwrap());
    let vary = response.headers().get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
    Found { encoding, vary, length, body: response.bytes().await.unwrap().to_vec() }
}

#[tokio::test]
async fn a_long_list_or_page_is_compressed_for_a_client_that_accepts_it() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    for _ in 0..20 {
        server.create(&event()).await;
    }
    let id = page.event["id"].as_str().unwrap();
    for path in [
        "/v1/events?per_page=100",
        &format!("/v1/events/{id}"),
        "/v1/activity",
        "/openapi.json",
        "/openapi.yaml",
        "/docs",
        "/",
        &page.path,
    ] {
        let request = |method: &str| server.request(method, path).bearer_auth(&server.token);
        let plain = request("GET").send().await.unwrap();
        assert_eq!(plain.headers().get("content-encoding"), None, "{path}");
        assert_eq!(plain.headers()["vary"], "accept-encoding", "{path}");
        let (plain, found) = (plain.bytes().await.unwrap(), send(request("GET")).await);
        assert_eq!(
            (found.encoding.as_deref(), found.vary.as_str()),
            (Some("gzip"), "accept-encoding"),
            "{path}"
        );
        assert_eq!(found.length, found.body.len().to_string(), "{path}");
        assert!(found.body.len() < plain.len(), "{path}");
        let mut text = Vec::new();
        GzDecoder::new(&*found.body).read_to_end(&mut text).unwrap();
        assert!(text == plain, "{path}");
        let head = send(request("HEAD")).await;
        assert_eq!(
            (head.encoding, head.vary, head.length),
            (found.encoding, found.vary, found.length),
            "{path}"
        );
        assert!(head.body.is_empty(), "{path}");
    }
    let short = send(server.request("GET", "/v1/coverage").bearer_auth(&server.token)).await;
    assert_eq!((short.encoding, short.vary.as_str()), (None, "accept-encoding"));
}

#[tokio::test]
async fn an_answer_with_a_secret_is_never_compressed() {
    let server = Server::start_on_sqlite();
    let ada = Organizer::first_owner(&server).await;
    let cookie = format!("signup={}", ada.cookie("signup").unwrap());
    let get = |path: &str| server.request("GET", path).header("cookie", &cookie);
    for path in
        ["/console/riverside/settings/tokens", "/console/riverside/events/new", "/sign-in", "/sign-in/code"]
    {
        let page = send(get(path)).await;
        assert!(page.body.len() > 1024, "{path}");
        assert_eq!((page.encoding, page.vary.as_str()), (None, ""), "{path}");
    }
    let invitation = server.manage(&[
        "person",
        "invite",
        "--organization",
        "riverside",
        "--role",
        "owner",
        "--email",
        "bo@example.org",
        "--name",
        "Bo",
        "--base-url",
        &server.url,
    ]);
    let path = invitation["link"].as_str().unwrap().strip_prefix(&server.url).unwrap();
    let page = send(server.request("GET", path)).await;
    assert!(page.body.len() > 1024 && page.encoding.is_none());

    // A long description makes the answers long enough.
    let webhook = new_webhook(&server).await;
    let long = json!({"url": webhook["url"], "description": "d".repeat(200), "types": vec!["*"; 1]});
    for (method, path, body) in [
        ("POST", "/v1/webhooks".to_owned(), &long),
        ("POST", "/v1/webhooks".to_owned(), &long),
        ("POST", format!("{}/rotate_secret", webhook_path(&webhook)), &Value::Null),
    ] {
        let request = server.request(method, &path).bearer_auth(&server.token).header("idempotency-key", "k");
        let request = if body.is_null() { request } else { request.json(body) };
        assert_eq!(send(request).await.encoding, None, "{method} {path}");
    }
}
