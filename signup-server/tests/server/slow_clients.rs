//! Clients that are slow, silent or gone hold up nobody and are let go of in time. Time is meant here: these tests wait for
//! the server's own timeouts.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(50))).unwrap();
    stream
}

/// What still comes on a connection until the server closes it.
fn rest(mut stream: TcpStream) -> String {
    let mut text = vec![];
    // A connection that is reset is closed as well.
    drop(stream.read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn silent_and_half_sent_requests_hold_up_nobody_and_are_closed() {
    let server = Server::start(&[]);
    let since = Instant::now();
    let starts: [&[u8]; 3] = [b"", b"G", b"GET /v1/team HTTP/1.1\r\nHost: x\r\nAuthorization: Bea"];
    let streams: Vec<_> = (0..200)
        .map(|number| {
            let mut stream = connect(&server);
            stream.write_all(starts[number % 3]).unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/v1/team").await.status, 200);
    assert!(since.elapsed() < Duration::from_secs(10), "others are served meanwhile");
    tokio::task::spawn_blocking(move || streams.into_iter().for_each(|stream| drop(rest(stream))))
        .await
        .unwrap();
    assert!(since.elapsed() < Duration::from_secs(30), "all are closed");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_answered_408() {
    let server = Server::start(&[]);
    let mut stream = connect(&server);
    let head = format!(
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: 100\r\n\r\n{{\"title\":",
        server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let answer = tokio::task::spawn_blocking(move || rest(stream)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("x-ratelimit-limit"), "{answer}");
    assert_eq!(server.count_events().await, 0);
}

#[rstest]
#[tokio::test]
async fn a_client_that_goes_away_does_not_undo_its_write(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let mut body = event();
    body["shifts"] = json!(vec![json!({"title": "A", "capacity": 1}); 500]);
    let body = body.to_string();
    for number in 0..20 {
        let mut stream = connect(&server);
        let request = format!(
            "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {number}\r\nContent-Length: {}\r\n\r\n{body}",
            server.token,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
    }
    // What was taken up is done to its end: each key is either whole or unused, and its retry makes it whole.
    for number in 0..20 {
        let key = number.to_string();
        let answer = server.send_keyed("POST", "/v1/events", &key, &event()).await;
        assert_eq!(answer.status, 201);
        let expected = if answer.is_replay() { 500 } else { 2 };
        assert_eq!(answer.data()["slots"].as_array().unwrap().len(), expected);
    }
    assert_eq!(server.count_events().await, 20);
}
