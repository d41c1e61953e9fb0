//! Idempotency keys: a retry returns the stored answer and creates nothing.

use serde_json::{Value, json};

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};

#[rstest]
#[tokio::test]
async fn a_repeated_create_is_answered_with_the_first_answer(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut server) = Server::start_with(engine) else { return };
    let first = server.send_keyed("POST", "/v1/events", "key-1", &event()).await;
    let again = server.send_keyed("POST", "/v1/events", "key-1", &event()).await;
    assert!(!first.is_replay() && again.is_replay());
    assert_eq!((first.status, &first.text), (again.status, &again.text));
    let other_body = server.send_keyed("POST", "/v1/events", "key-1", &json!({"title": 5})).await;
    assert!(other_body.is_replay(), "the body of a retry is ignored, even a faulty one");
    let unreadable =
        server.request("POST", "/v1/events").bearer_auth(&server.token).header("Idempotency-Key", "key-1");
    assert!(server.answer(unreadable.header("content-type", "text/plain").body("{")).await.is_replay());
    server.kill();
    server.restart();
    let after = server.send_keyed("POST", "/v1/events", "key-1", &event()).await;
    assert!(after.is_replay(), "receipts outlive the process");
    assert_eq!(server.count_events().await, 1);
}

#[rstest]
#[tokio::test]
async fn a_replay_returns_the_stored_answer_and_not_the_present_record(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let created = server.create(&event()).await;
    let path = format!("/v1/slots/{}", created["slots"][0]["id"].as_str().unwrap());
    let first = server.send_keyed("PATCH", &path, "key", &json!({"title": "One"})).await;
    server.patch(&path, &json!({"title": "Two"})).await;
    let again = server.send_keyed("PATCH", &path, "key", &json!({"title": "Three"})).await;
    assert!(again.is_replay());
    assert_eq!(again.text, first.text);
    assert_eq!(server.patch(&path, &json!({})).await.data()["title"], "Two");
}

#[rstest]
#[tokio::test]
async fn a_key_is_separate_for_each_token_method_and_path(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let source = server.send_keyed("POST", "/v1/events", "key", &event()).await.data();
    let path = format!("/v1/events/{}/duplicate", source["id"].as_str().unwrap());
    let copy = server.send_keyed("POST", &path, "key", &json!({"start_date": "2027-07-03"})).await;
    assert_eq!((copy.status, copy.is_replay()), (201, false));
    let token = server.manage(&["token", "create", "--organization", "starter", "--name", "second"]);
    let request = server.request("POST", "/v1/events").bearer_auth(token["token"].as_str().unwrap());
    let other = server.answer(request.header("Idempotency-Key", "key").json(&event())).await;
    assert_eq!((other.status, other.is_replay()), (201, false));
    assert_eq!(server.count_events().await, 3);
}

#[rstest]
#[tokio::test]
async fn a_refused_write_does_not_use_up_its_key(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    assert_eq!(server.send_keyed("POST", "/v1/events", "key", &json!({})).await.status, 422);
    let answer = server.send_keyed("POST", "/v1/events", "key", &event()).await;
    assert_eq!((answer.status, answer.is_replay()), (201, false));
}

#[tokio::test]
async fn a_key_is_visible_ascii_of_at_most_255_characters() {
    let server = Server::start(&[]);
    for key in ["x".repeat(256), "two words".to_owned(), "tab\tbed".to_owned(), "é".to_owned()] {
        assert_eq!(
            server.send_keyed("POST", "/v1/events", &key, &event()).await.fields(),
            ["Idempotency-Key"],
            "{key}"
        );
    }
    let twice =
        server.request("POST", "/v1/events").bearer_auth(&server.token).header("Idempotency-Key", "a");
    let twice = server.answer(twice.header("Idempotency-Key", "b").json(&event())).await;
    assert_eq!(twice.fields(), ["Idempotency-Key"]);
    assert_eq!(server.count_events().await, 0);
    assert_eq!(server.send_keyed("POST", "/v1/events", &"~".repeat(255), &event()).await.status, 201);
    for _ in 0..2 {
        let answer = server.send_keyed("POST", "/v1/events", "", &event()).await;
        assert_eq!((answer.status, answer.is_replay()), (201, false), "an empty key counts as no key");
    }
    let read = server
        .request("GET", "/v1/events")
        .bearer_auth(&server.token)
        .header("Idempotency-Key", "x".repeat(999));
    assert_eq!(server.answer(read).await.status, 200, "reads ignore the header");
}

