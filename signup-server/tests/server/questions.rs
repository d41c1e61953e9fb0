//! The questions of an event: list, add, change, delete.

use serde_json::{Value, json};

use crate::harness::{Server, event};

const UNKNOWN: &str = "01a1fc0c-06a8-79da-abb2-b84ac8892247";

/// Creates an event. Returns the path of its questions.
async fn with_questions(server: &Server) -> String {
    let event = server.create(&event()).await;
    format!("/v1/events/{}/questions", event["id"].as_str().unwrap())
}

/// Adds a question and returns it. Panics if the answer is not 201.
async fn add(server: &Server, path: &str, body: &Value) -> Value {
    let answer = server.post(path, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.data()
}

/// Returns the path of a question.
fn one(question: &Value) -> String {
    format!("/v1/questions/{}", question["id"].as_str().unwrap())
}

fn select() -> Value {
    json!({"label": "Size", "type": "select", "options": ["S", "M"]})
}

#[tokio::test]
async fn a_question_is_added_with_defaults_and_with_every_field() {
    let server = Server::start(&[]);
    let path = with_questions(&server).await;
    let event = path.split('/').nth(3).unwrap();
    assert_eq!(server.get(&path).await.json(), json!({"data": []}));
    let short = add(&server, &path, &json!({"label": "  Diet "})).await;
    let expected = json!({
        "id": short["id"], "event_id": event, "label": "Diet", "type": "text", "options": [], "required": false,
        "position": 0,
    });
    assert_eq!(short, expected);
    let body = json!({
        "label": "Size", "type": "select", "options": [" S ", "M"], "required": true, "position": 1_000_000.0,
    });
    let full = add(&server, &path, &body).await;
    let expected = json!({
        "id": full["id"], "event_id": event, "label": "Size", "type": "select", "options": ["S", "M"],
        "required": true, "position": 1_000_000,
    });
    assert_eq!(full, expected);
    assert_eq!(server.get(&path).await.json(), json!({"data": [short, full]}));
}

#[tokio::test]
async fn every_fault_of_a_new_question_is_named() {
    let server = Server::start(&[]);
    let path = with_questions(&server).await;
    let options = |count: usize| -> Vec<_> { (0..count).map(|number| format!("O{number}")).collect() };
    for (body, fields) in [
        (json!({}), &["label"][..]),
        (json!([]), &["body"]),
        (
            json!({"label": null, "type": null, "options": null, "required": null, "position": null}),
            &["label", "type", "options", "required", "position"],
        ),
        (json!({"label": " "}), &["label"]),
        (json!({"label": "x".repeat(256)}), &["label"]),
        (json!({"label": "nul\0"}), &["label"]),
        (
            json!({"label": 5, "type": "radio", "required": "yes", "position": -1}),
            &["label", "type", "required", "position"],
        ),
        (json!({"label": "A", "position": 1.5}), &["position"]),
        (json!({"label": "A", "position": 1_000_001}), &["position"]),
        (json!({"label": "A", "position": "1"}), &["position"]),
        (json!({"label": "A", "type": "select"}), &["options"]),
        (json!({"label": "A", "type": "select", "options": []}), &["options"]),
        (json!({"label": "A", "type": "select", "options": options(101)}), &["options"]),
        (json!({"label": "A", "type": "select", "options": "S"}), &["options"]),
        (json!({"label": "A", "type": "select", "options": ["", "M"]}), &["options.0"]),
        (json!({"label": "A", "type": "select", "options": ["S", 5, null]}), &["options.1", "options.2"]),
        (json!({"label": "A", "type": "select", "options": ["S", "x".repeat(256)]}), &["options.1"]),
        (json!({"label": "A", "type": "select", "options": ["S", "M", " S "]}), &["options.2"]),
        (json!({"label": "A", "options": ["S"]}), &["options"]),
        (json!({"label": "A", "type": "checkbox", "options": ["S"]}), &["options"]),
    ] {
        assert_eq!(server.post(&path, &body).await.fields(), fields, "{body}");
    }
    assert_eq!(server.get(&path).await.data(), json!([]));
    for body in [
        json!({"label": "é".repeat(255)}),
        json!({"label": "A", "type": "select", "options": options(100)}),
        json!({"label": "A", "type": "select", "options": ["x".repeat(255), "s", "S"]}),
        json!({"label": "A", "type": "text", "options": []}),
    ] {
        add(&server, &path, &body).await;
    }
}

#[tokio::test]
async fn a_patch_changes_only_the_fields_that_are_sent() {
    let server = Server::start(&[]);
    let path = with_questions(&server).await;
    let mut expected = add(&server, &path, &select()).await;
    let question = one(&expected);
    for (body, field, value) in [
        (json!({}), "label", json!("Size")),
        (json!({"label": " T-shirt "}), "label", json!("T-shirt")),
        (json!({"required": true}), "required", json!(true)),
        (json!({"options": ["L", "M"]}), "options", json!(["L", "M"])),
        (json!({"position": 3}), "position", json!(3)),
        (json!({"type": "select"}), "type", json!("select")),
    ] {
        expected[field] = value;
        let answer = server.patch(&question, &body).await;
        assert_eq!((answer.status, answer.data()), (200, expected.clone()), "{body}");
        assert_eq!(server.get(&path).await.data(), json!([expected]));
    }
    let event = server.get(path.trim_end_matches("/questions")).await.data();
    assert_eq!(event["updated_at"], event["created_at"]);
}

#[tokio::test]
async fn every_fault_of_a_patch_is_named_before_the_question_is_looked_up() {
    let server = Server::start(&[]);
    let path = with_questions(&server).await;
    let question = add(&server, &path, &select()).await;
    for path in [one(&question), format!("/v1/questions/{UNKNOWN}"), "/v1/questions/x".to_owned()] {
        for (body, fields) in [
            (
                json!({"label": null, "type": null, "options": null, "required": null, "position": null}),
                &["label", "type", "options", "required", "position"][..],
            ),
            (json!({"label": "", "options": ["A", "A"]}), &["label", "options.1"]),
            (json!({"options": [" "]}), &["options.0"]),
            (json!({"required": 1, "position": 1_000_001}), &["required", "position"]),
            (json!(5), &["body"]),
        ] {
            assert_eq!(server.patch(&path, &body).await.fields(), fields, "{body}");
        }
    }
    assert_eq!(server.get(&path).await.data(), json!([question]));
}

#[tokio::test]
async fn a_deleted_question_is_not_found() {
    let server = Server::start(&[]);
    let path = with_questions(&server).await;
    let (gone, kept) =
        (add(&server, &path, &select()).await, add(&server, &path, &json!({"label": "Diet"})).await);
    let deleted = server.send("DELETE", &one(&gone), None).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({"data": {"id": gone["id"], "deleted": true}})));
    assert_eq!(server.get(&path).await.data(), json!([kept]));
    assert_eq!(server.patch(&one(&gone), &json!({})).await.status, 404);
    assert_eq!(server.send("DELETE", &one(&gone), None).await.status, 404);
}
