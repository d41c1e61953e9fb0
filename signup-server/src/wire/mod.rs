//! The JSON of the API and of the management commands: the wire format of records.
//!
//! The API calls a shift a *slot* and an organization a *team*. Serialization is most of the cost of a response, so
//! values are borrowed, and a derive writes field names as prepared bytes.

mod error;
mod event;
mod notice;
mod question;
mod signup;
mod slot;
mod team;
mod token;

pub(crate) use error::{Message, PlanLimit, Validation, field_name, predicate};
pub(crate) use event::{Event, EventList};
pub(crate) use notice::Notice;
pub(crate) use question::Question;
pub(crate) use signup::{Erasure, Signup, status};
pub(crate) use slot::{Slot, slots};
pub(crate) use team::Team;
pub(crate) use token::{NewToken, Token};

use std::fmt;
use std::io::{self, Write};

use jiff::Timestamp;
use jiff::tz::Offset;
use simd_json_derive::Serialize;
use uuid::Uuid;

/// The envelope of a single record, and of a collection that is not paginated.
#[derive(Debug)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

// Written by hand, because the derive does not add a bound on `T`.
impl<T: Serialize> Serialize for Data<T> {
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"{\"data\":")?;
        self.data.json_write(writer)?;
        writer.write_all(b"}")
    }
}

/// An instant in UTC, `YYYY-MM-DDTHH:MM:SS+00:00`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl Instant {
    /// Formats the instant as a JSON string.
    ///
    /// The digits are written by hand for speed: a response has dozens of instants, and `std::fmt` would take more time
    /// than all other work on an instant.
    fn quoted(self) -> [u8; 27] {
        let utc = Offset::UTC.to_datetime(self.0);
        let [y1, y2] = digits(utc.year() / 100);
        let [y3, y4] = digits(utc.year() % 100);
        let [[m1, m2], [d1, d2]] = [utc.month(), utc.day()].map(digits);
        let [[h1, h2], [n1, n2], [s1, s2]] = [utc.hour(), utc.minute(), utc.second()].map(digits);
        [
            b'"', y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2, b'+',
            b'0', b'0', b':', b'0', b'0', b'"',
        ]
    }
}

/// Returns the two digits of a number from 0 to 99.
fn digits(number: impl Into<i16>) -> [u8; 2] {
    let number = number.into().unsigned_abs();
    [number / 10, number % 10].map(|digit| b'0' + (digit % 10) as u8)
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Always valid UTF-8: all bytes are ASCII.
        let quoted = self.quoted();
        f.write_str(std::str::from_utf8(&quoted).unwrap_or_default().trim_matches('"'))
    }
}

impl Serialize for Instant {
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(&self.quoted())
    }
}

/// The id of a record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id(pub(crate) Uuid);

impl Serialize for Id {
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        let mut quoted = [b'"'; 38];
        self.0.hyphenated().encode_lower(&mut quoted[1..]);
        writer.write_all(&quoted)
    }
}

/// A text that may need JSON escapes. Most texts need none and take the fast path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl Serialize for Text<'_> {
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        // A fold has no early exit, so the compiler vectorizes the loop.
        let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
        if self.0.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
            return self.0.json_write(writer);
        }
        Plain([self.0]).json_write(writer)
    }
}

/// A text in parts that never need JSON escapes: URLs, slugs and names of zones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<'a, const PARTS: usize>(pub(crate) [&'a str; PARTS]);

impl<const PARTS: usize> Serialize for Plain<'_, PARTS> {
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\"")?;
        for part in self.0 {
            writer.write_all(part.as_bytes())?;
        }
        writer.write_all(b"\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_in_utc_with_an_offset_and_no_fraction() {
        for (second, text) in [
            (0, "1970-01-01T00:00:00+00:00"),
            (-50_400, "1969-12-31T10:00:00+00:00"),
            (1_804_379_696, "2027-03-07T00:34:56+00:00"),
            (253_370_764_799, "9998-12-31T23:59:59+00:00"),
        ] {
            assert_eq!(Instant(Timestamp::from_second(second).unwrap()).to_string(), text);
        }
    }

    #[test]
    fn a_text_has_the_same_json_escapes_as_in_serde_json() {
        // Vectorized code checks blocks of up to 32 bytes, and then the remaining bytes.
        let every_character = (0..=0x2028).filter_map(char::from_u32);
        for character in every_character {
            for before in [0, 10, 31, 32, 63] {
                for after in [0, 40] {
                    let text = format!("{}{character}{}", "x".repeat(before), "y".repeat(after));
                    let json = Text(&text).json_string().unwrap();
                    assert_eq!(json, serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    #[test]
    fn a_field_without_a_value_is_null() {
        assert_eq!(Data { data: None::<Instant> }.json_string().unwrap(), r#"{"data":null}"#);
    }
}
