use serde_json::{Value, json};
use signup_core::Scope::{ActivityRead, EventsRead, EventsWrite, ShiftsRead, ShiftsWrite, SignupsRead};

use super::super::tool::Effect::{Adds, ChangesAndMails, Deletes, Reads, Sets};
use super::*;
use crate::openapi;

#[test]
fn each_tool_is_the_operation_that_its_name_says_with_the_scope_of_that_operation() {
    let expected = [
        ("whoami", "GET /v1/token", None, Reads),
        ("list_events", "GET /v1/events", Some(EventsRead), Reads),
        ("get_event", "GET /v1/events/{event_id}", Some(EventsRead), Reads),
        ("create_event", "POST /v1/events", Some(EventsWrite), Adds),
        ("duplicate_event", "POST /v1/events/{event_id}/duplicate", Some(EventsWrite), Adds),
        ("update_event", "PATCH /v1/events/{event_id}", Some(EventsWrite), ChangesAndMails),
        ("publish_event", "POST /v1/events/{event_id}/publish", Some(EventsWrite), Sets),
        ("unpublish_event", "POST /v1/events/{event_id}/unpublish", Some(EventsWrite), Sets),
        ("cancel_event", "POST /v1/events/{event_id}/cancel", Some(EventsWrite), ChangesAndMails),
        ("delete_event", "DELETE /v1/events/{event_id}", Some(EventsWrite), Deletes),
        ("get_coverage", "GET /v1/events/{event_id}/coverage", Some(ShiftsRead), Reads),
        ("list_coverage", "GET /v1/coverage", Some(ShiftsRead), Reads),
        ("list_shifts", "GET /v1/events/{event_id}/slots", Some(ShiftsRead), Reads),
        ("add_shifts", "POST /v1/events/{event_id}/slots", Some(ShiftsWrite), Adds),
        ("update_shift", "PATCH /v1/slots/{id}", Some(ShiftsWrite), ChangesAndMails),
        ("delete_shift", "DELETE /v1/slots/{id}", Some(ShiftsWrite), ChangesAndMails),
        ("list_signups", "GET /v1/signups", Some(SignupsRead), Reads),
        ("list_volunteers", "GET /v1/volunteers", Some(SignupsRead), Reads),
        ("list_questions", "GET /v1/events/{event_id}/questions", Some(EventsRead), Reads),
        ("add_question", "POST /v1/events/{event_id}/questions", Some(EventsWrite), Adds),
        ("list_activity", "GET /v1/activity", Some(ActivityRead), Reads),
    ];
    let found: Vec<_> = TOOLS
        .iter()
        .map(|ListedTool { tool, operation, .. }| {
            (tool.name, format!("{} {}", operation.method, operation.path), tool.scope, tool.effect)
        })
        .collect();
    assert_eq!(found, expected.map(|(name, at, scope, effect)| (name, at.to_owned(), scope, effect)));
    for ListedTool { tool, operation, .. } in TOOLS.iter() {
        let description = described(operation).0["description"].as_str().unwrap();
        let scope = tool.scope.map_or_else(|| "none".to_owned(), |scope| format!("`{scope}`"));
        assert!(description.starts_with(&format!("Scope: {scope}. ")), "{}: {description}", tool.name);
        let is_of_signups = operation.path.contains("signups");
        assert!(!(operation.is_write() && is_of_signups), "{} changes a sign-up", tool.name);
    }
}

/// An agent pays for the list in each conversation.
#[test]
fn the_list_of_tools_is_short() {
    let definitions: Vec<_> = TOOLS.iter().map(|listed| &listed.definition).collect();
    let list = serde_json::to_string(&definitions).unwrap();
    assert!(list.len() <= 24_000, "{} bytes", list.len());
    for definition in definitions {
        let definition = serde_json::to_value(definition).unwrap();
        let members: Vec<_> = definition.as_object().unwrap().keys().collect();
        assert_eq!(members, ["name", "description", "inputSchema", "annotations"], "nothing else");
        let description = definition["description"].as_str().unwrap();
        assert!(description.chars().count() <= 350, "{}: {description}", definition["name"]);
    }
}

