//! Hostile messages for the MCP endpoint: each is a valid message that was damaged at random.
//!
//! The environment variable `PROPTEST_CASES` sets the number of connections, each with [`MESSAGES`] messages. The seed is fixed, so
//! a message that fails is sent again by the next run.

use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};

use crate::harness::{Server, client, event};
use crate::lives::id;
use crate::mcp::{NEWEST, VERSIONS, call, message, newest_meta, tools};

/// The number of connections, unless the environment variable `PROPTEST_CASES` sets another.
const CONNECTIONS: u64 = 150;
/// The number of messages on a connection.
const MESSAGES: u64 = 20;
/// How many connections are open at once.
const AT_ONCE: usize = 8;
/// How long an answer may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// Texts that replace a value in a message. Some are not JSON.
#[rustfmt::skip]
const VALUES: [&str; 20] = [
    "null", "true", "0", "-1", "1.5", "-0.0", "1e308", "1e999", "9223372036854775807", "18446744073709551615", "123456789012345678901234567890123456789012345678901234567890", "\"\"",
    "\"\\u0000\"", "\"\\ud800\"", "\"\\u202e\u{1f469}\u{200d}\u{1f680}\"", "\"../../../v1/team?x=1#\"", "[]", "{}", "[[{\"a\": [null]}]]", "nan",
];

/// Returns a message of each kind, and a call of each tool.
async fn valid_messages(server: &Server) -> Vec<Value> {
    let created = server.create(&event()).await;
    let (event_id, slot_id) = (id(&created), id(&created["slots"][0]));
    let mut meta = newest_meta();
    meta["progressToken"] = json!(3);
    let client = json!({"name": "test", "version": "1"});
    let mut messages = vec![
        message(
            "initialize",
            &json!({"protocolVersion": VERSIONS[2], "capabilities": {"roots": {}}, "clientInfo": client}),
        ),
        message("server/discover", &json!({"_meta": meta})),
        message("ping", &json!({})),
        message("ping", &Value::Null),
        message("tools/list", &json!({"cursor": "x"})),
        message("resources/read", &json!({"uri": "file:///etc/passwd"})),
        message("subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}, "_meta": meta})),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7, "reason": "x"}}),
        json!({"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}),
        json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -1, "message": "x"}}),
    ];
    for tool in tools(server, &server.token).await {
        let mut arguments = event();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for (name, value) in [
            ("event_id", json!(event_id)),
            ("slot_id", json!(slot_id)),
            ("idempotency_key", json!("key")),
            ("start_date", json!("2027-06-12")),
            ("label", json!("Diet")),
            ("per_page", json!(5)),
            ("capacity", json!(5)),
        ] {
            arguments[name] = value;
        }
        arguments.as_object_mut().unwrap().retain(|name, _| properties.contains_key(name));
        let mut params = json!({"name": tool["name"], "arguments": arguments});
        messages.push(message("tools/call", &params));
        params["_meta"] = meta.clone();
        messages.push(message("tools/call", &params));
    }
    messages
}

/// Returns a random value in `value`, and `value` itself in one of four cases.
fn any_part<'a>(value: &'a mut Value, random: &mut StdRng) -> &'a mut Value {
    let count = match &*value {
        Value::Object(members) => members.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if count == 0 || random.random_ratio(1, 4) {
        return value;
    }
    let chosen = random.random_range(0..count);
    let part = match value {
        Value::Object(members) => members.values_mut().nth(chosen),
        Value::Array(items) => items.get_mut(chosen),
        _ => None,
    };
    any_part(part.unwrap(), random)
}

