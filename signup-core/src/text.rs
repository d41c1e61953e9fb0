//! Checked strings: each has its bounds in its type, and is checked once, where it comes in.
//!
//! Lengths count Unicode scalar values, not bytes. U+0000 is refused everywhere: one of the databases cannot hold it, and
//! the other would cut the text there.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a text is refused. Reads as the end of a sentence: "The title field …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TextError {
    /// Nothing but white space.
    #[error("must not be empty")]
    Blank,
    /// Longer than allowed.
    #[error("must not be greater than {max} characters")]
    TooLong {
        /// The most characters that are allowed.
        max: usize,
    },
    /// Contains U+0000.
    #[error("must not contain the character U+0000")]
    Nul,
    /// Contains a line break or another control character where one line is meant.
    #[error("must be one line without control characters")]
    Control,
    /// Not an e-mail address.
    #[error("must be an e-mail address, such as ada@example.org")]
    Email,
}

/// Whether a text holds nothing but white space; such a text counts as null in a nullable field.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

fn check(text: &str, max: usize) -> Result<(), TextError> {
    if is_blank(text) {
        return Err(TextError::Blank);
    }
    if text.contains('\0') {
        return Err(TextError::Nul);
    }
    // Bytes bound characters from above: the count is made only when it matters.
    if text.len() > max && text.chars().count() > max {
        return Err(TextError::TooLong { max });
    }
    Ok(())
}

fn check_line(text: &str, max: usize) -> Result<(), TextError> {
    check(text, max)?;
    if text.chars().any(char::is_control) { Err(TextError::Control) } else { Ok(()) }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $max:literal, $normal:expr, $check:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The most characters it may have.
            pub const MAX: usize = $max;

            /// Checks `text`.
            ///
            /// # Errors
            /// If it is blank, longer than [`MAX`](Self::MAX) characters, or holds a character that is not allowed.
            pub fn new(text: &str) -> Result<Self, TextError> {
                Ok(Self(Self::checked(text)?.to_owned()))
            }

            /// The text as it is kept.
            fn checked(text: &str) -> Result<&str, TextError> {
                let normal: fn(&str) -> &str = $normal;
                let text = normal(text);
                $check(text, Self::MAX)?;
                Ok(text)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;

            fn try_from(text: String) -> Result<Self, TextError> {
                let kept = Self::checked(&text)?.len();
                if kept == text.len() { Ok(Self(text)) } else { Self::new(&text) }
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

texts! {
    /// The title of an event or a shift: 1 to 255 characters after trimming, kept trimmed.
    Title: 255, str::trim, check;
    /// What an event is about: 1 to 65,535 characters, kept as given. Never rendered as Markdown.
    Description: 65_535, |text| text, check;
    /// Where an event is: a street address or, for a virtual event, a URL; 1 to 2,048 characters, kept as given.
    EventLocation: 2_048, |text| text, check;
    /// Where a shift is: 1 to 255 characters, kept as given.
    ShiftLocation: 255, |text| text, check;
    /// A word or two shown as a badge on the public page: 1 to 255 characters, kept as given.
    BadgeLabel: 255, |text| text, check;
    /// The name of an organization, a token, or a sport: 1 to 255 characters on one line, kept trimmed.
    Name: 255, str::trim, check_line;
    /// The name of a volunteer: 1 to 255 characters on one line, kept trimmed. Safe in the header of a mail.
    PersonName: 255, str::trim, check_line;
    /// What a question asks, or an option of it: 1 to 255 characters on one line, kept trimmed.
    Label: 255, str::trim, check_line;
    /// A web address: 1 to 2,048 characters on one line, kept trimmed.
    WebAddress: 2_048, str::trim, check_line;
    /// What a volunteer answered: 1 to 2,048 characters, kept trimmed.
    AnswerText: 2_048, str::trim, check;
}

/// An e-mail address of at most 254 characters. Two that differ only in case are the same person's.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The most characters it may have: what fits into the path of an SMTP envelope (RFC 5321, 4.5.3.1.3).
    pub const MAX: usize = 254;

    /// Checks `text`, without the white space around it.
    ///
    /// # Errors
    /// If it is blank, longer than [`MAX`](Self::MAX) characters, or not an address with a domain name.
    pub fn new(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        check_line(text, Self::MAX)?;
        let options = email_address::Options::default()
            .with_required_tld()
            .without_domain_literal()
            .without_display_text();
        email_address::EmailAddress::parse_with_options(text, options).map_err(|_| TextError::Email)?;
        // What RFC 5321 allows in quotation marks (spaces, another @) no mail server gives to anybody, and few take.
        if text.contains('"') {
            return Err(TextError::Email);
        }
        Ok(Self(text.to_owned()))
    }

    /// The address as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address by which people are told apart: lower case throughout.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl PartialEq for EmailAddress {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for EmailAddress {}

impl TryFrom<String> for EmailAddress {
    type Error = TextError;

    fn try_from(text: String) -> Result<Self, TextError> {
        Self::new(&text)
    }
}

impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> Self {
        address.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

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
    fn a_title_is_kept_trimmed_and_counted_in_characters() {
        assert_eq!(Title::new("  Food drive\n").unwrap().as_str(), "Food drive");
        assert!(Title::new(&"é".repeat(255)).is_ok());
        assert_eq!(Title::new(&"é".repeat(256)), Err(TextError::TooLong { max: 255 }));
        assert_eq!(Title::new(" \u{2003}\t"), Err(TextError::Blank));
        assert_eq!(Title::new("a\0b"), Err(TextError::Nul));
    }

    #[test]
    fn other_text_is_kept_as_given() {
        assert_eq!(Description::new("  two\nlines ").unwrap().as_str(), "  two\nlines ");
    }

    #[test]
    fn a_persons_name_cannot_start_a_new_header() {
        assert_eq!(PersonName::new("Ada\r\nBcc: all@example.org"), Err(TextError::Control));
    }

    #[test]
    fn addresses_that_differ_only_in_case_are_one() {
        assert_eq!(
            EmailAddress::new("Ada@Example.org").unwrap(),
            EmailAddress::new("ada@example.ORG").unwrap()
        );
    }

    #[test]
    fn what_is_not_an_address_is_refused() {
        for bad in [
            "",
            "ada",
            "ada@",
            "@example.org",
            "ada@localhost",
            "Ada <ada@example.org>",
            "a@b@c.org",
            "a@[::1]",
            "\"a b\"@example.org",
            "\"a@b\"@example.org",
        ] {
            assert!(EmailAddress::new(bad).is_err(), "{bad}");
        }
        assert!(EmailAddress::new(&format!("ada@{}.org", "a.".repeat(130))).is_err());
    }

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
