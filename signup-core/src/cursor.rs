//! Cursors: a [`Position`] in the list of events, as an opaque text.
//!
//! A program that embeds the library uses the [`Position`] itself. A cursor is for callers in another process.
//!
//! A cursor can be used with any filter and page size, stays valid after a restart, and needs no state on the server.
//! Its first byte is a version, so that the format can change.
//!
//! The last 16 of its 42 bytes are a checksum, domain-separated by a fixed prefix. The checksum detects cursors that
//! were altered or invented. A caller can forge a cursor, but gains nothing: a list shows only events of the session's
//! organization.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use thiserror::Error;
use uuid::Uuid;

use crate::id::EventId;
use crate::secret::Digest;
use crate::store::{Position, Side};
use crate::text_form::text_form;

const VERSION: u8 = 1;
const CONTENT: usize = 1 + 1 + 8 + 16;
const CHECK: usize = 16;

/// The text is not a cursor that this service created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be a cursor of an earlier page, unaltered")]
#[non_exhaustive]
pub struct CursorError;

impl fmt::Display for Position {
    /// Writes the position as a cursor: 56 characters of base64url.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = [0; CONTENT + CHECK];
        bytes[0] = VERSION;
        bytes[1] = match self.side {
            Side::Below => 0,
            Side::Above => 1,
        };
        bytes[2..10].copy_from_slice(&self.starts_at.as_second().to_be_bytes());
        bytes[10..CONTENT].copy_from_slice(self.id.uuid().as_bytes());
        let check = checksum(&bytes[..CONTENT]);
        bytes[CONTENT..].copy_from_slice(&check);
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for Position {
    type Err = CursorError;

    /// Reads a cursor that `Display` wrote. An altered cursor is an error.
    fn from_str(cursor: &str) -> Result<Self, CursorError> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| CursorError)?;
        let bytes: [u8; CONTENT + CHECK] = bytes.try_into().map_err(|_| CursorError)?;
        let (content, check) = bytes.split_at(CONTENT);
        if checksum(content) != check {
            return Err(CursorError);
        }
        let [VERSION, side, rest @ ..] = content else { return Err(CursorError) };
        let side = match side {
            0 => Side::Below,
            1 => Side::Above,
            _ => return Err(CursorError),
        };
        let (seconds, id) = rest.split_first_chunk::<8>().ok_or(CursorError)?;
        let starts_at = Timestamp::from_second(i64::from_be_bytes(*seconds)).map_err(|_| CursorError)?;
        let id = EventId::new(Uuid::from_slice(id).map_err(|_| CursorError)?);
        Ok(Self { starts_at, id, side })
    }
}

text_form!(Position);

fn checksum(content: &[u8]) -> [u8; CHECK] {
    let text = format!("signup list cursor {}", URL_SAFE_NO_PAD.encode(content));
    let mut check = [0; CHECK];
    check.copy_from_slice(&Digest::of(&text).as_bytes()[..CHECK]);
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
}
