//! Keep-alive: a client may reuse its connection after every answer without `Connection: close`.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use rand::RngExt as _;
use rand::seq::IndexedRandom as _;

use crate::harness::Server;

/// A client that reuses its connection until an answer says `Connection: close`.
struct Client<'a> {
    server: &'a Server,
    stream: Option<BufReader<TcpStream>>,
}

/// The head of an answer whose body was read and dropped.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) says_close: bool,
    pub(crate) says_continue: bool,
}

impl<'a> Client<'a> {
    fn new(server: &'a Server) -> Self {
        Self { server, stream: None }
    }

    /// Sends the parts of a request with a pause of 10 ms between them, so that they arrive separately. Reads the answer.
    fn exchange(&mut self, parts: &[&[u8]]) -> io::Result<Head> {
        let stream = self.stream.get_or_insert_with(|| connect(self.server));
        for (number, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
            if number > 0 {
                // The pause is deliberate: the server reads the parts one after the other.
                std::thread::sleep(Duration::from_millis(10));
            }
            stream.get_mut().write_all(part)?;
        }
        let head = read_answer(stream)?;
        if head.says_close {
            self.stream = None;
        }
        Ok(head)
    }
}

pub(crate) fn connect(server: &Server) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(server.url.trim_start_matches("http://")).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    BufReader::new(stream)
}

pub(crate) fn read_answer(stream: &mut BufReader<TcpStream>) -> io::Result<Head> {
    let mut head = Head { status: 0, says_close: false, says_continue: false };
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(status) = line.strip_prefix("http/1.1 ") {
            head.status = status[..3].parse().unwrap();
        } else if line == "connection: close" {
            head.says_close = true;
        } else if let Some(text) = line.strip_prefix("content-length: ") {
            length = text.parse().unwrap();
        } else if line.is_empty() && head.status == 100 {
            head.says_continue = true;
        } else if line.is_empty() {
            break;
        }
    }
    stream.read_exact(&mut vec![0; length])?;
    Ok(head)
}

/// Returns the framing header and the bytes of a body: with `Content-Length`, or chunked.
fn body(length: usize, is_chunked: bool) -> (String, Vec<u8>) {
    let body = vec![b'x'; length];
    if !is_chunked {
        return (format!("Content-Length: {length}\r\n"), body);
    }
    let mut chunks = vec![];
    for part in body.chunks(1000) {
        chunks.extend(format!("{:x}\r\n", part.len()).into_bytes());
        chunks.extend(part);
        chunks.extend(b"\r\n");
    }
    chunks.extend(b"0\r\n\r\n");
    ("Transfer-Encoding: chunked\r\n".to_owned(), chunks)
}

#[test]
fn a_connection_is_reused_after_an_answer_that_precedes_the_body() {
    let server = Server::start_on_sqlite();
    let narrow = server.token_with("slots:read");
    let full = &server.token;
    let cases = [
        ("POST /v1/events", "nobody", "application/json", 401),
        ("POST /v1/events", narrow.as_str(), "application/json", 403),
        ("POST /v1/nothing", full, "application/json", 404),
        ("DELETE /v1/team", full, "application/json", 405),
        ("POST /v1/events", full, "text/plain", 415),
        ("POST /v1/events", full, "application/json", 422),
        ("GET /v1/team", full, "application/json", 200),
        ("OPTIONS /v1/team", full, "application/json", 204),
        ("GET /health/live", full, "text/plain", 200),
        ("PUT /openapi.json", full, "text/plain", 405),
        ("POST /nothing", full, "text/plain", 404),
        ("POST /signups/nothing/cancel", full, "application/x-www-form-urlencoded", 404),
    ];
    let mut random = rand::rng();
    let mut client = Client::new(&server);
    let mut before = None;
    for round in 0..500 {
        let (line, token, media_type, status) = *cases.choose(&mut random).unwrap();
        let length = *[1, 3000, 100_000].choose(&mut random).unwrap();
        let (framing, body) = body(length, random.random());
        let head = format!(
            "{line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {media_type}\r\n{framing}\r\n"
        );
        let whole = [head.as_bytes(), &body].concat();
        // Sends the request at once, or the body after the head, or the second half of the body later.
        let cut = *[whole.len(), head.len(), head.len() + body.len() / 2].choose(&mut random).unwrap();
        let parts = [&whole[..cut], &whole[cut..]];
        let this = format!("{line} with {length} bytes, {framing:?}, {cut} of {} at first", whole.len());
        let answer = client.exchange(&parts).unwrap_or_else(|error| {
            panic!(
                "round {round}: {error} at {this}, after an answer without `Connection: close` to {before:?}"
            )
        });
        assert_eq!(answer.status, status, "{this}");
        assert!(!answer.says_close, "a body that arrives must not close the connection: {this}");
        before = Some(this);
    }
}

#[test]
fn a_connection_is_reused_after_a_429() {
    let server = Server::start_exactly(&["--database", "memory:"]);
    let mut client = Client::new(&server);
    let head = "POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n";
    for number in 0..40 {
        let answer = client.exchange(&[head.as_bytes(), &[b'x'; 3000]]).unwrap();
        assert_eq!(answer.status, if number < 30 { 401 } else { 429 });
        assert!(!answer.says_close);
    }
}

#[test]
fn an_answer_to_an_incomplete_body_announces_that_the_connection_closes() {
    let server = Server::start(&[]);
    let mut stream = connect(&server);
    let head = "POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n{";
    stream.get_mut().write_all(head.as_bytes()).unwrap();
    let answer = read_answer(&mut stream).unwrap();
    assert_eq!((answer.status, answer.says_close), (401, true));
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the connection is closed");
}

#[test]
fn a_connection_is_reused_after_a_body_sent_on_100_continue() {
    let server = Server::start(&[]);
    let mut client = Client::new(&server);
    let head = format!(
        "POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: 3000\r\nExpect: 100-continue\r\n\r\n",
        server.token
    );
    for _ in 0..20 {
        let answer = client.exchange(&[head.as_bytes(), &[b'x'; 3000]]).unwrap();
        assert_eq!((answer.status, answer.says_continue, answer.says_close), (422, true, false));
    }
}
