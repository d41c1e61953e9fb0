//! Email addresses, compared as mailboxes.
//!
//! Spellings of one address differ in the case of ASCII letters, or in how the domain is written: in its own script, or in
//! ASCII (RFC 5891). An address keeps the spelling in which it was given, and has one [key](EmailAddress::key).
//!
//! **Invariant:** nothing compares or looks up an address by anything but its key, except to notice that a contact is spelled
//! anew. A mail goes to a stored address, and never to the spelling by which a request found it.

use std::fmt;
use std::str::FromStr;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};

use super::{TextError, check_line};
use crate::text_form::text_form;

/// An email address of at most 254 characters. Spellings of one mailbox are equal.
///
/// ```
/// use signup_core::EmailAddress;
///
/// let given: EmailAddress = "Ada@Müller.example".parse()?;
/// assert_eq!(given, "ada@xn--mller-kva.example".parse()?);
/// assert_eq!(given.as_str(), "Ada@Müller.example");
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Clone)]
pub struct EmailAddress {
    /// The address as it was given.
    text: String,
    /// The local part and the domain in lower-case ASCII.
    key: String,
}

impl EmailAddress {
    /// The maximum length in characters: the limit of a path in an SMTP envelope (RFC 5321, 4.5.3.1.3).
    pub const MAX: usize = 254;
    /// The maximum length of the part before the `@` (RFC 5321, 4.5.3.1.1).
    const MAX_USER: usize = 64;

    /// Trims and checks an address.
    ///
    /// # Errors
    /// Fails if `text` is blank, longer than [`MAX`](Self::MAX) characters, or not an address, or if its domain is not
    /// a host name of at least two labels. An IP address in any form is not a host name. Returns [`TextError::EmailUser`] if only
    /// the part before the `@` is wrong, because it has characters that are not ASCII.
    pub fn new(text: &str) -> Result<Self, TextError> {
        let text = text.trim();
        check_line(text, Self::MAX)?;
        let (user, domain) = text.rsplit_once('@').ok_or(TextError::Email)?;
        let domain = ascii_domain(domain).filter(|domain| is_host_name(domain)).ok_or(TextError::Email)?;
        // RFC 5321 allows a quoted local part with spaces or another @. Mail servers assign no such addresses, and few
        // accept them.
        if user.len() > Self::MAX_USER || !user.split('.').all(is_atom) {
            return Err(TextError::Email);
        }
        if !user.is_ascii() {
            return Err(TextError::EmailUser);
        }
        let key = format!("{}@{domain}", user.to_ascii_lowercase());
        check_line(&key, Self::MAX)?;
        Ok(Self { text: text.to_owned(), key })
    }

    /// Returns the part before the domain, as it was given.
    pub fn user(&self) -> &str {
        self.text.rsplit_once('@').map_or("", |(user, _)| user)
    }

    /// Returns the domain in lower-case ASCII, as mail servers write it.
    pub fn ascii_domain(&self) -> &str {
        self.key.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// Returns the address as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text by which addresses are compared: the local part and the domain in lower-case ASCII.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the key with the domain in its own script, which may be ASCII.
    pub(crate) fn readable_key(&self) -> String {
        let (user, domain) = self.key.rsplit_once('@').unwrap_or_default();
        let (readable, result) =
            Uts46::new().to_unicode(domain.as_bytes(), AsciiDenyList::STD3, Hyphens::Check);
        format!("{user}@{}", if result.is_ok() { &readable } else { domain })
    }
}

/// Returns a domain in lower-case ASCII. Normalizes and converts a domain in another script (UTS #46). `None` if it has no ASCII
/// form.
fn ascii_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() {
        return Some(domain.to_ascii_lowercase());
    }
    let (deny, length) = (AsciiDenyList::STD3, DnsLength::Verify);
    let ascii = Uts46::new().to_ascii(domain.as_bytes(), deny, Hyphens::Check, length);
    ascii.ok().map(std::borrow::Cow::into_owned)
}

/// Returns whether a domain is an ASCII host name of at least two labels (RFC 1123, 2.1), of at most 253 characters.
///
/// The last label must begin with a letter, because URL and host parsers read domains such as `1.2.3.4` and `example.0x1` as
/// IPv4 addresses.
///
/// ```
/// # use signup_core::is_host_name;
/// assert!(is_host_name("signup.example.org"));
/// assert!(!is_host_name("localhost") && !is_host_name("192.0.2.1"));
/// ```
#[must_use]
pub fn is_host_name(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_name = |last: &str| last.starts_with(|first: char| first.is_ascii_alphabetic());
    domain.len() <= 253
        && domain.split('.').all(is_label)
        && domain.rsplit_once('.').is_some_and(|(_, last)| is_name(last))
}

