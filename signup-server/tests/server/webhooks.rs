//! Webhooks over the wire: their form, their secret, every fault with its sentence, and the list of deliveries.

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::lives::{conflict, id};

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

/// Returns the webhook without its secret.
fn without_secret(webhook: &Value) -> Value {
    let mut webhook = webhook.clone();
    let secret = webhook.as_object_mut().unwrap().remove("secret").unwrap();
    assert!(secret.as_str().unwrap().starts_with("whsec_"), "{secret}");
    webhook
}

/// Makes a delivery that tests a webhook, and returns it.
async fn test(server: &Server, webhook: &Value) -> Value {
    let answer = server.send("POST", &format!("{}/test", webhook_path(webhook)), None).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data()
}

fn has_secret(answer: &Answer) -> bool {
    answer.text.contains("\"secret\"") || answer.text.contains("whsec_")
}

#[tokio::test]
async fn a_webhook_is_created_listed_changed_and_deleted() {
    let server = Server::start(&[]);
    let short = new_webhook(&server).await;
    let expected = json!({
        "id": short["id"], "url": RECEIVER, "description": null, "types": ["*"], "is_enabled": true,
        "disabled_reason": null, "disabled_at": null, "last_success_at": null,
        "created_at": short["created_at"], "updated_at": short["created_at"], "secret": short["secret"],
    });
    assert_eq!(short, expected);
    let full = json!({
        "url": " HTTPS://Receiver.example:8443?key=a ", "description": "Roster", "types": ["signup.*", "event.cancelled"],
        "is_enabled": false,
    });
    let full = server.post("/v1/webhooks", &full).await.data();
    let expected = json!({
        "id": full["id"], "url": "https://receiver.example:8443/?key=a", "description": "Roster",
        "types": ["signup.*", "event.cancelled"], "is_enabled": false, "disabled_reason": null,
        "disabled_at": full["created_at"], "last_success_at": null, "created_at": full["created_at"],
        "updated_at": full["created_at"], "secret": full["secret"],
    });
    assert_eq!(full, expected);
    let (short, full) = (without_secret(&short), without_secret(&full));
    assert_eq!(server.get("/v1/webhooks").await.json(), json!({"data": [full, short]}), "the newest first");

    let path = webhook_path(&full);
    let patch = json!({"description": null, "types": ["*"], "is_enabled": true, "url": RECEIVER});
    let changed = server.patch(&path, &patch).await;
    let mut expected = short.clone();
    for field in ["id", "created_at"] {
        expected[field] = full[field].clone();
    }
    expected["updated_at"] = changed.data()["updated_at"].clone();
    assert_eq!((changed.status, changed.data()), (200, expected.clone()));
    assert_eq!(server.get(&path).await.json(), json!({"data": expected}));

    let deleted = server.send("DELETE", &path, None).await;
    assert_eq!((deleted.status, deleted.data()), (200, json!({"id": full["id"], "deleted": true})));
    assert_eq!(server.get(&path).await.status, 404);
    assert_eq!(server.get("/v1/webhooks").await.data(), json!([short]));
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
    let delivery = test(&server, &webhook).await;
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

#[tokio::test]
async fn no_cache_stores_an_answer_with_a_webhook_or_its_errors() {
    let server = Server::start_on_sqlite();
    let webhook = new_webhook(&server).await;
    let path = webhook_path(&webhook);
    let narrow = server.token_with("team:read");
    for (method, path, status) in [
        ("GET", "/v1/webhooks", 200),
        ("POST", "/v1/webhooks", 422),
        ("GET", &path, 200),
        ("PATCH", &path, 422),
        ("PUT", &path, 405),
        ("POST", &format!("{path}/rotate_secret"), 200),
        ("GET", &format!("{path}x"), 404),
        ("DELETE", &path, 200),
    ] {
        let answer = server.send(method, path, None).await;
        let refused = server.answer(server.request(method, path)).await;
        let forbidden = server.answer(server.request(method, path).bearer_auth(&narrow)).await;
        let statuses = if status == 405 { [405, 405, 405] } else { [status, 401, 403] };
        assert_eq!([answer.status, refused.status, forbidden.status], statuses, "{method} {path}");
        for answer in [answer, refused, forbidden] {
            let caching = answer.header("cache-control");
            assert_eq!(caching, Some("no-store"), "{method} {path} {}", answer.status);
        }
    }
    let created = server.post("/v1/webhooks", &json!({"url": RECEIVER})).await;
    assert_eq!((created.status, created.header("cache-control")), (201, Some("no-store")));
}

#[tokio::test]
async fn every_fault_of_a_webhook_has_a_sentence() {
    let server = Server::start(&[]);
    let path = webhook_path(&new_webhook(&server).await);
    let web_address =
        "must be a web address such as https://example.org/hooks, without spaces or backslashes";
    let not_public =
        "must have a host name or a public address: private, local and reserved addresses are not allowed";
    let filter = "must be a type of activity, such as signup.created, or a group, such as signup.*";
    for (url, predicate) in [
        (json!(null), "is required"),
        (json!(" "), "is required"),
        (json!(5), "must be a string"),
        (json!("hooks"), web_address),
        (json!("https://"), web_address),
        (json!("http://receiver.example/"), "must begin with https://"),
        (json!("ftp://receiver.example/"), "must begin with https://"),
        (json!("https://ada@receiver.example/"), "must not contain a user or a password"),
        (json!("https://receiver.example/#top"), "must not contain a fragment (#)"),
        (json!("https://127.0.0.1/"), not_public),
        (json!("https://169.254.169.254/"), not_public),
        (json!("https://[::ffff:10.0.0.1]/"), not_public),
        (
            json!(format!("https://receiver.example/{}", "x".repeat(2048))),
            "must not be longer than 2048 characters",
        ),
    ] {
        let expected = json!({"url": [format!("The url field {predicate}.")]});
        for answer in [
            server.post("/v1/webhooks", &json!({"url": url})).await,
            server.patch(&path, &json!({"url": url})).await,
        ] {
            assert_eq!((answer.status, answer.json()["errors"].clone()), (422, expected.clone()), "{url}");
        }
    }
    for (types, field, predicate) in [
        (json!(null), "types", "must be a list of strings"),
        (json!("signup.*"), "types", "must be a list of strings"),
        (json!([]), "types", "must have at least one item, such as *"),
        (json!(vec!["*"; 51]), "types", "must not have more than 50 types"),
        (json!(["signup.moved"]), "types.0", filter),
        (json!(["*", "signup"]), "types.1", filter),
        (json!(["*", null]), "types.1", "must be a string"),
        (json!(["*", "signup.*", "*"]), "types.2", "must differ from the other types"),
        (json!(["webhook.test"]), "types.0", filter),
    ] {
        let expected = json!({field: [format!("The {field} field {predicate}.")]});
        let body = json!({"url": RECEIVER, "types": types});
        for answer in [server.post("/v1/webhooks", &body).await, server.patch(&path, &body).await] {
            assert_eq!((answer.status, answer.json()["errors"].clone()), (422, expected.clone()), "{types}");
        }
    }
    let all =
        json!({"is_enabled": "yes", "types": [], "description": "x".repeat(256), "notify_volunteers": true});
    let answer = server.post("/v1/webhooks", &all).await;
    assert_eq!(answer.fields(), ["url", "description", "types", "is_enabled", "notify_volunteers"]);
    let errors = answer.json()["errors"].clone();
    assert_eq!(
        [&errors["description"][0], &errors["is_enabled"][0]],
        [
            "The description field must not be longer than 255 characters.",
            "The is_enabled field must be true or false."
        ]
    );
    assert_eq!(server.get("/v1/webhooks").await.data().as_array().unwrap().len(), 1, "nothing was created");
}

#[tokio::test]
async fn an_organization_has_at_most_16_webhooks() {
    let server = Server::start(&[]);
    for _ in 0..16 {
        new_webhook(&server).await;
    }
    let body = json!({"url": RECEIVER});
    let refused = server.send_keyed("POST", "/v1/webhooks", "key", &body).await;
    assert_eq!(refused.fields(), ["url"]);
    let message = "The organization already has 16 webhooks, which is the limit. Delete one first.";
    assert_eq!(refused.json()["message"], message);
    let list = server.get("/v1/webhooks").await.data();
    assert_eq!(list.as_array().unwrap().len(), 16);
    assert_eq!(server.send("DELETE", &webhook_path(&list[3]), None).await.status, 200);
    let created = server.send_keyed("POST", "/v1/webhooks", "key", &body).await;
    assert_eq!((created.status, created.is_replay()), (201, false), "a refusal is not stored");
}

#[tokio::test]
async fn a_disabled_webhook_accepts_a_test_and_refuses_a_redelivery() {
    let server = Server::start(&[]);
    let webhook = new_webhook(&server).await;
    let path = webhook_path(&webhook);
    let disabled = server.patch(&path, &json!({"is_enabled": false})).await.data();
    assert_eq!((&disabled["is_enabled"], &disabled["disabled_reason"]), (&json!(false), &json!(null)));
    assert_eq!(disabled["disabled_at"], disabled["updated_at"]);
    let delivery = test(&server, &webhook).await;
    let expected = json!({
        "id": delivery["id"], "webhook_id": webhook["id"], "type": "webhook.test", "state": "pending", "attempts": 0,
        "created_at": delivery["created_at"], "next_attempt_at": delivery["created_at"], "delivered_at": null,
        "last_status": null, "last_error": null,
    });
    assert_eq!(delivery, expected);
    let again = format!("/v1/deliveries/{}/redeliver", id(&delivery));
    let refused = server.send("POST", &again, None).await;
    assert_eq!(conflict(&refused), "webhook_disabled");
    let message = "The webhook is disabled, so nothing can be delivered to it again. Enable it first, with is_enabled: true.";
    assert_eq!(refused.json()["message"], message);
    let enabled = server.patch(&path, &json!({"is_enabled": true})).await.data();
    assert_eq!((&enabled["is_enabled"], &enabled["disabled_at"]), (&json!(true), &json!(null)));
    let again = server.send("POST", &again, None).await;
    assert_eq!((again.status, &again.data()["id"]), (200, &delivery["id"]));
    assert_eq!(again.data()["state"], "pending", "it stays as it is");
}

#[tokio::test]
async fn deliveries_have_pages_and_a_filter() {
    let server = Server::start(&[]);
    let webhook = new_webhook(&server).await;
    let list = format!("{}/deliveries", webhook_path(&webhook));
    assert_eq!(server.get(&list).await.data(), json!([]), "its own creation is not delivered");
    let mut made = vec![];
    for _ in 0..5 {
        made.insert(0, test(&server, &webhook).await["id"].clone());
    }
    let ids = |page: &Value| {
        page["data"].as_array().unwrap().iter().map(|delivery| delivery["id"].clone()).collect::<Vec<_>>()
    };
    let (mut path, mut walked) = (format!("{list}?state=pending&per_page=2"), vec![]);
    loop {
        let page = server.get(&path).await.json();
        assert_eq!(
            (&page["meta"]["path"], &page["meta"]["per_page"]),
            (&json!(format!("{}{list}", server.url)), &json!(2))
        );
        walked.extend(ids(&page));
        let Some(next) = page["links"]["next"].as_str() else { break };
        assert!(next.contains("state=pending"), "{next}");
        path = next.strip_prefix(&server.url).unwrap().to_owned();
    }
    assert_eq!(walked, made, "the newest first");
    assert_eq!(server.get(&format!("{list}?state=failed")).await.data(), json!([]));
    assert_eq!(
        server.get(&format!("{list}?state=&per_page=&cursor=")).await.data().as_array().unwrap().len(),
        5
    );
    let of_activity = server.get("/v1/activity?per_page=1").await.json()["meta"]["next_cursor"].clone();
    for (query, field, predicate) in [
        ("state=sent", "state", "must be one of pending, delivered, failed"),
        ("per_page=0", "per_page", "must be a whole number of at least 1"),
        ("cursor=abc", "cursor", "must be an unmodified cursor of the same list and order"),
        (
            &format!("cursor={}", of_activity.as_str().unwrap()),
            "cursor",
            "must be an unmodified cursor of the same list and order",
        ),
    ] {
        let answer = server.get(&format!("{list}?{query}")).await;
        assert_eq!(answer.fields(), [field], "{query}");
        assert_eq!(answer.json()["message"], format!("The {field} field {predicate}."), "{query}");
    }
}
