//! The JSON of the API: what records look like on the wire.
//!
//! Here, and only here, a shift is a *slot* and an organization a *team*. Everything is borrowed and written once.

mod error;
mod event;
mod slot;
mod team;

pub(crate) use error::{Message, PlanLimit, Validation};
pub(crate) use event::{EventPage, EventWithSlots};
pub(crate) use slot::{Slot, slots};
pub(crate) use team::Team;

use std::fmt;

use jiff::Timestamp;
use jiff::tz::Offset;
use serde::{Serialize, Serializer};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// The envelope of a single record, and of a collection that is not paginated.
#[derive(Debug, Serialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

/// An instant in UTC, `YYYY-MM-DDTHH:MM:SS+00:00`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl Instant {
    /// Its digits put into their places: an answer has dozens of instants, and formatting machinery takes longer for each
    /// than all else that is done for it.
    fn write_to(self, text: &mut [u8; 25]) -> &str {
        *text = *b"0000-00-00T00:00:00+00:00";
        let utc = Offset::UTC.to_datetime(self.0);
        let mut put = |at: usize, number: i16| {
            let number = number.unsigned_abs();
            text[at] = b'0' + (number / 10 % 10) as u8;
            text[at + 1] = b'0' + (number % 10) as u8;
        };
        put(0, utc.year() / 100);
        put(2, utc.year() % 100);
        for (at, number) in
            [(5, utc.month()), (8, utc.day()), (11, utc.hour()), (14, utc.minute()), (17, utc.second())]
        {
            put(at, number.into());
        }
        // Digits and marks only.
        std::str::from_utf8(text).unwrap_or_default()
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.write_to(&mut [0; 25]))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.write_to(&mut [0; 25]))
    }
}

/// An id of any record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id(pub(crate) Uuid);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = [0; Hyphenated::LENGTH];
        serializer.serialize_str(self.0.hyphenated().encode_lower(&mut text))
    }
}

/// Anything that is written as a string.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<T>(pub(crate) T);

impl<T: fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
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
}
