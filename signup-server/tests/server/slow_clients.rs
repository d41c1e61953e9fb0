//! Slow, silent and disconnected clients delay no other request, and their connections are closed after a timeout.
//!
//! The tests that wait for the timeouts of the server run if [`long_waits`].

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::wait::{long_waits, wait_until};

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(50))).unwrap();
    stream
}

/// Reads a connection until the server closes it and returns the text.
fn rest(mut stream: TcpStream) -> String {
    let mut text = vec![];
    // A reset also counts as the end of the connection.
    drop(stream.read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn silent_and_incomplete_requests_delay_no_other_and_are_closed() {
    if !long_waits() {
        return;
    }
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
    assert!(since.elapsed() < Duration::from_secs(10), "another request is served meanwhile");
    tokio::task::spawn_blocking(move || streams.into_iter().for_each(|stream| drop(rest(stream))))
        .await
        .unwrap();
    assert!(since.elapsed() < Duration::from_secs(30), "every connection is closed");
}

/// Connects with a small receive buffer and requests more than fits into this buffer and the server's send buffer.
async fn connect_and_never_read(server: &Server) -> tokio::net::TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = server.url.trim_start_matches("http://").parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(400);
    stream.write_all(requests.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn a_client_that_never_reads_loses_its_connection() {
    if !long_waits() {
        return;
    }
    let server = Server::start(&[]);
    let streams = futures_util::future::join_all((0..5).map(|_| connect_and_never_read(&server))).await;
    // A write fails once the server has closed the connection. Until then the server ignores the empty lines.
    let is_open = |stream: &tokio::net::TcpStream| match stream.try_write(b"\r\n") {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
    };
    wait_until(Duration::from_secs(40), async || {
        let open = streams.iter().filter(|stream| is_open(stream)).count();
        if open == 0 { Ok(()) } else { Err(format!("the server did not close {open} of 5 connections")) }
    })
    .await;
    assert_eq!(server.get("/v1/team").await.status, 200);
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_its_whole_answer() {
    if !long_waits() {
        return;
    }
    let server = Server::start(&[]);
    let mut body = event();
    body["description"] = json!("d".repeat(65_000));
    for _ in 0..100 {
        server.create(&body).await;
    }
    let mut stream = connect(&server);
    let request = format!(
        "GET /v1/events?per_page=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        server.token
    );
    stream.write_all(request.as_bytes()).unwrap();
    let read = tokio::task::spawn_blocking(move || {
        let since = Instant::now();
        let (mut read, mut part) = (0, [0; 2000]);
        while since.elapsed() < Duration::from_secs(45) {
            read += stream.read(&mut part).unwrap();
            // The pause is deliberate: the client reads for longer than the server's timeout of a write without
            // progress.
            std::thread::sleep(Duration::from_millis(100));
        }
        read + rest(stream).len()
    });
    let expected = server.get("/v1/events?per_page=100").await.text.len();
    assert!(read.await.unwrap() > expected, "{expected} bytes and a head");
}

#[tokio::test]
async fn clients_that_never_read_do_not_delay_the_shutdown() {
    let mut server = Server::start(&[]);
    let streams = futures_util::future::join_all((0..5).map(|_| connect_and_never_read(&server))).await;
    let since = Instant::now();
    let status = tokio::task::spawn_blocking(move || server.terminate()).await.unwrap();
    assert!(status.success(), "{status}");
    assert!(since.elapsed() < Duration::from_secs(20), "requests in flight get 10 seconds");
    drop(streams);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_answered_408() {
    if !long_waits() {
        return;
    }
    let server = Server::start(&[]);
    let mut stream = connect(&server);
    let head = format!(
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: 100\r\n\r\n{{\"title\":",
        server.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let answer = tokio::task::spawn_blocking(move || rest(stream)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("x-ratelimit-limit"), "{answer}");
    assert!(answer.contains("connection: close") && answer.contains("x-request-id"), "{answer}");
    assert_eq!(server.count_events().await, 0);
}

#[rstest]
#[tokio::test]
async fn a_client_that_disconnects_does_not_undo_its_write(#[values(Sqlite, Postgres)] engine: Engine) {
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
    // A started write is completed. So each key has its whole event or none, and a retry creates a missing event.
    for number in 0..20 {
        let key = number.to_string();
        let answer = server.send_keyed("POST", "/v1/events", &key, &event()).await;
        assert_eq!(answer.status, 201);
        let expected = if answer.is_replay() { 500 } else { 2 };
        assert_eq!(answer.data()["slots"].as_array().unwrap().len(), expected);
    }
    assert_eq!(server.count_events().await, 20);
}
