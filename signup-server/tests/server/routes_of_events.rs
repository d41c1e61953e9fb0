//! What the routes of an event share: the order of the checks, and booleans in a query.

use serde_json::json;

use crate::harness::{Server, event};
use crate::lives::{id, path, question, send_as, token_of};
use crate::pages::published;

/// The id of a record that does not exist.
const UNKNOWN: &str = "01a1fc0c-06a8-79da-abb2-b84ac8892247";

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

#[tokio::test]
async fn a_write_that_mails_nothing_takes_notify_volunteers() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    let (path, question) = (path(&event), question(&server, &event).await);
    for (method, path, mut body) in [
        ("POST", format!("{path}/publish"), json!({})),
        ("POST", format!("{path}/unpublish"), json!({})),
        ("POST", format!("{path}/slots"), json!({"shifts": [{"title": "New", "capacity": 1}]})),
        ("POST", format!("{path}/questions"), json!({"label": "Size"})),
        ("PATCH", question.clone(), json!({})),
    ] {
        body["notify_volunteers"] = json!("perhaps");
        assert_eq!(
            server.send(method, &path, Some(&body)).await.fields(),
            ["notify_volunteers"],
            "{method} {path}"
        );
        body["notify_volunteers"] = json!(false);
        let answer = server.send(method, &path, Some(&body)).await;
        assert!([200, 201].contains(&answer.status), "{method} {path}: {}", answer.text);
    }
    for path in [question, path] {
        let refused = server.send("DELETE", &format!("{path}?notify_volunteers=perhaps"), None).await;
        assert_eq!(refused.fields(), ["notify_volunteers"], "{path}");
        let deleted = server.send("DELETE", &format!("{path}?notify_volunteers=0"), None).await;
        assert_eq!(deleted.status, 200, "{path}: {}", deleted.text);
    }
}

#[tokio::test]
async fn a_boolean_in_a_query_is_true_false_1_or_0() {
    let server = Server::start(&[]);
    let event = server.create(&event()).await;
    let slot = format!("/v1/slots/{}", id(&event["slots"][0]));
    for bad in ["yes", "TRUE", "2", "-1", "01", "true%20", "null"] {
        let query = format!("?cancel_signups={bad}&reason=a%00b&notify_volunteers={bad}");
        let answer = server.send("DELETE", &format!("{slot}{query}"), None).await;
        assert_eq!(answer.fields(), ["cancel_signups", "reason", "notify_volunteers"], "{bad}");
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
