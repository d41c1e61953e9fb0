//! The JSON of the API and of the management commands: the wire format of records.
//!
//! The API calls a shift a *slot* and an organization a *team*. Serialization is most of the cost of a response, so
//! values are borrowed from the records.

mod activity;
mod coverage;
mod error;
mod event;
mod notice;
mod operator_event;
mod page;
mod person;
mod question;
mod signup;
mod slot;
mod team;
mod token;
mod volunteer;
mod volunteer_data;
mod webhook;

pub(crate) use activity::{WebhookPayload, activity_page};
pub(crate) use coverage::{Coverage, coverage_page};
pub(crate) use error::{
    Conflict, ExternalIdTaken, MessageBody, MissingScope, PlanLimit, Validation, field_name,
};
pub(crate) use event::{Event, event_page};
pub(crate) use notice::Notice;
pub(crate) use operator_event::OperatorEvent;
pub(crate) use page::Page;
pub(crate) use person::{Invited, Member, Person};
pub(crate) use question::Question;
pub(crate) use signup::{Erasure, Signup, cancelled_by, signup_page};
pub(crate) use slot::{Slot, slots};
pub(crate) use team::{OperatorTeam, Team};
pub(crate) use token::{NewToken, Token, TokenUse};
pub(crate) use volunteer::volunteer_page;
pub(crate) use volunteer_data::VolunteerData;
pub(crate) use webhook::{Delivery, Webhook, delivery_page};

use std::fmt;

use jiff::Timestamp;
use jiff::tz::Offset;
use serde::{Serialize, Serializer, ser};
use uuid::Uuid;

/// The envelope of a single record, and of a collection that is not paginated.
#[derive(Debug, Serialize)]
pub(crate) struct Data<T> {
    pub(crate) data: T,
}

/// The answer to the deletion of a record.
#[derive(Debug, Serialize)]
pub(crate) struct Deletion {
    id: Uuid,
    deleted: bool,
}

impl Deletion {
    /// The names of the fields.
    pub(crate) const FIELDS: &'static [&'static str] = &["id", "deleted"];

    pub(crate) const fn new(id: Uuid) -> Self {
        Self { id, deleted: true }
    }
}

/// What a write would do.
#[derive(Debug, Serialize)]
pub(crate) struct Preview {
    preview: bool,
    mails: u32,
    changes: Vec<&'static str>,
}

impl Preview {
    pub(crate) fn new<T>(reply: signup_core::Reply<T>) -> Self {
        Self { preview: true, mails: reply.mails_queued, changes: reply.changes }
    }
}

/// An instant in UTC, `YYYY-MM-DDTHH:MM:SS+00:00`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl Instant {
    /// Formats the instant as ASCII.
    ///
    /// The digits are written by hand for speed: a response has dozens of instants, and `std::fmt` would take more time
    /// than all other work on an instant.
    fn ascii(self) -> [u8; 25] {
        let utc = Offset::UTC.to_datetime(self.0);
        let [y1, y2] = digits(utc.year() / 100);
        let [y3, y4] = digits(utc.year() % 100);
        let [[m1, m2], [d1, d2]] = [utc.month(), utc.day()].map(digits);
        let [[h1, h2], [n1, n2], [s1, s2]] = [utc.hour(), utc.minute(), utc.second()].map(digits);
        [
            y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, b'T', h1, h2, b':', n1, n2, b':', s1, s2, b'+', b'0',
            b'0', b':', b'0', b'0',
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
        // Never an error: ASCII is valid UTF-8.
        f.write_str(std::str::from_utf8(&self.ascii()).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Never an error: ASCII is valid UTF-8.
        serializer.serialize_str(std::str::from_utf8(&self.ascii()).map_err(ser::Error::custom)?)
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
    fn a_text_is_escaped_only_where_json_requires_an_escape() {
        let escaped = "\"\\\u{8}\t\n\u{c}\r\0\u{1b}\u{1f}";
        let json = serde_json::to_string(&Data { data: escaped }).unwrap();
        assert_eq!(json, r#"{"data":"\"\\\b\t\n\f\r\u0000\u001b\u001f"}"#);
        let verbatim = "/<>&'\u{7f}\u{85}é\u{2028}\u{2029}\u{feff}😀";
        let json = serde_json::to_string(&Data { data: verbatim }).unwrap();
        assert_eq!(json, format!(r#"{{"data":"{verbatim}"}}"#));
    }

    #[test]
    fn a_field_without_a_value_is_null() {
        let json = serde_json::to_string(&Data { data: None::<Instant> }).unwrap();
        assert_eq!(json, r#"{"data":null}"#);
    }
}
