//! Location data: a JSON object about an event's place that the service stores and copies for the caller.
//!
//! `new`, `FromStr` and `Deserialize` check the same bounds. The bound on the depth keeps every record that contains
//! location data within the 127 levels that `serde_json` reads.
//!
//! **Invariant:** no check recurses deeper than [`LocationData::MAX_DEPTH`] levels, so no input overflows the stack.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::text_form::from_text;

/// A JSON object of any content: at most 16 KiB as compact JSON, and at most 100 levels deep.
///
/// Its text is JSON. `Serialize` and `Deserialize` use the object itself, not its text.
///
/// ```
/// use signup_core::LocationData;
///
/// let data: LocationData = r#"{"place": {"floor": 3}}"#.parse()?;
/// assert_eq!(data.to_json(), r#"{"place":{"floor":3}}"#);
/// # Ok::<(), signup_core::LocationDataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct LocationData(Map<String, Value>);

/// Why an object is refused as [`LocationData`]. The message is the predicate of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LocationDataError {
    /// The text is not JSON, or not an object.
    #[error("must be a valid JSON object")]
    NotAnObject,
    /// More than 100 levels of objects and lists.
    #[error("must not be nested more than {} levels deep", LocationData::MAX_DEPTH)]
    TooDeep,
    /// A number at some depth is out of the range of a double.
    #[error("must not contain a number beyond ±{:e}", f64::MAX)]
    NumberOutOfRange,
    /// More than 16 KiB of compact JSON.
    #[error("must not be longer than {} bytes as compact JSON", LocationData::MAX_BYTES)]
    TooLong,
    /// A key or a string at some depth contains U+0000.
    #[error("must not contain the character U+0000")]
    Nul,
}

impl LocationData {
    /// The maximum length as compact JSON: 16 KiB.
    pub const MAX_BYTES: usize = 16 * 1024;
    /// The maximum depth of nested objects and lists. The object itself is the first level.
    pub const MAX_DEPTH: usize = 100;

    /// Checks `object`.
    ///
    /// # Errors
    /// Fails if `object` is too deep or too long, or contains U+0000 at any depth.
    pub fn new(object: Map<String, Value>) -> Result<Self, LocationDataError> {
        check_members(&object, Self::MAX_DEPTH)?;
        let data = Self(object);
        if data.to_json().len() > Self::MAX_BYTES { Err(LocationDataError::TooLong) } else { Ok(data) }
    }

    /// Returns whether two objects have equal values. Numbers are equal if they are equal as IEEE 754 doubles, so `1` equals
    /// `1.0`. The operator `==` compares the stored form instead.
    pub fn has_same_value(&self, other: &Self) -> bool {
        same_members(&self.0, &other.0)
    }

    /// Returns the object as compact JSON.
    pub fn to_json(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }
}

fn same_members(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let is_same =
        |(name, value): (&String, &Value)| other.get(name).is_some_and(|found| is_same(value, found));
    one.len() == other.len() && one.iter().all(is_same)
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => same_members(one, other),
        (one, other) => one == other,
    }
}

impl FromStr for LocationData {
    type Err = LocationDataError;

    /// Parses JSON text and checks the object like [`new`](Self::new). A text that is certainly too long, too deep or out of range
    /// is not parsed.
    fn from_str(json: &str) -> Result<Self, LocationDataError> {
        scan(json)?;
        serde_json::from_str(json).map_or(Err(LocationDataError::NotAnObject), Self::new)
    }
}

impl fmt::Display for LocationData {
    /// Writes the object as compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

from_text!(LocationData);

impl<'de> Deserialize<'de> for LocationData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Checks an object that may have at most `levels` levels, its own included.
fn check_members(object: &Map<String, Value>, levels: usize) -> Result<(), LocationDataError> {
    let below = levels.checked_sub(1).ok_or(LocationDataError::TooDeep)?;
    object.iter().try_for_each(|(key, value)| {
        check_text(key)?;
        check_value(value, below)
    })
}

/// Checks a value that may have at most `levels` levels.
fn check_value(value: &Value, levels: usize) -> Result<(), LocationDataError> {
    match value {
        Value::String(text) => check_text(text),
        Value::Array(items) => {
            let below = levels.checked_sub(1).ok_or(LocationDataError::TooDeep)?;
            items.iter().try_for_each(|item| check_value(item, below))
        }
        Value::Object(object) => check_members(object, levels),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_text(text: &str) -> Result<(), LocationDataError> {
    if text.contains('\0') { Err(LocationDataError::Nul) } else { Ok(()) }
}

/// Checks what a scan of the text can tell, valid JSON or not. The error of `serde_json` tells these causes apart only by its
/// wording, and a parsed value takes many times the memory of its text.
///
/// The length is a lower bound of that as compact JSON: white space counts as nothing, a number as one digit, and a string as if
/// each character were an escape.
fn scan(json: &str) -> Result<(), LocationDataError> {
    const LONGEST_ESCAPE: usize = r"\u0041".len();
    let (mut depth, mut deepest, mut is_out_of_range, mut least) = (0_usize, 0, false, 0);
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        least += 1;
        match first {
            '"' => {
                length = string_length(rest);
                least += length / LONGEST_ESCAPE;
            }
            '-' | '0'..='9' => {
                length = number_length(rest);
                is_out_of_range |= rest[..length].parse().is_ok_and(f64::is_infinite);
            }
            '{' | '[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            '}' | ']' => depth = depth.saturating_sub(1),
            ' ' | '\t' | '\n' | '\r' => least -= 1,
            _ => {}
        }
        rest = &rest[length..];
    }
    if deepest > LocationData::MAX_DEPTH {
        Err(LocationDataError::TooDeep)
    } else if is_out_of_range {
        Err(LocationDataError::NumberOutOfRange)
    } else if least > LocationData::MAX_BYTES {
        Err(LocationDataError::TooLong)
    } else {
        Ok(())
    }
}

