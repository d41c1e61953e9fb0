//! A burst: many connections, each of which sends its next request as soon as it has an answer.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::request::Request;

/// The number of concurrent connections.
const CONNECTIONS: usize = 64;

/// The answers of a burst.
pub(crate) struct Burst {
    /// The latency of each answer in milliseconds.
    pub(crate) millis: Vec<f64>,
    seconds: f64,
}

/// The end of a burst.
enum Until {
    Time(Instant),
    /// The number of requests that may still be sent.
    Remaining(AtomicU64),
}

impl Until {
    fn is_reached(&self) -> bool {
        match self {
            Self::Time(end) => Instant::now() >= *end,
            Self::Remaining(count) => count
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1))
                .is_err(),
        }
    }
}

impl Burst {
    /// Sends these requests in an endless cycle for a second.
    pub(crate) async fn of_a_second(port: u16, requests: &[Request]) -> Self {
        Self::run(port, requests, Until::Time(Instant::now() + Duration::from_secs(1))).await
    }

    /// Sends these requests in an endless cycle until there are this many answers.
    pub(crate) async fn of_answers(port: u16, requests: &[Request], answers: u64) -> Self {
        Self::run(port, requests, Until::Remaining(AtomicU64::new(answers))).await
    }

    /// Sends each of these requests once.
    pub(crate) async fn of_each(port: u16, requests: &[Request]) -> Self {
        let began = Instant::now();
        let part = requests.len().div_ceil(CONNECTIONS);
        let connections: Vec<_> = requests
            .chunks(part)
            .map(|part| {
                let until = Arc::new(Until::Remaining(AtomicU64::new(part.len() as u64)));
                tokio::spawn(connection(port, part.into(), 0, until))
            })
            .collect();
        let mut millis = vec![];
        for connection in connections {
            millis.extend(connection.await.unwrap().unwrap());
        }
        Self { millis, seconds: began.elapsed().as_secs_f64() }
    }

    pub(crate) fn per_second(&self) -> f64 {
        self.millis.len() as f64 / self.seconds
    }

    async fn run(port: u16, requests: &[Request], until: Until) -> Self {
        let (requests, until): (Arc<[_]>, _) = (requests.into(), Arc::new(until));
        let began = Instant::now();
        let connections: Vec<_> = (0..CONNECTIONS)
            .map(|number| tokio::spawn(connection(port, Arc::clone(&requests), number, Arc::clone(&until))))
            .collect();
        let mut millis = vec![];
        for connection in connections {
            millis.extend(connection.await.unwrap().unwrap());
        }
        Self { millis, seconds: began.elapsed().as_secs_f64() }
    }
}

async fn connection(
    port: u16,
    requests: Arc<[Request]>,
    number: usize,
    until: Arc<Until>,
) -> io::Result<Vec<f64>> {
    let (mut connection, mut millis) = (Connection::open(port).await?, vec![]);
    // Connections start at different places of the cycle, so that they send different requests at the same time.
    for request in requests.iter().cycle().skip(number * requests.len() / CONNECTIONS) {
        if until.is_reached() {
            break;
        }
        let began = Instant::now();
        let status = connection.send(request).await?;
        assert_eq!(status, request.status, "{}", String::from_utf8_lossy(connection.answer()));
        millis.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(millis)
}
