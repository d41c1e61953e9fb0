//! Random values: API tokens, the secrets of links, the tails of slugs, and ids.
//!
//! A secret is 256 random bits from the operating system. A store keeps only its SHA-256, except that a queued notice
//! holds the secret of its link. At this entropy a digest cannot be brute-forced, so no slow hash is needed, and a
//! lookup is one index probe.
//!
//! **Invariant:** no other module reads a random source, and no secret is ever printed by `Debug`.

mod source;

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

#[cfg(any(test, feature = "conformance"))]
pub use source::seed_thread;
pub(crate) use source::{random, random_ratio};

use crate::text_form::{deserialize_text, from_text};
use crate::value_error::ValueError;

/// The prefix of every API token.
pub(crate) const TOKEN_PREFIX: &str = "signup_";

const SECRET_BYTES: usize = 32;
const SECRET_CHARACTERS: usize = 43;

/// 256 random bits, written as 43 characters of unpadded base64url.
///
/// A secret has no `Display`, so that no message and no log contains one by accident: [`reveal`](Self::reveal) returns
/// the text. It has `Serialize`, because a queued [`Notice`](crate::Notice) stores the secret of its link.
///
/// ```
/// use signup_core::Secret;
///
/// let secret = Secret::generate();
/// assert_eq!(secret.reveal().parse(), Ok(secret.clone()));
/// assert_eq!(format!("{secret:?}"), "Secret(…)");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Generates a secret.
    pub fn generate() -> Self {
        Self(URL_SAFE_NO_PAD.encode(random::<SECRET_BYTES>()))
    }

    /// Returns the secret in plain text, for the mail that carries it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the digest, which a store keeps.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl FromStr for Secret {
    type Err = ValueError;

    /// Parses a text that [`generate`](Self::generate) can have produced.
    fn from_str(text: &str) -> Result<Self, ValueError> {
        let is_secret = text.len() == SECRET_CHARACTERS
            && URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.len() == SECRET_BYTES);
        is_secret
            .then(|| Self(text.to_owned()))
            .ok_or(ValueError::Malformed { expected: "43 characters of base64url" })
    }
}

from_text!(Secret, TokenText);
deserialize_text!(Secret, TokenText);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// An API token in plain text: `signup_` and 43 characters of base64url.
///
/// A token has no `Display` and no `Serialize`, so that no message, log or record contains one by accident:
/// [`reveal`](Self::reveal) returns the text. It has `Deserialize`, so that a program can read it from its
/// configuration.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenText(String);

impl TokenText {
    /// Generates a token.
    pub fn generate() -> Self {
        Self(format!("{TOKEN_PREFIX}{}", Secret::generate().reveal()))
    }

    /// Returns the token in plain text, which is shown once, when the token is created.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the digest, which a store keeps: the SHA-256 of the whole text, prefix included.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl FromStr for TokenText {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        const MALFORMED: ValueError =
            ValueError::Malformed { expected: "signup_ and 43 characters of base64url" };
        let secret = text.strip_prefix(TOKEN_PREFIX).ok_or(MALFORMED)?;
        secret.parse::<Secret>().map(|_| Self(text.to_owned())).map_err(|_| MALFORMED)
    }
}

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText(signup_…)")
    }
}

/// The SHA-256 of a secret. It identifies the secret and does not reveal it.
///
/// Its text is 64 hexadecimal digits, read in any case and written in lower case. `Serialize` and `Deserialize` use the
/// 32 bytes, because records are stored in that form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Computes the digest of `text`.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// Creates a digest from its 32 bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for Digest {
    type Err = ValueError;

    fn from_str(digits: &str) -> Result<Self, ValueError> {
        const MALFORMED: ValueError = ValueError::Malformed { expected: "64 hexadecimal digits" };
        let half = |digit: u8| char::from(digit).to_digit(16);
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(MALFORMED);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            let value = half(*high).zip(half(*low)).map(|(high, low)| high << 4 | low);
            *byte = value.and_then(|value| u8::try_from(value).ok()).ok_or(MALFORMED)?;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

from_text!(Digest);

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({:02x}{:02x}…)", self.0[0], self.0[1])
    }
}

/// Generates an id for a record that is created at `now`: a UUIDv7.
///
/// The timestamp is followed by a counter of 34 bits with a random start (RFC 9562, 6.2, method 1), and by 40 random
/// bits. So ids of one process with equal timestamps sort in the order in which they were generated.
///
/// An id is not secret, so its random bits come from a generator in the process.
pub fn new_uuid(now: Timestamp) -> Uuid {
    let [_, _, _, c4, c3, c2, c1, c0] = source::count().to_be_bytes();
    let [r0, r1, r2, r3, r4] = source::guessable();
    // The version overwrites the upper half of the first byte. The variant overwrites the two upper bits of the third
    // byte.
    let spread = [c4 << 2 | c3 >> 6, c3 << 2 | c2 >> 6, c2 & 0x3f, c1, c0, r0, r1, r2, r3, r4];
    let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(millis, &spread).into_uuid()
}

/// Generates the tail of a slug: 8 random characters of `a-z2-9`, so that a slug cannot be guessed from its title.
///
/// There are 34⁸ ≈ 1.8 · 10¹² tails. `0` and `1` are omitted because they look like letters.
pub(crate) fn slug_tail() -> String {
    random_text(b"abcdefghijklmnopqrstuvwxyz23456789", 8)
}

/// Returns random characters of an alphabet of ASCII. Every character is equally likely.
pub(crate) fn random_text(alphabet: &[u8], length: usize) -> String {
    // Rejects bytes from the largest multiple of the alphabet's length on.
    let accepted = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let bytes = random::<16>().into_iter().map(usize::from).filter(|byte| *byte < accepted);
        let missing = length - text.len();
        text.extend(bytes.take(missing).map(|byte| char::from(alphabet[byte % alphabet.len()])));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_and_is_never_debug_printed() {
        let token = TokenText::generate();
        assert_eq!(token.reveal().parse(), Ok(token.clone()));
        assert_eq!(token.reveal().len(), 50);
        assert!(!format!("{token:?}").contains(&token.reveal()[7..]));
    }

    /// The digest of "abc" is the one of FIPS 180-2, appendix B.1.
    #[test]
    fn a_digest_is_the_sha_256_of_the_whole_text() {
        let hex: String = Digest::of("abc").0.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let token = TokenText::generate();
        assert_eq!(token.digest(), Digest::of(token.reveal()));
        let secret = Secret::generate();
        assert_eq!(secret.digest(), Digest::of(secret.reveal()));
    }

    #[test]
    fn a_malformed_token_is_refused() {
        let good = TokenText::generate();
        let good = good.reveal();
        for bad in
            [&good[7..], &good[..49], &format!("{good}A"), &good.replace("signup_", "Signup_"), "signup_", ""]
        {
            assert!(bad.parse::<TokenText>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_slug_tail_is_eight_characters_of_its_alphabet() {
        for _ in 0..1000 {
            let tail = slug_tail();
            assert_eq!(tail.len(), 8);
            assert!(tail.bytes().all(|b| b.is_ascii_lowercase() || (b'2'..=b'9').contains(&b)), "{tail}");
        }
    }

    #[test]
    fn ids_sort_in_the_order_of_their_generation() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut ids: Vec<_> = (0..100_000).map(|_| new_uuid(at(1_800_000_000))).collect();
        ids.push(new_uuid(at(1_800_000_001)));
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
    }
}
