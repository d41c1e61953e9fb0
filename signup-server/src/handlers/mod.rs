//! What each route does: take the call and the input, call the service, wrap the outcome.

mod events;
mod slots;
mod team;

pub(crate) use events::{create_event, duplicate_event, list_events};
pub(crate) use slots::{list_slots, patch_slot};
pub(crate) use team::show_team;

use std::sync::Arc;

use bytes::Bytes;
use serde::Deserialize;
use signup_core::service::Kept;
use signup_core::{Call, IdempotencyKey, Operation, Reply, Scope, Service, from_json};
use warp::http::HeaderValue;
use warp::reply::Response;

use crate::bodies::Bodies;
use crate::reply::{ApiError, BodyError};
use crate::request::Request;

/// The service, and what answers are made of beside its records.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) service: Service,
    pub(crate) base_url: Arc<str>,
    pub(crate) bodies: Arc<Bodies>,
}

type Answer = Result<Response, ApiError>;

/// A write whose body is an input of type `$input`: scope, key, body, then the service. A stored answer goes before
/// whatever is wrong with the body.
macro_rules! keyed {
    ($context:ident, $call:ident, $request:ident, $scope:expr, $operation:expr, $input:ty, $method:ident($($id:ident)?)) => {{
        let (key, body) = $crate::handlers::take_body(&$context.service, &$call, &mut $request, $scope).await?;
        match $crate::handlers::input::<$input>(&body) {
            Ok(input) => $context.service.$method(&$call, key.as_ref(), $($id,)? &input).await?,
            Err(error) => $crate::handlers::replay_or(&$context.service, &$call, $operation, key, error).await?,
        }
    }};
}
pub(crate) use keyed;

/// The key, and the body if it could be read.
async fn take_body(
    service: &Service,
    call: &Call,
    request: &mut Request,
    scope: Scope,
) -> Result<(Option<IdempotencyKey>, Result<Bytes, BodyError>), ApiError> {
    service.authorize(call, scope)?;
    let key = request.idempotency_key()?;
    Ok((key, request.json().await))
}

fn input<'a, T: Deserialize<'a>>(body: &'a Result<Bytes, BodyError>) -> Result<T, ApiError> {
    match body {
        Ok(body) => from_json(body).map_err(ApiError::from),
        Err(error) => Err(ApiError::Body(*error)),
    }
}

async fn replay_or<T: Kept>(
    service: &Service,
    call: &Call,
    operation: Operation,
    key: Option<IdempotencyKey>,
    error: ApiError,
) -> Result<Reply<T>, ApiError> {
    match key {
        Some(key) => service.replay(call, operation, &key).await?.ok_or(error),
        None => Err(error),
    }
}

/// Marks the answer of an earlier request as such.
fn mark_replay(mut response: Response, is_replay: bool) -> Response {
    if is_replay {
        response.headers_mut().insert("idempotent-replay", HeaderValue::from_static("true"));
    }
    response
}