/// Damages the structure of a message: replaces, repeats, nests, drops, renames or regroups a part.
fn damage(message: &mut Value, random: &mut StdRng) {
    let other = any_part(&mut message.clone(), random).clone();
    let part = any_part(message, random);
    match (random.random_range(0..6), part) {
        (0, part) => *part = other,
        (1, Value::String(text)) if text.len() < 99 => *text = text.repeat(random.random_range(2..5000)),
        (1, Value::Number(number)) => *message = json!({"id": number.to_string()}),
        (2, part) => {
            *part = (0..random.random_range(1..200)).fold(part.clone(), |inner, _| json!([inner]));
        }
        (_, Value::Object(members)) if !members.is_empty() => {
            let chosen = random.random_range(0..members.len());
            let name = members.keys().nth(chosen).unwrap().clone();
            let value = members.remove(&name).unwrap();
            match random.random_range(0..3) {
                0 => {}
                1 => drop(members.insert(format!("{name}s"), value)),
                _ => {
                    let others = Value::Object(members.clone());
                    *members = Map::from_iter([(name, others), ("x".to_owned(), value)]);
                }
            }
        }
        (_, part) => *part = serde_json::from_str(VALUES.choose(random).unwrap()).unwrap_or_default(),
    }
}

/// Damages the text of a message.
fn damage_text(text: &mut Vec<u8>, random: &mut StdRng) {
    let at = random.random_range(0..=text.len());
    match random.random_range(0..8) {
        0 if at < text.len() => text[at] ^= 1 << random.random_range(0..8),
        1 => text.truncate(at),
        2 => drop(text.splice(at..at, random.random_iter().take(9).collect::<Vec<u8>>())),
        3 => drop(text.splice(at..at, *b"\xff\xfe\xed\xa0\x80")),
        4 => drop(text.splice(at..at, vec![b"[{"[at % 2]; 100_000])),
        5 => {
            // A member twice.
            let value = VALUES.choose(random).unwrap();
            let name =
                ["id", "jsonrpc", "method", "params", "name", "arguments", "title"].choose(random).unwrap();
            let opened: Vec<_> = text.iter().enumerate().filter(|(_, byte)| **byte == b'{').collect();
            if let Some((at, _)) = opened.choose(random) {
                text.splice(at + 1..at + 1, format!("\"{name}\": {value},").into_bytes());
            }
        }
        _ => {
            // Another value after a colon.
            let colons: Vec<_> = text.iter().enumerate().filter(|(_, byte)| **byte == b':').collect();
            if let Some(&&(at, _)) = colons.choose(random).as_ref() {
                let rest = text[at + 1..].iter().position(|byte| b",}".contains(byte));
                let end = rest.map_or(text.len(), |length| at + 1 + length);
                text.splice(at + 1..end, VALUES.choose(random).unwrap().bytes());
            }
        }
    }
}

