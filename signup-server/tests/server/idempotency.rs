//! Idempotency keys: a retry returns the stored answer and changes nothing.

use futures_util::future::join_all;
use serde_json::json;

use crate::harness::{Server, event};
use crate::lives::{assert_not_found, send_as};
use crate::operations::{Operation, Records};

/// A refused write stores nothing under its key. The last write deletes the event, and its writes are still replayed, by
/// the next process too. All writes have the same key, which is separate for each method, path and token.
#[tokio::test]
async fn every_write_is_replayed_by_its_key() {
    let mut server = Server::start_on_sqlite();
    let records = Records::create(&server).await;
    let mut first_answers = vec![];
    for Operation { method, path, body, .. } in records.writes() {
        let refused = server.send_keyed(method, &path, "key", &json!([])).await;
        assert_eq!(refused.fields(), ["body"], "{method} {path}");
        let first = server.send_keyed(method, &path, "key", &body).await;
        assert!([200, 201].contains(&first.status), "{method} {path}: {}", first.text);
        assert!(!first.is_replay(), "{method} {path}");
        first_answers.push((method, path, first));
    }
    let first_url = server.url.clone();
    server.kill();
    server.restart();
    for (method, path, first) in &first_answers {
        let request = |content_type: &str, body: &str| {
            let request = server.request(method, path).bearer_auth(&server.token);
            let request = request.header("Idempotency-Key", "key").header("content-type", content_type);
            server.answer(request.body(body.to_owned()))
        };
        for (content_type, body) in
            [("application/json", r#"{"title": 5, "capacity": -1}"#), ("text/plain", "{")]
        {
            let again = request(content_type, body).await;
            assert_eq!((again.status, again.is_replay()), (first.status, true), "{method} {path}");
            // The restarted server has another address, which is part of `public_url`.
            assert_eq!(again.text, first.text.replace(&first_url, &server.url), "{method} {path}");
        }
    }
    let (method, path, _) = first_answers.last().unwrap();
    assert_not_found(&server.send_keyed(method, path, "other", &json!({})).await, "another key");
    let second = server.command("token create --organization starter --name second");
    let second = second["token"].as_str().unwrap();
    let create = server.request("POST", "/v1/events").bearer_auth(second).header("Idempotency-Key", "key");
    let created = server.answer(create.json(&event())).await;
    assert_eq!((created.status, created.is_replay()), (201, false), "another token");
    let listed = send_as(&server, second, "GET", "/v1/events", None).await.data();
    assert_eq!(listed.as_array().unwrap().len(), 3, "the copy and an event of each token are left");
}

#[tokio::test]
async fn an_empty_key_is_no_key_and_a_read_ignores_its_key() {
    let server = Server::start(&[]);
    for _ in 0..2 {
        let answer = server.send_keyed("POST", "/v1/events", "", &event()).await;
        assert_eq!((answer.status, answer.is_replay()), (201, false));
    }
    let read = server.request("GET", "/v1/events").bearer_auth(&server.token);
    let read = server.answer(read.header("Idempotency-Key", "x".repeat(999))).await;
    assert_eq!((read.status, read.is_replay()), (200, false));
}

/// Two processes on one database receive the requests in turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_simultaneous_writes_with_one_key_takes_effect() {
    let Some(server) = Server::start_on_postgres() else { return };
    // The answers of both processes have the same URLs.
    let other = server.start_another(&["--base-url", &server.url]);
    for Operation { method, path, body, .. } in Records::create(&server).await.writes() {
        let requests = (0..32).map(|number| {
            let receiver = if number % 2 == 0 { &server } else { &other };
            receiver.send_keyed(method, &path, "key", &body)
        });
        let answers = join_all(requests).await;
        assert!([200, 201].contains(&answers[0].status), "{method} {path}: {}", answers[0].text);
        for answer in &answers {
            assert_eq!(
                (answer.status, &answer.text),
                (answers[0].status, &answers[0].text),
                "{method} {path}"
            );
        }
        let first = answers.iter().filter(|answer| !answer.is_replay()).count();
        assert_eq!(first, 1, "{method} {path}");
    }
    assert_eq!(server.count_events().await, 2);
}
