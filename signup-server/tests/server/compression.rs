//! Compressed responses: which routes have them, and what their headers say.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::json;

use crate::harness::{Server, event};
use crate::pages::{Page, published};

/// A response to a client that accepts gzip.
struct Found {
    status: u16,
    replay: Option<String>,
    encoding: Option<String>,
    vary: String,
    length: String,
    body: Vec<u8>,
}

async fn send(request: reqwest::RequestBuilder) -> Found {
    let response = request.header("accept-encoding", "gzip, br").send().await.unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    let (encoding, length) = (header("content-encoding"), header("content-length").unwrap());
    let (status, replay) = (response.status().as_u16(), header("idempotent-replay"));
    let vary = response.headers().get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
    Found { status, replay, encoding, vary, length, body: response.bytes().await.unwrap().to_vec() }
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
async fn a_long_answer_to_a_write_or_to_an_agent_is_compressed() {
    let server = Server::start(&[]);
    let mut long = event();
    long["description"] = "Bring gloves. ".repeat(200).into();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    for (path, body) in [("/v1/events", &long), ("/mcp", &list)] {
        let request = server.request("POST", path).bearer_auth(&server.token).json(body);
        let found = send(request).await;
        assert_eq!(found.encoding.as_deref(), Some("gzip"), "{path}: {}", found.status);
        let mut text = String::new();
        GzDecoder::new(&*found.body).read_to_string(&mut text).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{path}: {text}");
    }
}

/// The unit tests of the routes list those whose answers may be compressed.
#[tokio::test]
async fn an_answer_with_a_secret_is_never_compressed() {
    let server = Server::start(&[]);
    let page = send(server.request("GET", "/sign-in")).await;
    assert!(page.body.len() > 1024 && page.encoding.is_none() && page.vary.is_empty(), "{}", page.vary);
    // A long path makes the answers long enough.
    let body = json!({"url": format!("https://hooks.example.org/{}", "x".repeat(1500))});
    for replay in [None, Some("true")] {
        let request = server.request("POST", "/v1/webhooks").bearer_auth(&server.token).json(&body);
        let answer = send(request.header("idempotency-key", "k")).await;
        assert_eq!((answer.status, answer.replay.as_deref()), (201, replay));
        assert!(answer.body.len() > 1024 && answer.encoding.is_none());
    }
}
