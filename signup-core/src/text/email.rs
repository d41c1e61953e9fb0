//! Email addresses of volunteers.
//!
//! The domain of a new address is a host name. [`EmailAddress::stored`] reads addresses from records, and also accepts
//! every address that an earlier version accepted. So records stay readable after a stricter rule for new addresses.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{TextError, check_line};
use crate::text_form::text_form;

/// An email address of at most 254 characters. Addresses that differ only in case are equal.
#[derive(Clone)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The maximum length in characters: the limit of a path in an SMTP envelope (RFC 5321, 4.5.3.1.3).
    pub const MAX: usize = 254;

    /// Trims and checks a new address.
    ///
    /// # Errors
    /// Fails if `text` is blank, longer than [`MAX`](Self::MAX) characters, or not an address, or if its domain is not
    /// a host name of at least two labels. An IP address in any form is not a host name.
    pub fn new(text: &str) -> Result<Self, TextError> {
        let address = Self::stored(text)?;
        let has_host = is_host_name(address.domain()) && address.ascii_domain().is_some();
        if has_host { Ok(address) } else { Err(TextError::Email) }
    }

    /// Reads an address from a record. Accepts every address that [`new`](Self::new) accepts now or accepted in an
    /// earlier version.
    ///
    /// # Errors
    /// Fails if `text` is blank, longer than [`MAX`](Self::MAX) characters, or not an address with a domain of at least
    /// two labels.
    pub fn stored(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        check_line(text, Self::MAX)?;
        let options = email_address::Options::default()
            .with_required_tld()
            .without_domain_literal()
            .without_display_text();
        email_address::EmailAddress::parse_with_options(text, options).map_err(|_| TextError::Email)?;
        // RFC 5321 allows a quoted local part with spaces or another @. Mail servers assign no such addresses, and few
        // accept them.
        if text.contains('"') {
            return Err(TextError::Email);
        }
        Ok(Self(text.to_owned()))
    }

    /// Deserializes the field of a record by [`stored`](Self::stored).
    pub(crate) fn deserialize_stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::stored(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }

    /// Returns the part before the domain.
    pub fn user(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(user, _)| user)
    }

    /// Returns the domain in lower-case ASCII, as mail servers write it. Converts a domain in another script (RFC
    /// 5891).
    ///
    /// Returns `None` if the domain has no ASCII form. Only an address that an earlier version stored has such a
    /// domain.
    pub fn ascii_domain(&self) -> Option<String> {
        let domain = self.domain();
        if domain.is_ascii() {
            return Some(domain.to_ascii_lowercase());
        }
        let ascii = idna::uts46::Uts46::new().to_ascii(
            domain.as_bytes(),
            idna::AsciiDenyList::STD3,
            idna::uts46::Hyphens::Check,
            idna::uts46::DnsLength::Verify,
        );
        ascii.ok().map(std::borrow::Cow::into_owned)
    }

    fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// Returns the address as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address in lower case, by which addresses are compared.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

/// Returns whether the labels of an address's domain are those of a host name (RFC 1123, 2.1).
///
/// The address parser has already refused labels that are empty, too long, or begin or end with a hyphen. Letters of
/// other scripts are accepted: mail servers convert them to ASCII. The last label must begin with a letter, because URL
/// and host parsers read domains such as `1.2.3.4` and `example.0x1` as IPv4 addresses.
fn is_host_name(domain: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || matches!(c, '-' | '.');
    let last = domain.rsplit('.').next().unwrap_or_default();
    domain.chars().all(is_allowed) && last.starts_with(char::is_alphabetic)
}

impl PartialEq for EmailAddress {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for EmailAddress {}

impl FromStr for EmailAddress {
    type Err = TextError;

    /// Checks a new address like [`new`](Self::new).
    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::new(text)
    }
}

text_form!(EmailAddress);

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
    fn addresses_that_differ_only_in_case_are_equal() {
        assert_eq!(
            EmailAddress::new("Ada@Example.org").unwrap(),
            EmailAddress::new("ada@example.ORG").unwrap()
        );
    }

    #[test]
    fn a_malformed_address_is_refused() {
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
    fn the_domain_of_a_new_address_is_a_host_name() {
        let longest = format!("ada@{}.org", "a".repeat(63));
        for good in [
            "ada@example.org",
            "ada@3com.com",
            "ada@1.2.3.4.example.org",
            "ada@0x1.example",
            "ada@a-b.c--d.org",
            "ada@xn--bcher-kva.example",
            "ada@example.xn--p1ai",
            "ada@bücher.example",
            "ada@почта.рф",
            "ada@डाक.भारत",
            &longest,
        ] {
            assert!(EmailAddress::new(good).is_ok(), "{good}");
        }
        let too_long = format!("ada@{}.org", "a".repeat(64));
        for bad in [
            "a@1.2.3.4",
            "e@1.2.3.4.5",
            "a@example.1",
            "x@example.0x1",
            "x@example.0x",
            "x@example.0X1F",
            "x@1.0x7f000001",
            "a@example.１２",
            "a@example.①",
            "a@ex_ample.org",
            "a@exam%70le.org",
            "a@ex+ample.org",
            "a@bü_cher.org",
            "a@-example.org",
            "a@example-.org",
            "a@example.org.",
            "a@example..org",
            &too_long,
        ] {
            assert_eq!(EmailAddress::new(bad), Err(TextError::Email), "{bad}");
        }
    }

    #[test]
    fn an_address_accepted_by_an_earlier_version_is_read_from_a_record() {
        for old in ["a@1.2.3.4", "e@1.2.3.4.5", "x@example.0x1", "a@ex_ample.org", "ada@example.org"] {
            assert_eq!(EmailAddress::stored(old).unwrap().as_str(), old);
        }
        for bad in ["", "ada", "ada@localhost", "\"a b\"@example.org", "a@example.org\r\nBcc: b@example.org"]
        {
            assert!(EmailAddress::stored(bad).is_err(), "{bad}");
        }
    }
}
