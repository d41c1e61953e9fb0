//! The API description as values of a template, and what the template cannot derive: resolved references, the parts of
//! schemas, and the lists of operations, shared answers and records.
//!
//! The description is the one of this server, so only the parts of OpenAPI 3.1 that it uses are supported. A reference
//! must refer to a component. A required parameter must be in the path, and have an example.
//!
//! **Invariant:** a schema with a keyword that the page does not show is refused.

use minijinja::value::{Value, ValueKind};
use minijinja::{Error, ErrorKind, context};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize as _;
use warp::http::StatusCode;

/// The methods in the order of the page.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];
/// Percent-encodes all but the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The keywords of schemas that the page shows, and `component`, which [`Document::resolved`] adds.
const KEYWORDS: &str = "$ref additionalProperties component const description enum examples format items maxItems \
                        maxLength maxProperties maximum minItems minLength minProperties minimum oneOf pattern \
                        properties required type uniqueItems";

type Result<T> = std::result::Result<T, Error>;

/// The API description of the server at `base_url`.
#[derive(Debug, Clone)]
pub(super) struct Document {
    root: Value,
    base_url: String,
}

impl Document {
    pub(super) fn new(description: &serde_json::Value, base_url: &str) -> Result<Self> {
        let root = Value::deserialize(description)
            .map_err(|error| Error::new(ErrorKind::CannotDeserialize, error.to_string()))?;
        Ok(Self { root, base_url: base_url.to_owned() })
    }

    /// Returns a member of the description.
    pub(super) fn member(&self, name: &str) -> Result<Value> {
        self.root.get_attr(name)
    }

    /// Returns the members of the description, and:
    ///
    /// - `base_url`
    /// - `operations`: each with its `method`, `path`, `url`, `parameters`, `security` and `answers`
    /// - `shared_answers`: the errors under `components/responses` that operations refer to, by status
    /// - `records`: the names of the schemas that answers link to
    pub(super) fn variables(&self) -> Result<Value> {
        let operations = self.operations()?;
        let mut shared_answers: Vec<Value> = Vec::new();
        let mut records = Vec::new();
        for operation in &operations {
            for answer in elements(operation, "answers")? {
                for (_, content) in members(&answer, "content")? {
                    self.add_records(&content.get_attr("schema")?, &mut records)?;
                }
                let shared = answer.get_attr("shared")?;
                let is_same = |other: &Value| other.get_attr("shared").is_ok_and(|other| other == shared);
                if !shared.is_undefined() && !shared_answers.iter().any(is_same) {
                    shared_answers.push(answer);
                }
            }
        }
        // The sort is stable: errors of one status stay in the order in which the operations refer to them.
        shared_answers
            .sort_by_cached_key(|answer| answer.get_attr("status").map(|status| status.to_string()).ok());
        Ok(context! { base_url => &self.base_url, operations, shared_answers, records, ..self.root.clone() })
    }

    fn operations(&self) -> Result<Vec<Value>> {
        let mut operations = Vec::new();
        for (path, item) in members(&self.root, "paths")? {
            for method in METHODS {
                let operation = item.get_attr(method)?;
                if !operation.is_undefined() {
                    operations.push(self.operation(&path, &item, method, operation)?);
                }
            }
        }
        Ok(operations)
    }

    fn operation(&self, path: &str, item: &Value, method: &str, operation: Value) -> Result<Value> {
        let mut parameters = Vec::new();
        for parameter in [elements(item, "parameters")?, elements(&operation, "parameters")?].concat() {
            parameters.push(self.resolved(&parameter)?);
        }
        let mut answers = Vec::new();
        for (status, response) in members(&operation, "responses")? {
            answers.push(self.answer(&status, &response)?);
        }
        let own = operation.get_attr("security")?;
        let security = if own.is_undefined() { self.root.get_attr("security")? } else { own };
        let url = format!("{}{}", self.base_url, example_path(path, &parameters)?);
        let method = method.to_ascii_uppercase();
        Ok(context! { method, path, url, parameters, answers, security, ..operation })
    }

    /// Returns an answer with its reference resolved, and:
    ///
    /// - `status`: the code and its name, such as "404 Not Found"
    /// - `is_success`
    /// - `shared`: the name under `components/responses` if the answer is an error and has one
    /// - `headers`: each with its `name`
    fn answer(&self, status: &str, response: &Value) -> Result<Value> {
        let response = self.resolved(response)?;
        let status =
            StatusCode::from_bytes(status.as_bytes()).map_err(|_| fault(format!("{status} is no status")))?;
        let shared = if status.is_success() { Value::UNDEFINED } else { response.get_attr("component")? };
        let mut headers = Vec::new();
        for (name, header) in members(&response, "headers")? {
            headers.push(context! { name, ..self.resolved(&header)? });
        }
        Ok(context! {
            status => status.to_string(),
            is_success => status.is_success(),
            shared,
            headers,
            ..response
        })
    }

    /// Adds the names of the records in the parts of a schema, and in the parts of these records.
    fn add_records(&self, schema: &Value, records: &mut Vec<String>) -> Result<()> {
        for part in elements(&self.schema(schema)?, "parts")? {
            let part = part.get_attr("schema")?;
            if let Some(record) = self.schema(&part)?.get_attr("record")?.as_str() {
                if records.iter().any(|known| known == record) {
                    continue;
                }
                records.push(record.to_owned());
            }
            self.add_records(&part, records)?;
        }
        Ok(())
    }

