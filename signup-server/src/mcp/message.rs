//! JSON-RPC messages: what a body must be, and the errors of a body that is not a message.
//!
//! `rmcp` reads the message again, with the types of the protocol. It refuses a body that it cannot read, such as a batch, with 415
//! and plain text. So this module checks each body first, and answers with an error of the protocol.

use serde::Serialize;
use serde_json::Value;
use warp::http::StatusCode;
use warp::reply::Response;

use crate::reply::json;

/// The body is not JSON.
const PARSE_ERROR: i32 = -32_700;
/// The body is JSON, but not a message.
const INVALID_REQUEST: i32 = -32_600;

/// An error of the protocol, as a message.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct ProtocolError {
    jsonrpc: &'static str,
    /// The id of the request, null if it is unknown.
    id: Value,
    error: Detail,
}

#[derive(Debug, PartialEq, Serialize)]
struct Detail {
    code: i32,
    message: String,
}

impl ProtocolError {
    fn new(id: Value, code: i32, message: impl Into<String>) -> Self {
        Self { jsonrpc: "2.0", id, error: Detail { code, message: message.into() } }
    }

    /// Creates the error for a message that the protocol does not allow.
    pub(super) fn invalid_request(id: Value, message: impl Into<String>) -> Self {
        Self::new(id, INVALID_REQUEST, message)
    }

    pub(super) fn into_response(self, status: StatusCode) -> Response {
        json(status, &self)
    }
}

/// Checks that a body is one message, and returns the id of the message. The id is null in a notification.
///
/// # Errors
/// Returns -32700 for a body that is not JSON, and -32600 for any other body that is not one message.
pub(super) fn check(body: &[u8]) -> Result<Value, ProtocolError> {
    let message: Value = serde_json::from_slice(body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("The body is not JSON (line {line}, column {column}).");
        ProtocolError::new(Value::Null, PARSE_ERROR, message)
    })?;
    let refused = |id, message: &str| Err(ProtocolError::invalid_request(id, message));
    let message = match message {
        Value::Object(message) => message,
        Value::Array(_) => return refused(Value::Null, "A batch is not supported. Send one message."),
        _ => return refused(Value::Null, "The body must be a JSON object."),
    };
    let id = match message.get("id") {
        None => Value::Null,
        Some(id) if id.is_string() || id.is_i64() => id.clone(),
        Some(_) => return refused(Value::Null, "The id must be a string or an integer."),
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(id, "The member jsonrpc must be \"2.0\".");
    }
    if ["result", "error"].iter().any(|name| message.contains_key(*name)) {
        return refused(id, "The body must be a request or a notification, without a result or an error.");
    }
    match (message.get("method"), message.get("params")) {
        (Some(Value::String(_)), None | Some(Value::Object(_) | Value::Null)) => Ok(id),
        (Some(Value::String(_)), Some(_)) => refused(id, "The member params must be an object."),
        (Some(_), _) => refused(id, "The member method must be a string."),
        (None, _) => refused(id, "The body must be a request or a notification, which has a method."),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_and_a_notification_are_messages() {
        for (body, id) in [
            (json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}), json!(7)),
            (json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {}}), json!("a")),
            (json!({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": null}), json!(7)),
            (json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), Value::Null),
        ] {
            assert_eq!(check(body.to_string().as_bytes()), Ok(id));
        }
    }

    #[test]
    fn a_body_that_is_no_message_is_refused_with_its_id() {
        for (body, code, id) in [
            ("", PARSE_ERROR, Value::Null),
            ("{\"jsonrpc\":", PARSE_ERROR, Value::Null),
            ("\u{0}", PARSE_ERROR, Value::Null),
            ("null", INVALID_REQUEST, Value::Null),
            ("[]", INVALID_REQUEST, Value::Null),
            (r#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, INVALID_REQUEST, Value::Null),
            ("{}", INVALID_REQUEST, Value::Null),
            (r#"{"id": 1, "method": "ping"}"#, INVALID_REQUEST, json!(1)),
            (r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, INVALID_REQUEST, json!(1)),
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, INVALID_REQUEST, Value::Null),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, INVALID_REQUEST, Value::Null),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#, INVALID_REQUEST, json!(1)),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}"#, INVALID_REQUEST, json!(1)),
            (r#"{"jsonrpc": "2.0", "id": 1}"#, INVALID_REQUEST, json!(1)),
            (r#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#, INVALID_REQUEST, json!(1)),
            (r#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "error": {}}"#, INVALID_REQUEST, json!(1)),
        ] {
            let error = check(body.as_bytes()).unwrap_err();
            assert_eq!((error.error.code, error.id), (code, id), "{body}");
        }
    }
}
