//! What the routes of an event share: scopes, organizations, the order of the checks, idempotency, and optional bodies.

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event};
use crate::lives::{assert_not_found, id, path, send_as, token_of};
use crate::pages::published;

/// The id of a record that does not exist.
const UNKNOWN: &str = "01a1fc0c-06a8-79da-abb2-b84ac8892247";

/// An operation with a valid body, and the scope that it requires.
struct Operation {
    method: &'static str,
    path: String,
    body: Option<Value>,
    scope: &'static str,
}

/// Returns the operations on an event, in an order in which each of them succeeds.
fn operations(event: &Value) -> Vec<Operation> {
    let path = path(event);
    let operation = |method, path, body, scope| Operation { method, path, body, scope };
    vec![
        operation("GET", path.clone(), None, "events:read"),
        operation("PATCH", path.clone(), Some(json!({"title": "Other"})), "events:write"),
        operation("POST", format!("{path}/publish"), None, "events:write"),
        operation("POST", format!("{path}/unpublish"), None, "events:write"),
        operation("POST", format!("{path}/cancel"), Some(json!({"reason": "Storm"})), "events:write"),
        operation("DELETE", path, None, "events:write"),
    ]
}

#[rstest]
#[tokio::test]
async fn each_operation_on_an_event_requires_its_scope(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    let create = ["token", "create", "--organization", "starter", "--name", "t", "--scopes"];
    let scopes = ["events:read", "events:write", "slots:read", "slots:write", "signups:read", "team:read"];
    for Operation { method, path, body, scope } in operations(&event) {
        let others: Vec<_> = scopes.into_iter().filter(|other| *other != scope).collect();
        for (granted, is_allowed) in [(others.join(","), false), (scope.to_owned(), true)] {
            let made = server.manage(&[create.as_slice(), &[granted.as_str()]].concat());
            let token = made["token"].as_str().unwrap();
            let answer = send_as(&server, token, method, &path, body.as_ref()).await;
            if is_allowed {
                assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text);
            } else {
                let expected = json!({"message": "Invalid ability provided."});
                assert_eq!((answer.status, answer.json()), (403, expected), "{method} {path} with {granted}");
            }
        }
    }
}

#[rstest]
#[tokio::test]
async fn another_organizations_event_is_not_found_and_stays_unchanged(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    let other = token_of(&server, "Other", "pro");
    for Operation { method, path, body, .. } in operations(&event) {
        let answer = send_as(&server, &other, method, &path, body.as_ref()).await;
        assert_not_found(&answer, &format!("{method} {path}"));
    }
    assert_eq!(server.get(&path(&event)).await.data(), event);
}

#[tokio::test]
async fn an_unknown_event_is_not_found() {
    let server = Server::start(&[]);
    for unknown in [UNKNOWN, "x", "%25", "01A1FC0C"] {
        for Operation { method, path, body, .. } in operations(&json!({"id": unknown})) {
            let answer = server.send(method, &path, body.as_ref()).await;
            assert_not_found(&answer, &format!("{method} {path}"));
        }
    }
}

/// A cancelled event at the limit of active events is requested with one fault less each time.
#[tokio::test]
async fn the_checks_of_a_write_have_a_fixed_order() {
    let server = Server::start_on_sqlite();
    let token = token_of(&server, "Small", "free");
    let mut events = vec![];
    for number in 0..7 {
        let mut body = event();
        body["is_published"] = json!(number >= 2);
        events.push(send_as(&server, &token, "POST", "/v1/events", Some(&body)).await.data());
    }
    let (cancelled, draft) = (&events[0], &events[1]);
    let cancel = send_as(&server, &token, "POST", &format!("{}/cancel", path(cancelled)), None).await;
    assert_eq!(cancel.status, 200);
    let reader = ["token", "create", "--organization", "small", "--name", "r", "--scopes", "events:read"];
    let reader = server.manage(&reader)["token"].as_str().unwrap().to_owned();
    let unknown = json!({"id": UNKNOWN});
    let (bad, good) = (json!({"is_published": "yes"}), json!({"is_published": true}));
    let statuses = [
        (&reader, "é", &unknown, &bad, 403, "the scope precedes the key"),
        (&token, "é", &unknown, &bad, 422, "the key precedes the body"),
        (&token, "key", &unknown, &bad, 422, "the body precedes the record"),
        (&token, "key", &unknown, &good, 404, "an unknown record"),
        (&token, "key", cancelled, &bad, 422, "the body precedes the state"),
        (&token, "key", cancelled, &good, 409, "the state precedes the limit"),
        (&token, "key", draft, &good, 422, "the limit"),
    ];
    let mut fields = vec![];
    for (token, key, event, body, status, why) in statuses {
        let request = server.request("PATCH", &path(event)).bearer_auth(token);
        let answer = server.answer(request.header("Idempotency-Key", key).json(body)).await;
        assert_eq!(answer.status, status, "{why}: {}", answer.text);
        if let Some(errors) = answer.json()["errors"].as_object() {
            fields.extend(errors.keys().cloned());
        }
    }
    assert_eq!(fields, ["Idempotency-Key", "is_published", "is_published"]);
    let unauthenticated = server.answer(server.request("PATCH", &path(&unknown))).await;
    assert_eq!(unauthenticated.status, 401);
}

