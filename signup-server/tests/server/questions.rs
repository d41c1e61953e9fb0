//! The questions of an event: list, add, change, delete.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::lives::conflict;

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

#[rstest]
#[tokio::test]
async fn a_question_is_added_with_defaults_and_with_every_field(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    let event = path.split('/').nth(3).unwrap();
    assert_eq!(server.get(&path).await.json(), json!({"data": []}));
    let short = add(&server, &path, &json!({"label": "  Diet ", "colour": "ignored"})).await;
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

#[rstest]
#[tokio::test]
async fn questions_are_in_order_of_position_then_id(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    for (label, position) in [("C", json!(5)), ("A", json!(0)), ("D", json!(5)), ("B", json!(1))] {
        add(&server, &path, &json!({"label": label, "position": position})).await;
    }
    let last = add(&server, &path, &json!({"label": "E"})).await;
    assert_eq!(last["position"], 6, "after the last by default");
    let checkbox =
        add(&server, &path, &json!({"label": "F", "type": "checkbox", "position": 1_000_000})).await;
    let behind = add(&server, &path, &json!({"label": "G"})).await;
    assert_eq!((&checkbox["options"], &behind["position"]), (&json!([]), &json!(1_000_000)));
    let listed = server.get(&path).await.data();
    let keys: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|question| (question["position"].as_u64().unwrap(), question["id"].as_str().unwrap()))
        .collect();
    assert_eq!(keys.len(), 7);
    assert!(keys.is_sorted(), "{keys:?}");
    let moved = server.patch(&one(&listed[0]), &json!({"position": 7})).await.data();
    assert_eq!((&moved["label"], &moved["position"]), (&json!("A"), &json!(7)));
    assert_eq!(server.get(&path).await.data()[0]["label"], "B");
    assert_eq!(server.get(&path).await.data()[4], moved);
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

#[rstest]
#[tokio::test]
async fn a_patch_changes_only_the_fields_that_are_sent(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
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

#[rstest]
#[tokio::test]
async fn the_options_are_checked_against_the_resulting_type(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    let question = one(&add(&server, &path, &select()).await);
    assert_eq!(server.patch(&question, &json!({"options": []})).await.fields(), ["options"]);
    assert_eq!(
        server.patch(&question, &json!({"type": "text", "options": ["S"]})).await.fields(),
        ["options"]
    );
    let text = server.patch(&question, &json!({"type": "text"})).await.data();
    assert_eq!((&text["type"], &text["options"]), (&json!("text"), &json!([])), "a text has no options");
    assert_eq!(server.patch(&question, &json!({"options": ["S"]})).await.fields(), ["options"]);
    assert_eq!(server.patch(&question, &json!({"type": "select"})).await.fields(), ["options"]);
    let checkbox = server.patch(&question, &json!({"type": "checkbox", "options": []})).await.data();
    assert_eq!((&checkbox["type"], &checkbox["options"]), (&json!("checkbox"), &json!([])));
    let select = server.patch(&question, &json!({"type": "select", "options": ["L"]})).await.data();
    assert_eq!((&select["type"], &select["options"]), (&json!("select"), &json!(["L"])));
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
    for unknown in [UNKNOWN, "x"] {
        let unknown = format!("/v1/questions/{unknown}");
        assert_eq!(server.patch(&unknown, &json!({})).await.status, 404);
        assert_eq!(server.patch(&unknown, &json!({"options": []})).await.status, 404);
        assert_eq!(server.send("DELETE", &unknown, None).await.status, 404);
        let questions = path.replace(path.split('/').nth(3).unwrap(), UNKNOWN);
        assert_eq!(server.get(&questions).await.status, 404);
        assert_eq!(server.post(&questions, &json!({"label": "A"})).await.status, 404);
        assert_eq!(server.post(&questions, &json!({})).await.fields(), ["label"]);
    }
}

#[rstest]
#[tokio::test]
async fn a_deleted_question_is_not_found(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    let (gone, kept) =
        (add(&server, &path, &select()).await, add(&server, &path, &json!({"label": "Diet"})).await);
    let deleted = server.send_keyed("DELETE", &one(&gone), "key", &json!({})).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({"data": {"id": gone["id"], "deleted": true}})));
    assert_eq!(server.get(&path).await.data(), json!([kept]));
    assert_eq!(server.patch(&one(&gone), &json!({})).await.status, 404);
    assert_eq!(server.send("DELETE", &one(&gone), None).await.status, 404);
    let again = server.send_keyed("DELETE", &one(&gone), "key", &json!({})).await;
    assert_eq!((again.status, again.is_replay(), &again.text), (200, true, &deleted.text));
    let unsuitable = server.request("DELETE", &one(&kept)).bearer_auth(&server.token);
    let unsuitable = unsuitable.header("content-type", "text/plain").body("{}");
    assert_eq!(server.answer(unsuitable).await.status, 415);
    assert_eq!(server.send("DELETE", &one(&kept), Some(&json!([]))).await.fields(), ["body"]);
    assert_eq!(server.get(&path).await.data(), json!([kept]));
}

