//! Capacity and filled: how many a shift needs, and how many it has.
//!
//! A sign-up never takes `filled` above `capacity`. Only lowering `capacity` does: then the shift is *over-full*, nobody
//! is removed, and it takes no one until enough have cancelled.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How many volunteers a shift needs: 1 to 1,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Capacity(u32);

/// The number is not a capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be a whole number from 1 to {}", Capacity::MAX)]
pub struct CapacityError;

impl Capacity {
    /// The most that a shift can ask for.
    pub const MAX: u32 = 1_000_000;

    /// A capacity of `volunteers`.
    ///
    /// # Errors
    /// Unless `volunteers` is from 1 to [`MAX`](Self::MAX).
    pub fn new(volunteers: u32) -> Result<Self, CapacityError> {
        (1..=Self::MAX).contains(&volunteers).then_some(Self(volunteers)).ok_or(CapacityError)
    }

    /// The number of volunteers.
    pub const fn volunteers(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for Capacity {
    type Error = CapacityError;

    fn try_from(volunteers: u32) -> Result<Self, CapacityError> {
        Self::new(volunteers)
    }
}

impl From<Capacity> for u32 {
    fn from(capacity: Capacity) -> Self {
        capacity.0
    }
}

/// How full a shift is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Volunteers needed.
    pub capacity: Capacity,
    /// Volunteers signed up: the confirmed sign-ups, no more and no fewer.
    pub filled: u32,
}

impl Occupancy {
    /// Nobody yet.
    pub const fn empty(capacity: Capacity) -> Self {
        Self { capacity, filled: 0 }
    }

    /// Volunteers still needed; 0 on an over-full shift.
    pub const fn remaining(self) -> u32 {
        self.capacity.0.saturating_sub(self.filled)
    }

    /// Whether one more may sign up.
    pub const fn has_room(self) -> bool {
        self.filled < self.capacity.0
    }

    /// Whether more are signed up than needed.
    pub const fn is_over_full(self) -> bool {
        self.filled > self.capacity.0
    }
}