/// The first answer to a key is returned again, whatever the later request says. A failed write stores nothing.
#[rstest]
#[tokio::test]
async fn every_write_to_an_event_is_replayed_by_its_key(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut server) = Server::start_with(engine) else { return };
    let event = server.create(&event()).await;
    let mut first_answers = vec![];
    for Operation { method, path, body, .. } in operations(&event).into_iter().skip(1) {
        let wrong = server.request(method, &path).bearer_auth(&server.token).header("Idempotency-Key", "key");
        let wrong = server.answer(wrong.header("content-type", "application/json").body("[]")).await;
        assert_eq!(wrong.fields(), ["body"], "{method} {path}");
        let first = server.send_keyed(method, &path, "key", &body.unwrap_or_else(|| json!({}))).await;
        assert_eq!((first.status, first.is_replay()), (200, false), "{method} {path}: {}", first.text);
        first_answers.push((method, path, first));
    }
    let first_url = server.url.clone();
    server.kill();
    server.restart();
    for (method, path, first) in first_answers {
        for body in [json!({}), json!({"title": 5, "reason": 5})] {
            let again = server.send_keyed(method, &path, "key", &body).await;
            assert_eq!((again.status, again.is_replay()), (200, true), "{method} {path}");
            // The restarted server has another address, which is part of `public_url`.
            assert_eq!(again.text, first.text.replace(&first_url, &server.url), "{method} {path}");
        }
        let other_key = server.send_keyed(method, &path, "other", &json!({})).await;
        assert_not_found(&other_key, "the event is deleted");
    }
}

#[tokio::test]
async fn simultaneous_writes_with_one_key_take_effect_once() {
    for server in [Some(Server::start_on_sqlite()), Some(Server::start(&[])), Server::start_on_postgres()] {
        let Some(server) = server else { continue };
        let event = server.create(&event()).await;
        for Operation { method, path, body, .. } in operations(&event).into_iter().skip(1) {
            let body = body.unwrap_or_else(|| json!({}));
            let requests = (0..32).map(|_| server.send_keyed(method, &path, "key", &body));
            let answers = futures_util::future::join_all(requests).await;
            let is_same = |answer: &Answer| (answer.status, &answer.text) == (200, &answers[0].text);
            assert!(answers.iter().all(is_same), "{method} {path}");
            let first = answers.iter().filter(|answer| !answer.is_replay()).count();
            assert_eq!(first, 1, "{method} {path}");
        }
    }
}

/// A body that is sent is checked, and its unknown fields are ignored.
#[tokio::test]
async fn a_write_that_needs_no_body_takes_none_or_an_empty_one_of_any_type() {
    let server = Server::start(&[]);
    for action in ["publish", "unpublish", "cancel", ""] {
        let send = async |content_type: Option<&str>, body: Option<Vec<u8>>| {
            let created = server.create(&event()).await;
            let (method, path) = match action {
                "" => ("DELETE", path(&created)),
                action => ("POST", format!("{}/{action}", path(&created))),
            };
            let mut request = server.request(method, &path).bearer_auth(&server.token);
            if let Some(content_type) = content_type {
                request = request.header("content-type", content_type);
            }
            server.answer(if let Some(body) = body { request.body(body) } else { request }).await
        };
        let json_type = Some("application/json");
        for (content_type, body) in [
            (None, None),
            (Some("text/plain"), None),
            (Some("text/plain"), Some("")),
            (json_type, None),
            (json_type, Some("")),
            (None, Some("{}")),
            (json_type, Some(r#"{"colour": [1]}"#)),
        ] {
            let answer = send(content_type, body.map(Into::into)).await;
            assert_eq!(answer.status, 200, "{action} {content_type:?} {body:?}: {}", answer.text);
        }
        for body in ["[]", "null", "5", "{", "{}{}", " "] {
            assert_eq!(send(json_type, Some(body.into())).await.fields(), ["body"], "{action} {body:?}");
        }
        assert_eq!(send(Some("text/plain"), Some("{}".into())).await.status, 415, "{action}");
        assert_eq!(send(json_type, Some(vec![b' '; 1024 * 1024 + 1])).await.status, 413, "{action}");
    }
}

/// `notify_volunteers` is an unknown field where nothing is mailed.
#[tokio::test]
async fn a_write_that_mails_nothing_ignores_notify_volunteers() {
    let server = Server::start(&[]);
    let path = path(&server.create(&event()).await);
    let body = json!({"notify_volunteers": "perhaps"});
    for (method, path) in [
        ("POST", format!("{path}/publish")),
        ("POST", format!("{path}/unpublish")),
        ("DELETE", format!("{path}?notify_volunteers=perhaps")),
    ] {
        assert_eq!(server.send(method, &path, Some(&body)).await.status, 200, "{method} {path}");
    }
}

#[tokio::test]
async fn a_boolean_in_a_query_is_true_false_1_or_0() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    let slot = format!("/v1/slots/{}", id(&event["slots"][0]));
    for bad in ["yes", "TRUE", "2", "-1", "01", "true%20", "null"] {
        let query = format!("?cancel_signups={bad}&notify_volunteers={bad}");
        let answer = server.send("DELETE", &format!("{slot}{query}"), None).await;
        assert_eq!(answer.fields(), ["cancel_signups", "notify_volunteers"], "{bad}");
        let answer = server.get(&format!("/v1/events?is_published={bad}")).await;
        assert_eq!(answer.fields(), ["is_published"], "{bad}");
    }
    let last = format!("{slot}?cancel_signups=1&cancel_signups=no");
    assert_eq!(
        server.send("DELETE", &last, None).await.fields(),
        ["cancel_signups"],
        "the last value counts"
    );
    for (number, good) in ["true", "false", "1", "0", "", "no&cancel_signups=true"].into_iter().enumerate() {
        let event = server.create(&published()).await;
        let slot = format!("/v1/slots/{}", id(&event["slots"][number % 2]));
        let answer = server.send("DELETE", &format!("{slot}?cancel_signups={good}"), None).await;
        assert_eq!(answer.status, 200, "{good}: {}", answer.text);
    }
}