#[rstest]
#[tokio::test]
async fn a_repeated_add_and_patch_are_answered_with_the_first_answer(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    let first = server.send_keyed("POST", &path, "key", &select()).await;
    let again = server.send_keyed("POST", &path, "key", &json!({})).await;
    assert_eq!((first.status, again.status, again.is_replay()), (201, 201, true));
    assert_eq!(first.text, again.text);
    let question = one(&first.data());
    let patched = server.send_keyed("PATCH", &question, "key", &json!({"label": "One"})).await;
    assert_eq!(server.patch(&question, &json!({"label": "Two"})).await.status, 200);
    let again = server.send_keyed("PATCH", &question, "key", &json!({"label": "Three"})).await;
    assert_eq!((again.is_replay(), &again.text), (true, &patched.text));
    let listed = server.get(&path).await.data();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["label"]), (1, &json!("Two")));
}

#[rstest]
#[tokio::test]
async fn an_event_has_at_most_50_questions_also_when_requests_race(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    let bodies: Vec<_> = (0..56).map(|number| json!({"label": format!("Q{number}")})).collect();
    let answers = join_all(bodies.iter().map(|body| server.post(&path, body))).await;
    let added = answers.iter().filter(|answer| answer.status == 201).count();
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status != 201).collect();
    assert_eq!(added, 50);
    assert!(refused.iter().all(|answer| answer.fields() == ["label"]), "{refused:?}");
    let listed = server.get(&path).await.data();
    let mut positions: Vec<_> =
        listed.as_array().unwrap().iter().map(|question| question["position"].as_u64().unwrap()).collect();
    positions.dedup();
    assert_eq!(positions, (0..50).collect::<Vec<_>>(), "each is after the last of its moment");
    assert_eq!(server.send("DELETE", &one(&listed[7]), None).await.status, 200);
    add(&server, &path, &json!({"label": "Another"})).await;
    assert_eq!(server.post(&path, &json!({"label": "One more"})).await.fields(), ["label"]);
}

#[rstest]
#[tokio::test]
async fn patches_of_a_question_at_the_same_moment_never_lose_each_others_fields(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    let question = one(&add(&server, &path, &select()).await);
    let patch = async |field: &str, value: fn(usize) -> Value| {
        for number in 1..=15 {
            let answer = server.patch(&question, &json!({field: value(number)})).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    };
    tokio::join!(
        patch("label", |number| json!(format!("L{number}"))),
        patch("position", |number| json!(number)),
        patch("options", |number| json!([format!("O{number}")])),
    );
    let found = server.patch(&question, &json!({})).await.data();
    assert_eq!(
        (&found["label"], &found["position"], &found["options"]),
        (&json!("L15"), &json!(15), &json!(["O15"]))
    );
}

#[tokio::test]
async fn the_questions_of_a_cancelled_event_do_not_change() {
    let server = Server::start(&[]);
    let path = with_questions(&server).await;
    let question = add(&server, &path, &select()).await;
    assert_eq!(server.send("POST", &path.replace("/questions", "/cancel"), None).await.status, 200);
    for refused in [
        server.post(&path, &json!({"label": "A"})).await,
        server.patch(&one(&question), &json!({"label": "A"})).await,
        server.patch(&one(&question), &json!({})).await,
        server.patch(&one(&question), &json!({"options": []})).await,
        server.send("DELETE", &one(&question), None).await,
    ] {
        assert_eq!(conflict(&refused), "event_cancelled");
    }
    assert_eq!(server.post(&path, &json!({})).await.fields(), ["label"]);
    assert_eq!(server.patch(&one(&question), &json!({"label": ""})).await.fields(), ["label"]);
    assert_eq!(server.get(&path).await.data(), json!([question]));
}

#[rstest]
#[tokio::test]
async fn a_copy_of_an_event_has_its_questions_in_their_order(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let path = with_questions(&server).await;
    for body in [select(), json!({"label": "Rules", "type": "checkbox", "required": true, "position": 0})] {
        add(&server, &path, &body).await;
    }
    let source = server.get(&path).await.data();
    let copy =
        server.post(&path.replace("/questions", "/duplicate"), &json!({"start_date": "2027-07-03"})).await;
    let copied = format!("/v1/events/{}/questions", copy.data()["id"].as_str().unwrap());
    let copied = server.get(&copied).await.data();
    assert_eq!(copied.as_array().unwrap().len(), 2);
    let texts = |questions: &Value| -> Vec<_> {
        let fields = ["label", "type", "options", "required", "position"];
        let questions = questions.as_array().unwrap().clone();
        questions.iter().map(|question| fields.map(|field| question[field].clone())).collect()
    };
    let by_position = |mut questions: Vec<[Value; 5]>| {
        questions.sort_by_key(|question| question[0].to_string());
        questions
    };
    assert_eq!(by_position(texts(&copied)), by_position(texts(&source)));
    assert_ne!(copied[0]["id"], source[0]["id"]);
}
