//! Deliveries to webhooks: what arrives, how often, and what happens to an endpoint that does not accept it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::activity::all_activity;
use crate::harness::{Server, event, free_listen};
use crate::mails::SOON;
use crate::receiver::{ALLOW, Answer, Receiver};
use crate::wait::wait_until;
use crate::webhooks::webhook_path as path;

/// Creates a webhook that receives created events, and returns it.
async fn webhook(server: &Server, url: &str) -> Value {
    let answer = server.post("/v1/webhooks", &json!({"url": url, "types": ["event.created"]})).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data()
}

/// Waits until the webhook has one delivery, in this state, and returns the delivery.
async fn wait_for_state(server: &Server, webhook: &Value, state: &str) -> Value {
    wait_until(SOON, async || {
        let deliveries = server.get(&format!("{}/deliveries", path(webhook))).await.data();
        assert_eq!(deliveries.as_array().unwrap().len(), 1, "{deliveries}");
        if deliveries[0]["state"] == state { Ok(deliveries[0].clone()) } else { Err(deliveries.to_string()) }
    })
    .await
}

#[tokio::test]
async fn an_activity_is_delivered_once_and_signed_as_the_standard_says() {
    let receiver = Receiver::start();
    // No proxy of the environment is used. Nothing listens at this one.
    let proxy = ["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map(|name| (name, Path::new("http://127.0.0.1:9")));
    let server = Server::start_in(&proxy, &[&["--database", "memory:"], &ALLOW[..]].concat());
    let webhook = webhook(&server, &receiver.url()).await;
    server.create(&event()).await;
    let received = receiver.wait_for_exactly(1, SOON).await.remove(0);
    assert!(received.is_signed_with(webhook["secret"].as_str().unwrap()), "{received:?}");
    assert!(!received.is_signed_with("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="));

    let listed = all_activity(&server).await;
    let created = listed.iter().find(|activity| activity["type"] == "event.created").unwrap();
    let body = json!({"type": "event.created", "timestamp": created["created_at"], "data": created});
    assert_eq!(received.json(), body, "the record as the list of activity shows it");
    let delivery = wait_for_state(&server, &webhook, "delivered").await;
    assert_eq!(received.header("webhook-id"), delivery["id"]);
    assert_eq!((&delivery["attempts"], &delivery["last_status"]), (&json!(1), &json!(204)));
    assert!(delivery["last_error"].is_null() && delivery["next_attempt_at"].is_null(), "{delivery}");
    let shown = server.get(&path(&webhook)).await.data();
    assert!(shown["last_success_at"].is_string(), "{shown}");
}

#[tokio::test]
async fn a_test_is_delivered_to_a_disabled_webhook_too_and_is_no_activity() {
    let receiver = Receiver::start();
    let server = Server::start(&ALLOW);
    let body = json!({"url": receiver.url(), "is_enabled": false});
    let webhook = server.post("/v1/webhooks", &body).await.data();
    let before = all_activity(&server).await;
    let delivery = server.post(&format!("{}/test", path(&webhook)), &json!({})).await.data();
    let received = receiver.wait_for_exactly(1, SOON).await.remove(0);
    assert_eq!(received.header("webhook-id"), delivery["id"]);
    assert!(received.is_signed_with(webhook["secret"].as_str().unwrap()));
    let sent = received.json();
    let [id, created_at, actor] = ["id", "created_at", "actor"].map(|field| sent["data"][field].clone());
    let data = json!({
        "id": id, "type": "webhook.test", "created_at": created_at, "actor": actor, "event_id": null, "slot_id": null,
        "signup_id": null, "question_id": null, "token_id": null, "webhook_id": null, "person_id": null, "changes": [],
    });
    assert_eq!(sent, json!({"type": "webhook.test", "timestamp": created_at, "data": data}));
    assert!(id.is_string() && actor["type"] == "token" && actor["name"] == "Starter", "{sent}");
    assert_eq!(all_activity(&server).await, before);
}

#[tokio::test]
async fn a_failed_attempt_is_repeated_after_five_seconds_with_the_same_id_and_body() {
    let receiver = Receiver::answering(&[Answer::Status(500), Answer::Status(200)]);
    let server = Server::start(&ALLOW);
    let webhook = webhook(&server, &receiver.url()).await;
    server.create(&event()).await;
    receiver.wait_for(1, SOON).await;
    let waiting = wait_until(SOON, async || {
        let deliveries = server.get(&format!("{}/deliveries", path(&webhook))).await.data();
        let delivery = deliveries[0].clone();
        if delivery["last_status"] == 500 { Ok(delivery) } else { Err(delivery.to_string()) }
    })
    .await;
    assert_eq!((&waiting["state"], &waiting["last_error"]), (&json!("pending"), &json!("status 500")));
    let received = receiver.wait_for(2, SOON).await;
    let pause = received[1].at.duration_since(received[0].at);
    // Times are whole seconds, and the queue is read once a second.
    assert!(pause >= Duration::from_secs(4) && pause < Duration::from_secs(9), "{pause:?}");
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(received[0].body, received[1].body);
    assert_ne!(received[0].header("webhook-timestamp"), received[1].header("webhook-timestamp"));
    assert!(received[1].is_signed_with(webhook["secret"].as_str().unwrap()));
    assert_eq!(wait_for_state(&server, &webhook, "delivered").await["attempts"], 2);
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_logged_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let receiver = Receiver::answering(&[Answer::Status(410)]);
    let listen = free_listen();
    let debug = ["--metrics-listen", &listen, "--log", "info,signup_server=trace"];
    let server = Server::start_with_log("memory:", &log, &[&ALLOW[..], &debug].concat());
    let webhook = webhook(&server, &format!("{}?key=hidden", receiver.url())).await;
    server.create(&event()).await;
    Server::wait_for_metric(&listen, r#"signup_webhook_disabled_total{reason="gone"} 1"#).await;
    assert_eq!(receiver.received().len(), 1);
    let delivery = wait_for_state(&server, &webhook, "failed").await;
    assert_eq!((&delivery["last_status"], &delivery["last_error"]), (&json!(410), &json!("status 410")));
    let shown = server.get(&path(&webhook)).await.data();
    assert_eq!((&shown["is_enabled"], &shown["disabled_reason"]), (&json!(false), &json!("gone")));
    let newest = &all_activity(&server).await[0];
    assert_eq!((&newest["type"], &newest["actor"]["type"]), (&json!("webhook.disabled"), &json!("system")));

    // The age is some seconds old.
    Server::wait_for_metric(&listen, "signup_webhook_oldest_pending_age_seconds 0").await;
    let page = reqwest::get(format!("http://{listen}/metrics")).await.unwrap().text().await.unwrap();
    for line in [
        r#"signup_webhook_deliveries_total{result="failed"} 1"#,
        r#"signup_webhook_attempts_total{result="failed"} 1"#,
        r#"signup_webhook_attempt_duration_seconds_count{result="failed"} 1"#,
    ] {
        assert!(page.lines().any(|found| found == line), "no {line} in\n{page}");
    }
    let logged = std::fs::read_to_string(&log).unwrap();
    let warning =
        logged.lines().find(|line| line.contains(" WARN ") && line.contains("a webhook was disabled"));
    assert!(warning.unwrap().contains(webhook["id"].as_str().unwrap()), "{logged}");
    assert!(logged.contains(delivery["id"].as_str().unwrap()) && !logged.contains("hidden"), "{logged}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_never_answers_delays_no_other() {
    let hanging = Receiver::answering(&[Answer::Never]);
    let good = Receiver::start();
    let server = Server::start(&ALLOW);
    webhook(&server, &hanging.url()).await;
    let webhook = webhook(&server, &good.url()).await;
    for _ in 0..6 {
        server.create(&event()).await;
    }
    hanging.wait_for(4, SOON).await;
    for number in 7..=12 {
        server.create(&event()).await;
        let answered = Instant::now();
        let received = good.wait_for(number, Duration::from_secs(5)).await;
        let age = received[number - 1].at.saturating_duration_since(answered);
        assert!(age < Duration::from_secs(2), "delivery {number} arrived {age:?} after the answer");
    }
    assert_eq!(hanging.received().len(), 4, "at most four requests at once");
    // A delivery arrives before the server has written that it is delivered.
    wait_until(SOON, async || {
        let pending = server.get(&format!("{}/deliveries?state=pending", path(&webhook))).await.data();
        if pending == json!([]) { Ok(()) } else { Err(pending.to_string()) }
    })
    .await;
}

#[tokio::test]
async fn a_request_in_flight_ends_before_the_server_does() {
    let receiver = Receiver::answering(&[Answer::Late(200, Duration::from_secs(3))]);
    let mut server = Server::start_on_sqlite_with(&ALLOW);
    webhook(&server, &receiver.url()).await;
    server.create(&event()).await;
    receiver.wait_for(1, SOON).await;
    assert!(server.terminate().success());
    assert_eq!(server.sql("SELECT status FROM deliveries").await, "delivered");
}
