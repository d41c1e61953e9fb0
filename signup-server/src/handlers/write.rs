//! Writes of the API: the checks before the library is called, and the header of a replayed answer.

use serde::Serialize;
use signup_core::{IdempotencyKey, Operation, Outcome, Session};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use crate::reply::{ApiError, json};
use crate::request::Request;
use crate::wire::Data;

/// A write of the API whose token has the scope, and whose idempotency key is well-formed.
pub(crate) struct Write {
    /// Carries the idempotency key.
    session: Session,
    operation: Operation,
}

impl Write {
    /// Checks the scope of the operation, and then the idempotency key. Nothing of the body is read before.
    pub(crate) fn authorize(
        session: &Session,
        operation: Operation,
        request: &Request,
    ) -> Result<Self, ApiError> {
        session.require(operation.scope())?;
        let key: Option<IdempotencyKey> = request.idempotency_key()?;
        let session = key.map_or_else(|| session.clone(), |key| session.with_key(key));
        Ok(Self { session, operation })
    }

    /// Calls a method of the library with the input of the request. A stored answer takes precedence over a fault of the
    /// input.
    pub(crate) async fn call<V, T, F>(
        &self,
        input: Result<V, ApiError>,
        method: impl FnOnce(Session, V) -> F,
    ) -> Result<T, ApiError>
    where
        T: TryFrom<Outcome>,
        F: Future<Output = signup_core::Result<T>>,
    {
        match input {
            Ok(value) => Ok(method(self.session.clone(), value).await?),
            Err(error) => self.session.stored_outcome(self.operation).await?.ok_or(error),
        }
    }

    /// Returns the response with `data`. A replay has the header `Idempotent-Replay: true`.
    pub(crate) fn answer(&self, status: StatusCode, data: impl Serialize) -> Response {
        let mut response = json(status, &Data { data });
        if self.session.is_replay() {
            response.headers_mut().insert("idempotent-replay", HeaderValue::from_static("true"));
        }
        response
    }
}
