//! The form of the API: each operation once with every field, how a write refuses faulty input, and each conflict.
//!
//! What is refused, and why, is proven in signup-core. What an answer looks like is in `snapshots/`.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use serde_json::{Map, Value, json};

use crate::contract::{DOCUMENT, resolved, template};
use crate::coverage::create_event_of_today;
use crate::every_route::UNKNOWN;
use crate::harness::{Server, event};
use crate::lives::{id, path, question, send_as, token_of};
use crate::mails::SOON;
use crate::operations::{Operation, Records};
use crate::pages::{Page, published};
use crate::snapshots::{exchange, stable};
use crate::wait::wait_until;
use crate::webhooks::{new_webhook, webhook_path};

/// A snapshot for each first step of the paths: `events`, `slots` and so on.
#[tokio::test]
async fn each_operation_answers_in_its_form() {
    let server = Server::start(&[]);
    let mut operations = Records::create(&server).await.operations();
    operations.push(Operation::read("/v1/token"));
    // The delivery of a test is attempted once at first.
    let deliveries = operations.iter().find(|operation| operation.path.ends_with("/deliveries")).unwrap();
    wait_until(SOON, async || {
        let attempts = server.get(&deliveries.path).await.data()[0]["attempts"].clone();
        if attempts == 1 { Ok(()) } else { Err(format!("{attempts} attempts")) }
    })
    .await;
    let mut families = BTreeMap::<String, String>::new();
    for Operation { method, path, body, .. } in operations {
        let answer = server.send(method, &path, (method != "GET").then_some(&body)).await;
        let family = path.split(['/', '?']).nth(2).unwrap().to_owned();
        *families.entry(family).or_default() += &exchange(method, &path, &body, &answer);
    }
    for (family, text) in families {
        assert_snapshot!(format!("operations_of_{family}"), stable(&text));
    }
}

/// Returns a body in which no value is one of its field's, with a name that is unknown and one that has a word of its own.
fn spoilt(body: &Value) -> Value {
    let wrong = |value: &Value| match value {
        Value::Array(items) if items.iter().any(Value::is_object) => items.iter().map(spoilt).collect(),
        Value::Object(_) => json!([]),
        _ => json!({"deep": ["x"]}),
    };
    let mut fields: Map<_, _> =
        body.as_object().unwrap().iter().map(|(name, value)| (name.clone(), wrong(value))).collect();
    fields.extend([("Title".to_owned(), Value::Null), ("slots".to_owned(), json!([]))]);
    Value::Object(fields)
}

/// No record exists, because the faults of the input come first.
#[tokio::test]
async fn each_write_names_every_fault_of_its_body_and_its_query_in_a_sentence() {
    let server = Server::start(&[]);
    let mut text = String::new();
    for Operation { method, path, body, .. } in Records::all(UNKNOWN).writes() {
        let mark = if path.contains('?') { '&' } else { '?' };
        let query =
            if method == "DELETE" { "cancel_signups=2&reason=a%00b&notify_volunteers=no&" } else { "" };
        let path = format!("{path}{mark}{query}nonsense");
        let refused = server.send(method, &path, Some(&spoilt(&body))).await;
        text += &format!("{method} {path}\n");
        for field in refused.fields() {
            text += &format!("  {field}: {}\n", refused.json()["errors"][&field]);
        }
    }
    assert_eq!(server.count_events().await, 0);
    assert_snapshot!(stable(&text));
}

#[tokio::test]
async fn null_and_blank_clear_what_a_record_may_lack_and_are_refused_elsewhere() {
    let server = Server::start(&[]);
    let mut text = String::new();
    for Operation { path, body, .. } in
        Records::create(&server).await.writes().filter(|operation| operation.method == "PATCH")
    {
        for empty in [Value::Null, json!(" \t")] {
            let all = |value: &Value| {
                body.as_object().unwrap().keys().map(|name| (name.clone(), value.clone())).collect()
            };
            let mut empties: Map<String, Value> = all(&empty);
            let refused = server.patch(&path, &json!(empties)).await.fields();
            empties.retain(|name, _| !refused.contains(name));
            assert_eq!(server.patch(&path, &body).await.status, 200, "{path}");
            let cleared = server.patch(&path, &json!(empties)).await;
            assert_eq!(cleared.status, 200, "{path}: {}", cleared.text);
            for name in empties.keys() {
                assert!(cleared.data()[name].is_null(), "{path}: {name}");
            }
            let names = empties.keys().cloned().collect::<Vec<_>>();
            text += &format!(
                "PATCH {path} with {empty}\n  refused: {}\n  cleared: {}\n",
                refused.join(", "),
                names.join(", ")
            );
        }
    }
    assert_snapshot!(stable(&text));
}

