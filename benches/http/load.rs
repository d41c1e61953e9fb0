//! The load generator: many connections, each of which sends its next request as soon as it has an answer.
//!
//! The generator is a separate process of this program, which reads its load from standard input.

use std::io::{self, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::request::{PATIENCE, Request, status_and_length};
use crate::times::Times;

/// The default number of concurrent connections.
pub(crate) const CONNECTIONS: usize = 64;
/// The length of a round.
const ROUND: Duration = Duration::from_secs(1);
/// The maximum number of requests of a round. Each request has a number that no other round uses.
const NUMBERS: u64 = 1_000_000;

/// The requests of many connections. Each connection sends the requests in turn, in an endless cycle.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Load {
    port: u16,
    connections: usize,
    requests: Vec<Request>,
    /// A load at the same time, whose answers are not counted.
    beside: Option<Box<Load>>,
}

/// The end of a round.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Until {
    After(Duration),
    Answered(u64),
}

#[derive(Debug, Serialize, Deserialize)]
struct Round {
    load: Load,
    until: Until,
    first_number: u64,
}

/// The result of a round.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) per_second: f64,
    pub(crate) times: Times,
}

impl Load {
    pub(crate) fn new(port: u16, requests: Vec<Request>) -> Self {
        Self { port, connections: CONNECTIONS, requests, beside: None }
    }

    pub(crate) fn with_connections(self, connections: usize) -> Self {
        Self { connections, ..self }
    }

    pub(crate) fn beside(self, other: Self) -> Self {
        Self { beside: Some(Box::new(other)), ..self }
    }

    /// Runs a round of the default length.
    pub(crate) fn for_a_round(&self) -> Figures {
        self.run(Until::After(ROUND))
    }

    /// Runs a round of exactly this many requests.
    pub(crate) fn for_answers(&self, answers: u64) -> Figures {
        self.run(Until::Answered(answers))
    }

    fn run(&self, until: Until) -> Figures {
        static ROUNDS: AtomicU64 = AtomicU64::new(1);
        let first_number = ROUNDS.fetch_add(1, Ordering::Relaxed) * NUMBERS;
        let mut process = Command::new(std::env::current_exe().unwrap())
            .arg("load")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let round = serde_json::to_vec(&Round { load: self.clone(), until, first_number }).unwrap();
        process.stdin.take().unwrap().write_all(&round).unwrap();
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "a round failed");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Runs a round in this process, and prints the result.
pub(crate) fn run() {
    let mut round = vec![];
    io::stdin().read_to_end(&mut round).unwrap();
    let round: Round = serde_json::from_slice(&round).unwrap();
    let figures = tokio::runtime::Runtime::new().unwrap().block_on(generate(round));
    println!("{}", serde_json::to_string(&figures).unwrap());
}

/// State that the connections of a round share.
struct Shared {
    numbers: AtomicU64,
    answers: AtomicU64,
    until: Until,
    began: Instant,
}

impl Shared {
    fn is_over(&self) -> bool {
        match self.until {
            Until::After(round) => self.began.elapsed() >= round,
            Until::Answered(answers) => self.answers.fetch_add(1, Ordering::Relaxed) >= answers,
        }
    }
}

async fn generate(Round { mut load, until, first_number }: Round) -> Figures {
    let shared = Arc::new(Shared {
        numbers: AtomicU64::new(first_number),
        answers: AtomicU64::new(0),
        until,
        began: Instant::now(),
    });
    let connections = |load: Load| -> Vec<_> {
        let connections = load.connections;
        let load = Arc::new(load);
        (0..connections)
            .map(|number| tokio::spawn(connection(Arc::clone(&load), number, Arc::clone(&shared))))
            .collect()
    };
    let beside = load.beside.take().map_or(vec![], |beside| connections(*beside));
    let mut times = Times::none();
    for task in connections(load) {
        times.add(&task.await.unwrap().unwrap());
    }
    let seconds = shared.began.elapsed().as_secs_f64();
    for task in beside {
        drop(task.await.unwrap().unwrap());
    }
    Figures { per_second: times.answers() / seconds, times }
}

async fn connection(load: Arc<Load>, number: usize, shared: Arc<Shared>) -> io::Result<Times> {
    let mut stream = TcpStream::connect(("127.0.0.1", load.port)).await?;
    stream.set_nodelay(true)?;
    let (mut times, mut text, mut answer) = (Times::none(), Vec::new(), Vec::with_capacity(16 * 1024));
    // Connections start at different places of the cycle, so that they send different requests at the same time.
    for request in load.requests.iter().cycle().skip(number * load.requests.len() / load.connections) {
        if shared.is_over() {
            break;
        }
        text.clear();
        request.write_to(&mut text, &shared.numbers);
        let began = Instant::now();
        stream.write_all(&text).await?;
        let status = tokio::time::timeout(PATIENCE, read_answer(&mut stream, &mut answer)).await??;
        assert_eq!(status, request.status, "{}", String::from_utf8_lossy(&answer));
        times.record(began.elapsed());
    }
    Ok(times)
}

/// Reads one answer, which must have a content length, and returns its status.
pub(crate) async fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<u16> {
    answer.clear();
    let mut whole = None;
    loop {
        if stream.read_buf(answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if whole.is_none() {
            whole = status_and_length(answer);
        }
        if let Some((status, length)) = whole
            && answer.len() >= length
        {
            return Ok(status);
        }
    }
}
