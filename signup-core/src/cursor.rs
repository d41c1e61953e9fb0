//! Cursors: a [`Position`] in a list as an opaque text, for callers in another process.
//!
//! The first byte is a version, so that the format can change. The last 16 bytes are a checksum, domain-separated by a fixed
//! prefix. The checksum detects cursors that were altered or are of another kind of record.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use uuid::Uuid;

use crate::id::{ActivityId, DeliveryId, EventId, SignupId};
use crate::secret::Digest;
use crate::store::{CoverageKey, EventKey, EventOrder, Position, Side, VolunteerKey};
use crate::text::EmailAddress;
use crate::text_form::text_form;
use crate::value_error::ValueError;

/// The first byte of each cursor.
const VERSION: u8 = 1;
const CHECK: usize = 16;

/// The text is not a cursor of this service, or is a cursor of another list or another order.
pub(crate) const MALFORMED: ValueError =
    ValueError::Malformed { expected: "a cursor of an earlier page, unaltered" };

/// A sort key that a cursor can hold.
trait CursorKey: Sized {
    /// The list of the key. The cursor of another list is refused.
    const LIST: &'static str;

    /// Returns the bytes in a cursor.
    fn to_bytes(&self) -> Vec<u8>;

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl CursorKey for EventKey {
    const LIST: &'static str = "signup list cursor";

    fn to_bytes(&self) -> Vec<u8> {
        let order = match self.order {
            EventOrder::Latest => 0,
            EventOrder::Soonest => 1,
        };
        [&[order][..], &self.starts_at.as_second().to_be_bytes(), self.id.uuid().as_bytes()].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (order, bytes) = match bytes {
            [0, bytes @ ..] => (EventOrder::Latest, bytes),
            [1, bytes @ ..] => (EventOrder::Soonest, bytes),
            _ => return None,
        };
        let (seconds, id) = bytes.split_first_chunk::<8>()?;
        let starts_at = Timestamp::from_second(i64::from_be_bytes(*seconds)).ok()?;
        Some(Self { order, starts_at, id: EventId::new(Uuid::from_slice(id).ok()?) })
    }
}

impl CursorKey for CoverageKey {
    const LIST: &'static str = "signup list cursor of coverage";

    fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        EventKey::from_bytes(bytes).map(Self)
    }
}

/// Implements the cursors of lists that are sorted by an id.
macro_rules! ids {
    ($($id:ty => $list:literal;)+) => {$(
        impl CursorKey for $id {
            const LIST: &'static str = $list;

            fn to_bytes(&self) -> Vec<u8> {
                self.uuid().as_bytes().to_vec()
            }

            fn from_bytes(bytes: &[u8]) -> Option<Self> {
                Some(Self::new(Uuid::from_slice(bytes).ok()?))
            }
        }
    )+};
}

impl CursorKey for VolunteerKey {
    const LIST: &'static str = "signup list cursor of volunteers";

    fn to_bytes(&self) -> Vec<u8> {
        let name = self.name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
        format!("{name}{}", self.email.key()).into()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok()?;
        // No address and no sort key has a space.
        let (name, email) =
            text.split_once(' ').map_or((None, text), |(name, email)| (Some(name.to_owned()), email));
        Some(Self { name, email: EmailAddress::new(email).ok()? })
    }
}

ids! {
    SignupId => "signup list cursor of sign-ups";
    ActivityId => "signup list cursor of activity";
    DeliveryId => "signup list cursor of deliveries";
}

/// Implements the text of positions: a cursor.
macro_rules! cursors {
    ($($key:ty),+ $(,)?) => {$(
        impl fmt::Display for Position<$key> {
            /// Writes the position as a cursor: version, side, sort key and checksum as base64url.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&seal(self))
            }
        }

        impl FromStr for Position<$key> {
            type Err = ValueError;

            /// Reads a cursor that `Display` wrote. An altered cursor, or one of another list, is an error.
            fn from_str(cursor: &str) -> Result<Self, ValueError> {
                open(cursor)
            }
        }

        text_form!(Position<$key>);
    )+};
}

cursors!(EventKey, CoverageKey, SignupId, VolunteerKey, ActivityId, DeliveryId);

