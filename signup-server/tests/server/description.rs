//! The form of the OpenAPI description: it has what generators of clients need, and its examples work.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::contract::{DOCUMENT, resolved};
use crate::harness::{Server, event};
use crate::webhooks::new_webhook;

/// Calls `visit` with the place of each schema of the document, and the schema.
fn schemas(visit: &mut dyn FnMut(&str, &Value)) {
    fn schema(value: &Value, place: &str, visit: &mut dyn FnMut(&str, &Value)) {
        visit(place, value);
        for (name, field) in value["properties"].as_object().into_iter().flatten() {
            schema(field, &format!("{place}/{name}"), visit);
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            for (number, part) in value[key].as_array().into_iter().flatten().enumerate() {
                schema(part, &format!("{place}/{key}/{number}"), visit);
            }
        }
        for key in ["items", "additionalProperties"] {
            if value[key].is_object() {
                schema(&value[key], &format!("{place}/{key}"), visit);
            }
        }
    }
    fn node(value: &Value, place: &str, visit: &mut dyn FnMut(&str, &Value)) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    match key.as_str() {
                        "schema" => schema(value, &format!("{place}/schema"), visit),
                        "example" | "examples" => {}
                        key => node(value, &format!("{place}/{key}"), visit),
                    }
                }
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, value)| node(value, &format!("{place}/{n}"), visit));
            }
            _ => {}
        }
    }
    for part in ["paths", "webhooks"] {
        node(&DOCUMENT[part], part, visit);
    }
    for part in ["parameters", "headers", "responses"] {
        node(&DOCUMENT["components"][part], part, visit);
    }
    for (name, value) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        schema(value, &format!("schemas/{name}"), visit);
    }
}

/// Asserts that no schema of the document is found, and that some schemas were visited.
fn assert_none(is_found: impl Fn(&str, &Value) -> bool) {
    let (mut found, mut visited) = (Vec::new(), 0);
    schemas(&mut |place, schema| {
        visited += 1;
        if is_found(place, schema) {
            found.push(place.to_owned());
        }
    });
    assert!(visited > 100, "{visited} schemas");
    assert!(found.is_empty(), "{found:?}");
}

/// Generators would name an unnamed object or enum after its place, and would make a type of each place.
#[test]
fn every_object_and_every_enum_has_a_name() {
    assert_none(|place, schema| {
        let is_named = place.starts_with("schemas/") && place.matches('/').count() == 1;
        let is_object = match &schema["type"] {
            Value::Array(types) => types.iter().any(|name| name == "object"),
            name => name == "object",
        };
        let needs_name = is_object || schema.get("enum").is_some() || schema.get("properties").is_some();
        needs_name && !is_named
    });
}

/// Generators make an enum with null into several types.
#[test]
fn no_enum_contains_null() {
    assert_none(|_, schema| schema["enum"].as_array().is_some_and(|values| values.contains(&Value::Null)));
}

/// Some generators make a field with a default required.
#[test]
fn no_schema_has_a_default() {
    assert_none(|_, schema| schema.get("default").is_some());
}

#[test]
fn every_constant_has_a_type() {
    assert_none(|_, schema| schema.get("const").is_some() && schema.get("type").is_none());
}

/// The operations of the document: path, method and operation.
fn operations() -> impl Iterator<Item = (&'static str, &'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let operations = item.as_object().unwrap().iter().filter(|(key, _)| *key != "parameters");
        operations.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

#[test]
fn every_operation_has_an_id_of_its_own_and_a_described_tag() {
    let tags = DOCUMENT["tags"].as_array().unwrap();
    let described: BTreeSet<_> = tags
        .iter()
        .filter(|tag| tag["description"].is_string())
        .map(|tag| tag["name"].as_str().unwrap())
        .collect();
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations() {
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id), "{id} is the id of two operations");
        let tags = operation["tags"].as_array().unwrap();
        assert!(
            tags.len() == 1 && described.contains(tags[0].as_str().unwrap()),
            "{method} {path}: {tags:?}"
        );
    }
}

/// Each example is sent for records of its own.
#[tokio::test]
async fn the_server_accepts_every_example_of_a_request() {
    let server = Server::start(&[]);
    let mut sent = 0;
    for (path, method, operation) in operations() {
        let content = &operation["requestBody"]["content"]["application/json"];
        let examples =
            content["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
        for body in content.get("example").into_iter().chain(examples) {
            let event = server.create(&event()).await;
            let event_id = event["id"].as_str().unwrap();
            let id = if path.starts_with("/v1/questions/") {
                let questions = format!("/v1/events/{event_id}/questions");
                server.post(&questions, &json!({"label": "T-shirt size"})).await.data()["id"].clone()
            } else if path.starts_with("/v1/webhooks/") {
                new_webhook(&server).await["id"].clone()
            } else {
                event["slots"][0]["id"].clone()
            };
            let path = path.replace("{event_id}", event_id).replace("{id}", id.as_str().unwrap());
            let answer = server.send(&method.to_uppercase(), &path, Some(body)).await;
            assert!(matches!(answer.status, 200 | 201), "{method} {path} {body}: {}", answer.text);
            sent += 1;
        }
    }
    assert!(sent > 10, "{sent} examples");
}

#[test]
fn every_write_may_be_a_replay_and_no_read_is() {
    for (path, method, operation) in operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(response);
            let is_replay = response["headers"].get("Idempotent-Replay").is_some();
            assert_eq!(is_replay, method != "get" && status.starts_with('2'), "{method} {path} {status}");
        }
    }
}

#[test]
fn every_type_of_activity_is_described() {
    let described = operations().find(|(path, ..)| *path == "/v1/activity").unwrap().2;
    let described = described["description"].as_str().unwrap();
    for kind in signup_core::ActivityType::ALL {
        assert!(described.contains(&format!("`{kind}`")), "{kind}");
    }
}
