//! Whether the process runs, and whether it can work: for those who start servers and send them requests.
//!
//! Both are asked without a token and are not rate limited, so however often they are asked, the store is asked once a
//! second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use signup_core::Service;
use simd_json_derive::Serialize;
use tokio::sync::Mutex;
use warp::http::StatusCode;
use warp::reply::Response;

use crate::reply::{self, ApiError};

/// How long an answer of the store holds.
const LIFE: Duration = Duration::from_secs(1);

/// What was last seen of the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Health(Arc<Mutex<Option<(Instant, bool)>>>);

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

/// `GET /health/live`: this process answers.
pub(crate) fn live() -> Response {
    reply::json(StatusCode::OK, &Status { status: "live" })
}

impl Health {
    /// `GET /health/ready`: the store answers too, and takes commits.
    pub(crate) async fn ready(&self, service: &Service) -> Response {
        if self.is_ready(service).await {
            reply::json(StatusCode::OK, &Status { status: "ready" })
        } else {
            ApiError::NotReady.into_response()
        }
    }

    async fn is_ready(&self, service: &Service) -> bool {
        // Who comes while the store is asked waits for that answer.
        let mut seen = self.0.lock().await;
        if let Some((at, is_ready)) = *seen
            && at.elapsed() < LIFE
        {
            return is_ready;
        }
        let is_ready = match service.check().await {
            Ok(()) => true,
            Err(error) => {
                tracing::warn!(error = %reply::WithSources(&error), "not ready");
                false
            }
        };
        *seen = Some((Instant::now(), is_ready));
        is_ready
    }
}
