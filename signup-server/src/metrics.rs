//! Metrics for Prometheus, on a separate listener, which only operators should reach.
//!
//! **Invariant:** names and labels never come from a request, so the number of time series is bounded. An unknown path
//! has the label `unknown`, an unknown method the label `other`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use signup_core::{DeliveryStatus, DisabledReason, Service};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use warp::http::header::CONTENT_TYPE;
use warp::http::{HeaderValue, Method, StatusCode};
use warp::path::FullPath;
use warp::reply::Response;
use warp::{Filter, filters};

use crate::reply::{self, WithSources};
use crate::serve;

/// Upper bounds of the latency buckets, in seconds.
const SECONDS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Upper bounds of the buckets of commit batch sizes, in change sets.
const CHANGE_SETS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];
/// The minimum time between two counts of the notices, and of pending deliveries, in the store.
const NOTICE_COUNT_INTERVAL: Duration = Duration::from_secs(5);
/// The timeout of a count of the notices, so that a scrape returns while the store is slow.
const NOTICE_COUNT_TIMEOUT: Duration = Duration::from_secs(1);
/// The interval at which samples of histograms are moved into their buckets, which frees the memory of the samples.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The maximum number of open connections to the metrics listener.
const MAX_CONNECTIONS: usize = 8;

const REQUESTS: &str = "signup_http_requests_total";
const DURATION: &str = "signup_http_request_duration_seconds";
const CONNECTIONS: &str = "signup_store_connections";
const CONNECTIONS_IN_USE: &str = "signup_store_connections_in_use";
const MAILS: &str = "signup_mails_total";
const NOTICES: &str = "signup_notices_queued";
const FAILED_NOTICES: &str = "signup_notices_failed";
const DELIVERIES: &str = "signup_webhook_deliveries_total";
const ATTEMPTS: &str = "signup_webhook_attempts_total";
const ATTEMPT_DURATION: &str = "signup_webhook_attempt_duration_seconds";
const PENDING_AGE: &str = "signup_webhook_oldest_pending_age_seconds";
const DISABLED: &str = "signup_webhook_disabled_total";

/// Whether a recorder is installed. Without one, requests are not counted, and their labels are not computed.
static IS_COUNTING: AtomicBool = AtomicBool::new(false);

/// The metrics listener, and the recorder that it serves.
#[derive(Debug)]
pub(crate) struct Metrics {
    listener: TcpListener,
    handle: PrometheusHandle,
}

impl Metrics {
    /// Listens on `address` and installs the recorder, so that metrics are counted from this call on.
    ///
    /// # Errors
    /// Returns one line for the operator if the address cannot be bound, or if a recorder is already installed.
    pub(crate) fn listen(address: SocketAddr) -> Result<Self, String> {
        let listener = serve::listen(serve::bind(address, "--metrics-listen")?);
        let listener =
            listener.map_err(|error| format!("cannot listen on {address} for metrics: {error}"))?;
        let handle = install().map_err(|error| format!("cannot count: {error}"))?;
        Ok(Self { listener, handle })
    }

