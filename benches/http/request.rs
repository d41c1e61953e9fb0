//! Requests as bytes, and the parts of an answer that the load generator reads.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The maximum wait for an answer. After a longer wait the benchmark fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// The number of requests from one address: below the limit of sign-ups per minute and address.
const REQUESTS_PER_ADDRESS: u64 = 20;
/// The digits of every number, so that the length of a body does not depend on the number.
const NUMBER_DIGITS: usize = 12;

/// A request, and the expected status of its answer.
///
/// Each time the request is sent, `{number}` becomes a new number and `{address}` an IP address that few requests share.
#[derive(Clone)]
pub(crate) struct Request {
    text: String,
    pub(crate) status: u16,
}

impl Request {
    pub(crate) fn get(path: &str) -> Self {
        Self { text: format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"), status: 200 }
    }

    pub(crate) fn with_body(method: &str, path: &str, kind: &str, body: &str) -> Self {
        let numbers = body.matches("{number}").count();
        let length = body.len() + numbers * NUMBER_DIGITS - numbers * "{number}".len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        Self { text, status: 200 }
    }

    /// Returns a request with a form, as a browser posts it.
    pub(crate) fn form(path: &str, body: &str) -> Self {
        let request = Self::with_body("POST", path, "application/x-www-form-urlencoded", body);
        request.with_header("sec-fetch-site", "same-origin")
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.text = self.text.replacen("\r\n", &format!("\r\n{name}: {value}\r\n"), 1);
        self
    }

    pub(crate) fn with_token(self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Appends the request's bytes with the next number.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let mut parts = self.text.split('{');
        bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
        let mut number = None;
        for part in parts {
            let number = *number.get_or_insert_with(|| NUMBERS.fetch_add(1, Ordering::Relaxed));
            if let Some(rest) = part.strip_prefix("number}") {
                write!(bytes, "{number:0NUMBER_DIGITS$}{rest}").unwrap();
            } else if let Some(rest) = part.strip_prefix("address}") {
                let address = 0x0a00_0000 + (number / REQUESTS_PER_ADDRESS) as u32 % 0x0100_0000;
                write!(bytes, "{}{rest}", Ipv4Addr::from_bits(address)).unwrap();
            } else {
                // A brace of a JSON body.
                write!(bytes, "{{{part}").unwrap();
            }
        }
    }

    /// Sends the request over a new connection, and returns the body of the answer.
    pub(crate) fn send(&self, port: u16) -> String {
        self.send_whole(port).split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Sends the request over a new connection, and returns the answer with its head.
    pub(crate) fn send_whole(&self, port: u16) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut bytes = vec![];
        self.clone().with_header("connection", "close").write_to(&mut bytes);
        stream.write_all(&bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (status, _) = status_and_length(answer.as_bytes()).unwrap();
        assert_eq!(status, self.status, "{answer}");
        answer
    }
}

/// Returns the status and the length of the answer, head included. `None` until the head is complete.
pub(crate) fn status_and_length(answer: &[u8]) -> Option<(u16, usize)> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.get(9..12)?.parse().ok()?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    Some((status, end + length.map_or(0, |length| length.parse().unwrap_or(0))))
}
