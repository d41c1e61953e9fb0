//! The address for AI agents: the Model Context Protocol over HTTP, without sessions.
//!
//! A request is one message, and its answer is JSON. Nothing is kept between two requests, so any process may answer any of
//! them. `rmcp` knows the versions of the protocol. This module checks what comes before the protocol: the source of a request,
//! its body, and that the body is a message.
//!
//! **Invariant:** no tool has a rule of its own. A tool is an operation of the API.

mod agent;
mod message;
mod schema;
mod source;
mod tool;
mod tools;

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use warp::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use warp::http::{HeaderValue, Method, StatusCode};
use warp::reply::Response;

use crate::call::ApiCall;
use crate::reply::ApiError;
use agent::Agent;
use message::ProtocolError;
pub(crate) use source::Source;
use tool::ToolCall;

/// `POST /mcp`: answers one message.
pub(crate) async fn answer(call: ApiCall) -> Result<Response, ApiError> {
    let ApiCall { context, session, mut request, .. } = call;
    let body = request.json().await?;
    let id = match message::check(&body) {
        Ok(id) => id,
        Err(error) => return Ok(error.into_response(StatusCode::BAD_REQUEST)),
    };
    let mut http = warp::http::Request::new(Full::new(body));
    *http.method_mut() = Method::POST;
    *http.headers_mut() = std::mem::take(&mut request.headers);
    // `rmcp` refuses requests that this server accepts: those that accept only JSON, or say nothing.
    for (name, value) in [
        (ACCEPT, "application/json, text/event-stream"),
        (CONTENT_TYPE, "application/json"),
        (HOST, "localhost"),
    ] {
        http.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let agent = Agent::new(ToolCall { context, session });
    let service = StreamableHttpService::new(
        move || Ok(agent.clone()),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true),
    );
    let (head, body) = service.handle(http).await.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    Ok(in_json(id, head, body))
}

/// Returns the answer of `rmcp`. A refusal that `rmcp` explains in plain text becomes an error of the protocol.
fn in_json(id: Value, head: warp::http::response::Parts, body: Bytes) -> Response {
    let is_json = head.headers.get(CONTENT_TYPE).is_some_and(|found| found == "application/json");
    if is_json || head.status.is_success() {
        return Response::from_parts(head, body.into());
    }
    // The status of `rmcp` for JSON that it cannot read as a message, such as an object with a member twice.
    if head.status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        let error = ProtocolError::invalid_request(id, "The body is not a message of the protocol.");
        return error.into_response(StatusCode::BAD_REQUEST);
    }
    let reason = String::from_utf8_lossy(&body).into_owned();
    ProtocolError::invalid_request(id, reason).into_response(head.status)
}
