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

/// The readiness of the store.
#[derive(Debug, Clone)]
pub(crate) struct Health {
    /// The result of the last check of the store, and when it was made.
    cached: Arc<Mutex<Option<(Instant, bool)>>>,
    check_timeout: Duration,
}

#[derive(Serialize)]
struct Status {
    status: &'static str,
}

/// `GET /health/live`: returns 200 whenever the process responds.
pub(crate) fn live() -> Response {
    reply::json(StatusCode::OK, &Status { status: "live" })
}

impl Health {
    /// How long a check may take. A supervisor gets its answer before it gives up itself, which most do after 10 seconds or more.
    pub(crate) const CHECK_TIMEOUT: Duration = Duration::from_secs(4);

    /// Creates the readiness. A store whose check takes longer than `check_timeout` is not ready.
    pub(crate) fn new(check_timeout: Duration) -> Self {
        Self { cached: Arc::default(), check_timeout }
    }

    /// `GET /health/ready`: returns 200 if the store answers and accepts commits, otherwise 503. After a failed commit, the check
    /// writes something, so the answer is 200 again once a write succeeds. A store that is too busy for that write is ready.
    pub(crate) async fn ready(&self, service: &Service) -> Response {
        if self.is_ready(service).await {
            reply::json(StatusCode::OK, &Status { status: "ready" })
        } else {
            ApiError::NotReady.into_response()
        }
    }

    async fn is_ready(&self, service: &Service) -> bool {
        // The lock is held during the check, so concurrent probes wait for its result instead of checking again.
        let mut cached = self.cached.lock().await;
        if let Some((at, is_ready)) = *cached
            && at.elapsed() < CACHE_TTL
        {
            return is_ready;
        }
        let checked = tokio::time::timeout(self.check_timeout, service.check()).await;
        match &checked {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(error = %reply::WithSources(error), "the store is not ready");
            }
            Err(_) => {
                tracing::warn!(limit = ?self.check_timeout, "the store is not ready: it does not answer");
            }
        }
        let is_ready = matches!(checked, Ok(Ok(())));
        *cached = Some((Instant::now(), is_ready));
        is_ready
    }
}

#[cfg(test)]
mod tests {
    use signup_core::{Store, StoreError, Wrapped, Wrapper, async_trait};
    use signup_store_memory::MemoryStore;

    use super::*;

    /// A store whose check never ends.
    #[derive(Debug)]
    struct Hanging(MemoryStore);

    #[async_trait]
    impl Wrapper for Hanging {
        fn inner(&self) -> &dyn Store {
            &self.0
        }

        async fn check(&self) -> Result<(), StoreError> {
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn a_store_that_never_answers_is_not_ready_within_a_bound() {
        let health = Health::new(Duration::from_millis(10));
        let service = Service::new(Wrapped(Hanging(MemoryStore::new())));
        let probes = futures_util::future::join_all([(); 8].map(|()| health.ready(&service)));
        let answered = tokio::time::timeout(CACHE_TTL, probes).await.unwrap();
        assert!(answered.iter().all(|answer| answer.status() == StatusCode::SERVICE_UNAVAILABLE));
    }
}
