//! The tools, one file for each family.
//!
//! **Invariant:** no tool deletes a record, and none signs a person up.

mod events;
mod questions;
mod shifts;
mod signups;
pub(super) mod whoami;

use std::sync::LazyLock;

use super::schema::ApiOperation;
use super::tool::Tool;

/// A tool with its operation and its definition.
#[derive(Debug)]
pub(super) struct ListedTool {
    pub(super) tool: &'static Tool,
    pub(super) operation: ApiOperation,
    pub(super) definition: rmcp::model::Tool,
}

/// All tools, in the order of the list.
pub(super) static TOOLS: LazyLock<Vec<ListedTool>> = LazyLock::new(|| {
    let tools = [&[whoami::TOOL][..], events::TOOLS, shifts::TOOLS, signups::TOOLS, questions::TOOLS];
    tools.into_iter().flatten().filter_map(listed).collect()
});

/// Returns a tool with its operation. `None` if the description of the API lacks the operation, which a test excludes.
fn listed(tool: &'static Tool) -> Option<ListedTool> {
    let operation = ApiOperation::named(tool.operation)?;
    let output = if tool.name == whoami::TOOL.name {
        whoami::output()?
    } else {
        operation.output(tool.effect.reports_mails())
    };
    Some(ListedTool { definition: tool.definition(operation.input(), output), tool, operation })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use signup_core::Scope::{EventsRead, EventsWrite, ShiftsRead, ShiftsWrite, SignupsRead};
    use warp::http::Method;

    use super::super::tool::Effect::{self, Adds, ChangesAndMails, Reads, Sets};
    use super::*;

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
            ("get_coverage", "GET /v1/events/{event_id}/coverage", Some(ShiftsRead), Reads),
            ("list_shifts", "GET /v1/events/{event_id}/slots", Some(ShiftsRead), Reads),
            ("add_shifts", "POST /v1/events/{event_id}/slots", Some(ShiftsWrite), Adds),
            ("update_shift", "PATCH /v1/slots/{id}", Some(ShiftsWrite), ChangesAndMails),
            ("list_signups", "GET /v1/signups", Some(SignupsRead), Reads),
            ("list_questions", "GET /v1/events/{event_id}/questions", Some(EventsRead), Reads),
            ("add_question", "POST /v1/events/{event_id}/questions", Some(EventsWrite), Adds),
        ];
        let found: Vec<_> = TOOLS
            .iter()
            .map(|ListedTool { tool, operation, .. }| {
                (tool.name, format!("{} {}", operation.method, operation.path), tool.scope, tool.effect)
            })
            .collect();
        assert_eq!(found, expected.map(|(name, at, scope, effect)| (name, at.to_owned(), scope, effect)));

        let document: Value = serde_norway::from_str(crate::openapi::DOCUMENT).unwrap();
        for ListedTool { tool, operation, .. } in TOOLS.iter() {
            let description = described(&document, operation).0["description"].as_str().unwrap();
            let scope = tool.scope.map_or_else(|| "none".to_owned(), |scope| format!("`{scope}`"));
            assert!(description.starts_with(&format!("Scope: {scope}. ")), "{}: {description}", tool.name);
        }
    }

    #[test]
    fn no_tool_deletes_a_record_or_signs_a_person_up() {
        for ListedTool { tool, operation, .. } in TOOLS.iter() {
            assert_ne!(operation.method, Method::DELETE, "{}", tool.name);
            assert!(operation.method.is_safe() || !operation.path.contains("signups"), "{}", tool.name);
        }
    }

    #[test]
    fn a_tool_has_all_hints_and_says_whom_it_mails() {
        let hints = |effect: Effect| match effect {
            Reads => [true, false, true, false],
            Adds => [false, false, false, false],
            Sets => [false, false, true, false],
            ChangesAndMails => [false, true, true, true],
        };
        for ListedTool { tool, definition, .. } in TOOLS.iter() {
            let found = definition.annotations.as_ref().unwrap();
            let [reads, destroys, repeats, reaches] = hints(tool.effect).map(Some);
            assert_eq!(
                (found.read_only_hint, found.destructive_hint, found.idempotent_hint, found.open_world_hint),
                (reads, destroys, repeats, reaches),
                "{}",
                tool.name
            );
            assert_eq!(
                (found.title.as_deref(), definition.title.as_deref()),
                (Some(tool.title), Some(tool.title))
            );
            let mails = tool.description.contains("Emails ");
            assert_eq!(mails, tool.effect.reports_mails(), "{}", tool.name);
            assert_ne!(mails, tool.description.contains("Sends no email"), "{}", tool.name);
        }
    }

    /// Returns a part of the description of the API, with the target of its reference and the members beside the reference.
    fn part(document: &Value, part: &Value) -> Value {
        let Some(reference) = part["$ref"].as_str() else { return part.clone() };
        let mut found = self::part(document, document.pointer(&reference[1..]).unwrap());
        let beside = part.as_object().unwrap().clone().into_iter().filter(|(name, _)| name != "$ref");
        found.as_object_mut().unwrap().extend(beside);
        found
    }

    /// Panics unless a schema of a tool is the one of the description.
    fn assert_same(document: &Value, found: &Value, described: &Value, at: &str) {
        match (found, &part(document, described)) {
            (Value::Object(found), Value::Object(described)) => {
                let names = |of: &serde_json::Map<String, Value>| of.keys().cloned().collect::<Vec<_>>();
                assert_eq!(names(found), names(described), "{at}");
                for (name, found) in found {
                    assert_same(document, found, &described[name], &format!("{at}/{name}"));
                }
            }
            (Value::Array(found), Value::Array(described)) => {
                assert_eq!(found.len(), described.len(), "{at}");
                for (found, described) in found.iter().zip(described) {
                    assert_same(document, found, described, at);
                }
            }
            (found, described) => assert_eq!(found, described, "{at}"),
        }
    }

    /// Returns the operation of a tool in the description of the API, with the parameters of its path.
    fn described<'a>(document: &'a Value, operation: &ApiOperation) -> (&'a Value, Vec<Value>) {
        let item = &document["paths"][&operation.path];
        let described = &item[operation.method.as_str().to_lowercase()];
        let parameters = [item, described].into_iter().filter_map(|of| of["parameters"].as_array()).flatten();
        (described, parameters.map(|parameter| part(document, parameter)).collect())
    }

    #[test]
    fn each_argument_has_the_schema_of_its_parameter_or_field() {
        let document: Value = serde_norway::from_str(crate::openapi::DOCUMENT).unwrap();
        for ListedTool { tool, operation, definition } in TOOLS.iter() {
            let (described, parameters) = described(&document, operation);
            let body = part(&document, &described["requestBody"]["content"]["application/json"]["schema"]);
            let schema = &definition.input_schema;
            let mut arguments = schema["properties"].as_object().unwrap().clone();
            let mut required: Vec<_> = body["required"].as_array().cloned().unwrap_or_default();
            for parameter in parameters {
                let name = parameter["name"].as_str().unwrap();
                let name = match parameter["in"].as_str().unwrap() {
                    "header" => continue,
                    "path" if name == "id" => "slot_id",
                    _ => name,
                };
                let mut expected = part(&document, &parameter["schema"]);
                expected["description"] = parameter["description"].clone();
                let found = arguments.remove(name).unwrap_or_else(|| panic!("{} lacks {name}", tool.name));
                assert_same(&document, &found, &expected, &format!("{} {name}", tool.name));
                if parameter["required"] == true {
                    required.push(name.into());
                }
            }
            for (name, expected) in body["properties"].as_object().into_iter().flatten() {
                let found = arguments.remove(name).unwrap_or_else(|| panic!("{} lacks {name}", tool.name));
                assert_same(&document, &found, expected, &format!("{} {name}", tool.name));
            }
            let is_write = tool.effect != Reads;
            let key = arguments.remove("idempotency_key");
            assert_eq!(
                key.as_ref().map(|key| &key["type"]),
                is_write.then_some(&"string".into()),
                "{}",
                tool.name
            );
            assert!(arguments.is_empty(), "{}: {arguments:?}", tool.name);
            let mut found = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            for names in [&mut required, &mut found] {
                names.sort_by_key(Value::to_string);
            }
            assert_eq!(found, required, "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        }
    }

    #[test]
    fn each_answer_has_the_schema_of_its_operation() {
        let document: Value = serde_norway::from_str(crate::openapi::DOCUMENT).unwrap();
        let answer = |operation: &ApiOperation| {
            let (described, _) = described(&document, operation);
            let responses = described["responses"].as_object().unwrap();
            let (_, success) = responses.iter().find(|(status, _)| status.starts_with('2')).unwrap();
            part(&document, &part(&document, success)["content"]["application/json"]["schema"])
        };
        for ListedTool { tool, operation, definition } in TOOLS.iter() {
            let mut found = Value::Object((**definition.output_schema.as_ref().unwrap()).clone());
            if tool.name == whoami::TOOL.name {
                let team = answer(&ApiOperation::named("showTeam").unwrap())["properties"]["data"].clone();
                let mut team = part(&document, &team);
                team["type"] = serde_json::json!(["object", "null"]);
                let token = &answer(operation)["properties"]["data"];
                let data = &found["properties"]["data"];
                assert_eq!(data["required"], serde_json::json!(["token", "team"]));
                assert_same(&document, &data["properties"]["token"], token, "token");
                assert_same(&document, &data["properties"]["team"], &team, "team");
                continue;
            }
            let mut expected = answer(operation);
            expected["description"] = found["description"].clone();
            if tool.effect.reports_mails() {
                let count = found["properties"].as_object_mut().unwrap().remove("mails_queued").unwrap();
                assert_eq!(
                    (&count["type"], &count["minimum"]),
                    (&"integer".into(), &0.into()),
                    "{}",
                    tool.name
                );
                let required = found["required"].as_array_mut().unwrap();
                assert_eq!(required.pop(), Some("mails_queued".into()), "{}", tool.name);
            }
            assert_same(&document, &found, &expected, tool.name);
        }
    }
}
