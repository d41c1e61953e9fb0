//! A small client of the MCP endpoint: messages of each version of the protocol, and calls of tools.

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::harness::{Answer, Server};

/// The versions of the protocol that the server knows, in the order of their publication.
pub(crate) const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", NEWEST];
/// The version without a handshake. Each of its requests says what a handshake said before.
pub(crate) const NEWEST: &str = "2026-07-28";
/// The first version whose requests name it in a header.
const FIRST_WITH_HEADER: &str = "2025-06-18";

/// Returns a request with this message, as a client of an old version sends it.
pub(crate) fn post(server: &Server, token: &str, message: &Value) -> RequestBuilder {
    server.request("POST", "/mcp").bearer_auth(token).json(message)
}

/// Returns the message of a request.
pub(crate) fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

/// Returns the `_meta` of a request of the newest version.
pub(crate) fn newest_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Returns a request of this version of the protocol, with its headers and its `_meta`.
pub(crate) fn in_version(
    version: &str,
    server: &Server,
    token: &str,
    method: &str,
    mut params: Value,
) -> RequestBuilder {
    if version == NEWEST {
        params["_meta"] = newest_meta();
    }
    let mut request = post(server, token, &message(method, &params));
    if version >= FIRST_WITH_HEADER && method != "initialize" {
        request = request.header("mcp-protocol-version", version);
    }
    if version == NEWEST {
        request = request.header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
    }
    request
}

/// Returns the result of a request. Panics on an error of the protocol.
pub(crate) fn result(answer: &Answer) -> Value {
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{answer:?}");
    let mut message = answer.json();
    assert_eq!((&message["jsonrpc"], &message["id"]), (&json!("2.0"), &json!(7)), "{message}");
    assert!(message["result"].is_object(), "{message}");
    message["result"].take()
}

/// Returns the tools that a token sees.
pub(crate) async fn tools(server: &Server, token: &str) -> Vec<Value> {
    let mut listed = result(&server.answer(post(server, token, &message("tools/list", &json!({})))).await);
    assert!(listed["nextCursor"].is_null(), "{listed}");
    serde_json::from_value(listed["tools"].take()).unwrap()
}

/// The answer to a call of a tool.
#[derive(Debug, PartialEq)]
pub(crate) struct Called {
    /// The body, whether the call succeeded or not, without `replayed`.
    pub(crate) content: Value,
    pub(crate) is_error: bool,
    pub(crate) is_replay: bool,
}

impl Called {
    /// Reads the result of a call. Panics unless it is one text with compact JSON, and nothing twice.
    pub(crate) fn read(answer: &Answer) -> Self {
        let result = result(answer);
        assert_eq!(
            (&result["structuredContent"], &result["_meta"]),
            (&Value::Null, &Value::Null),
            "{result}"
        );
        let texts = result["content"].as_array().unwrap();
        assert_eq!((texts.len(), &texts[0]["type"]), (1, &json!("text")), "{texts:?}");
        let text = texts[0]["text"].as_str().unwrap();
        let mut content: Value = serde_json::from_str(text).unwrap();
        assert_eq!(content.to_string(), text, "compact");
        let replayed = content.as_object_mut().unwrap().remove("replayed");
        assert!([None, Some(json!(true))].contains(&replayed), "{text}");
        Self { content, is_error: result["isError"] == json!(true), is_replay: replayed.is_some() }
    }

    /// Returns `data` of the body. Panics if the call was refused.
    pub(crate) fn data(&self) -> &Value {
        assert!(!self.is_error, "{self:?}");
        &self.content["data"]
    }

    /// Returns the arguments that a refusal names, in the order of the body.
    ///
    /// Panics if the call succeeded, or if the body has no errors.
    pub(crate) fn fields(&self) -> Vec<&str> {
        assert!(self.is_error, "{self:?}");
        self.content["errors"].as_object().unwrap().keys().map(String::as_str).collect()
    }
}

/// Calls a tool with this token.
pub(crate) async fn call_as(server: &Server, token: &str, tool: &str, arguments: &Value) -> Called {
    let params = json!({"name": tool, "arguments": arguments});
    Called::read(&server.answer(post(server, token, &message("tools/call", &params))).await)
}

/// Calls a tool with the server's own token.
pub(crate) async fn call(server: &Server, tool: &str, arguments: &Value) -> Called {
    call_as(server, &server.token, tool, arguments).await
}
