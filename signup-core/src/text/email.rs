//! E-mail addresses: where volunteers are reached.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{TextError, check_line};

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