    /// Serves `GET /metrics` until the task is aborted.
    ///
    /// `connections` returns the number of open database connections, and how many of them are in use.
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
        let last_count: Arc<Mutex<Option<Instant>>> = Arc::default();
        let filter = warp::any().and(warp::method()).and(filters::path::full()).then(
            move |method: Method, path: FullPath| {
                let (handle, service, connections) = (handle.clone(), service.clone(), connections.clone());
                let last_count = Arc::clone(&last_count);
                async move {
                    if path.as_str() != "/metrics" || method != Method::GET {
                        return reply::not_found();
                    }
                    let (open, in_use) = connections();
                    gauge!(CONNECTIONS).set(open);
                    gauge!(CONNECTIONS_IN_USE).set(in_use);
                    // A scrape that arrives during a count does not wait for it, and shows the previous gauges.
                    if let Ok(mut last_count) = last_count.try_lock()
                        && last_count.is_none_or(|at| at.elapsed() >= NOTICE_COUNT_INTERVAL)
                    {
                        count_notices(&service).await;
                        measure_pending_deliveries(&service).await;
                        *last_count = Some(Instant::now());
                    }
                    text_response(handle.render())
                }
            },
        );
        tokio::join!(serve::serve(listener, filter, MAX_CONNECTIONS, std::future::pending()), async {
            let mut interval = tokio::time::interval(UPKEEP_INTERVAL);
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
    describe_counter!(
        MAILS,
        "Attempts to send an email, by fate: sent, put_back (a retry follows) or failed"
    );
    describe_gauge!(NOTICES, "Queued notices: emails that wait to be sent");
    describe_gauge!(FAILED_NOTICES, "Failed notices: emails that are not tried again");
    describe_counter!(
        DELIVERIES,
        "Deliveries to webhooks that have ended, by result: delivered, or failed (no retry follows)"
    );
    describe_counter!(ATTEMPTS, "Requests to webhooks, by result: succeeded or failed");
    describe_histogram!(ATTEMPT_DURATION, "Seconds of a request to a webhook, by result");
    describe_gauge!(PENDING_AGE, "Seconds since the oldest pending delivery to an enabled webhook was made");
    describe_counter!(DISABLED, "Webhooks that the service has disabled, by reason: gone or failing");
    describe_counter!("signup_notices_unreadable_total", "Notices that cannot be read, each counted once");
    describe_counter!(
        "signup_store_round_trips_total",
        "Round trips to the database, by kind: read, commit, count, purge or check"
    );
    describe_counter!("signup_store_commit_retries_total", "Commits to PostgreSQL that were tried again");
    describe_histogram!("signup_store_commit_batch_size", "Change sets in one commit to SQLite");
    IS_COUNTING.store(true, Ordering::Relaxed);
    Ok(handle)
}

/// Counts the notices in the store and sets their gauges. Logs a failure or a timeout.
async fn count_notices(service: &Service) {
    match tokio::time::timeout(NOTICE_COUNT_TIMEOUT, service.admin().count_notices()).await {
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        Ok(Ok(counts)) => {
            gauge!(NOTICES).set(counts.queued as f64);
            gauge!(FAILED_NOTICES).set(counts.failed as f64);
        }
        Ok(Err(error)) => tracing::warn!(error = %WithSources(&error), "notices could not be counted"),
        Err(_) => {
            tracing::warn!("notices were not counted: the store took longer than {NOTICE_COUNT_TIMEOUT:?}");
        }
    }
}

/// Reads when the oldest pending delivery was made, and sets the gauge of its age. Logs a failure or a timeout.
async fn measure_pending_deliveries(service: &Service) {
    let outbox = service.outbox();
    match tokio::time::timeout(NOTICE_COUNT_TIMEOUT, outbox.oldest_pending_delivery()).await {
        Ok(Ok(oldest)) => {
            let age = oldest.map_or(0.0, |oldest| outbox.now().duration_since(oldest).as_secs_f64());
            gauge!(PENDING_AGE).set(age.max(0.0));
        }
        Ok(Err(error)) => {
            tracing::warn!(error = %WithSources(&error), "pending deliveries could not be read");
        }
        Err(_) => tracing::warn!("pending deliveries could not be read within {NOTICE_COUNT_TIMEOUT:?}"),
    }
}

fn text_response(text: String) -> Response {
    let mut response = Response::new(text.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    response
}

/// The result of an attempt to send a mail: the label `fate` of `signup_mails_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailFate {
    Sent,
    /// Not sent; a retry follows.
    Deferred,
    /// Not sent; no retry follows.
    Failed,
}

/// Counts an attempt to send a mail.
pub(crate) fn count_mail(fate: MailFate) {
    let fate = match fate {
        MailFate::Sent => "sent",
        MailFate::Deferred => "put_back",
        MailFate::Failed => "failed",
    };
    counter!(MAILS, "fate" => fate).increment(1);
}

/// Counts a request to a webhook, and records its duration since `began`.
pub(crate) fn count_attempt(is_success: bool, began: Instant) {
    let result = if is_success { "succeeded" } else { "failed" };
    counter!(ATTEMPTS, "result" => result).increment(1);
    histogram!(ATTEMPT_DURATION, "result" => result).record(began.elapsed().as_secs_f64());
}

/// Counts a delivery to a webhook that has ended. One that is still pending does not count.
pub(crate) fn count_delivery(status: DeliveryStatus) {
    let result = match status {
        DeliveryStatus::Pending => return,
        DeliveryStatus::Delivered => "delivered",
        DeliveryStatus::Failed => "failed",
    };
    counter!(DELIVERIES, "result" => result).increment(1);
}

/// Counts a webhook that the service has disabled.
pub(crate) fn count_disabled(reason: DisabledReason) {
    counter!(DISABLED, "reason" => reason.name()).increment(1);
}

/// Counts a request that has been answered, and records its duration since `began`.
pub(crate) fn count_request(method: &Method, route: &'static str, status: StatusCode, began: Instant) {
    if !IS_COUNTING.load(Ordering::Relaxed) {
        return;
    }
    let method = match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    };
    let status = status.as_u16().to_string();
    counter!(REQUESTS, "method" => method, "route" => route, "status" => status).increment(1);
    histogram!(DURATION, "route" => route).record(began.elapsed().as_secs_f64());
}
