//! The API description, as JSON and as YAML, with the base URL of this server.

use std::sync::LazyLock;

use bytes::Bytes;
use serde_json::Value;
use warp::http::HeaderValue;
use warp::http::header::CONTENT_TYPE;
use warp::reply::Response;

/// The description, written by hand. Tests compare the description with the responses of the server.
const YAML: &str = include_str!("../openapi.yaml");
/// The server URL in the document, which the base URL replaces.
const PLACEHOLDER: &str = "http://127.0.0.1:8080";

/// Returns the description as JSON, parsed once. Null only if the text is not valid YAML, which the tests exclude.
pub(crate) fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_norway::from_str(YAML).unwrap_or_default());
    &DOCUMENT
}

/// The description in both formats, serialized.
#[derive(Debug)]
pub(crate) struct OpenApi {
    json: Bytes,
    yaml: Bytes,
}

impl OpenApi {
    /// Builds the description of the API at `base_url`.
    pub(crate) fn at(base_url: &str) -> Self {
        let mut document = document().clone();
        document["servers"][0]["url"] = base_url.into();
        let yaml = YAML.replacen(PLACEHOLDER, base_url, 1);
        Self { json: document.to_string().into(), yaml: yaml.into() }
    }

    pub(crate) fn json(&self) -> Response {
        response(&self.json, "application/json")
    }

    pub(crate) fn yaml(&self) -> Response {
        response(&self.yaml, "application/yaml")
    }
}

fn response(content: &Bytes, media_type: &'static str) -> Response {
    let mut response = Response::new(content.clone().into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
