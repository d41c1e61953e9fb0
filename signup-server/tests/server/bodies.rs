//! What a body may cost: what decides without the body is decided before it is read, and all bodies share a bound.
//!
//! A client that expects `100 Continue` learns whether the server reads its body.

use std::io::Write as _;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::console::Organizer;
use crate::console_guard::{path_of, patterns};
use crate::every_route::UNKNOWN;
use crate::harness::{Server, event};
use crate::keep_alive::{Head, connect, read_answer};
use crate::lives::PROXY;
use crate::mails::SOON;
use crate::pages::{Page, published};
use crate::wait::wait_until;

const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n";

/// Sends the head of a request with a body of 3,000 bytes, and returns the head of the answer that precedes the body.
///
/// Panics if the server asks for the body.
fn answer_without_body(server: &Server, line: &str, headers: &str) -> Head {
    let answer = answer_to_head(server, line, &format!("Content-Length: 3000\r\n{headers}"));
    assert!(!answer.says_continue && answer.says_close, "the server reads the body of {line}");
    answer
}

fn answer_to_head(server: &Server, line: &str, headers: &str) -> Head {
    let mut stream = connect(server);
    let head = format!("{line} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n{headers}\r\n");
    stream.get_mut().write_all(head.as_bytes()).unwrap();
    read_answer(&mut stream).unwrap()
}

#[tokio::test]
async fn no_form_of_the_console_is_read_without_a_session_or_for_a_record_that_does_not_exist() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let session = format!("{FORM}Cookie: signup={}\r\n", ada.cookie("signup").unwrap());
    let fill = |step: &str| match step {
        "{slug}" => "riverside".to_owned(),
        "{secret}" => "A".repeat(43),
        _ => UNKNOWN.to_owned(),
    };
    // Anybody may ask for a code and enter it. A form to sign out says where to continue, with a session or without.
    let is_open = |pattern: &&str| pattern.starts_with("/sign-in") || *pattern == "/sign-out";
    let posts = patterns().into_iter().filter(|(method, _)| *method == "POST").map(|(_, pattern)| pattern);
    let posts: Vec<_> = posts.filter(|pattern| !is_open(pattern)).collect();
    for pattern in &posts {
        let status = answer_without_body(&server, &format!("POST {}", path_of(pattern, fill)), FORM).status;
        assert_eq!(status, if *pattern == "/invitations/{secret}" { 410 } else { 303 }, "{pattern}");
    }
    let of_records: Vec<_> = posts.iter().filter(|pattern| pattern.contains("id}")).collect();
    assert!(of_records.len() > 10, "{of_records:?}");
    for pattern in of_records {
        let status =
            answer_without_body(&server, &format!("POST {}", path_of(pattern, fill)), &session).status;
        assert_eq!(status, 404, "{pattern}");
    }
    let elsewhere = answer_without_body(&server, "POST /console/elsewhere/events/new", &session);
    assert_eq!(elsewhere.status, 404, "an organization of others");
}

#[tokio::test]
async fn no_form_of_a_volunteer_is_read_without_an_event_or_above_the_limit() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let draft = Page::create(&server, &event()).await;
    let secret = "A".repeat(43);
    let paths =
        ["/events/nothing/signups", &format!("{}/signups", draft.path), &format!("/signups/{secret}/cancel")];
    for path in paths {
        assert_eq!(answer_without_body(&server, &format!("POST {path}"), FORM).status, 404, "{path}");
    }
    let mut last = 0;
    for _ in 0..200 {
        last = page.sign_up(&server, UNKNOWN, "Ada", "ada@example.org").await.status;
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
    let line = format!("POST {}/signups", page.path);
    assert_eq!(answer_without_body(&server, &line, FORM).status, 429);
    for _ in 0..200 {
        last = Organizer::new(&server).post("/sign-in/code", &[("code", "x")]).await.status;
        if last == 429 {
            break;
        }
    }
    assert_eq!(last, 429);
    assert_eq!(answer_without_body(&server, "POST /sign-in", FORM).status, 429);
}