/// Returns whether a part of a local part between dots is an atom (RFC 5322, 3.2.3), apart from characters that are not ASCII.
fn is_atom(part: &str) -> bool {
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || !c.is_ascii() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    !part.is_empty() && part.chars().all(is_allowed)
}

impl PartialEq for EmailAddress {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for EmailAddress {}

impl FromStr for EmailAddress {
    type Err = TextError;

    /// Checks an address like [`new`](Self::new).
    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::new(text)
    }
}

text_form!(EmailAddress);

impl From<EmailAddress> for String {
    fn from(address: EmailAddress) -> Self {
        address.text
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> String {
        EmailAddress::new(text).unwrap().key().to_owned()
    }

    #[test]
    fn the_spellings_of_a_mailbox_have_one_key_and_keep_their_text() {
        for (expected, spellings) in [
            ("ada@example.org", &["Ada@Example.org", " ADA@EXAMPLE.ORG\n"][..]),
            ("mike@lakeside.example", &["MIKE@lakeside.example", "mike@la\u{212A}eside.example"]),
            (
                "ada@xn--mller-kva.example",
                &[
                    "ada@müller.example",
                    "Ada@MÜLLER.Example",
                    "ada@mu\u{308}ller.example",
                    "ada@ｍüller.example",
                    "ada@müller。example",
                    "ADA@XN--MLLER-KVA.EXAMPLE",
                ],
            ),
            ("ada@xn--strae-oqa.example", &["ada@straße.example", "ada@STRA\u{1E9E}E.example"]),
        ] {
            for text in spellings {
                let address = EmailAddress::new(text).unwrap();
                assert_eq!((address.key(), address.as_str()), (expected, text.trim()));
                assert_eq!(address, expected.parse().unwrap());
            }
        }
    }

    #[test]
    fn different_mailboxes_have_different_keys() {
        for (one, other) in [
            ("ada@muller.example", "ada@müller.example"),
            ("ada@strasse.example", "ada@straße.example"),
            ("ada@example.org", "ada@example.com"),
            ("a.da@example.org", "ada@example.org"),
            ("ada+tag@example.org", "ada@example.org"),
        ] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
    }

    #[test]
    fn a_local_part_is_ascii_before_anything_is_normalized() {
        for bad in [
            "mi\u{212A}e@riverside.example",
            "zoë@example.org",
            "zoe\u{308}@example.org",
            "ａda@example.org",
            "иван@почта.рф",
            "ada\u{200B}@example.org",
        ] {
            assert_eq!(EmailAddress::new(bad), Err(TextError::EmailUser), "{bad}");
        }
        for bad in ["zoë@localhost", "Zoë <zoe@example.org", "zoë..x@example.org"] {
            assert_eq!(EmailAddress::new(bad), Err(TextError::Email), "{bad}: the rest is wrong, too");
        }
    }

    #[test]
    fn a_local_part_has_at_most_64_characters_and_an_address_254_in_ascii() {
        assert!(EmailAddress::new(&format!("{}@example.org", "a".repeat(64))).is_ok());
        assert_eq!(EmailAddress::new(&format!("{}@example.org", "a".repeat(65))), Err(TextError::Email));
        let in_script = |labels: usize| format!("{}@{}org", "a".repeat(64), "üüüüüüüüüü.".repeat(labels));
        let longest = EmailAddress::new(&in_script(6)).unwrap();
        assert!(longest.key().len() <= EmailAddress::MAX, "{}", longest.key().len());
        assert_eq!(EmailAddress::new(&in_script(12)), Err(TextError::TooLong { max: EmailAddress::MAX }));
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
            ".ada@example.org",
            "ada.@example.org",
            "a..da@example.org",
            "a da@example.org",
            "ada@example.org\r\nBcc: b@example.org",
            "ada＠example.org",
        ] {
            assert!(EmailAddress::new(bad).is_err(), "{bad}");
        }
        assert!(EmailAddress::new(&format!("ada@{}.org", "a.".repeat(130))).is_err());
    }

    #[test]
    fn the_domain_is_a_host_name() {
        let of_labels = |count| format!("{}example.org", "a.".repeat(count));
        assert!(is_host_name(&of_labels(121)) && !is_host_name(&of_labels(122)), "253 characters at most");
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
}
