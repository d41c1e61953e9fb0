//! Tokens: how a request carries one, and the header that warns of its end.

use serde_json::json;

use crate::harness::{Answer, Server};
use crate::lives::send_as;

async fn with_bearer(server: &Server, authorization: &str) -> Answer {
    server.answer(server.request("GET", "/v1/team").header("authorization", authorization)).await
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
async fn every_answer_to_a_token_warns_from_30_days_before_it_ends() {
    let server = Server::start_on_sqlite();
    server.command("organization create --name Rowers");
    let create = |name: &str, days: &str| {
        let scopes = ["--scopes", "slots:read,events:write", "--expires-in-days", days];
        server
            .manage(&[&["token", "create", "--organization", "rowers", "--name", name], &scopes[..]].concat())
    };
    let (short, others) = (create("import", "30"), [create("month", "31"), create("year", "365")]);
    let text = short["token"].as_str().unwrap();
    let expires_at: jiff::Timestamp = short["expires_at"].as_str().unwrap().parse().unwrap();
    for (path, status) in [("/v1/token", 200), ("/v1/team", 403), ("/v1/slots/x", 404), ("/v1/events", 403)] {
        let answer = send_as(&server, text, "GET", path, None).await;
        let header = answer.header("token-expires").unwrap().to_owned();
        let date = jiff::fmt::rfc2822::parse(&header).unwrap().timestamp();
        assert_eq!((answer.status, date), (status, expires_at), "{path}");
        assert!(header.ends_with(" GMT"), "{header}");
        for other in &others {
            let answer = send_as(&server, other["token"].as_str().unwrap(), "GET", path, None).await;
            assert_eq!((answer.status, answer.header("token-expires")), (status, None), "{path}");
        }
    }
}
