//! Responses of the API: JSON with a status, and the mapping of errors to HTTP.
//!
//! **Invariant:** no other module maps an error of the API to a status.

use serde::Serialize;
use signup_core::{Error, Faults};
use warp::http::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use warp::http::{HeaderName, HeaderValue, StatusCode};
use warp::reply::Response;

use crate::wire::{Conflict, ExternalIdTaken, MessageBody, MissingScope, PlanLimit, Validation};

/// The initial capacity of a body, in bytes. Most bodies fit, including a page of 25 events.
const INITIAL_CAPACITY: usize = 16 * 1024;

/// The `Retry-After` of a response to a store failure, in seconds.
pub(crate) const RETRY_AFTER_S: HeaderValue = HeaderValue::from_static("1");

/// Why a request of the API failed.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// The library returned an error.
    Service(Error),
    /// The body was not accepted.
    Body(BodyError),
    /// The store does not answer, or does not accept commits.
    NotReady,
    /// The server has a bug: a task panicked, or the outcome could not be serialized.
    Bug,
}

/// Why a body was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// The body is longer than 1 MiB.
    TooLarge,
    /// The `Content-Type` is not the one that the route requires.
    UnsupportedMediaType,
    /// The body has a `Content-Encoding`.
    Encoded,
    /// There is no room for the body: too many other bodies are being read.
    NoRoom,
    /// The body did not arrive before its deadline.
    Timeout,
    /// The connection failed before the end of the body.
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

/// Returns a response with `body` serialized as JSON.
pub(crate) fn json(status: StatusCode, body: &impl Serialize) -> Response {
    let mut text = Vec::with_capacity(INITIAL_CAPACITY);
    // No request reaches the error, because a write into memory cannot fail.
    if serde_json::to_writer(&mut text, body).is_err() {
        return internal_error();
    }
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a response whose body is only a message.
pub(crate) fn message(status: StatusCode, message: &str) -> Response {
    json(status, &MessageBody { message })
}

/// Returns 404. A path without a route and a record that does not exist have the same response.
pub(crate) fn not_found() -> Response {
    message(StatusCode::NOT_FOUND, "Not found.")
}

/// Returns 405, for a method that the path does not support.
pub(crate) fn method_not_allowed() -> Response {
    message(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed.")
}

fn conflict(error: &'static str, message: &'static str) -> Response {
    json(StatusCode::CONFLICT, &Conflict { message, error })
}

fn internal_error() -> Response {
    message(
        StatusCode::INTERNAL_SERVER_ERROR,
        "Something went wrong on the server. Give its operator the X-Request-Id of this response.",
    )
}

fn invalid(faults: &Faults) -> Response {
    json(StatusCode::UNPROCESSABLE_ENTITY, &Validation::new(faults))
}

fn unavailable() -> Response {
    retry_later(message(
        StatusCode::SERVICE_UNAVAILABLE,
        "The service is temporarily unavailable. Try again in a moment. Retry a write with the same Idempotency-Key.",
    ))
}

fn retry_later(mut response: Response) -> Response {
    response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_S);
    response
}

impl ApiError {
    /// Returns the response to the client. Details for operators are only logged, in the span of the request.
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

impl BodyError {
    /// Returns the status of the response.
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType | Self::Encoded => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::Broken => StatusCode::BAD_REQUEST,
        }
    }

    /// Returns the header that the response has besides those of any error.
    pub(crate) const fn header(self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::Encoded => Some((ACCEPT_ENCODING, HeaderValue::from_static("identity"))),
            Self::NoRoom => Some((RETRY_AFTER, RETRY_AFTER_S)),
            _ => None,
        }
    }
}

fn body_error(error: BodyError) -> Response {
    let text = match error {
        BodyError::TooLarge => "The body must not be larger than 1 MiB.",
        BodyError::UnsupportedMediaType => "The Content-Type must be application/json.",
        BodyError::Encoded => "The body must not have a Content-Encoding. Send it without compression.",
        BodyError::NoRoom => {
            "Too many large requests at once, from your address or in all. Send fewer at a time. Retry a write with the same \
             Idempotency-Key."
        }
        BodyError::Timeout => "The body did not arrive within 30 seconds.",
        BodyError::Broken => "The body could not be read.",
    };
    let mut response = message(error.status(), text);
    response.headers_mut().extend(error.header());
    response
}

fn service_error(error: &Error) -> Response {
    match error {
        Error::Unauthenticated => {
            let mut response = message(StatusCode::UNAUTHORIZED, "Unauthenticated.");
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        }
        Error::MissingScope(scope) => json(StatusCode::FORBIDDEN, &MissingScope::new(*scope)),
        Error::NotFound => not_found(),
        Error::Invalid(faults) => invalid(faults),
        Error::PlanLimit { current_count, max_allowed } => {
            json(StatusCode::UNPROCESSABLE_ENTITY, &PlanLimit::new(*current_count, *max_allowed))
        }
        Error::EventCancelled => conflict("event_cancelled", "The event is cancelled."),
        Error::EventOver => conflict("event_over", "The event is over, so you cannot cancel it."),
        Error::EventHasSignups => conflict(
            "event_has_signups",
            "People are signed up for this event, so you cannot unpublish or delete it. If you cancel it, they get an email.",
        ),
        Error::ShiftHasSignups => conflict(
            "slot_has_signups",
            "People are signed up for this slot, so you cannot delete it. With cancel_signups=true you cancel their sign-ups, \
             and they get an email.",
        ),
        Error::ExternalIdTaken { existing_id } => {
            json(StatusCode::CONFLICT, &ExternalIdTaken::new(*existing_id))
        }
        Error::WebhookDisabled => conflict(
            "webhook_disabled",
            "The webhook is disabled, so nothing can be delivered to it again. Enable it first, with is_enabled: true.",
        ),
        error => {
            log_failure(error);
            unavailable()
        }
    }
}

/// Logs an error that says nothing about the request, and whose response is 503.
pub(crate) fn log_failure(error: &Error) {
    match error {
        Error::Contended => tracing::warn!(%error, "a write was given up"),
        Error::Store(error) => tracing::error!(error = %WithSources(error), "the store failed"),
        // An error that no handler returns, or a variant that is newer than the mapping of the handler.
        error => tracing::error!(error = %WithSources(error), "the library returned an unexpected error"),
    }
}

/// Formats an error and its sources on one line, separated by colons.
#[derive(Debug)]
pub(crate) struct WithSources<'a>(pub(crate) &'a (dyn std::error::Error + 'static));

impl std::fmt::Display for WithSources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut previous = self.0.to_string();
        f.write_str(&previous)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            // Some libraries repeat the message of the source in their own message.
            let text = error.to_string();
            if !previous.contains(&text) {
                write!(f, ": {text}")?;
            }
            previous = text;
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
    async fn a_store_failure_is_503_with_retry_after_and_no_internal_text() {
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
    fn an_error_is_logged_with_each_source_once() {
        let error = Error::from(StoreError::unavailable("reading an event", "the disk is full"));
        assert_eq!(WithSources(&error).to_string(), "the store failed: reading an event: the disk is full");
    }
}
