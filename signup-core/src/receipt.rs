//! Receipts: the stored outcome of an operation under an idempotency key.
//!
//! A receipt is written in the change set of its effect. Either both are durable or neither is, whatever crashes: a key
//! is never half used, and no mark of work in progress exists that a crash could leave behind.

mod kept;

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::event::Event;
use crate::id::{EventId, OrganizationId, ShiftId, TokenId};
use crate::shift::Shift;

/// A caller's name for one logical operation: 1 to 255 visible ASCII characters, best a UUID.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdempotencyKey(String);

/// The text is not an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be 1 to 255 visible ASCII characters")]
pub struct IdempotencyKeyError;

impl IdempotencyKey {
    /// The most characters it may have.
    pub const MAX: usize = 255;

    /// The key's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for IdempotencyKey {
    type Err = IdempotencyKeyError;

    fn from_str(text: &str) -> Result<Self, IdempotencyKeyError> {
        let fits = (1..=Self::MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned())).ok_or(IdempotencyKeyError)
    }
}

impl TryFrom<String> for IdempotencyKey {
    type Error = IdempotencyKeyError;

    fn try_from(text: String) -> Result<Self, IdempotencyKeyError> {
        text.parse()
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}

/// An operation that writes, and on what: the method and the path, in the domain's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Create an event.
    CreateEvent,
    /// Duplicate this event.
    DuplicateEvent(EventId),
    /// Change this shift.
    PatchShift(ShiftId),
}

impl fmt::Display for Operation {
    /// A text that differs for every two operations; stores may keep it as part of a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateEvent => f.write_str("create-event"),
            Self::DuplicateEvent(id) => write!(f, "duplicate-event/{id}"),
            Self::PatchShift(id) => write!(f, "patch-shift/{id}"),
        }
    }
}

/// What a receipt is found by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReceiptKey {
    /// Whose token it is.
    pub organization: OrganizationId,
    /// Which token: keys of two tokens never meet.
    pub token: TokenId,
    /// What was asked for.
    pub operation: Operation,
    /// The caller's key.
    pub key: IdempotencyKey,
}

/// The stored outcome of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// What it is found by.
    pub key: ReceiptKey,
    /// What the operation answered.
    pub outcome: Outcome,
    /// From when on it is forgotten: the key then runs for real again.
    pub expires_at: Timestamp,
}

impl Receipt {
    /// How long a receipt is kept.
    pub const LIFE: SignedDuration = SignedDuration::from_hours(24);

    /// Whether it still stands at `now`.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// What a keyed operation answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// An event was made.
    Event(Box<EventWithShifts>),
    /// A shift was changed, or found to be so already.
    Shift(Box<Shift>),
}

/// An event and all its shifts, in running order.
#[derive(Debug, Clone, PartialEq)]
pub struct EventWithShifts {
    /// The event.
    pub event: Event,
    /// Its shifts.
    pub shifts: Vec<Shift>,
}
