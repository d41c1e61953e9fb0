//! Webhooks over the wire: which answers show a secret.

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::lives::id;

/// The address of a webhook whose name no resolver finds.
pub(crate) const RECEIVER: &str = "https://receiver.example/hooks";

/// Creates a webhook and returns it, with its secret.
pub(crate) async fn new_webhook(server: &Server) -> Value {
    let answer = server.post("/v1/webhooks", &json!({"url": RECEIVER})).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data()
}

/// Returns the path of a webhook.
pub(crate) fn webhook_path(webhook: &Value) -> String {
    format!("/v1/webhooks/{}", id(webhook))
}

fn has_secret(answer: &Answer) -> bool {
    answer.text.contains("\"secret\"") || answer.text.contains("whsec_")
}

#[tokio::test]
async fn only_a_create_a_rotation_and_their_replays_show_the_secret() {
    let server = Server::start(&[]);
    let create = async || server.send_keyed("POST", "/v1/webhooks", "key", &json!({"url": RECEIVER})).await;
    let (created, again) = (create().await, create().await);
    assert!(again.is_replay() && !created.is_replay());
    assert_eq!(again.text, created.text);
    let webhook = created.data();
    let path = webhook_path(&webhook);
    let rotate =
        async || server.send_keyed("POST", &format!("{path}/rotate_secret"), "key", &json!({})).await;
    let (rotated, again) = (rotate().await, rotate().await);
    assert!(rotated.status == 200 && again.is_replay() && again.text == rotated.text, "{}", again.text);
    assert_ne!(rotated.data()["secret"], webhook["secret"]);
    for secret in [&webhook["secret"], &rotated.data()["secret"]] {
        let base64 = secret.as_str().unwrap().strip_prefix("whsec_").unwrap();
        assert_eq!(base64.len(), 44, "32 bytes");
    }
    assert!(create().await.text.contains(webhook["secret"].as_str().unwrap()), "the stored response");
    let delivery = server.send("POST", &format!("{path}/test"), None).await.data();
    for (method, path) in [
        ("GET", "/v1/webhooks".to_owned()),
        ("GET", path.clone()),
        ("PATCH", path.clone()),
        ("POST", format!("{path}/test")),
        ("GET", format!("{path}/deliveries")),
        ("POST", format!("/v1/deliveries/{}/redeliver", id(&delivery))),
        ("GET", "/v1/activity?type=webhook.created".to_owned()),
        ("DELETE", path),
    ] {
        let body = json!({"description": "Roster"});
        let answer = server.send(method, &path, (method == "PATCH").then_some(&body)).await;
        assert!([200, 201].contains(&answer.status), "{method} {path}: {}", answer.text);
        assert!(!has_secret(&answer), "{method} {path}: {}", answer.text);
    }
}
