//! The schemas of tools, made from the description of the API: a field is described once, in `openapi.yaml`.
//!
//! The arguments of a tool are the parameters and the fields of the body of its operation, side by side. References are
//! replaced by what they refer to, because some agents read no references.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value, json};
use warp::http::Method;

use crate::openapi::DOCUMENT;

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// The description of the API. Empty only if the document is not valid YAML, which a test excludes.
static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| serde_norway::from_str(DOCUMENT).unwrap_or_default());

/// An operation of the API, by the id that it has in the description.
#[derive(Debug, Clone)]
pub(super) struct ApiOperation {
    pub(super) method: Method,
    /// The path, with parameters in braces.
    pub(super) path: String,
    parameters: Vec<Value>,
    /// The schema of the body, null if the operation describes none.
    body: Value,
    /// The schema of the answer.
    answer: Value,
}

impl ApiOperation {
    /// Returns an operation. `None` if the description does not contain it.
    pub(super) fn named(id: &str) -> Option<Self> {
        let paths = DESCRIPTION.get("paths")?.as_object()?;
        let operations = paths.iter().flat_map(|(path, item)| {
            let members = item.as_object().into_iter().flatten();
            members.map(move |(method, operation)| (path, item, method, operation))
        });
        let (path, item, method, operation) =
            operations.into_iter().find(|(.., operation)| operation["operationId"] == id)?;
        let parameters = [item, operation].into_iter().filter_map(|of| of["parameters"].as_array()).flatten();
        let responses = operation["responses"].as_object()?;
        let (_, success) = responses.iter().find(|(status, _)| status.starts_with('2'))?;
        Some(Self {
            method: method.to_ascii_uppercase().parse().ok()?,
            path: path.clone(),
            parameters: parameters.map(resolved).collect(),
            body: schema_of(&operation["requestBody"]),
            answer: schema_of(&resolved(success)),
        })
    }

    /// Returns whether the operation takes its input in the query, and not in the body.
    pub(super) fn takes_query(&self) -> bool {
        self.method.is_safe()
    }

    /// Returns the name of the argument for a parameter of the path. The parameter `id` is the id of a slot.
    pub(super) fn argument_of(parameter: &str) -> &str {
        if parameter == "id" { "slot_id" } else { parameter }
    }

    /// Returns the schema of the arguments: the parameters, the fields of the body, and for a write the idempotency key.
    pub(super) fn input(&self) -> Arc<Object> {
        let mut properties = Object::new();
        let mut required = vec![];
        for parameter in &self.parameters {
            let name = parameter["name"].as_str().unwrap_or_default();
            let name = match parameter["in"].as_str() {
                Some("path") => Self::argument_of(name),
                Some("query") => name,
                _ => continue,
            };
            let mut schema = parameter["schema"].clone();
            schema["description"] = parameter["description"].clone();
            properties.insert(name.to_owned(), schema);
            if parameter["required"] == true {
                required.push(json!(name));
            }
        }
        properties.extend(self.body["properties"].as_object().cloned().unwrap_or_default());
        required.extend(self.body["required"].as_array().cloned().unwrap_or_default());
        if !self.takes_query() {
            properties.insert(IDEMPOTENCY_KEY.to_owned(), idempotency_key());
        }
        Arc::new(object(properties, required))
    }

    /// Returns the schema of the answer. With `mails_queued`, the answer also has the number of mails.
    pub(super) fn output(&self, mails_queued: bool) -> Arc<Object> {
        let mut answer = self.answer.as_object().cloned().unwrap_or_default();
        if mails_queued {
            let schema = json!({
                "type": "integer",
                "minimum": 0,
                "description": "How many emails to volunteers this call queued, one for each sign-up. A change that joins an \
                                email that still waits counts it again. 0 if nobody gets one. A repeated call with the same \
                                idempotency_key returns the number of the first call.",
            });
            for (list, value) in
                [("properties", json!({ MAILS_QUEUED: schema })), ("required", json!([MAILS_QUEUED]))]
            {
                match (answer.get_mut(list), value) {
                    (Some(Value::Object(present)), Value::Object(more)) => present.extend(more),
                    (Some(Value::Array(present)), Value::Array(more)) => present.extend(more),
                    _ => {}
                }
            }
        }
        of_success(answer)
    }

    /// Returns the schema of the member `data` of the answer.
    pub(super) fn data(&self) -> Value {
        self.answer["properties"]["data"].clone()
    }
}

/// The argument with the idempotency key.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency_key";
/// The member of an answer that says how many mails a write queued.
pub(super) const MAILS_QUEUED: &str = "mails_queued";

/// Returns the schema of an answer, with a description that says when it holds.
pub(super) fn of_success(mut answer: Object) -> Arc<Object> {
    let description = "The content of a result that succeeds. If the call fails, isError is true and the content has a message \
                       instead. errors, if it is there, names the arguments to correct.";
    answer.insert("description".to_owned(), json!(description));
    Arc::new(answer)
}

/// Returns the schema of an object with these properties and no others.
pub(super) fn object(properties: Object, required: Vec<Value>) -> Object {
    let mut schema = Object::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn idempotency_key() -> Value {
    json!({
        "type": "string",
        "pattern": "^[!-~]{1,255}$",
        "description": "A key that you choose for each thing that you want done, such as a UUID: 1 to 255 visible ASCII \
                        characters, no spaces. Use the same key if you repeat the call because you got no answer: it is then done \
                        once. Use a new key for anything else.",
    })
}

/// Returns the schema of a JSON body, of a request or of a response.
fn schema_of(content: &Value) -> Value {
    resolved(&content["content"]["application/json"]["schema"])
}

/// Returns a part of the description in which each reference is replaced by its target. Members beside a reference take
/// precedence over those of the target.
fn resolved(part: &Value) -> Value {
    match part {
        Value::Object(members) => {
            let target = members.get("$ref").and_then(Value::as_str).map(|reference| {
                let pointer = reference.trim_start_matches('#');
                resolved(DESCRIPTION.pointer(pointer).unwrap_or(&Value::Null))
            });
            let mut found = match target {
                Some(Value::Object(target)) => target,
                _ => Object::new(),
            };
            let own = members.iter().filter(|(name, _)| *name != "$ref");
            found.extend(own.map(|(name, value)| (name.clone(), resolved(value))));
            Value::Object(found)
        }
        Value::Array(items) => items.iter().map(resolved).collect(),
        other => other.clone(),
    }
}