    /// Returns a schema with its reference resolved, and:
    ///
    /// - `types`: the names of the types, without `null` if there are others
    /// - `is_nullable`: whether there is `null` besides other types
    /// - `parts`: the fields, elements and alternatives, each with its `schema`, and with a `name` or `words` instead
    /// - `record`: the name under `components/schemas` if the schema has one, and has parts
    pub(super) fn schema(&self, schema: &Value) -> Result<Value> {
        let schema = self.resolved(schema)?;
        for keyword in schema.try_iter()? {
            if !KEYWORDS.split(' ').any(|known| keyword.as_str() == Some(known)) {
                return Err(fault(format!("the page does not show the keyword `{keyword}` of a schema")));
            }
        }
        let is_null =
            |schema: &Value| schema.get_attr("type").is_ok_and(|name| name.as_str() == Some("null"));
        let (nulls, choices): (Vec<_>, Vec<_>) = elements(&schema, "oneOf")?.into_iter().partition(is_null);
        if let [choice] = choices.as_slice() {
            return Ok(
                context! { is_nullable => !nulls.is_empty(), ..context! { ..schema, ..self.schema(choice)? } },
            );
        }

        let type_of_value = schema.get_attr("type")?;
        let mut types =
            if type_of_value.as_str().is_some() { vec![type_of_value] } else { elements(&schema, "type")? };
        let is_nullable = types.len() > 1 && types.contains(&Value::from("null"));
        types.retain(|name| !is_nullable || name.as_str() != Some("null"));

        let mut parts = Vec::new();
        let required = elements(&schema, "required")?;
        for (name, field) in members(&schema, "properties")? {
            let is_required = required.contains(&Value::from(name.as_str()));
            parts.push(context! { name, schema => field, required => is_required });
        }
        let others = schema.get_attr("additionalProperties")?;
        if others.kind() == ValueKind::Map {
            parts.push(context! { words => "each other field", schema => others });
        }
        let element = schema.get_attr("items")?;
        if !element.is_undefined() {
            parts.push(context! { words => "each element", schema => element });
        }
        for choice in choices {
            types.extend(elements(&self.schema(&choice)?, "types")?);
            let words = if parts.is_empty() { "either" } else { "or" };
            parts.push(context! { words, schema => choice });
        }
        let record = if parts.is_empty() { Value::UNDEFINED } else { schema.get_attr("component")? };
        Ok(context! { types, is_nullable, parts, record, ..schema })
    }

    /// Returns the target of a reference, and its name as `component`. The members beside `$ref` take precedence.
    ///
    /// Returns a value that is no reference unchanged.
    fn resolved(&self, value: &Value) -> Result<Value> {
        let reference = value.get_attr("$ref")?;
        let Some(reference) = reference.as_str() else { return Ok(value.clone()) };
        let path = reference.strip_prefix("#/components/").and_then(|path| path.split_once('/'));
        let (folder, name) = path.ok_or_else(|| fault(format!("{reference} refers to no component")))?;
        let target = self.root.get_attr("components")?.get_attr(folder)?.get_attr(name)?;
        if target.is_undefined() {
            return Err(fault(format!("{reference} does not exist")));
        }
        Ok(context! { component => name, ..context! { ..value.clone(), ..self.resolved(&target)? } })
    }
}

/// Returns the examples of a body.
pub(super) fn examples(content: &Value) -> Result<Vec<Value>> {
    let example = content.get_attr("example")?;
    if !example.is_undefined() {
        return Ok(vec![context! { value => example }]);
    }
    Ok(members(content, "examples")?.into_iter().map(|(_, example)| example).collect())
}

/// Returns a path with the examples of its parameters.
///
/// # Errors
/// Fails if a required parameter is not in the path, or has no example.
fn example_path(path: &str, parameters: &[Value]) -> Result<String> {
    let mut path = path.to_owned();
    for parameter in parameters {
        let (name, example) = (parameter.get_attr("name")?, parameter.get_attr("example")?);
        let place = format!("{{{name}}}");
        if let Some(example) = example.as_str().filter(|_| path.contains(&place)) {
            path = path.replace(&place, &utf8_percent_encode(example, ENCODED).to_string());
        } else if parameter.get_attr("required")?.is_true() {
            return Err(fault(format!("the command of {path} cannot show the parameter `{name}`")));
        }
    }
    Ok(path)
}

/// Returns the elements of an array that is a member of `value`. There are none if `value` lacks the member.
fn elements(value: &Value, name: &str) -> Result<Vec<Value>> {
    Ok(value.get_attr(name)?.try_iter()?.collect())
}

/// Returns the members of an object that is a member of `value`, in order. There are none if `value` lacks the member.
fn members(value: &Value, name: &str) -> Result<Vec<(String, Value)>> {
    let object = value.get_attr(name)?;
    object.try_iter()?.map(|key| Ok((key.to_string(), object.get_item(&key)?))).collect()
}

fn fault(problem: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, problem)
}
