//! The load generator: many connections, each of which asks again as soon as it was answered.

use std::io;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request that is sent over and over. `{n}` in it is another number each time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Load {
    port: u16,
    request: String,
    /// What is answered to each.
    status: u16,
}

/// What came of a round.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) p999_ms: f64,
}

impl Load {
    pub(crate) fn get(port: u16, path: &str, token: Option<&str>) -> Self {
        let authorization = authorization(token);
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}\r\n");
        Self { port, request, status: 200 }
    }

    pub(crate) fn post(port: u16, path: &str, token: Option<&str>, body: &str) -> Self {
        let authorization = authorization(token);
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}idempotency-key: {{n}}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Self { port, request, status: 201 }
    }
}

impl Load {
    /// The body that is answered to one such request.
    pub(crate) fn once(&self, number: u64) -> String {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = self.request.replace("{n}", &format!("once-{number}"));
        let request = request.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let mut answer = String::new();
        io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }
}

fn authorization(token: Option<&str>) -> String {
    token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default()
}

/// Runs a load in a process of its own.
pub(crate) fn in_a_process(load: &Load, connections: usize, round: Duration) -> Figures {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["load", &connections.to_string(), &round.as_millis().to_string()])
        .arg(serde_json::to_string(load).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The process of [`in_a_process`].
pub(crate) fn run(arguments: &[String]) {
    let [connections, round, load] = arguments else { panic!("{arguments:?}") };
    let (connections, round) = (connections.parse().unwrap(), Duration::from_millis(round.parse().unwrap()));
    let load: Load = serde_json::from_str(load).unwrap();
    let figures = tokio::runtime::Runtime::new().unwrap().block_on(generate(load, connections, round));
    println!("{}", serde_json::to_string(&figures).unwrap());
}

async fn generate(load: Load, connections: usize, round: Duration) -> Figures {
    let load = Arc::new(load);
    // No two rounds may use a number twice, and a round is in a process of its own.
    let number = Arc::new(AtomicU64::new(u64::from(std::process::id()) << 32));
    let began = Instant::now();
    let tasks: Vec<_> = (0..connections)
        .map(|_| tokio::spawn(connection(Arc::clone(&load), Arc::clone(&number), began + round)))
        .collect();
    let mut all = histogram();
    for task in tasks {
        all.add(task.await.unwrap().unwrap()).unwrap();
    }
    #[expect(clippy::cast_precision_loss, reason = "figures to print")]
    let ms = |quantile| all.value_at_quantile(quantile) as f64 / 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "figures to print")]
    let per_second = all.len() as f64 / began.elapsed().as_secs_f64();
    Figures { per_second, p50_ms: ms(0.5), p99_ms: ms(0.99), p999_ms: ms(0.999) }
}

/// Microseconds, up to a minute, to three digits.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).unwrap()
}

async fn connection(load: Arc<Load>, number: Arc<AtomicU64>, end: Instant) -> io::Result<Histogram<u64>> {
    let mut stream = TcpStream::connect(("127.0.0.1", load.port)).await?;
    stream.set_nodelay(true)?;
    let (before, after) = load.request.split_once("{n}").unwrap_or((&load.request, ""));
    let is_numbered = before.len() < load.request.len();
    let (mut times, mut request, mut answer) = (histogram(), Vec::new(), Vec::with_capacity(16 * 1024));
    while Instant::now() < end {
        request.clear();
        request.extend_from_slice(before.as_bytes());
        if is_numbered {
            request.extend_from_slice(number.fetch_add(1, Ordering::Relaxed).to_string().as_bytes());
            request.extend_from_slice(after.as_bytes());
        }
        let began = Instant::now();
        stream.write_all(&request).await?;
        let status = read_answer(&mut stream, &mut answer).await?;
        assert_eq!(status, load.status, "{}", String::from_utf8_lossy(&answer));
        times.saturating_record(u64::try_from(began.elapsed().as_micros()).unwrap());
    }
    Ok(times)
}

/// Reads one answer, which says how long it is; gives its status.
async fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<u16> {
    answer.clear();
    let mut whole = None;
    loop {
        if stream.read_buf(answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if whole.is_none() {
            whole = head_of(answer);
        }
        if let Some((status, length)) = whole
            && answer.len() >= length
        {
            return Ok(status);
        }
    }
}

/// The status, and the length of the answer with its head, once the head is there.
fn head_of(answer: &[u8]) -> Option<(u16, usize)> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.get(9..12)?.parse().ok()?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    Some((status, end + length.map_or(0, |length| length.parse().unwrap_or(0))))
}
