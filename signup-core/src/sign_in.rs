//! Signing in: the code that is mailed, and the session in a browser that follows from it.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::PersonId;
use crate::person::Person;
use crate::secret::{self, Digest, Secret};
use crate::text::{EmailAddress, TextError, is_blank};
use crate::text_form::{deserialize_text, from_text};

/// A code with which a person signs in: 8 random characters.
///
/// A code has no `Display`, so that no message and no log contains one by accident: [`reveal`](Self::reveal) returns the text. It
/// has `Serialize`, because the queued [`Notice`](crate::Notice) stores it.
///
/// A person may enter a code in upper case, and with or without white space. Every text that is not
/// blank parses. The sign-in compares it.
///
/// ```
/// use signup_core::Code;
///
/// let code = Code::generate();
/// let shown = code.grouped();
/// assert_eq!(shown.len(), 9);
/// assert_eq!(shown.to_uppercase().parse(), Ok(code.clone()));
/// assert_eq!(format!("{code:?}"), "Code(…)");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Code(String);

impl Code {
    /// The number of characters of a generated code.
    pub const LENGTH: usize = 8;
    /// The characters of a generated code: lower-case letters and digits, without those that look alike.
    pub const ALPHABET: &str = "abcdefghjkmnpqrstuvwxyz23456789";

    /// Generates a code. There are 31⁸ ≈ 8.5 · 10¹¹ codes.
    pub fn generate() -> Self {
        Self(secret::random_text(Self::ALPHABET.as_bytes(), Self::LENGTH))
    }

    /// Returns the code in plain text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the code in plain text as the mail shows it: two groups of four characters.
    pub fn grouped(&self) -> String {
        let (first, second) = self.0.split_at_checked(Self::LENGTH / 2).unwrap_or((&self.0, ""));
        format!("{first} {second}")
    }
}

impl FromStr for Code {
    type Err = TextError;

    /// Reads a code as a person enters it.
    fn from_str(text: &str) -> Result<Self, TextError> {
        if is_blank(text) {
            return Err(TextError::Blank);
        }
        Ok(Self(text.split_whitespace().collect::<String>().to_lowercase()))
    }
}

from_text!(Code);
deserialize_text!(Code);

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

/// A code that was asked for, whether or not a person has the address. The code itself is only in the [queued mail](crate::Notice).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignInCode {
    /// The digest of the secret of the browser that asked. A browser has one code, and a new one replaces it.
    pub browser: Digest,
    /// The address that was given. The code is mailed to the spelling of the person who has the address.
    pub email: EmailAddress,
    /// The [digest](Self::digest_of) of the code and the secret of the browser.
    pub digest: Digest,
    /// The number of wrong codes that were entered. [`MAX_TRIES`](Self::MAX_TRIES) after the code was used.
    pub tries: u32,
    /// The version, from 1. Each change adds 1, and so does each new code of the browser.
    pub version: u32,
    /// When the code stops working.
    pub expires_at: Timestamp,
}

impl SignInCode {
    /// How long a code works: 10 minutes.
    pub const LIFETIME: SignedDuration = SignedDuration::from_mins(10);
    /// How many codes may be entered. After that many wrong ones, no code works.
    pub const MAX_TRIES: u32 = 5;

    /// Creates the record of a code that is mailed at `now`.
    pub fn new(browser: &Secret, email: EmailAddress, code: &Code, now: Timestamp) -> Self {
        let expires_at = now.checked_add(Self::LIFETIME).unwrap_or(Timestamp::MAX);
        Self::of_digests(browser.digest(), email, Self::digest_of(browser, code), expires_at)
    }

    /// Creates the record from digests: a store does not have the secret and the code.
    pub const fn of_digests(
        browser: Digest,
        email: EmailAddress,
        digest: Digest,
        expires_at: Timestamp,
    ) -> Self {
        Self { browser, email, digest, tries: 0, version: 1, expires_at }
    }

    /// Returns whether the code works at `now`: it has not expired, and a try is left.
    pub fn works(&self, now: Timestamp) -> bool {
        now < self.expires_at && self.tries < Self::MAX_TRIES
    }

    /// Returns the digest of a code and of the secret of the browser that asked for it. So the code does not work in another
    /// browser.
    pub fn digest_of(browser: &Secret, code: &Code) -> Digest {
        Digest::of(&format!("{} {}", browser.reveal(), code.reveal()))
    }
}

/// A person who is signed in, in one browser. The browser has a secret, of which the record has only the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SignIn {
    /// The digest of the secret.
    pub digest: Digest,
    /// The person.
    pub person: PersonId,
    /// The [generation](Person::generation) of the person at the time.
    pub generation: u32,
    /// The version, from 1. Each change adds 1.
    pub version: u32,
    /// When the person entered a code, or accepted an invitation as somebody new.
    pub created_at: Timestamp,
    /// When the browser was last used, to [about a minute](Self::USE_PRECISION).
    pub used_at: Timestamp,
}

impl SignIn {
    /// How long a sign-in lasts without use: 14 days.
    pub const IDLE_LIFETIME: SignedDuration = SignedDuration::from_hours(14 * 24);
    /// How long a sign-in lasts at most: 60 days.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(60 * 24);
    /// How long a sign-in is recent: 15 minutes. Some permissions
    /// [require a recent sign-in](crate::Permission::requires_recent_sign_in).
    pub const RECENT: SignedDuration = SignedDuration::from_mins(15);
    /// The minimum time between two recorded uses: 1 minute.
    pub const USE_PRECISION: SignedDuration = SignedDuration::from_mins(1);

    /// Creates the record of a person who signs in at `now`.
    pub fn new(secret: &Secret, person: &Person, now: Timestamp) -> Self {
        Self { generation: person.generation, ..Self::of_digest(secret.digest(), person.id, now) }
    }

    /// Creates the record of the first generation from a digest: a store does not have the secret.
    pub const fn of_digest(digest: Digest, person: PersonId, created_at: Timestamp) -> Self {
        Self { digest, person, generation: 1, version: 1, created_at, used_at: created_at }
    }

    /// Returns whether a use at `used_at` is so much later than the last recorded one that it is recorded.
    pub fn is_use_to_record(&self, used_at: Timestamp) -> bool {
        used_at.duration_since(self.used_at) >= Self::USE_PRECISION
    }

    /// Returns whether the person has been signed out everywhere since.
    pub fn is_ended_by(&self, person: &Person) -> bool {
        self.person == person.id && self.generation != person.generation
    }

    /// Returns when the sign-in ends if it is not used again.
    pub fn expires_at(&self) -> Timestamp {
        let after = |from: Timestamp, life| from.checked_add(life).unwrap_or(Timestamp::MAX);
        after(self.used_at, Self::IDLE_LIFETIME).min(after(self.created_at, Self::LIFETIME))
    }

    /// Returns the last instant at which the sign-in is [recent](Self::RECENT).
    pub fn recent_until(&self) -> Timestamp {
        self.created_at.checked_add(Self::RECENT).unwrap_or(Timestamp::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_eight_characters_of_its_alphabet_in_two_groups() {
        for _ in 0..1000 {
            let code = Code::generate();
            let (first, second) =
                code.grouped().split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
            assert_eq!((first.len(), second.len()), (4, 4));
            assert_eq!(code.reveal(), first.clone() + &second);
            assert!(
                code.reveal().chars().all(|found| "abcdefghjkmnpqrstuvwxyz23456789".contains(found)),
                "{code:?}"
            );
        }
    }
}
