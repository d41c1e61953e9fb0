//! Figures for Prometheus, on a listener of their own, which only those who run the server should reach.
//!
//! Names and labels come from this program only, never from a request, so their number is bounded: an unknown path is
//! `unknown`, an unknown method `other`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use signup_core::Service;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use warp::http::header::CONTENT_TYPE;
use warp::http::{HeaderValue, Method, StatusCode};
use warp::path::FullPath;
use warp::reply::Response;
use warp::{Filter, filters};

use crate::reply::{self, WithSources};
use crate::serve;

/// Upper bounds of the buckets of latencies, in seconds.
const SECONDS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Upper bounds of the buckets of commit batches, in change sets.
const CHANGE_SETS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
/// How long an answer of the store on what it holds is used, and how long it is waited for: who reads the metrics must get
/// them also when the store is slow, and then most of all.
const LOOK_EVERY: Duration = Duration::from_secs(5);
const LOOK_LIMIT: Duration = Duration::from_secs(1);
/// How often samples are sorted into their buckets, so that they take no more memory.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);

/// Connections to the listener at once.
const MAX_CONNECTIONS: usize = 8;

const REQUESTS: &str = "signup_http_requests_total";
const DURATION: &str = "signup_http_request_duration_seconds";
const CONNECTIONS: &str = "signup_store_connections";
const CONNECTIONS_IN_USE: &str = "signup_store_connections_in_use";
const MAILS: &str = "signup_mails_total";
const NOTICES: &str = "signup_notices_queued";
const FAILED_NOTICES: &str = "signup_notices_failed";

/// Whether anybody counts: if not, nothing needs a name.
static IS_COUNTING: AtomicBool = AtomicBool::new(false);

/// A listener, and what it will tell.
#[derive(Debug)]
pub(crate) struct Metrics {
    listener: TcpListener,
    handle: PrometheusHandle,
}

impl Metrics {
    /// Begins to count.
    ///
    /// # Errors
    /// One line that says what to mend.
    pub(crate) fn listen(address: SocketAddr) -> Result<Self, String> {
        let listener = serve::listen(address);
        let listener =
            listener.map_err(|error| format!("cannot listen on {address} for metrics: {error}"))?;
        let handle = install().map_err(|error| format!("cannot count: {error}"))?;
        Ok(Self { listener, handle })
    }

    /// Answers `GET /metrics` until it is aborted. `connections` are those to the database: open, and in use.
    pub(crate) async fn serve(
        self,
        service: Service,
        connections: impl Fn() -> (u32, u32) + Clone + Send + Sync + 'static,
    ) {
        let Self { listener, handle } = self;
        if let Ok(address) = listener.local_addr() {
            tracing::info!("metrics at http://{address}/metrics");
        }
        let upkeep = handle.clone();
        let looked: Arc<Mutex<Option<Instant>>> = Arc::default();
        let filter = warp::any().and(warp::method()).and(filters::path::full()).then(
            move |method: Method, path: FullPath| {
                let (handle, service, connections) = (handle.clone(), service.clone(), connections.clone());
                let looked = Arc::clone(&looked);
                async move {
                    if path.as_str() != "/metrics" || method != Method::GET {
                        return reply::not_found();
                    }
                    let (open, in_use) = connections();
                    gauge!(CONNECTIONS).set(open);
                    gauge!(CONNECTIONS_IN_USE).set(in_use);
                    // Who comes while the store is asked does without.
                    if let Ok(mut looked) = looked.try_lock()
                        && looked.is_none_or(|at| at.elapsed() >= LOOK_EVERY)
                    {
                        look(&service).await;
                        *looked = Some(Instant::now());
                    }
                    page(handle.render())
                }
            },
        );
        tokio::join!(serve::serve(listener, filter, MAX_CONNECTIONS, std::future::pending()), async {
            let mut interval = tokio::time::interval(UPKEEP_EVERY);
            loop {
                interval.tick().await;
                upkeep.run_upkeep();
            }
        });
    }
}

fn install() -> Result<PrometheusHandle, Box<dyn std::error::Error>> {
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Suffix("_batch_size".to_owned()), &CHANGE_SETS)?;
    let handle = builder.install_recorder()?;
    describe_counter!(REQUESTS, "Requests, by method, route and status");
    describe_histogram!(DURATION, "Seconds from a request's head to its answer, by route");
    describe_gauge!(CONNECTIONS, "Open connections to the database");
    describe_gauge!(CONNECTIONS_IN_USE, "Connections to the database that are in use");
    describe_counter!(MAILS, "Mails that were tried, by what became of them");
    describe_gauge!(NOTICES, "Notices that wait to be sent");
    describe_gauge!(FAILED_NOTICES, "Notices that were given up");
    describe_counter!("signup_notices_unreadable_total", "Notices that cannot be read, each counted once");
    describe_counter!("signup_store_round_trips_total", "Waits for the database, by kind");
    describe_counter!(
        "signup_store_commit_retries_total",
        "Commits tried again because of another transaction"
    );
    describe_counter!("signup_store_reconnects_total", "Times that all connections were made anew");
    describe_histogram!("signup_store_commit_batch_size", "Change sets that one commit made durable");
    IS_COUNTING.store(true, Ordering::Relaxed);
    Ok(handle)
}

/// Looks at what is not counted as it happens.
async fn look(service: &Service) {
    match tokio::time::timeout(LOOK_LIMIT, service.admin().count_notices()).await {
        #[expect(clippy::cast_precision_loss, reason = "nobody has 2^53 notices")]
        Ok(Ok(counts)) => {
            gauge!(NOTICES).set(counts.queued as f64);
            gauge!(FAILED_NOTICES).set(counts.failed as f64);
        }
        Ok(Err(error)) => tracing::warn!(error = %WithSources(&error), "notices were not counted"),
        Err(_) => tracing::warn!("notices were not counted: the store took longer than {LOOK_LIMIT:?}"),
    }
}

fn page(text: String) -> Response {
    let mut response = Response::new(text.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    response
}

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailFate {
    Sent,
    PutBack,
    Failed,
}

pub(crate) fn count_mail(fate: MailFate) {
    let fate = match fate {
        MailFate::Sent => "sent",
        MailFate::PutBack => "put_back",
        MailFate::Failed => "failed",
    };
    counter!(MAILS, "fate" => fate).increment(1);
}

/// Counts a request that was answered.
pub(crate) fn count_request(method: &Method, route: &'static str, status: StatusCode, began: Instant) {
    if !IS_COUNTING.load(Ordering::Relaxed) {
        return;
    }
    let method = match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    };
    let status = status.as_u16().to_string();
    counter!(REQUESTS, "method" => method, "route" => route, "status" => status).increment(1);
    histogram!(DURATION, "route" => route).record(began.elapsed().as_secs_f64());
}
