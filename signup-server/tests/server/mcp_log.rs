//! The log of a server that agents call: no value of an argument, at any level.

use rstest::rstest;
use serde_json::json;
use tempfile::TempDir;

use crate::harness::{Server, event};
use crate::mcp::{Called, VERSIONS, call, in_version};
use crate::mcp_protocol::send;

/// Starts a server on SQLite that logs to the file "log" in the folder.
fn with_log(folder: &TempDir, arguments: &[&str]) -> Server {
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    Server::start_with_log(&database, &folder.path().join("log"), arguments)
}

#[rstest]
#[tokio::test]
async fn no_value_of_an_argument_is_logged(
    #[values("trace", "rmcp=trace,trace")] filter: &str,
    #[values("text", "json")] format: &str,
) {
    const VALUE: &str = "zq7x";
    let folder = tempfile::tempdir().unwrap();
    let mut server = with_log(&folder, &["--log", filter, "--log-format", format]);
    let value = |name: &str| json!(format!("{VALUE}-{name}"));
    let mut good = event();
    for name in ["title", "description", "location", "idempotency_key"] {
        good[name] = value(name);
    }
    let created = call(&server, "create_event", &good).await;
    let id = created.data()["id"].as_str().unwrap().to_owned();
    let slot = created.data()["slots"][0]["id"].clone();
    let mut secrets = vec![VALUE.to_owned(), id.clone(), slot.as_str().unwrap().to_owned()];
    for (tool, arguments, is_error) in [
        ("get_event", json!({"event_id": id}), false),
        ("list_signups", json!({"event_id": id, "email": "zq7x@example.org"}), false),
        ("update_event", json!({"event_id": id, "title": value("title")}), false),
        ("update_shift", json!({"slot_id": slot, "location": value("location")}), false),
        ("add_question", json!({"event_id": id, "label": value("label")}), false),
        ("update_event", json!({"event_id": id, "title": value("other"), "preview": true}), false),
        ("cancel_event", json!({"event_id": id, "reason": value("reason")}), false),
        ("delete_shift", json!({"slot_id": value("id"), "reason": value("reason")}), true),
        ("list_activity", json!({"type": value("type")}), true),
        ("create_event", json!({"title": [value("title")], "timezone": value("timezone")}), true),
        ("create_event", json!({"title": "a", "zq7x-unknown": 1, "idempotency_key": "zq7x two words"}), true),
        ("get_event", json!({"event_id": value("id")}), true),
        ("list_events", json!({"cursor": value("cursor"), "order": value("order")}), true),
    ] {
        for version in VERSIONS {
            let params = json!({"name": tool, "arguments": arguments});
            let request = in_version(version, &server, &server.token, "tools/call", params);
            assert_eq!(Called::read(&server.answer(request).await).is_error, is_error, "{tool}");
        }
    }
    for body in [
        r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "zq7x", "arguments": {"a": "zq7x"}}}"#,
        r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "whoami", "arguments": "zq7x"}}"#,
        r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"cursor": "zq7x"}}"#,
        r#"{"jsonrpc": "2.0", "id": 7, "method": "completion/complete", "params": {"value": "zq7x"}}"#,
        r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "zq7x"}}"#,
        r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "whoami", "name": "zq7x"}}"#,
        r#"{"title": "zq7x"}"#,
        r#"["zq7x"]"#,
        "zq7x",
    ] {
        for version in VERSIONS {
            let answer = send(&server, &[("mcp-protocol-version", version)], body).await;
            assert!(answer.status < 500, "{body}: {}", answer.text);
        }
    }
    secrets.push(server.token["signup_".len()..].to_owned());
    server.terminate();
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    for part in ["update_shift", "/mcp", "DEBUG"] {
        assert!(log.contains(part), "the log has {part}: {log}");
    }
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{secret}");
    }
}

#[tokio::test]
async fn at_level_info_no_call_and_no_mistake_of_an_agent_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = with_log(&folder, &["--log", "info"]);
    for version in VERSIONS {
        for tool in ["whoami", "nothing"] {
            let request = in_version(version, &server, &server.token, "tools/call", json!({"name": tool}));
            assert_eq!(server.answer(request).await.status, 200, "{version} {tool}");
        }
    }
    server.terminate();
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("the server has shut down"), "{log}");
    assert!(!log.contains("rmcp") && !log.contains("/mcp"), "{log}");
}
