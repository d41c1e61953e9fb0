//! The versions of the protocol, against two processes: no request depends on one before it.

use std::cell::Cell;

use serde_json::{Value, json};

use crate::harness::{Answer, Server, event};
use crate::mcp::{Called, NEWEST, VERSIONS, in_version, post, result};
use crate::mcp_protocol::assert_has_headers;

/// Two processes on one database, which receive requests in turn.
struct RoundRobin {
    processes: [Server; 2],
    next: Cell<usize>,
}

impl RoundRobin {
    fn start() -> Option<Self> {
        let first = Server::start_on_postgres()?;
        let second = first.start_another(&["--base-url", &first.url]);
        Some(Self { processes: [first, second], next: Cell::new(0) })
    }

    /// Returns the process that receives the next request.
    fn next(&self) -> &Server {
        &self.processes[self.next.replace(self.next.get() + 1) % 2]
    }

    /// Sends a request of a version to the next process.
    async fn request(&self, version: &str, method: &str, params: Value) -> Answer {
        let server = self.next();
        let answer = server.answer(in_version(version, server, &server.token, method, params)).await;
        assert_has_headers(&answer, method);
        answer
    }

    /// Calls a tool at the next process.
    async fn call(&self, version: &str, tool: &str, arguments: Value) -> Called {
        let params = json!({"name": tool, "arguments": arguments});
        Called::read(&self.request(version, "tools/call", params).await)
    }

    /// Starts a conversation: with `server/discover` in the newest version, otherwise with the handshake.
    async fn connect(&self, version: &str) {
        if version == NEWEST {
            let discovered = result(&self.request(version, "server/discover", json!({})).await);
            assert_eq!(discovered["supportedVersions"], json!(VERSIONS), "{discovered}");
            return;
        }
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let agreed = result(&self.request(version, "initialize", params).await);
        assert_eq!(agreed["protocolVersion"], version);
        assert_eq!(agreed["serverInfo"]["name"], "signup");
        assert_eq!(agreed["capabilities"], json!({"tools": {}}), "tools only");
        let server = self.next();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let accepted = server.answer(post(server, &server.token, &initialized)).await;
        assert_eq!((accepted.status, accepted.text.as_str()), (202, ""));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_process_answers_any_request_in_every_version() {
    let Some(processes) = RoundRobin::start() else { return };
    for (number, version) in VERSIONS.into_iter().cycle().take(2 * VERSIONS.len()).enumerate() {
        // The second conversation of a version starts at the other process.
        processes.next.set(number / VERSIONS.len());
        processes.connect(version).await;
        let listed = result(&processes.request(version, "tools/list", json!({})).await);
        assert_eq!(listed["tools"].as_array().unwrap().len(), 21, "{version}");
        if version == NEWEST {
            assert_eq!((&listed["ttlMs"], &listed["cacheScope"]), (&json!(0), &json!("private")));
        } else {
            assert_eq!(result(&processes.request(version, "ping", json!({})).await), json!({}), "{version}");
        }
        let mut arguments = event();
        arguments["idempotency_key"] = json!(format!("key-{number}"));
        let created = processes.call(version, "create_event", arguments.clone()).await;
        let replayed = processes.call(version, "create_event", arguments).await;
        assert_eq!((created.is_replay, replayed.is_replay), (false, true), "{version}");
        assert_eq!(created.data(), replayed.data(), "{version}");
        let found = processes.call(version, "get_event", json!({"event_id": created.data()["id"]})).await;
        assert_eq!(found.data(), created.data(), "{version}");
    }
}
