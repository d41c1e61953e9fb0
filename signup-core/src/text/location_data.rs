//! What a caller knows of an event's place beyond the fields of an event.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An object of free form that the service keeps and does not look into: at most 16 KiB written compactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LocationData(serde_json::Map<String, serde_json::Value>);

/// Why an object is refused as [`LocationData`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LocationDataError {
    /// More than 16 KiB of compact JSON.
    #[error("must not be greater than {} bytes as compact JSON", LocationData::MAX_BYTES)]
    TooLong,
    /// A key or a string, at some depth, contains U+0000.
    #[error("must not contain the character U+0000")]
    Nul,
}

impl LocationData {
    /// The most bytes of compact JSON: 16 KiB.
    pub const MAX_BYTES: usize = 16 * 1024;

    /// Checks `object`.
    ///
    /// # Errors
    /// If it is too long, or holds U+0000 at any depth.
    pub fn new(object: serde_json::Map<String, serde_json::Value>) -> Result<Self, LocationDataError> {
        if object.iter().any(|(key, value)| key.contains('\0') || holds_nul(value)) {
            return Err(LocationDataError::Nul);
        }
        let data = Self(object);
        if data.to_json().len() > Self::MAX_BYTES { Err(LocationDataError::TooLong) } else { Ok(data) }
    }

    /// The object as compact JSON.
    pub fn to_json(&self) -> String {
        serde_json::Value::Object(self.0.clone()).to_string()
    }
}

/// Whether U+0000 stands in a key or a string, at any depth.
fn holds_nul(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::String(text) => text.contains('\0'),
        serde_json::Value::Array(items) => items.iter().any(holds_nul),
        serde_json::Value::Object(map) => {
            map.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn location_data_refuses_u0000_at_any_depth_and_takes_the_text_about_it() {
        let parse = |text: &str| LocationData::new(serde_json::from_str(text).unwrap());
        assert_eq!(parse(r#"{"a":[{"b":"x\u0000"}]}"#), Err(LocationDataError::Nul));
        assert_eq!(parse(r#"{"a":{"\u0000":1}}"#), Err(LocationDataError::Nul));
        assert!(parse(r#"{"a":"\\u0000"}"#).is_ok());
    }

    #[test]
    fn location_data_is_bounded_as_compact_json() {
        let object = |length: usize| {
            LocationData::new([("a".to_owned(), "x".repeat(length).into())].into_iter().collect())
        };
        assert!(object(LocationData::MAX_BYTES - 8).is_ok());
        assert_eq!(object(LocationData::MAX_BYTES - 7), Err(LocationDataError::TooLong));
    }
}