/// Returns whether the answer to a write is a list, and the fields of its record that the request does not take, each with a value
/// that no request takes.
fn fields_of_answer(method: &str, path: &str) -> (bool, Map<String, Value>) {
    let operation = &DOCUMENT["paths"][template(path).unwrap()][method.to_lowercase()];
    let schema = |part: &'static Value| resolved(&part["content"]["application/json"]["schema"]);
    let responses = &operation["responses"];
    let response = resolved(responses.get("200").or(responses.get("201")).unwrap());
    let data = resolved(&schema(response)["properties"]["data"]);
    let (record, taken) = match data.get("items") {
        Some(items) => {
            (resolved(items), resolved(&schema(&operation["requestBody"])["properties"]["shifts"]["items"]))
        }
        None => (data, schema(&operation["requestBody"])),
    };
    let names = record["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone());
    let only = names.filter(|name| taken["properties"].get(name).is_none());
    (data.get("items").is_some(), only.map(|name| (name, json!({"from": "an answer"}))).collect())
}

/// A client may send back the record that it has read.
#[tokio::test]
async fn a_write_ignores_the_fields_that_only_its_answer_has() {
    let server = Server::start(&[]);
    // The answer to a test is no webhook.
    let records = Records::create(&server).await;
    for Operation { method, path, body, .. } in
        records.writes().filter(|write| !write.path.ends_with("/test"))
    {
        let with = |mut fields: Map<String, Value>, body: &Value| {
            // The name has a word of its own, which says what to send.
            fields.remove("slots");
            fields.extend(body.as_object().unwrap().clone());
            Value::Object(fields)
        };
        let (is_list, fields) = fields_of_answer(method, &path);
        let sent = if is_list {
            let shifts = body["shifts"].as_array().unwrap();
            json!({"shifts": shifts.iter().map(|shift| with(fields.clone(), shift)).collect::<Vec<_>>()})
        } else {
            with(fields, &body)
        };
        let answer = server.send(method, &path, Some(&sent)).await;
        assert!([200, 201].contains(&answer.status), "{method} {path}: {}", answer.text);
    }
}

/// Each refusal that depends on what is stored, with the request that leads to it.
#[tokio::test]
async fn each_conflict_has_its_code_and_its_sentence() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let (taken, early) = (path(&page.event), format!("/v1/slots/{}", page.slot("Early")));
    let mut known = published();
    (known["external_id"], known["shifts"][0]["external_id"]) = (json!("a"), json!("late"));
    let first = server.create(&known).await;
    let mut over = event();
    over["start_date"] = json!("2020-06-05");
    let over = server.create(&over).await;
    let cancelled = server.create(&event()).await;
    let asked = question(&server, &cancelled).await;
    assert_eq!(server.post(&format!("{}/cancel", path(&cancelled)), &json!({})).await.status, 200);
    let webhook = new_webhook(&server).await;
    let test = server.post(&format!("{}/test", webhook_path(&webhook)), &json!({})).await.data();
    assert_eq!(server.patch(&webhook_path(&webhook), &json!({"is_enabled": false})).await.status, 200);
    let slot = |event: &Value, index: usize| format!("/v1/slots/{}", id(&event["slots"][index]));
    let shifts = json!({"shifts": [{"title": "New", "capacity": 1, "external_id": "late"}]});
    let mut text = String::new();
    for (method, path, body) in [
        ("POST", format!("{taken}/unpublish"), json!({})),
        ("PATCH", taken.clone(), json!({"is_published": false})),
        ("DELETE", taken, json!({})),
        ("DELETE", early, json!({})),
        ("POST", "/v1/events".to_owned(), known),
        ("PATCH", slot(&first, 0), json!({"external_id": "late"})),
        ("POST", format!("{}/slots", path(&first)), shifts.clone()),
        ("POST", format!("{}/cancel", path(&over)), json!({})),
        ("PATCH", path(&cancelled), json!({})),
        ("POST", format!("{}/publish", path(&cancelled)), json!({})),
        ("POST", format!("{}/unpublish", path(&cancelled)), json!({})),
        ("POST", format!("{}/slots", path(&cancelled)), shifts),
        ("PATCH", slot(&cancelled, 0), json!({})),
        ("DELETE", slot(&cancelled, 0), json!({})),
        ("POST", format!("{}/questions", path(&cancelled)), json!({"label": "Size"})),
        ("PATCH", asked.clone(), json!({})),
        ("DELETE", asked, json!({})),
        ("POST", format!("/v1/deliveries/{}/redeliver", id(&test)), json!({})),
    ] {
        let refused = server.send(method, &path, Some(&body)).await;
        assert_eq!(refused.status, 409, "{method} {path}: {}", refused.text);
        text += &format!("{method} {path} {body}\n  {}\n", refused.json());
    }
    assert_snapshot!(stable(&text));
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
    let mut text = String::new();
    for (token, key, event, body) in [
        ("signup_wrong", "é", &unknown, &bad),
        (&reader, "é", &unknown, &bad),
        (&token, "é", &unknown, &bad),
        (&token, "key", &unknown, &bad),
        (&token, "key", &unknown, &good),
        (&token, "key", cancelled, &bad),
        (&token, "key", cancelled, &good),
        (&token, "key", draft, &good),
    ] {
        let request = server.request("PATCH", &path(event)).bearer_auth(token);
        let answer = server.answer(request.header("Idempotency-Key", key).json(body)).await;
        text += &format!("{} {}\n", answer.status, answer.json());
    }
    assert_snapshot!(stable(&text));
}

/// Today's shift gets into every state of a coverage.
#[tokio::test]
async fn coverage_shows_the_state_of_each_slot_and_the_totals() {
    let server = Server::start(&[]);
    let of_event = path(&create_event_of_today(&server).await.event);
    let path = format!("{of_event}/coverage");
    let open = server.get(&path).await;
    assert_eq!(server.post(&format!("{of_event}/cancel"), &json!({})).await.status, 200);
    let cancelled = server.get(&path).await;
    let [open, cancelled] = [open, cancelled].map(|answer| exchange("GET", &path, &json!({}), &answer));
    // The zone follows from the present hour.
    let shown: Vec<_> = [open, cancelled]
        .concat()
        .lines()
        .filter(|line| !line.contains("_time\""))
        .map(str::to_owned)
        .collect();
    assert_snapshot!(stable(&shown.join("\n")));
}