/// Returns a damaged message with the headers of the valid one, or with others.
fn hostile(valid: &[Value], random: &mut StdRng) -> (Vec<(&'static str, String)>, Vec<u8>) {
    let mut message = valid.choose(random).unwrap().clone();
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut version = if message["params"].get("_meta").is_some() { NEWEST } else { VERSIONS[2] };
    let mut named =
        [("mcp-method", text_of(&message["method"])), ("mcp-name", text_of(&message["params"]["name"]))];
    if random.random_ratio(1, 5) {
        version = [&VERSIONS[..], &["1999-01-01", ""]].concat().choose(random).unwrap();
        named[random.random_range(0..2)].1 = "=?base64?/?=".to_owned();
    }
    let mut headers = vec![("mcp-protocol-version", version.to_owned())];
    headers.extend(named.into_iter().filter(|(_, value)| !value.is_empty()));
    if random.random_ratio(1, 10) {
        headers.push(("mcp-session-id", "8a1c".to_owned()));
    }
    for _ in 0..random.random_range(0..3) {
        let whole = random.random_ratio(1, 4);
        match message.pointer_mut("/params/arguments") {
            Some(arguments) if !whole => damage(arguments, random),
            _ => damage(&mut message, random),
        }
    }
    let mut text = message.to_string().into_bytes();
    for _ in 0..[0, 0, 0, 1, 2].choose(random).copied().unwrap() {
        damage_text(&mut text, random);
    }
    (headers, text)
}

/// Returns the id of a body that is a message. `Err` has the error code of a body that is not one.
fn id_of(body: &[u8]) -> Result<Option<Value>, i64> {
    let message: Value = serde_json::from_slice(body).map_err(|_| -32_700)?;
    let is_id = |id: &Value| id.is_string() || id.is_i64();
    let is_message = message.is_object()
        && message["jsonrpc"] == "2.0"
        && message["method"].is_string()
        && message.get("params").is_none_or(|params| params.is_object() || params.is_null())
        && message.get("id").is_none_or(is_id);
    if is_message { Ok(message.get("id").cloned()) } else { Err(-32_600) }
}

/// Returns what is wrong with an answer, if something is.
fn fault(body: &[u8], status: u16, answer: &[u8]) -> Option<&'static str> {
    if ![200, 202, 400, 404].contains(&status) {
        return Some("the status");
    }
    let expected = id_of(body);
    if status == 202 {
        let is_accepted = expected == Ok(None) && answer.is_empty();
        return (!is_accepted).then_some("only a notification is accepted, without a body");
    }
    let Ok(found) = serde_json::from_slice::<Value>(answer) else { return Some("the answer is not JSON") };
    if found["jsonrpc"] != "2.0" || found.get("result").is_some() == found.get("error").is_some() {
        return Some("the answer is not a JSON-RPC message");
    }
    match expected {
        Ok(Some(id)) if found["id"] != id => Some("another id"),
        Ok(None) if !found["id"].is_null() || found.get("result").is_some() => {
            Some("an answer to a notification")
        }
        Err(code) if status != 400 || found["error"]["code"] != code => {
            Some("the wrong status or error code for a body that is not a message")
        }
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_message_gets_an_answer_of_the_protocol_and_is_never_a_fault_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut server = Server::start_with_log("memory:", &log, &[]);
    let valid = valid_messages(&server).await;
    let connections = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let connections = connections.unwrap_or(CONNECTIONS);
    let began = Instant::now();
    let (target, valid) = (&server, &valid);
    let answers: Vec<[u64; 3]> = stream::iter(0..connections)
        .map(|seed| async move {
            let mut random = StdRng::seed_from_u64(seed);
            let client = client();
            let mut counts = [0; 3];
            for number in 0..MESSAGES {
                let (headers, body) = hostile(valid, &mut random);
                let mut request = client.post(format!("{}/mcp", target.url)).timeout(DEADLINE);
                for (name, value) in headers {
                    request = request.header(name, value);
                }
                let answer = request.bearer_auth(&target.token).body(body.clone()).send().await;
                let answer = answer.unwrap_or_else(|error| panic!("message {number} of {seed}: {error}"));
                let (status, answer) = (answer.status().as_u16(), answer.bytes().await.unwrap());
                if let Some(wrong) = fault(&body, status, &answer) {
                    let [body, answer] = [&body[..], &answer].map(String::from_utf8_lossy);
                    let body: String = body.chars().take(2000).collect();
                    panic!("message {number} of {seed}: {wrong}\n{body}\n{status} {answer}");
                }
                counts[match status {
                    200 => 0,
                    202 => 1,
                    _ => 2,
                }] += 1;
            }
            counts
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let [answered, accepted, refused] =
        [0, 1, 2].map(|kind| answers.iter().map(|counts| counts[kind]).sum::<u64>());
    let time = began.elapsed();
    println!("{answered} answered, {accepted} accepted and {refused} refused in {time:?}");
    assert_eq!(answered + accepted + refused, connections * MESSAGES);
    assert!(answered > 0 && accepted > 0 && refused > 0, "every kind of answer");
    assert!(!call(&server, "whoami", &json!({})).await.is_error, "the server still answers");
    server.terminate();
    let log = std::fs::read_to_string(&log).unwrap();
    for word in ["panic", "ERROR"] {
        assert!(!log.contains(word), "{log}");
    }
}