#[tokio::test]
async fn no_body_is_read_whose_head_or_token_is_refused() {
    let server = Server::start_on_sqlite();
    let narrow = format!("Authorization: Bearer {}\r\n", server.token_with("slots:read"));
    let full = format!("Authorization: Bearer {}\r\n", server.token);
    for (line, headers, status) in [
        ("POST /v1/events", String::new(), 401),
        ("POST /v1/events", narrow, 403),
        ("POST /v1/events", format!("{full}Idempotency-Key: a b\r\n"), 422),
        ("POST /v1/events", format!("{full}Content-Type: text/plain\r\n"), 415),
        ("POST /v1/events", format!("{full}Content-Encoding: gzip\r\n"), 415),
        ("DELETE /v1/webhooks/x", format!("{full}Content-Type: text/plain\r\n"), 415),
    ] {
        assert_eq!(answer_without_body(&server, line, &headers).status, status, "{line} {headers}");
    }
    let too_long = format!("Content-Length: 1048577\r\n{full}");
    let answer = answer_to_head(&server, "POST /v1/events", &too_long);
    assert_eq!((answer.status, answer.says_continue), (413, false));
}

/// Sends the head of a form of this length and all of the form but its last byte.
async fn send_form(server: &Server, path: &str, headers: &str, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(server.url.trim_start_matches("http://")).await.unwrap();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\n{FORM}{headers}Content-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server may close the connection before it has read everything.
    drop(stream.write_all(&vec![b'x'; length - 1]).await);
    stream
}

/// Sends the last byte of a form, and returns the head of the answer.
async fn finish(mut stream: TcpStream) -> String {
    // The server may have answered already.
    drop(stream.write_all(b"x").await);
    head_of_answer(&mut stream).await
}

async fn head_of_answer(stream: &mut TcpStream) -> String {
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "the connection ended before its answer");
        head.extend_from_slice(&part[..read]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_forms_to_a_link_that_does_not_exist_take_no_memory() {
    let server = Server::start(&[]);
    let path = format!("/invitations/{}", "A".repeat(43));
    let before = server.peak_memory_kib();
    let streams = join_all((0..200).map(|_| send_form(&server, &path, "", 1_000_000))).await;
    assert_eq!(server.get("/v1/team").await.status, 200, "another request is served meanwhile");
    for stream in streams {
        assert!(finish(stream).await.starts_with("HTTP/1.1 410"));
    }
    let grown = (server.peak_memory_kib() - before) / 1024;
    assert!(grown < 100, "{grown} MiB for 200 forms of 1 MB");
}

/// Returns the heads of the first answers to forms whose last byte was not sent.
async fn first_answers(streams: &mut [TcpStream], number: usize) -> Vec<String> {
    let answers: FuturesUnordered<_> = streams.iter_mut().map(head_of_answer).collect();
    let heads = timeout(SOON, answers.take(number).collect()).await;
    heads.unwrap_or_else(|_| panic!("fewer than {number} forms were answered before their end"))
}

/// With a bound of 16 MiB, one address may hold 4 MiB.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_with_many_long_bodies_is_refused_and_others_are_served() {
    let server = Server::start(&[&PROXY[..], &["--body-memory-mib", "16"]].concat());
    let page = Page::create(&server, &published()).await;
    let (path, slot) = (format!("{}/signups", page.path), page.slot("Early"));
    let from = |address: &str| format!("X-Forwarded-For: {address}\r\n");
    let headers = from("192.0.2.1");
    let is_refused = |head: &String| head.starts_with("HTTP/1.1 503") && head.contains("retry-after: 1");
    let mut long = join_all((0..6).map(|_| send_form(&server, &path, &headers, 900_000))).await;
    let heads = first_answers(&mut long, 2).await;
    assert!(heads.iter().all(is_refused), "4 of 6 bodies are kept until they end: {heads:?}");

    let streams = (0..60).map(|number| {
        let headers = from(&format!("198.51.100.{number}"));
        let path = &path;
        let server = &server;
        async move { send_form(server, path, &headers, 900_000).await }
    });
    let mut streams = join_all(streams).await;
    let heads = first_answers(&mut streams, 1).await;
    assert!(heads.iter().all(is_refused), "the room of long bodies is taken: {heads:?}");
    let form = [("slot_id", slot.as_str()), ("name", "Ada"), ("email", "ada@example.org")];
    let request = server.request("POST", &path).header("x-forwarded-for", "203.0.113.1").form(&form);
    assert_eq!(
        server.page_answer(request).await.status,
        303,
        "whatever 60 addresses hold, another one has room"
    );

    drop((long, streams));
    wait_until(SOON, async || {
        let request = server.request("POST", "/v1/events").header("x-forwarded-for", "192.0.2.1");
        let answer =
            server.answer(request.bearer_auth(&server.token).json(&json!({"x": "x".repeat(900_000)}))).await;
        if answer.status == 422 {
            Ok(())
        } else {
            Err(format!("{}: the memory was not given back", answer.status))
        }
    })
    .await;
}
