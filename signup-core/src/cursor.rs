//! Cursors: a [`Position`] in the list of events, or a [`SignupPosition`] in a list of sign-ups, as an opaque text.
//!
//! A program that embeds the library uses the position itself. A cursor is for callers in another process.
//!
//! A cursor can be used with any filter and page size, stays valid after a restart, and needs no state on the server.
//! Its first byte is a version, so that the format can change. A cursor of one kind of record is refused for another.
//!
//! The last 16 bytes are a checksum, domain-separated by a fixed prefix. The checksum detects cursors that
//! were altered or invented. A caller can forge a cursor, but gains nothing: a list shows only events of the session's
//! organization.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

use crate::id::{EventId, SignupId};
use crate::secret::Digest;
use crate::store::{Position, Side, SignupPosition};
use crate::text_form::text_form;

/// The first byte of each cursor.
const VERSION: u8 = 1;
const CHECK: usize = 16;

/// The text is not a cursor of this service, or is a cursor of another kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be a cursor of an earlier page, unaltered")]
#[non_exhaustive]
pub struct CursorError;

/// The lists whose positions are cursors. Each has its own checksums.
#[derive(Debug, Clone, Copy)]
enum List {
    Events,
    Signups,
}

impl fmt::Display for Position {
    /// Writes the position as a cursor: 56 characters of base64url.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&self.starts_at.as_second().to_be_bytes()[..], self.id.uuid().as_bytes()].concat();
        f.write_str(&seal(List::Events, self.side, &key))
    }
}

impl FromStr for Position {
    type Err = CursorError;

    /// Reads a cursor that `Display` wrote. An altered cursor is an error.
    fn from_str(cursor: &str) -> Result<Self, CursorError> {
        let (side, key) = open(List::Events, cursor)?;
        let (seconds, id) = key.split_first_chunk::<8>().ok_or(CursorError)?;
        let starts_at = Timestamp::from_second(i64::from_be_bytes(*seconds)).map_err(|_| CursorError)?;
        Ok(Self { starts_at, id: EventId::new(uuid(id)?), side })
    }
}

text_form!(Position);

impl fmt::Display for SignupPosition {
    /// Writes the position as a cursor: 46 characters of base64url.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&seal(List::Signups, self.side, self.id.uuid().as_bytes()))
    }
}

impl FromStr for SignupPosition {
    type Err = CursorError;

    /// Reads a cursor that `Display` wrote. An altered cursor is an error.
    fn from_str(cursor: &str) -> Result<Self, CursorError> {
        let (side, id) = open(List::Signups, cursor)?;
        Ok(Self { id: SignupId::new(uuid(&id)?), side })
    }
}

text_form!(SignupPosition);

fn uuid(bytes: &[u8]) -> Result<Uuid, CursorError> {
    Uuid::from_slice(bytes).map_err(|_| CursorError)
}

/// Returns the cursor of a position: version, side, sort key and checksum.
fn seal(list: List, side: Side, key: &[u8]) -> String {
    let side = match side {
        Side::Below => 0,
        Side::Above => 1,
    };
    let mut bytes = [&[VERSION, side], key].concat();
    bytes.extend(checksum(list, &bytes));
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the side and the sort key of a cursor that [`seal`] made for the same list.
fn open(list: List, cursor: &str) -> Result<(Side, Vec<u8>), CursorError> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| CursorError)?;
    let (content, check) = bytes.split_last_chunk::<CHECK>().ok_or(CursorError)?;
    if checksum(list, content) != *check {
        return Err(CursorError);
    }
    match content {
        [VERSION, 0, key @ ..] => Ok((Side::Below, key.to_vec())),
        [VERSION, 1, key @ ..] => Ok((Side::Above, key.to_vec())),
        _ => Err(CursorError),
    }
}

fn checksum(list: List, content: &[u8]) -> [u8; CHECK] {
    let domain = match list {
        List::Events => "signup list cursor",
        List::Signups => "signup list cursor of sign-ups",
    };
    let digest = Digest::of(&format!("{domain} {}", URL_SAFE_NO_PAD.encode(content)));
    let mut check = [0; CHECK];
    check.copy_from_slice(&digest.as_bytes()[..CHECK]);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position() -> Position {
        Position {
            starts_at: Timestamp::from_second(1_800_000_000).unwrap(),
            id: EventId::new(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001)),
            side: Side::Above,
        }
    }

    #[test]
    fn a_cursor_reads_back_the_position() {
        for side in [Side::Above, Side::Below] {
            let position = Position { side, ..position() };
            assert_eq!(position.to_string().parse(), Ok(position));
        }
    }

    #[test]
    fn an_altered_cursor_is_refused() {
        let cursor = position().to_string();
        for at in 0..cursor.len() {
            for letter in ["A", "b", "-", "=", ""] {
                let altered = format!("{}{letter}{}", &cursor[..at], &cursor[at + 1..]);
                assert_eq!(altered.parse::<Position>().is_ok(), altered == cursor, "{altered}");
            }
        }
    }

    #[test]
    fn a_text_that_is_not_a_cursor_is_refused() {
        for text in ["", "1", "eyJpZCI6MX0", &"A".repeat(56), "☃"] {
            assert_eq!(text.parse::<Position>(), Err(CursorError), "{text}");
        }
    }

    #[test]
    fn a_cursor_of_one_list_is_refused_by_the_other() {
        let signups = SignupPosition { id: SignupId::new(position().id.uuid()), side: Side::Below };
        assert_eq!(signups.to_string().parse(), Ok(signups));
        assert_eq!(signups.to_string().parse::<Position>(), Err(CursorError));
        assert_eq!(position().to_string().parse::<SignupPosition>(), Err(CursorError));
    }
}
