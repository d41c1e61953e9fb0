//! The arguments of tools, made from the description of the API: a field is described once, in `openapi.yaml`.
//!
//! The arguments of a tool are the parameters and the fields of the body of its operation, side by side. References are
//! replaced by what they refer to, because some agents read no references.
//!
//! An agent pays for each word of the list of tools in each conversation. So the schemas have no texts of the description of the
//! API, and [`MEANINGS`] has a text only for a name that does not say what it means.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use warp::http::Method;

use crate::openapi;

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The argument with the idempotency key, of each tool that changes something.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency_key";
/// The argument of each tool that mails, with which the tool changes nothing.
pub(super) const PREVIEW: &str = "preview";

/// What an argument or a field of a shift means, by its name.
const MEANINGS: [(&str, &str); 21] = [
    ("badge_label", "Short label on the public page."),
    ("cancel_signups", "Also cancels its sign-ups. Without it, a shift with active sign-ups is not deleted."),
    ("capacity", "Volunteers needed. 0: no sign-up."),
    ("cursor", "meta.next_cursor of the page before."),
    ("day", "Of the event, from 1."),
    ("email", "Whole address."),
    ("end_date", "Last day, if there are several."),
    ("end_time", "HH:MM, after start_time; 24:00 is the end of the day."),
    ("ends_next_day", "true: end_time is on the next day, not later than start_time."),
    (IDEMPOTENCY_KEY, "One for each intention, such as a UUID. The same again to retry."),
    ("instructions", "Only volunteers with a place see it."),
    ("minimum", "Volunteers without whom it cannot run."),
    ("notify_volunteers", "false: emails nobody."),
    ("options", "Only for type select."),
    (PREVIEW, "true: only answers what would change, and how many emails (mails) at most."),
    ("reason", "Sent to the volunteers."),
    ("required", "Must be answered."),
    ("signups_close_at", "YYYY-MM-DDTHH:MM, in the event's timezone."),
    ("signups_open_at", "YYYY-MM-DDTHH:MM, in the event's timezone."),
    ("start_time", "HH:MM, in the event's timezone."),
    ("timezone", "IANA name."),
];

/// The members of the description that a schema does not need.
const TEXTS: [&str; 3] = ["description", "example", "examples"];

/// An operation of the API, by the id that it has in the description.
#[derive(Debug, Clone)]
pub(super) struct ApiOperation {
    pub(super) method: Method,
    /// The path, with parameters in braces.
    pub(super) path: String,
    parameters: Vec<Value>,
    /// The schema of the body, null if the operation describes none.
    body: Value,
}

impl ApiOperation {
    /// Returns an operation. `None` if the description does not contain it.
    pub(super) fn named(id: &str) -> Option<Self> {
        let paths = openapi::document().get("paths")?.as_object()?;
        let operations = paths.iter().flat_map(|(path, item)| {
            let members = item.as_object().into_iter().flatten();
            members.map(move |(method, operation)| (path, item, method, operation))
        });
        let (path, item, method, operation) =
            operations.into_iter().find(|(.., operation)| operation["operationId"] == id)?;
        let parameters = [item, operation].into_iter().filter_map(|of| of["parameters"].as_array()).flatten();
        let mut body = schema(&operation["requestBody"]);
        Some(Self {
            method: method.to_ascii_uppercase().parse().ok()?,
            path: path.clone(),
            parameters: parameters.map(schema).collect(),
            body: body["content"]["application/json"]["schema"].take(),
        })
    }

    /// Returns whether the operation changes something.
    pub(super) fn is_write(&self) -> bool {
        !self.method.is_safe()
    }

    /// Returns whether the operation takes its input in the query, and not in the body.
    pub(super) fn takes_query(&self) -> bool {
        !self.is_write() || self.method == Method::DELETE
    }

    /// Returns whether a parameter of the query is a text. A number in its place would become a text on the way.
    pub(super) fn takes_text(&self, name: &str) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|parameter| parameter["name"] == name && parameter["schema"]["type"] == "string")
    }

    /// Returns the name of the argument for a parameter of the path. The parameter `id` is the id of a slot.
    pub(super) fn argument_of(parameter: &str) -> &str {
        if parameter == "id" { "slot_id" } else { parameter }
    }

    /// Returns the schema of the arguments: the parameters, the fields of the body, for a write the idempotency key, and for a
    /// write that mails whether to preview it.
    pub(super) fn input(&self, mails: bool) -> Arc<Object> {
        let mut arguments = Object::new();
        let mut required = vec![];
        for parameter in &self.parameters {
            let name = parameter["name"].as_str().unwrap_or_default();
            let name = match parameter["in"].as_str() {
                Some("path") => Self::argument_of(name),
                Some("query") => name,
                _ => continue,
            };
            arguments.insert(name.to_owned(), parameter["schema"].clone());
            if parameter["required"] == true {
                required.push(json!(name));
            }
        }
        arguments.extend(self.body["properties"].as_object().cloned().unwrap_or_default());
        required.extend(self.body["required"].as_array().cloned().unwrap_or_default());
        if mails {
            arguments.insert(PREVIEW.to_owned(), json!({ "type": "boolean" }));
        }
        if self.is_write() {
            arguments.insert(IDEMPOTENCY_KEY.to_owned(), json!({ "type": "string", "maxLength": 255 }));
        }
        let mut input = Object::new();
        input.insert("type".to_owned(), json!("object"));
        input.insert("properties".to_owned(), with_meanings(arguments));
        if !required.is_empty() {
            input.insert("required".to_owned(), Value::Array(required));
        }
        input.insert("additionalProperties".to_owned(), json!(false));
        Arc::new(input)
    }
}

/// Returns the schemas of fields with the texts of [`MEANINGS`].
fn with_meanings(mut fields: Object) -> Value {
    for (name, meaning) in MEANINGS {
        if let Some(field) = fields.get_mut(name) {
            field["description"] = json!(meaning);
        }
    }
    Value::Object(fields)
}

/// Returns a part of the description in which each reference is replaced by its target, without the texts for people. Members
/// beside a reference take precedence over those of the target.
fn schema(part: &Value) -> Value {
    match part {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str).map(|reference| {
                let pointer = reference.trim_start_matches('#');
                schema(openapi::document().pointer(pointer).unwrap_or(&Value::Null))
            });
            let mut found = match target {
                Some(Value::Object(target)) => target,
                _ => Object::new(),
            };
            for (name, value) in
                members.iter().filter(|(name, _)| *name != "$ref" && !TEXTS.contains(&&***name))
            {
                let value = match value {
                    // The members are fields, of which one may have the name of a text.
                    Value::Object(fields) if name == "properties" => with_meanings(
                        fields.iter().map(|(name, field)| (name.clone(), schema(field))).collect(),
                    ),
                    other => schema(other),
                };
                found.insert(name.clone(), value);
            }
            Value::Object(found)
        }
        Value::Array(items) => items.iter().map(schema).collect(),
        other => other.clone(),
    }
}