fn seal<K: CursorKey>(position: &Position<K>) -> String {
    let side = match position.side {
        Side::Below => 0,
        Side::Above => 1,
    };
    let mut bytes = [&[VERSION, side], &*position.key.to_bytes()].concat();
    bytes.extend(checksum(K::LIST, &bytes));
    URL_SAFE_NO_PAD.encode(bytes)
}

fn open<K: CursorKey>(cursor: &str) -> Result<Position<K>, ValueError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| MALFORMED)?;
    let (content, check) = bytes.split_last_chunk::<CHECK>().ok_or(MALFORMED)?;
    if checksum(K::LIST, content) != *check {
        return Err(MALFORMED);
    }
    let (side, key) = match content {
        [VERSION, 0, key @ ..] => (Side::Below, key),
        [VERSION, 1, key @ ..] => (Side::Above, key),
        _ => return Err(MALFORMED),
    };
    Ok(Position { key: K::from_bytes(key).ok_or(MALFORMED)?, side })
}

fn checksum(list: &str, content: &[u8]) -> [u8; CHECK] {
    let digest = Digest::of(&format!("{list} {}", URL_SAFE_NO_PAD.encode(content)));
    let mut check = [0; CHECK];
    check.copy_from_slice(&digest.as_bytes()[..CHECK]);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    type EventPosition = Position<EventKey>;

    fn position() -> EventPosition {
        let id = EventId::new(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));
        let starts_at = Timestamp::from_second(1_800_000_000).unwrap();
        Position { key: EventKey { order: EventOrder::Latest, starts_at, id }, side: Side::Above }
    }

    #[test]
    fn a_cursor_reads_back_the_position() {
        for side in [Side::Above, Side::Below] {
            for &order in EventOrder::ALL {
                let key = EventKey { order, ..position().key };
                assert_eq!(Position { key, side }.to_string().parse(), Ok(Position { key, side }));
                let key = CoverageKey(key);
                assert_eq!(Position { key, side }.to_string().parse(), Ok(Position { key, side }));
            }
            for address in ["ada@example.org".to_owned(), format!("Ada@{}", ["müller"; 16].join("."))] {
                for name in [None, Some("00ff".to_owned()), Some(String::new())] {
                    let key = VolunteerKey { name, email: EmailAddress::new(&address).unwrap() };
                    let position = Position { key, side };
                    assert_eq!(position.to_string().parse(), Ok(position));
                }
            }
        }
    }

    #[test]
    fn an_altered_cursor_is_refused() {
        let cursor = position().to_string();
        for at in 0..cursor.len() {
            for letter in ["A", "b", "-", "=", ""] {
                let altered = format!("{}{letter}{}", &cursor[..at], &cursor[at + 1..]);
                assert_eq!(altered.parse::<EventPosition>().is_ok(), altered == cursor, "{altered}");
            }
        }
    }

    #[test]
    fn a_text_that_is_not_a_cursor_is_refused() {
        for text in ["", "1", "eyJpZCI6MX0", &"A".repeat(56), "☃"] {
            assert_eq!(text.parse::<EventPosition>(), Err(MALFORMED), "{text}");
        }
    }

    #[test]
    fn a_cursor_of_one_list_is_refused_by_the_other() {
        let signups = Position { key: SignupId::new(position().key.id.uuid()), side: Side::Below };
        assert_eq!(signups.to_string().parse(), Ok(signups));
        assert_eq!(signups.to_string().parse::<EventPosition>(), Err(MALFORMED));
        assert_eq!(position().to_string().parse::<Position<SignupId>>(), Err(MALFORMED));
        let activity = Position { key: ActivityId::new(position().key.id.uuid()), side: Side::Below };
        assert_eq!(activity.to_string().parse(), Ok(activity));
        assert_eq!(activity.to_string().parse::<Position<SignupId>>(), Err(MALFORMED), "equal bytes");
        assert_eq!(signups.to_string().parse::<Position<ActivityId>>(), Err(MALFORMED), "equal bytes");
        let coverage = Position { key: CoverageKey(position().key), side: Side::Below };
        assert_eq!(coverage.to_string().parse::<EventPosition>(), Err(MALFORMED));
        assert_eq!(position().to_string().parse::<Position<CoverageKey>>(), Err(MALFORMED));
        assert_eq!(signups.to_string().parse::<Position<VolunteerKey>>(), Err(MALFORMED));
    }
}
