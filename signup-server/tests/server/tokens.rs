//! Tokens: authentication, expiry, revocation, scopes, and the separation of organizations.

use std::time::Duration;

use serde_json::{Value, json};

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event, run};
use crate::wait::wait_until;

async fn with_bearer(server: &Server, authorization: &str) -> Answer {
    server.answer(server.request("GET", "/v1/team").header("authorization", authorization)).await
}

fn token(server: &Server, arguments: &[&str]) -> Value {
    server.manage(&[&["token", "create", "--name", "t"], arguments].concat())
}

fn assert_unauthenticated(answer: &Answer, why: &str) {
    assert_eq!((answer.status, &answer.json()), (401, &json!({"message": "Unauthenticated."})), "{why}");
    assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
}

#[tokio::test]
async fn a_missing_or_malformed_token_is_refused() {
    let server = Server::start(&[]);
    assert_unauthenticated(&server.get_without_token("/v1/events").await, "missing");
    let good = &server.token;
    let unknown = format!("Bearer signup_{}", "A".repeat(43));
    for bad in [
        "Bearer",
        "Bearer ",
        "Basic eDp5",
        good,
        &format!("Token {good}"),
        &format!("Bearer {good}x"),
        "Bearer é",
        &unknown,
    ] {
        assert_unauthenticated(&with_bearer(&server, bad).await, bad);
    }
    assert_eq!(
        with_bearer(&server, &format!("bearer {good}")).await.status,
        200,
        "the scheme is not case-sensitive"
    );
}

#[rstest]
#[tokio::test]
async fn an_expired_token_is_refused_like_a_revoked_one(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let made = token(&server, &["--organization", "starter", "--expires-in-days", "1"]);
    // No command creates a token that expires within a day, so this one is backdated.
    let backdate = "UPDATE tokens SET created_at = created_at - 86400, expires_at = expires_at - 86400 WHERE name = 't' RETURNING name";
    assert_eq!(server.sql(backdate).await, "t");
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    assert_unauthenticated(&with_bearer(&server, &bearer).await, "expired");
}

#[rstest]
#[tokio::test]
async fn a_revoked_token_is_refused_within_5_seconds(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let made = token(&server, &["--organization", "starter"]);
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    assert_eq!(with_bearer(&server, &bearer).await.status, 200);
    let revoked = server.manage(&["token", "revoke", "--token-id", made["id"].as_str().unwrap()]);
    assert!(revoked["revoked_at"].is_string());
    let refused = wait_until(Duration::from_millis(5500), async || {
        let answer = with_bearer(&server, &bearer).await;
        if answer.status == 200 { Err("the revoked token was not refused".to_owned()) } else { Ok(answer) }
    })
    .await;
    assert_unauthenticated(&refused, "revoked");
}

#[rstest]
#[tokio::test]
async fn each_operation_requires_its_scope(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let created = server.create(&event()).await;
    let (event_id, slot_id) = (created["id"].as_str().unwrap(), created["slots"][0]["id"].as_str().unwrap());
    let operations = [
        ("GET", "/v1/events".to_owned(), "events:read"),
        ("POST", "/v1/events".to_owned(), "events:write"),
        ("POST", format!("/v1/events/{event_id}/duplicate"), "events:write"),
        ("GET", format!("/v1/events/{event_id}/slots"), "slots:read"),
        ("PATCH", format!("/v1/slots/{slot_id}"), "slots:write"),
        ("GET", "/v1/team".to_owned(), "team:read"),
    ];
    for scope in ["events:read", "events:write", "slots:read", "slots:write", "team:read"] {
        let made = token(&server, &["--organization", "starter", "--scopes", scope]);
        for (method, path, required) in &operations {
            let request = server.request(method, path).bearer_auth(made["token"].as_str().unwrap());
            let answer = server.answer(request.header("Idempotency-Key", "é")).await;
            if required == &scope {
                assert!([200, 422].contains(&answer.status), "{scope} {method} {path}: {}", answer.status);
            } else {
                assert_eq!(
                    (answer.status, &answer.json()["message"]),
                    (403, &json!("Invalid ability provided.")),
                    "{scope} {method} {path}"
                );
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn another_organizations_records_are_not_found(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let created = server.create(&event()).await;
    let (event_id, slot_id) = (created["id"].as_str().unwrap(), created["slots"][0]["id"].as_str().unwrap());
    server.manage(&["organization", "create", "--name", "Other"]);
    let made = token(&server, &["--organization", "other"]);
    let send = async |method: &str, path: String, body: Value| {
        let request = server.request(method, &path).bearer_auth(made["token"].as_str().unwrap());
        server.answer(request.json(&body)).await
    };
    let answers = [
        send("GET", format!("/v1/events/{event_id}/slots"), json!({})).await,
        send("PATCH", format!("/v1/slots/{slot_id}"), json!({"capacity": 1})).await,
        send("POST", format!("/v1/events/{event_id}/duplicate"), json!({"start_date": "2027-06-05"})).await,
    ];
    for answer in answers {
        assert_eq!((answer.status, answer.json()), (404, json!({"message": "Not found."})));
    }
    assert_eq!(send("GET", "/v1/events".to_owned(), json!({})).await.data(), json!([]));
    assert_eq!(server.get(&format!("/v1/events/{event_id}/slots")).await.data(), created["slots"]);
}

/// The test computes the digest in PostgreSQL, so it does not depend on the code of the server.
#[tokio::test]
async fn only_the_sha_256_of_a_token_is_stored() {
    let Some(server) = Server::start_on_postgres() else { return };
    let random = server.token.strip_prefix("signup_").unwrap();
    assert_eq!(random.len(), 43, "256 bits in base64url");
    let is_base64url = |found: char| found.is_ascii_alphanumeric() || "-_".contains(found);
    assert!(random.chars().all(is_base64url), "{random}");
    for (condition, count) in [
        (format!("digest = sha256('{}')", server.token), "1"),
        (format!("position('{random}' IN tokens::text) > 0"), "0"),
    ] {
        let found = server.sql(&format!("SELECT count(*) FROM tokens WHERE {condition}")).await;
        assert_eq!(found, count, "{condition}");
    }
}

#[tokio::test]
async fn a_token_expires_after_365_days_unless_it_is_created_for_less() {
    let server = Server::start_on_sqlite();
    for (name, days, arguments) in [("long", 365, &[][..]), ("short", 3, &["--expires-in-days", "3"])] {
        server.manage(&["organization", "create", "--name", name]);
        token(&server, &[&["--organization", name], arguments].concat());
        let listed = server.manage(&["token", "list", "--organization", name]);
        let second =
            |field: &str| listed[field].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
        assert_eq!(second("expires_at") - second("created_at"), days * 86_400, "{listed}");
    }
}

#[tokio::test]
async fn a_token_for_more_than_365_days_is_refused() {
    let server = Server::start_on_sqlite();
    server.manage(&["organization", "create", "--name", "long"]);
    let too_long = ["token", "create", "--organization", "long", "--name", "t", "--expires-in-days", "366"];
    let refused = run(&[&["--database", &server.database()], too_long.as_slice()].concat());
    assert!(!refused.status.success(), "{refused:?}");
    let reason = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(reason.contains("366 is not in 1..=365"), "{reason}");
}
