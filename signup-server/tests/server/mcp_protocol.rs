//! The MCP endpoint: refused requests, bodies that are not messages, unknown methods, Host and Origin, and the rate limit.

use serde_json::{Value, json};

use crate::harness::{Answer, Server, raw};
use crate::mcp::{NEWEST, VERSIONS, in_version, message, post, result};

const LIST: &str = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/list"}"#;

/// Sends a body with the server's token and these headers.
pub(crate) async fn send(
    server: &Server,
    headers: &[(&str, &str)],
    body: impl Into<reqwest::Body>,
) -> Answer {
    let mut request = server.request("POST", "/mcp").bearer_auth(&server.token);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    server.answer(request.body(body)).await
}

/// Panics unless the answer has the headers of every answer of the MCP endpoint.
pub(crate) fn assert_has_headers(answer: &Answer, what: &str) {
    for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-request-id"] {
        assert!(answer.header(name).is_some(), "{what}: {name}");
    }
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{what}");
    assert_eq!(answer.header("mcp-session-id"), None, "{what}");
}

/// Panics unless the answer is a refusal like those of the API.
fn assert_refused(answer: &Answer, status: u16, what: &str) {
    assert_eq!(answer.status, status, "{what}: {}", answer.text);
    assert_eq!(answer.header("content-type"), Some("application/json"), "{what}");
    let body = answer.json();
    let members: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["message"], "{what}");
    assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{what}");
    assert_has_headers(answer, what);
}

/// Panics unless the answer is 400 with an error of the protocol.
fn assert_protocol_error(answer: &Answer, code: i32, id: &Value, what: &str) {
    assert_eq!((answer.status, answer.header("content-type")), (400, Some("application/json")), "{what}");
    let body = answer.json();
    assert_eq!(
        (&body["jsonrpc"], &body["id"], &body["error"]["code"]),
        (&json!("2.0"), id, &json!(code)),
        "{what}"
    );
    assert!(body["error"]["message"].is_string(), "{what}");
    assert_has_headers(answer, what);
}

#[tokio::test]
async fn a_request_without_a_valid_token_is_refused_as_by_the_api() {
    let server = Server::start(&[]);
    for token in [None, Some("Bearer signup_wrong"), Some("Basic eDp5")] {
        let mut request = server.request("POST", "/mcp").body(LIST);
        if let Some(token) = token {
            request = request.header("authorization", token);
        }
        let answer = server.answer(request).await;
        assert_refused(&answer, 401, "no token");
        assert_eq!(
            answer.header("www-authenticate"),
            Some("Bearer"),
            "without the address of an OAuth server"
        );
        assert_eq!(answer.json()["message"], "Unauthenticated.");
    }
}

#[tokio::test]
async fn no_oauth_server_is_advertised() {
    let server = Server::start(&[]);
    for rest in
        ["protected-resource", "protected-resource/mcp", "authorization-server", "authorization-server/mcp"]
    {
        let answer = server.get_without_token(&format!("/.well-known/oauth-{rest}")).await;
        assert_eq!((answer.status, answer.json()), (404, json!({"message": "Not found."})), "{rest}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{rest}");
    }
}

#[tokio::test]
async fn a_method_other_than_post_gets_405_before_origin_and_token_are_checked() {
    let server = Server::start(&[]);
    for method in ["GET", "DELETE", "PUT", "PATCH"] {
        for origin in [server.url.as_str(), "https://evil.example"] {
            for token in [server.token.as_str(), "signup_wrong"] {
                let request = server.request(method, "/mcp").bearer_auth(token).header("origin", origin);
                let answer = server.answer(request).await;
                assert_refused(&answer, 405, method);
                assert_eq!(answer.header("allow"), Some("POST"), "{method}");
            }
        }
    }
    let answer = server.answer(server.request("OPTIONS", "/mcp")).await;
    assert_eq!((answer.status, answer.header("allow")), (204, Some("POST")), "the methods can be asked for");
}

#[tokio::test]
async fn a_body_that_is_too_long_or_of_another_type_is_refused() {
    let server = Server::start(&[]);
    let padded = |length: usize| format!("{LIST}{}", " ".repeat(length - LIST.len()));
    assert_eq!(send(&server, &[], padded(1024 * 1024)).await.status, 200);
    assert_refused(&send(&server, &[], padded(1024 * 1024 + 1)).await, 413, "1 MiB and a byte");
    for bad in ["text/plain", "application/x-www-form-urlencoded", "text/event-stream"] {
        assert_refused(&send(&server, &[("content-type", bad)], LIST).await, 415, bad);
    }
    for good in ["application/json", "Application/JSON; charset=utf-8"] {
        assert_eq!(send(&server, &[("content-type", good)], LIST).await.status, 200, "{good}");
    }
}

#[tokio::test]
async fn an_answer_is_json_whatever_the_client_accepts() {
    let server = Server::start(&[]);
    for accepted in [
        None,
        Some("application/json"),
        Some("application/json, text/event-stream"),
        Some("text/event-stream"),
        Some("*/*"),
        Some("application/json;q=0"),
    ] {
        let headers: Vec<_> = accepted.into_iter().map(|value| ("accept", value)).collect();
        let answer = send(&server, &headers, LIST).await;
        assert!(result(&answer)["tools"].is_array(), "{accepted:?}");
        assert_has_headers(&answer, "a list");
    }
}

