//! The MCP endpoint for AI agents: the Model Context Protocol over HTTP, without sessions.
//!
//! A request is one message, and its answer is JSON. Nothing is kept between two requests, so any process may answer any of
//! them. `rmcp` knows the versions of the protocol. This module checks what comes before the protocol: the host and the origin of a
//! request, its body, and that the body is a message.
//!
//! **Invariant:** no tool has a rule of its own. A tool is an operation of the API.

mod message;
mod rebinding;
mod schema;
mod server;
mod tool;
mod tools;
mod whoami;

use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use warp::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use warp::http::{HeaderValue, Method, StatusCode};
use warp::reply::Response;

use crate::call::ApiCall;
use crate::reply::ApiError;
use message::ProtocolError;
pub(crate) use rebinding::RebindingGuard;
use server::McpServer;
use tool::{Caller, FindOperation};

/// `POST /mcp`: answers one message. `find` finds the operation that a tool stands for.
pub(crate) async fn answer(call: ApiCall, find: FindOperation) -> Result<Response, ApiError> {
    let ApiCall { context, session, mut request, .. } = call;
    let body = request.json().await?;
    let id = match message::check(&body) {
        Ok(id) => id,
        Err(error) => return Ok(error.into_response(StatusCode::BAD_REQUEST)),
    };
    let mut http = warp::http::Request::new(Full::new(body));
    *http.method_mut() = Method::POST;
    // `rmcp` gets only the headers of the protocol, and never the token. It would refuse a request whose `Accept` does not name
    // both JSON and event streams, or whose `Content-Type` is not `application/json`. It would also check `Host` again. So these
    // three headers have fixed values.
    let own = std::mem::take(&mut request.headers);
    let of_protocol = own.iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
    http.headers_mut().extend(of_protocol.map(|(name, value)| (name.clone(), value.clone())));
    for (name, value) in [
        (ACCEPT, "application/json, text/event-stream"),
        (CONTENT_TYPE, "application/json"),
        (HOST, "localhost"),
    ] {
        http.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    let server = McpServer::new(Caller { context, session, find });
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true),
    );
    let (head, body) = service.handle(http).await.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let is_json = head.headers.get(CONTENT_TYPE).is_some_and(|found| found == "application/json");
    if is_json || head.status.is_success() {
        return Ok(Response::from_parts(head, body.into()));
    }
    if head.status.is_server_error() {
        tracing::error!(reason = %String::from_utf8_lossy(&body), "rmcp answered an MCP request with a server error");
        return Err(ApiError::Bug);
    }
    // `rmcp` gives its reason as plain text. It has another status for JSON that it cannot read as a message, such as an object
    // with a member twice.
    let reason = match head.status {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "The body is not a message of the protocol.".into(),
        _ => String::from_utf8_lossy(&body),
    };
    Ok(ProtocolError::invalid_request(id, reason).into_response(StatusCode::BAD_REQUEST))
}
