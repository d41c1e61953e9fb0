//! HTTP answers, and the parts of them that tests check.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// An HTTP answer with its whole body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    pub(crate) fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    /// Returns the fields that a 422 names, in the order of the body.
    ///
    /// Panics on any other status, or if `message` is not the first error followed by the number of the other errors.
    pub(crate) fn fields(&self) -> Vec<String> {
        assert_eq!(self.status, 422, "{}", self.text);
        let body = self.json();
        let errors = body["errors"].as_object().unwrap();
        let fields: Vec<_> = errors.keys().cloned().collect();
        let first = errors[&fields[0]][0].as_str().unwrap();
        let others = match errors.values().map(|messages| messages.as_array().unwrap().len()).sum() {
            1_usize => String::new(),
            2 => " (and 1 more error)".to_owned(),
            count => format!(" (and {} more errors)", count - 1),
        };
        assert_eq!(body["message"], format!("{first}{others}"), "{}", self.text);
        fields
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.header("idempotent-replay") == Some("true")
    }
}
