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

/// The envelope of a single record, and of a collection that is not paginated.
#[derive(Debug, Serialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

/// An instant in UTC, `YYYY-MM-DDTHH:MM:SS+00:00`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utc = Offset::UTC.to_datetime(self.0);
        let (year, month, day) = (utc.year(), utc.month(), utc.day());
        let (hour, minute, second) = (utc.hour(), utc.minute(), utc.second());
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00")
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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
        for (second, text) in [(0, "1970-01-01T00:00:00+00:00"), (-50_400, "1969-12-31T10:00:00+00:00")] {
            assert_eq!(Instant(Timestamp::from_second(second).unwrap()).to_string(), text);
        }
    }
}
