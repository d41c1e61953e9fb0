//! Liveness and readiness probes, for process supervisors and load balancers.
//!
//! Probes need no token and are not rate limited. To limit the load on the store, the result of a check is cached for
//! one second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use signup_core::Service;
use tokio::sync::Mutex;
use warp::http::StatusCode;
use warp::reply::Response;

use crate::reply::{self, ApiError};

/// How long the result of a check is cached.
const CACHE_TTL: Duration = Duration::from_secs(1);

/// The cached result of the last check of the store, and when it was made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health(Arc<Mutex<Option<(Instant, bool)>>>);

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

/// `GET /health/live`: returns 200 whenever the process responds.
pub(crate) fn live() -> Response {
    reply::json(StatusCode::OK, &Status { status: "live" })
}

impl Health {
    /// `GET /health/ready`: returns 200 if the store answers and accepts commits, otherwise 503. After a failed commit, the check writes
    /// something, so the answer is 200 again once a write succeeds. A store that is too busy for that write is ready.
    pub(crate) async fn ready(&self, service: &Service) -> Response {
        if self.is_ready(service).await {
            reply::json(StatusCode::OK, &Status { status: "ready" })
        } else {
            ApiError::NotReady.into_response()
        }
    }

    async fn is_ready(&self, service: &Service) -> bool {
        // The lock is held during the check, so concurrent probes wait for its result instead of checking again.
        let mut cached = self.0.lock().await;
        if let Some((at, is_ready)) = *cached
            && at.elapsed() < CACHE_TTL
        {
            return is_ready;
        }
        let checked = service.check().await;
        if let Err(error) = &checked {
            tracing::warn!(error = %reply::WithSources(error), "the store is not ready");
        }
        let is_ready = checked.is_ok();
        *cached = Some((Instant::now(), is_ready));
        is_ready
    }
}