#[tokio::test]
async fn a_body_that_is_not_a_message_gets_400_and_an_error_of_the_protocol() {
    let server = Server::start(&[]);
    for body in [&b""[..], b" ", b"{", b"{} {}", b"\xff", b"\"\\ud800\"", b"jsonrpc=2.0"] {
        assert_protocol_error(
            &send(&server, &[], body).await,
            -32_700,
            &Value::Null,
            &String::from_utf8_lossy(body),
        );
    }
    let deep = "[".repeat(100_000);
    assert_protocol_error(&send(&server, &[], deep).await, -32_700, &Value::Null, "deep nesting");
    let batch = format!("[{LIST}]");
    for (body, id) in
        [(batch.as_str(), Value::Null), (r#"{"jsonrpc": "2.0", "id": "a", "method": null}"#, json!("a"))]
    {
        for version in VERSIONS {
            let answer = send(&server, &[("mcp-protocol-version", version)], body.to_owned()).await;
            assert_protocol_error(&answer, -32_600, &id, body);
        }
    }
}

#[tokio::test]
async fn unknown_methods_and_tools_are_errors_of_the_protocol_in_each_version() {
    let server = Server::start(&[]);
    for version in VERSIONS {
        for (method, params, code) in [
            ("resources/list", json!({}), -32_601),
            ("prompts/list", json!({}), -32_601),
            ("completion/complete", json!({}), -32_601),
            ("unknown/method", json!({}), -32_601),
            ("tools/call", json!({"name": "sign_up"}), -32_602),
            ("tools/call", json!({"name": "whoami", "arguments": []}), -32_602),
        ] {
            let answer = server.answer(in_version(version, &server, &server.token, method, params)).await;
            let body = answer.json();
            assert_eq!(
                (&body["id"], &body["error"]["code"]),
                (&json!(7), &json!(code)),
                "{version} {method}: {body}"
            );
            assert_has_headers(&answer, method);
        }
    }
}

/// The check comes after the route and before the token.
#[tokio::test]
async fn only_the_hosts_of_the_base_url_and_of_this_machine_are_allowed() {
    let server = Server::start(&["--base-url", "https://signup.example.org/app"]);
    let base = "https://signup.example.org";
    for (host, origin, is_allowed) in [
        ("signup.example.org", Some(base), true),
        ("localhost:8080", None, true),
        ("signup.example.org", Some("https://evil.example"), false),
        ("evil.example", None, false),
    ] {
        for token in [Some(&server.token), None] {
            let mut request = server.request("POST", "/mcp").header("host", host).body(LIST);
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            if let Some(origin) = origin {
                request = request.header("origin", origin);
            }
            let answer = server.answer(request).await;
            let what = format!("{host} {origin:?} {token:?}");
            match (is_allowed, token) {
                (false, _) => assert_refused(&answer, 403, &what),
                (true, Some(_)) => assert_eq!(answer.status, 200, "{what}"),
                (true, None) => assert_refused(&answer, 401, &what),
            }
        }
    }
    for hosts in ["", "Host: localhost\r\nHost: localhost\r\n"] {
        let request = format!("POST /mcp HTTP/1.1\r\n{hosts}Content-Length: 0\r\n\r\n");
        assert_eq!(raw(&server.url, request.as_bytes()), "HTTP/1.1 403 Forbidden", "{hosts:?}");
    }
}

#[tokio::test]
async fn each_post_counts_against_the_rate_of_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let plans = folder.path().join("plans.json");
    let limits = json!({"requests_per_minute": 10, "active_events": 5, "event_days": 7});
    let names = ["free", "calendar", "starter", "pro"];
    let all: serde_json::Map<_, _> =
        names.into_iter().map(|name| (name.to_owned(), limits.clone())).collect();
    std::fs::write(&plans, Value::Object(all).to_string()).unwrap();
    let server = Server::start_exactly(&["--database", "memory:", "--plans", plans.to_str().unwrap()]);
    let token = &server.token;
    let initialize = json!({"protocolVersion": VERSIONS[2], "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let foreign = server.request("POST", "/mcp").bearer_auth(token).header("origin", "https://evil.example");
    let mut left = 10;
    for (request, status) in [
        (post(&server, token, &message("initialize", &initialize)), 200),
        (post(&server, token, &notification), 202),
        (post(&server, token, &message("ping", &json!({}))), 200),
        (in_version(NEWEST, &server, token, "server/discover", json!({})), 200),
        (post(&server, token, &message("tools/list", &json!({}))), 200),
        (post(&server, token, &message("tools/call", &json!({"name": "whoami"}))), 200),
        (post(&server, token, &json!([])), 400),
        (foreign.body(LIST), 403),
        (server.request("GET", "/mcp").bearer_auth(token), 405),
        (server.request("GET", "/v1/team").bearer_auth(token), 200),
    ] {
        left -= 1;
        let answer = server.answer(request).await;
        assert_eq!(answer.status, status, "{}", answer.text);
        assert_eq!(answer.header("x-ratelimit-limit"), Some("10"));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left.to_string().as_str()), "{status}");
    }
    let refused = send(&server, &[], LIST).await;
    assert_refused(&refused, 429, "the eleventh request");
    assert_eq!(refused.json()["message"], "Too Many Attempts.");
    for name in ["retry-after", "x-ratelimit-reset"] {
        assert!(refused.header(name).unwrap().parse::<u64>().is_ok(), "{name}");
    }
}