#[tokio::test]
async fn a_create_with_the_deepest_location_data_is_replayed() {
    let nested = |levels: usize| -> Value {
        let json = format!("{}{{}}{}", "{\"a\":".repeat(levels - 1), "}".repeat(levels - 1));
        serde_json::from_str(&json).unwrap()
    };
    for server in [Some(Server::start(&[])), Some(Server::start_on_sqlite()), Server::start_on_postgres()] {
        let Some(server) = server else { continue };
        let mut body = event();
        for levels in [101, 127] {
            body["location_data"] = nested(levels);
            let refused = server.send_keyed("POST", "/v1/events", "key", &body).await;
            assert_eq!(refused.fields(), ["location_data"], "{levels}");
            let message = "The location_data field must not be nested more than 100 levels deep.";
            assert_eq!(refused.json()["errors"]["location_data"], json!([message]));
        }
        body["location_data"] = nested(100);
        let first = server.send_keyed("POST", "/v1/events", "key", &body).await;
        assert_eq!((first.status, first.is_replay()), (201, false), "{}", first.text);
        let again = server.send_keyed("POST", "/v1/events", "key", &body).await;
        assert_eq!((again.status, again.is_replay(), &again.text), (201, true, &first.text));
        let path = format!("/v1/events/{}/duplicate", first.data()["id"].as_str().unwrap());
        let copy = json!({"start_date": "2027-07-03"});
        for is_replay in [false, true] {
            let copied = server.send_keyed("POST", &path, "key", &copy).await;
            assert_eq!((copied.status, copied.is_replay()), (201, is_replay), "{}", copied.text);
        }
        assert_eq!(server.count_events().await, 2);
    }
}

#[tokio::test]
async fn simultaneous_creates_with_one_key_take_effect_once() {
    for server in [Some(Server::start_on_sqlite()), Some(Server::start(&[])), Server::start_on_postgres()] {
        let Some(server) = server else { continue };
        let body = event();
        let requests = (0..64).map(|_| server.send_keyed("POST", "/v1/events", "key", &body));
        let answers = futures_util::future::join_all(requests).await;
        assert!(answers.iter().all(|answer| (answer.status, &answer.text) == (201, &answers[0].text)));
        assert_eq!(answers.iter().filter(|answer| !answer.is_replay()).count(), 1);
        assert_eq!(server.count_events().await, 1);
    }
}

/// On PostgreSQL, two server processes receive the requests in turn.
#[tokio::test]
async fn simultaneous_writes_with_one_key_take_effect_once() {
    for server in [Some(Server::start_on_sqlite()), Some(Server::start(&[])), Server::start_on_postgres()] {
        let Some(server) = server else { continue };
        let is_shared = server.database().starts_with("postgres");
        // The answers of both processes have the same URLs.
        let other = is_shared.then(|| server.start_another(&["--base-url", &server.url]));
        let event = server.create(&event()).await;
        let path = format!("/v1/events/{}", event["id"].as_str().unwrap());
        let slot = |number: usize| format!("/v1/slots/{}", event["slots"][number]["id"].as_str().unwrap());
        let question = server.post(&format!("{path}/questions"), &json!({"label": "Diet"})).await.data();
        let question = format!("/v1/questions/{}", question["id"].as_str().unwrap());
        for (method, path, body) in [
            ("POST", format!("{path}/duplicate"), json!({"start_date": "2027-07-03"})),
            ("POST", format!("{path}/slots"), json!({"shifts": [{"title": "Noon", "capacity": 1}]})),
            ("PATCH", slot(0), json!({"capacity": 9})),
            ("DELETE", slot(1), json!({})),
            ("POST", format!("{path}/questions"), json!({"label": "Size"})),
            ("PATCH", question.clone(), json!({"label": "Food"})),
            ("DELETE", question, json!({})),
        ] {
            let requests = (0..32).map(|number| {
                let receiver = other.as_ref().filter(|_| number % 2 == 1).unwrap_or(&server);
                receiver.send_keyed(method, &path, "key", &body)
            });
            let answers = futures_util::future::join_all(requests).await;
            let status = if method == "POST" { 201 } else { 200 };
            assert!(
                answers.iter().all(|answer| (answer.status, &answer.text) == (status, &answers[0].text)),
                "{method} {path}: {answers:?}"
            );
            assert_eq!(answers.iter().filter(|answer| !answer.is_replay()).count(), 1, "{method} {path}");
        }
        assert_eq!(server.count_events().await, 2);
        let count =
            async |list: &str| server.get(&format!("{path}{list}")).await.data().as_array().unwrap().len();
        assert_eq!((count("/slots").await, count("/questions").await), (2, 1));
    }
}
