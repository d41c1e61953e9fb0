//! An HTTP server for deliveries to webhooks: it keeps the bytes of each request, and answers as the test says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::contract;
use crate::wait::{wait_for_anything_more, wait_until};

/// The arguments of a server that may send webhooks to this machine.
pub(crate) const ALLOW: [&str; 2] = ["--webhook-allow", "127.0.0.0/8"];

/// A running receiver. It runs until the test process exits.
#[derive(Clone)]
pub(crate) struct Receiver {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    /// Each answer is used once; the last one repeats. Without one, the answer is 204.
    answers: Vec<Answer>,
}

/// How a receiver answers a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    Status(u16),
    /// The status, after a delay.
    Late(u16, Duration),
    /// No answer: the connection stays open.
    Never,
}

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) at: Instant,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert_eq!(values.len(), 1, "{name}: {values:?}");
        values[0].to_str().unwrap()
    }

    /// Returns the body, and checks the request against the OpenAPI document.
    pub(crate) fn json(&self) -> Value {
        let body = serde_json::from_str(&self.body).unwrap();
        contract::check_sent(&self.headers, &body);
        body
    }

    /// Returns whether the published library accepts the signature.
    pub(crate) fn is_signed_with(&self, secret: &str) -> bool {
        let library = standardwebhooks::Webhook::new(secret).unwrap();
        library.verify(self.body.as_bytes(), &self.headers).is_ok()
    }
}

impl Receiver {
    pub(crate) fn start() -> Self {
        Self::answering(&[])
    }

    /// Starts a receiver with these answers. Each answer is used once; the last one repeats.
    pub(crate) fn answering(answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let receiver = Self { port, state: Arc::default() };
        receiver.answer(answers);
        let state = Arc::clone(&receiver.state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&state);
                // An I/O error ends this connection and no other.
                std::thread::spawn(move || serve(&stream?, &state));
            }
        });
        receiver
    }

    /// Replaces the answers.
    pub(crate) fn answer(&self, answers: &[Answer]) {
        self.state.lock().unwrap().answers = answers.to_vec();
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hooks", self.port)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    /// Waits until at least `count` requests were received and returns all of them. Panics after `limit`.
    pub(crate) async fn wait_for(&self, count: usize, limit: Duration) -> Vec<Received> {
        wait_until(limit, async || {
            let received = self.received();
            let (arrived, is_enough) = (received.len(), received.len() >= count);
            if is_enough { Ok(received) } else { Err(format!("only {arrived} of {count} requests arrived")) }
        })
        .await
    }

    /// Waits for `count` requests and checks that no further one arrives within 2.5 seconds.
    pub(crate) async fn wait_for_exactly(&self, count: usize, limit: Duration) -> Vec<Received> {
        self.wait_for(count, limit).await;
        wait_for_anything_more().await;
        let received = self.received();
        assert_eq!(received.len(), count, "{received:?}");
        received
    }
}

/// Reads the request of a connection, and answers it.
fn serve(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let mut headers = HeaderMap::new();
    for (name, value) in head.lines().skip(1).filter_map(|line| line.split_once(": ")) {
        let name: reqwest::header::HeaderName = name.parse().unwrap();
        headers.append(name, value.parse().unwrap());
    }
    let length = headers["content-length"].to_str().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body = String::from_utf8(body).unwrap();
    let answer = {
        let mut state = state.lock().unwrap();
        state.received.push(Received { at: Instant::now(), headers, body });
        match state.answers.len() {
            0 => Answer::Status(204),
            1 => state.answers[0],
            _ => state.answers.remove(0),
        }
    };
    let status = match answer {
        Answer::Status(status) => status,
        Answer::Late(status, delay) => {
            // The test has set the delay: it stands for a slow endpoint.
            std::thread::sleep(delay);
            status
        }
        Answer::Never => {
            // Returns when the client closes the connection.
            reader.read_to_end(&mut vec![])?;
            return Ok(());
        }
    };
    let mut stream = stream;
    write!(stream, "HTTP/1.1 {status} Answer\r\nContent-Length: 0\r\n\r\n")
}
