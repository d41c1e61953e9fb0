//! Every answer to a valid HTTP request has `X-Request-Id`, and under `/v1` the rate headers.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::harness::Server;

/// Sends bytes on a new connection and reads until the server closes it. Returns the answer in lower case.
fn exchange(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut text = vec![];
    stream.read_to_end(&mut text).unwrap();
    String::from_utf8(text).unwrap().to_ascii_lowercase()
}

fn start(request: &str) -> String {
    request.escape_debug().take(100).collect()
}

/// Returns a request head of `length` bytes.
fn head(length: usize) -> String {
    let (start, end) = ("GET /v1/team HTTP/1.1\r\nConnection: close\r\nX: ", "\r\n\r\n");
    format!("{start}{}{end}", "x".repeat(length - start.len() - end.len()))
}

#[test]
fn an_invalid_head_is_answered_without_an_id_and_the_connection_is_closed() {
    let server = Server::start(&[]);
    let many = format!("GET /v1/team HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101));
    let cases = [
        ("\u{16}\u{3}\u{1}\u{2}\0\r\n\r\n", 400),
        ("GET\r\n\r\n", 400),
        ("GET / HTTP/9.9\r\n\r\n", 400),
        ("G@T / HTTP/1.1\r\n\r\n", 400),
        ("GET v1/team HTTP/1.1\r\n\r\n", 400),
        ("GET /v1/team HTTP/1.1\r\nHo st: x\r\n\r\n", 400),
        ("GET /v1/team HTTP/1.1\r\nHost: \0\r\n\r\n", 400),
        ("POST /v1/events HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        ("POST /v1/events HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST /v1/events HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        (many.as_str(), 431),
        (&head(64 * 1024 + 1), 431),
    ];
    for (bytes, status) in cases {
        let answer = exchange(&server, bytes.as_bytes());
        let name = format!("{}: {answer}", start(bytes));
        assert!(answer.starts_with(&format!("http/1.1 {status} ")), "{name}");
        assert!(answer.contains("connection: close") && answer.contains("content-length: 0"), "{name}");
        assert!(!answer.contains("x-request-id") && !answer.contains("x-ratelimit"), "{name}");
    }
    assert!(exchange(&server, head(64 * 1024).as_bytes()).starts_with("http/1.1 401"), "64 KiB are allowed");
    assert_eq!(exchange(&server, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "", "HTTP/2 gets no answer");
}

#[tokio::test]
async fn the_description_names_the_answers_that_have_no_id() {
    let document = Server::start(&[]).get_without_token("/openapi.json").await.json();
    let description = document["info"]["description"].as_str().unwrap();
    let paragraph =
        description.lines().find(|line| line.starts_with("**Responses without headers.**")).unwrap();
    for word in ["400", "431", "`X-Request-Id`", "rate headers", "closes"] {
        assert!(paragraph.contains(word), "{word} in {paragraph}");
    }
}

#[test]
fn every_answer_to_a_request_has_an_id_and_under_v1_rate_headers() {
    let server = Server::start(&[]);
    let token = format!("Authorization: Bearer {}\r\n", server.token);
    let post = format!("POST /v1/events HTTP/1.1\r\n{token}");
    let large = format!("{post}Content-Length: 1048577\r\n\r\n{}", " ".repeat(1_048_577));
    let cases = [
        ("GET /v1/team HTTP/1.1\r\n\r\n", 401),
        ("GET /v1/nothing HTTP/1.1\r\n\r\n", 404),
        ("PUT /v1/team HTTP/1.1\r\n\r\n", 405),
        ("OPTIONS /v1/team HTTP/1.1\r\n\r\n", 204),
        (&format!("HEAD /v1/team HTTP/1.1\r\n{token}\r\n"), 200),
        ("HEAD /v1/team HTTP/1.1\r\n\r\n", 401),
        ("GET http://x/v1/team HTTP/1.1\r\n\r\n", 401),
        (&format!("{post}Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx"), 415),
        (&format!("{post}Content-Length: 1\r\n\r\nx"), 422),
        (&format!("{post}Idempotency-Key: é\r\nContent-Length: 0\r\n\r\n"), 422),
        (&format!("{post}Transfer-Encoding: chunked\r\n\r\nnot a chunk\r\n"), 400),
        (&large, 413),
        ("GET /nothing HTTP/1.1\r\n\r\n", 404),
        ("GET /events/nothing HTTP/1.1\r\n\r\n", 404),
        ("DELETE /openapi.json HTTP/1.1\r\n\r\n", 405),
        ("HEAD /openapi.json HTTP/1.1\r\n\r\n", 200),
        ("OPTIONS /health/live HTTP/1.1\r\n\r\n", 204),
        ("OPTIONS * HTTP/1.1\r\n\r\n", 404),
        ("CONNECT x:1 HTTP/1.1\r\n\r\n", 405),
    ];
    for (request, status) in cases {
        let request = request.replacen(" HTTP/1.1\r\n", " HTTP/1.1\r\nConnection: close\r\n", 1);
        let answer = exchange(&server, request.as_bytes());
        let name = format!("{}: {answer}", start(&request));
        assert!(answer.starts_with(&format!("http/1.1 {status} ")), "{name}");
        assert!(answer.contains("\r\nx-request-id: "), "{name}");
        for header in ["\r\nx-ratelimit-limit: ", "\r\nx-ratelimit-remaining: "] {
            assert_eq!(answer.contains(header), request.contains("/v1/"), "{name}");
        }
    }
}
