//! Rate limits and the limits of the plans.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Answer, Server, event};
use crate::wait::wait_until;

/// Starts a server with the built-in plans. Its starter organization has the plan `pro`.
fn with_built_in_plans(arguments: &[&str]) -> Server {
    Server::start_exactly(&[&["--database", "memory:"], arguments].concat())
}

#[tokio::test]
async fn a_token_gets_the_requests_of_its_plan_and_then_429() {
    let server = with_built_in_plans(&[]);
    for left in (0..300).rev() {
        let path = if left % 2 == 0 { "/v1/team" } else { "/v1/nothing" };
        let answer = server.get(path).await;
        assert_ne!(answer.status, 429);
        assert_eq!(answer.header("x-ratelimit-limit"), Some("300"));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left.to_string().as_str()), "404s count too");
    }
    let answer = server.get("/v1/team").await;
    assert_eq!((answer.status, answer.json()), (429, json!({"message": "Too Many Attempts."})));
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    let retry_after: i64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&retry_after));
    let reset: i64 = answer.header("x-ratelimit-reset").unwrap().parse().unwrap();
    let date = jiff::fmt::rfc2822::parse(answer.header("date").unwrap()).unwrap().timestamp().as_second();
    assert!((date..=date + 61).contains(&reset), "{reset} is within a minute of {date}");
    assert_eq!(server.get("/v1/nothing").await.status, 429, "the rate limit is checked before the route");
    assert_eq!(server.get("/openapi.json").await.status, 200, "paths outside /v1 have no rate limit");
    let other = server.get_without_token("/v1/team").await;
    assert_eq!(other.status, 401, "an address has a window of its own");
}

#[tokio::test]
async fn every_request_of_a_token_counts_whatever_its_answer_is() {
    let server = with_built_in_plans(&[]);
    let created = server.send_keyed("POST", "/v1/events", "key", &event()).await;
    let path = format!("/v1/events/{}", created.data()["id"].as_str().unwrap());
    let remaining =
        |answer: &Answer| -> i32 { answer.header("x-ratelimit-remaining").unwrap().parse().unwrap() };
    let request = |method: &str, path: &str| server.request(method, path).bearer_auth(&server.token);
    let mut left = remaining(&created);
    for (answer, status) in [
        (server.send_keyed("POST", "/v1/events", "key", &event()).await, 201),
        (server.send("HEAD", "/v1/team", None).await, 200),
        (server.send("OPTIONS", "/v1/team", None).await, 204),
        (server.send("PUT", "/v1/team", None).await, 405),
        (server.get("/v1/slots/x").await, 404),
        (server.post("/v1/events", &json!({})).await, 422),
        (server.answer(request("PATCH", &path).header("content-type", "text/plain").body("{}")).await, 415),
        (server.answer(request("PATCH", &path).body(" ".repeat(1024 * 1024 + 1))).await, 413),
        (server.post(&format!("{path}/cancel"), &json!({})).await, 200),
        (server.patch(&path, &json!({})).await, 409),
        (server.send("DELETE", &path, None).await, 200),
    ] {
        assert_eq!((answer.status, remaining(&answer)), (status, left - 1), "{}", answer.text);
        left -= 1;
    }
}

#[tokio::test]
async fn requests_without_a_valid_token_are_counted_by_address_at_the_free_rate() {
    let server = with_built_in_plans(&["--trusted-proxies", "127.0.0.0/8"]);
    let from = async |address: &str| {
        let request = server.request("GET", "/v1/team").header("x-forwarded-for", address);
        server.answer(request.bearer_auth("signup_wrong")).await
    };
    for left in (0..30).rev() {
        let answer = from("198.51.100.1").await;
        assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (401, Some("30")));
        assert_eq!(answer.header("x-ratelimit-remaining"), Some(left.to_string().as_str()));
    }
    assert_eq!(
        from("198.51.100.1").await.status,
        429,
        "the rate limit is checked before the token is refused"
    );
    assert_eq!(from("198.51.100.1, 127.0.0.9").await.status, 429, "trusted proxies are skipped");
    assert_eq!(from("198.51.100.1, 198.51.100.2").await.status, 401, "another client");
    let valid = server
        .request("GET", "/v1/team")
        .header("x-forwarded-for", "198.51.100.1")
        .bearer_auth(&server.token);
    assert_eq!(server.answer(valid).await.status, 200, "a valid token is not counted by address");
}

#[tokio::test]
async fn a_plan_limits_the_active_events_and_holds_within_5_seconds() {
    let server = Server::start_on_sqlite();
    server.command("organization create --name Small");
    let token = server.command("token create --organization small --name t");
    let create = async || {
        let mut body = event();
        body["is_published"] = json!(true);
        body["start_date"] = json!("2099-06-05");
        let request = server.request("POST", "/v1/events").bearer_auth(token["token"].as_str().unwrap());
        server.answer(request.json(&body)).await
    };
    for _ in 0..5 {
        assert_eq!(create().await.status, 201);
    }
    let refused = create().await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["error"], "plan_limit_reached");
    assert_eq!(
        refused.json()["limit"],
        json!({"limit_type": "active_events", "current_count": 5, "max_allowed": 5})
    );
    server.command("organization plan --organization small --plan calendar");
    wait_until(Duration::from_millis(5500), async || match create().await.status {
        201 => Ok(()),
        _ => Err("the larger plan was not used".to_owned()),
    })
    .await;
}