/// Returns the length in bytes of the string at the start of `json`, both quotation marks included.
fn string_length(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(json.len(), |end| end + 2)
}

/// Returns the length in bytes of the number at the start of `json`.
fn number_length(json: &str) -> usize {
    json.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(json.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns JSON of an object with `levels` levels, objects and lists alternating.
    fn nested(levels: usize) -> String {
        let begins = ["{\"a\":", "["].into_iter().cycle().take(levels).collect::<String>();
        let ends = ["}", "]"].into_iter().cycle().take(levels).collect::<Vec<_>>();
        format!("{begins}1{}", ends.into_iter().rev().collect::<String>())
    }

    #[test]
    fn u0000_is_refused_at_any_depth_and_its_escaped_spelling_is_accepted() {
        let parse = |text: &str| text.parse::<LocationData>();
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
        let parse = |value: &str| format!("{{\"a\": {value}}}").parse::<LocationData>();
        let zeros = |count| format!("[0{}]", ",0".repeat(count));
        assert_eq!(parse(&zeros(8192)), Err(LocationDataError::TooLong));
        let escapes = "\\u0041".repeat(LocationData::MAX_BYTES - 8);
        let digits = format!("1.{}", "0".repeat(LocationData::MAX_BYTES));
        for value in [zeros(8187), format!("\"{escapes}\""), digits, format!("{:20000}", 1)] {
            assert!(parse(&value).is_ok(), "{}", &value[..20]);
        }
    }

    #[test]
    fn every_constructor_refuses_more_than_100_levels() {
        let object = |levels| serde_json::from_str(&nested(levels)).unwrap();
        assert!(LocationData::new(object(100)).is_ok());
        assert_eq!(LocationData::new(object(101)), Err(LocationDataError::TooDeep));
        assert!(nested(100).parse::<LocationData>().is_ok());
        assert_eq!(nested(101).parse::<LocationData>(), Err(LocationDataError::TooDeep));
        assert!(serde_json::from_str::<LocationData>(&nested(100)).is_ok());
        let error = serde_json::from_str::<LocationData>(&nested(101)).unwrap_err();
        assert!(error.to_string().starts_with("must not be nested more than 100 levels deep"), "{error}");
    }

    #[test]
    fn a_deep_text_is_refused_without_a_stack_overflow() {
        for levels in [127, 128, 129, 1_000_000] {
            assert_eq!(nested(levels).parse::<LocationData>(), Err(LocationDataError::TooDeep), "{levels}");
        }
    }

    #[test]
    fn a_number_out_of_the_range_of_a_double_has_its_own_error_at_any_depth() {
        for json in
            [r#"{"a":1e400}"#, r#"{"a":[{"\"[b":[-1e99999999999]}]}"#, &format!("{{\"a\":{:0<400}}}", 1)]
        {
            assert_eq!(json.parse::<LocationData>(), Err(LocationDataError::NumberOutOfRange), "{json}");
        }
        for json in
            [r#"{"a":1e308}"#, r#"{"a":-1.7976931348623157e308}"#, r#"{"a":1e-400}"#, r#"{"a":"1e400"}"#]
        {
            assert!(json.parse::<LocationData>().is_ok(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_stored_exactly(number in any::<f64>()) {
            prop_assume!(number.is_finite());
            let json = format!("{{\"a\":{number:e}}}");
            let read = serde_json::to_value(json.parse::<LocationData>().unwrap()).unwrap();
            prop_assert_eq!(read["a"].as_f64().map(f64::to_bits), Some(number.to_bits()));
        }
    }

    #[test]
    fn a_text_that_is_not_an_object_has_its_own_error() {
        for json in ["", "1", "[]", "null", "{", "{\"a\":\"\\ud800\"}", "{\"a\":\"1e400", "{\"é\":é}"] {
            assert_eq!(json.parse::<LocationData>(), Err(LocationDataError::NotAnObject), "{json}");
        }
    }

    #[test]
    fn equal_numbers_in_two_spellings_are_the_same_value() {
        let read = |json: &str| json.parse::<LocationData>().unwrap();
        let one = read(r#"{"a": [1, {"b": 2}], "c": null}"#);
        assert!(one.has_same_value(&read(r#"{"c": null, "a": [1.0, {"b": 2e0}]}"#)));
        for other in
            [r#"{"a": [1, {"b": 3}], "c": null}"#, r#"{"a": [1, {"b": 2}]}"#, r#"{"a": [1], "c": null}"#]
        {
            assert!(!one.has_same_value(&read(other)), "{other}");
        }
    }
}
