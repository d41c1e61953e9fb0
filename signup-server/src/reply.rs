//! Answers: JSON with a status, and the one place where errors become HTTP.

use bytes::Bytes;
use signup_core::{Error, Faults};
use simd_json_derive::Serialize;
use warp::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use crate::wire::{Message, PlanLimit, Validation};

/// As long as most answers are at most, a page of 25 events included: what is longer grows from there.
const USUAL_BYTES: usize = 16 * 1024;

/// Seconds after which a caller may try again what the store could not do.
pub(crate) const RETRY_AFTER_S: HeaderValue = HeaderValue::from_static("1");

/// Why a request is not answered as it wished.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The service refused.
    Service(Error),
    /// The body could not be taken.
    Body(BodyError),
    /// The store does not answer, or takes no commits.
    NotReady,
    /// A bug: the work ended in the middle, or what came of it cannot be written.
    Bug,
}

/// Why a body could not be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It is longer than 1 MiB.
    TooLarge,
    /// It is declared to be something other than JSON.
    UnsupportedMediaType,
    /// It did not come in time.
    Timeout,
    /// It broke off.
    Broken,
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl<E: Into<Error>> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self::Service(error.into())
    }
}

/// A body of JSON.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    written(body).map_or_else(|_| internal_error(), |body| json_of(status, body))
}

/// What `body` is in JSON. Writing into memory cannot fail; if it did, it would be a bug.
pub(crate) fn written(body: &impl Serialize) -> Result<Bytes, ApiError> {
    let mut text = Vec::with_capacity(USUAL_BYTES);
    body.json_write(&mut text).map_err(|_| ApiError::Bug)?;
    Ok(text.into())
}

/// A body of JSON that is written already.
pub(crate) fn json_of(status: StatusCode, body: Bytes) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A body that is just a sentence.
pub(crate) fn message(status: StatusCode, message: &str) -> Response {
    json(status, &Message { message })
}

/// 404, for a path with no route and a record that is not there alike.
pub(crate) fn not_found() -> Response {
    message(StatusCode::NOT_FOUND, "Not found.")
}

/// The path has not this method.
pub(crate) fn method_not_allowed() -> Response {
    message(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed.")
}

fn internal_error() -> Response {
    message(StatusCode::INTERNAL_SERVER_ERROR, "The server could not complete the request.")
}

fn invalid(faults: &Faults) -> Response {
    json(StatusCode::UNPROCESSABLE_ENTITY, &Validation::new(faults))
}

fn unavailable() -> Response {
    retry_later(message(
        StatusCode::SERVICE_UNAVAILABLE,
        "The service is unavailable for a moment. Retry with the same Idempotency-Key.",
    ))
}

fn retry_later(mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_S);
    response
}

impl ApiError {
    /// The answer. What is for operators only goes to the log, which names the request.
    pub(crate) fn into_response(self) -> Response {
        match self {
            Self::Service(error) => service_error(&error),
            Self::Body(error) => body_error(error),
            Self::NotReady => {
                retry_later(message(StatusCode::SERVICE_UNAVAILABLE, "The service is not ready."))
            }
            Self::Bug => internal_error(),
        }
    }
}

fn body_error(error: BodyError) -> Response {
    match error {
        BodyError::TooLarge => {
            message(StatusCode::PAYLOAD_TOO_LARGE, "The body must not be larger than 1 MiB.")
        }
        BodyError::UnsupportedMediaType => {
            message(StatusCode::UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json.")
        }
        BodyError::Timeout => message(StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time."),
        BodyError::Broken => message(StatusCode::BAD_REQUEST, "The body could not be read."),
    }
}

fn service_error(error: &Error) -> Response {
    match error {
        Error::Unauthenticated => {
            let mut response = message(StatusCode::UNAUTHORIZED, "Unauthenticated.");
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
        Error::MissingScope(_) => message(StatusCode::FORBIDDEN, "Invalid ability provided."),
        Error::NotFound => not_found(),
        Error::Invalid(faults) => invalid(faults),
        Error::PlanLimit { current_count, max_allowed } => {
            json(StatusCode::UNPROCESSABLE_ENTITY, &PlanLimit::new(*current_count, *max_allowed))
        }
        Error::ShiftFull => message(StatusCode::CONFLICT, "The shift is full."),
        Error::ShiftOver => message(StatusCode::CONFLICT, "The shift is over."),
        Error::Contended => unavailable(),
        Error::Store(error) => {
            tracing::error!(error = %WithSources(error), "the store failed");
            unavailable()
        }
        // An error that no route can meet, or one that is newer than this mapping.
        error => {
            tracing::error!(error = %WithSources(error), "an unexpected error");
            unavailable()
        }
    }
}

/// An error and all that caused it, on one line.
#[derive(Debug)]
pub(crate) struct WithSources<'a>(pub(crate) &'a (dyn std::error::Error + 'static));

impl std::fmt::Display for WithSources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            // Some libraries repeat their source in their own message.
            let text = error.to_string();
            if !said.contains(&text) {
                write!(f, ": {text}")?;
            }
            said = text;
            source = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use signup_core::StoreError;

    use super::*;

    #[tokio::test]
    async fn a_store_that_fails_is_503_with_a_time_to_retry_and_no_internal_text() {
        for error in [
            StoreError::unavailable("reading", "the disk is full"),
            StoreError::failed("reading", "no such column: secret"),
            StoreError::corrupt("events", "timezone", 7, "Mars/Base"),
        ] {
            let response = ApiError::from(error).into_response();
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(response.headers()[RETRY_AFTER], "1");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(body.starts_with("{\"message\":"), "{body}");
            assert!(!body.contains("secret") && !body.contains("Mars") && !body.contains("disk"), "{body}");
        }
        assert_eq!(
            ApiError::from(Error::Contended).into_response().status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
    }

    #[test]
    fn the_log_names_every_cause_once() {
        let error = Error::from(StoreError::unavailable("reading an event", "the disk is full"));
        assert_eq!(WithSources(&error).to_string(), "the store failed: reading an event: the disk is full");
    }
}
