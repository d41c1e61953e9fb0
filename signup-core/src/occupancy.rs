//! Occupancy: the number of volunteers that a shift needs, and the number of its confirmed sign-ups.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::text_form::from_text;
use crate::value_error::ValueError;

/// Declares numbers of volunteers, each with its smallest number.
macro_rules! numbers_of_volunteers {
    ($($(#[$doc:meta])* $name:ident: $min:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "u32", into = "u32")]
        pub struct $name(u32);

        impl $name {
            /// The largest number.
            pub const MAX: u32 = 1_000_000;
            pub(crate) const OUT_OF_RANGE: ValueError =
                ValueError::WholeNumber { min: $min, max: Some(Self::MAX) };

            /// Checks a number of volunteers.
            ///
            /// # Errors
            #[doc = concat!("Fails unless `volunteers` is from ", $min, " to [`MAX`](Self::MAX).")]
            pub fn new(volunteers: u32) -> Result<Self, ValueError> {
                ($min..=Self::MAX).contains(&volunteers).then_some(Self(volunteers)).ok_or(Self::OUT_OF_RANGE)
            }

            /// Returns the number of volunteers.
            pub const fn volunteers(self) -> u32 {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = ValueError;

            /// Parses a whole number of decimal digits, without a sign.
            fn from_str(text: &str) -> Result<Self, ValueError> {
                let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|_| is_digits).ok_or(Self::OUT_OF_RANGE).and_then(Self::new)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        from_text!($name);

        impl TryFrom<u32> for $name {
            type Error = ValueError;

            fn try_from(volunteers: u32) -> Result<Self, ValueError> {
                Self::new(volunteers)
            }
        }

        impl TryFrom<i64> for $name {
            type Error = ValueError;

            fn try_from(volunteers: i64) -> Result<Self, ValueError> {
                u32::try_from(volunteers).map_or(Err(Self::OUT_OF_RANGE), Self::new)
            }
        }

        impl From<$name> for u32 {
            fn from(number: $name) -> Self {
                number.0
            }
        }
    )*};
}

numbers_of_volunteers! {
    /// The number of volunteers that a shift needs: 0 to 1,000,000. Nobody can sign up for a shift that needs none.
    Capacity: 0;
    /// The number of volunteers without which a shift cannot run: 1 to 1,000,000.
    Minimum: 1;
}

/// How full a shift is.
///
/// A sign-up never takes `filled` above `capacity`. Lowering `capacity` can leave `filled` above it: the shift is then
/// *over-full*. An over-full shift keeps its sign-ups, and accepts no new one until enough are cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occupancy {
    /// The number of volunteers needed.
    pub capacity: Capacity,
    /// The exact number of confirmed sign-ups.
    pub filled: u32,
    /// The exact number of sign-ups that wait for a place.
    #[serde(default)]
    pub waitlisted: u32,
}

impl Occupancy {
    /// Returns the occupancy of a shift without sign-ups.
    pub const fn empty(capacity: Capacity) -> Self {
        Self { capacity, filled: 0, waitlisted: 0 }
    }

    /// Returns the number of volunteers still needed; 0 for an over-full shift.
    pub const fn remaining(self) -> u32 {
        self.capacity.0.saturating_sub(self.filled)
    }

    /// Returns whether one more volunteer may sign up.
    pub const fn has_room(self) -> bool {
        self.filled < self.capacity.0
    }

    /// Returns whether there are more confirmed sign-ups than the capacity.
    pub const fn is_over_full(self) -> bool {
        self.filled > self.capacity.0
    }
}
