//! Checks answers against the OpenAPI document: it must describe the status, the headers and the body of each answer.
//! The same for each request to a webhook.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::harness::{Answer, Server};

/// The document, without the address of a server.
pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_norway::from_str(include_str!("../../openapi.yaml")).unwrap());
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Resolves a `$ref` within the document; returns any other value unchanged.
pub(crate) fn resolved(value: &'static Value) -> &'static Value {
    match value["$ref"].as_str() {
        Some(reference) => DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

/// Returns the path template of the document that matches `path`.
pub(crate) fn template(path: &str) -> Option<&'static str> {
    let path = path.split('?').next().unwrap();
    let matches = |template: &str| {
        let (a, b): (Vec<_>, Vec<_>) = (template.split('/').collect(), path.split('/').collect());
        a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || (a.starts_with('{') && !b.is_empty()))
    };
    DOCUMENT["paths"].as_object().unwrap().keys().map(String::as_str).find(|template| matches(template))
}

/// Panics unless the document describes this answer to `method` on `path`.
///
/// Accepts every answer to a method or path that the document does not list, such as `HEAD` and `OPTIONS`.
pub(crate) fn check(method: &str, path: &str, answer: &Answer) {
    let Some(template) = template(path) else { return };
    let operation = &DOCUMENT["paths"][template][method.to_lowercase()];
    if operation.is_null() {
        return;
    }
    let name = format!("{method} {template} {}", answer.status);
    let described = &operation["responses"][answer.status.to_string()];
    assert!(!described.is_null(), "{name} is not described; the answer is {}", answer.text);
    let described = resolved(described);
    for (header, description) in described["headers"].as_object().unwrap() {
        let required = resolved(description)["required"] == json!(true);
        let value = answer.header(header);
        assert!(value.is_some() || !required, "{name} lacks the header {header}");
        if let Some(value) = value {
            let schema = &resolved(description)["schema"];
            let value =
                if schema["type"] == "integer" { json!(value.parse::<i64>().unwrap()) } else { json!(value) };
            assert!(jsonschema::is_valid(schema, &value), "{name}: {header}: {value}");
        }
    }
    let media_type = answer.header("content-type").unwrap_or_default();
    let schema = &described["content"][media_type]["schema"];
    assert!(!schema.is_null(), "{name}: the media type {media_type} is not described");
    let body = match media_type {
        "application/json" => answer.json(),
        "application/yaml" => serde_norway::from_str(&answer.text).unwrap(),
        _ => panic!("{name}: this check cannot read {media_type}"),
    };
    let validator = Arc::clone(
        VALIDATORS.lock().unwrap().entry(name.clone()).or_insert_with(|| Arc::new(validator(schema))),
    );
    let errors: Vec<_> =
        validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name} does not match its schema: {errors:?} in {body}");
}

/// Panics unless the document describes this request, which a server has sent to a webhook.
pub(crate) fn check_sent(headers: &HeaderMap, body: &Value) {
    let described = &DOCUMENT["webhooks"]["activity"]["post"];
    for header in described["parameters"].as_array().unwrap() {
        let value = headers[header["name"].as_str().unwrap()].to_str().unwrap();
        assert!(jsonschema::is_valid(&header["schema"], &json!(value)), "{header}: {value}");
    }
    let schema = &described["requestBody"]["content"]["application/json"]["schema"];
    let errors: Vec<_> = validator(schema).iter_errors(body).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {body}");
}

fn validator(schema: &Value) -> Validator {
    let mut schema = schema.clone();
    schema["components"] = DOCUMENT["components"].clone();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn the_examples_match_their_schemas() {
    fn walk(value: &Value, at: &str, checked: &mut usize) {
        if let Some(schema) =
            value.get("schema").filter(|_| value.get("example").is_some() || value.get("examples").is_some())
        {
            let many = value["examples"]
                .as_object()
                .into_iter()
                .flat_map(|many| many.values().map(|one| &one["value"]));
            for example in value.get("example").into_iter().chain(many) {
                let errors: Vec<_> =
                    validator(schema).iter_errors(example).map(|error| error.to_string()).collect();
                assert!(errors.is_empty(), "{at}: {errors:?}");
                *checked += 1;
            }
        }
        match value {
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| walk(value, &format!("{at}/{key}"), checked));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, value)| walk(value, &format!("{at}/{n}"), checked));
            }
            _ => {}
        }
    }
    let mut checked = 0;
    walk(&DOCUMENT, "", &mut checked);
    assert!(checked > 20, "{checked} examples");
}

/// Both forms have the base URL of the server. The harness checks the answers with the document as well.
#[tokio::test]
async fn the_document_is_served_as_json_and_as_yaml() {
    let server = Server::start(&["--base-url", "https://signup.example.org/api/"]);
    let json = server.get_without_token("/openapi.json").await;
    let yaml = server.get_without_token("/openapi.yaml").await;
    assert_eq!((json.status, yaml.status), (200, 200));
    assert_eq!(json.header("content-type"), Some("application/json"));
    assert_eq!(yaml.header("content-type"), Some("application/yaml"));
    let from_yaml: Value = serde_norway::from_str(&yaml.text).unwrap();
    assert_eq!(json.json(), from_yaml);
    assert_eq!(from_yaml["openapi"], "3.1.0");
    assert_eq!(from_yaml["info"]["version"], "1.0.0");
    assert_eq!(from_yaml["servers"][0]["url"], "https://signup.example.org/api");
}

/// Every method that the document does not describe is answered 405 with `Allow`.
#[tokio::test]
async fn every_described_path_exists_and_has_no_other_method() {
    let server = Server::start(&[]);
    for (template, item) in DOCUMENT["paths"].as_object().unwrap() {
        let path = template.replace("{event_id}", "some-id").replace("{id}", "some-id");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let answer = server.send(method, &path, None).await;
            if item.get(method.to_lowercase()).is_some() {
                assert!(answer.status != 405 && answer.status < 500, "{method} {path}: {}", answer.status);
            } else {
                assert_eq!(answer.status, 405, "{method} {path}");
                assert!(
                    !answer.header("allow").unwrap().split(", ").any(|allowed| allowed == method),
                    "{method} {path}"
                );
                assert_eq!(answer.json()["message"], "Method not allowed.");
            }
        }
    }
}
