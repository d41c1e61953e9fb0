//! Tokens: authentication, expiry and revocation.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
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

#[tokio::test]
async fn an_expired_token_is_refused_like_a_revoked_one() {
    let server = Server::start_on_sqlite();
    let made = token(&server, &["--organization", "starter", "--expires-in-days", "1"]);
    // No command creates a token that expires within a day, so this one is backdated.
    let backdate = "UPDATE tokens SET created_at = created_at - 86400, expires_at = expires_at - 86400 WHERE name = 't' RETURNING name";
    assert_eq!(server.sql(backdate).await, "t");
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    assert_unauthenticated(&with_bearer(&server, &bearer).await, "expired");
}

#[tokio::test]
async fn a_revoked_token_is_refused_within_5_seconds() {
    let server = Server::start_on_sqlite();
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