#[test]
fn a_tool_has_the_hints_that_differ_from_the_defaults_and_says_whom_it_mails_and_what_is_final() {
    for ListedTool { tool, definition, .. } in TOOLS.iter() {
        let hints = match tool.effect {
            Reads => json!({"readOnlyHint": true, "openWorldHint": false}),
            Adds => json!({"destructiveHint": false, "openWorldHint": false}),
            Sets => json!({"destructiveHint": false, "idempotentHint": true, "openWorldHint": false}),
            Deletes => json!({"idempotentHint": true, "openWorldHint": false}),
            ChangesAndMails => json!({"idempotentHint": true}),
        };
        assert_eq!(serde_json::to_value(&definition.annotations).unwrap(), hints, "{}", tool.name);
        assert_eq!(tool.description.contains("mails everyone"), tool.effect.mails(), "{}", tool.name);
        let is_final = ["cancel_event", "delete_event", "delete_shift"].contains(&tool.name);
        assert_eq!(tool.description.contains("cannot be undone"), is_final, "{}", tool.name);
    }
}

/// Returns a part of the description of the API, with the target of its reference and the members beside the reference.
fn part(part: &Value) -> Value {
    let Some(reference) = part["$ref"].as_str() else { return part.clone() };
    let mut found = self::part(openapi::document().pointer(&reference[1..]).unwrap());
    let beside = part.as_object().unwrap().clone().into_iter().filter(|(name, _)| name != "$ref");
    found.as_object_mut().unwrap().extend(beside);
    found
}

/// Panics unless the schema of an argument is the one of the description, apart from the texts of both.
fn assert_same(found: &Value, described: &Value, at: &str) {
    match (found, &part(described)) {
        (Value::Object(found), Value::Object(described)) => {
            let is_text = |name: &&String| {
                !at.ends_with("/properties") && ["description", "examples"].contains(&name.as_str())
            };
            let names = |of: &serde_json::Map<String, Value>| {
                of.keys().filter(|name| !is_text(name)).cloned().collect::<Vec<_>>()
            };
            assert_eq!(names(found), names(described), "{at}");
            for name in names(found) {
                assert_same(&found[&name], &described[&name], &format!("{at}/{name}"));
            }
        }
        (Value::Array(found), Value::Array(described)) => {
            assert_eq!(found.len(), described.len(), "{at}");
            for (found, described) in found.iter().zip(described) {
                assert_same(found, described, at);
            }
        }
        (found, described) => assert_eq!(found, described, "{at}"),
    }
}

/// Returns the operation of a tool in the description of the API, with the parameters of its path.
fn described(operation: &ApiOperation) -> (&'static Value, Vec<Value>) {
    let item = &openapi::document()["paths"][&operation.path];
    let described = &item[operation.method.as_str().to_lowercase()];
    let parameters = [item, described].into_iter().filter_map(|of| of["parameters"].as_array()).flatten();
    (described, parameters.map(part).collect())
}

#[test]
fn each_argument_has_the_schema_of_its_parameter_or_field() {
    for ListedTool { tool, operation, definition } in TOOLS.iter() {
        let (described, parameters) = described(operation);
        let body = part(&described["requestBody"]["content"]["application/json"]["schema"]);
        let schema = &definition.input_schema;
        let mut arguments = schema["properties"].as_object().unwrap().clone();
        let mut required: Vec<_> = body["required"].as_array().cloned().unwrap_or_default();
        let mut take = |name: &str, described: &Value| {
            let found = arguments.remove(name).unwrap_or_else(|| panic!("{} lacks {name}", tool.name));
            assert_same(&found, described, &format!("{} {name}", tool.name));
        };
        for parameter in parameters {
            let name = match (parameter["in"].as_str().unwrap(), parameter["name"].as_str().unwrap()) {
                ("header", _) => continue,
                ("path", "id") => "slot_id",
                (_, name) => name,
            };
            take(name, &parameter["schema"]);
            if parameter["required"] == true {
                required.push(name.into());
            }
        }
        for (name, field) in body["properties"].as_object().into_iter().flatten() {
            take(name, field);
        }
        if tool.effect.mails() {
            take("preview", &json!({"type": "boolean"}));
        }
        if tool.effect != Reads {
            take("idempotency_key", &json!({"type": "string", "maxLength": 255}));
        }
        assert!(arguments.is_empty(), "{}: {arguments:?}", tool.name);
        let mut found = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for names in [&mut required, &mut found] {
            names.sort_by_key(Value::to_string);
        }
        assert_eq!(found, required, "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
    }
}
