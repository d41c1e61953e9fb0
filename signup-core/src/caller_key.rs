//! Keys that callers make up: 1 to 255 visible ASCII characters, compared exactly.

use std::fmt;
use std::str::FromStr;

use crate::text_form::text_form;
use crate::value_error::ValueError;

macro_rules! caller_keys {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The maximum length in characters.
            pub const MAX: usize = 255;

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = ValueError;

            fn from_str(text: &str) -> Result<Self, ValueError> {
                let fits =
                    (1..=Self::MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
                fits.then(|| Self(text.to_owned()))
                    .ok_or(ValueError::Malformed { expected: "1 to 255 visible ASCII characters" })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        text_form!($name);

        impl From<$name> for String {
            fn from(key: $name) -> Self {
                key.0
            }
        }
    )*};
}

caller_keys! {
    /// A caller's key for one logical operation: 1 to 255 visible ASCII characters, preferably a UUID.
    IdempotencyKey;
    /// The id of an event or of a shift in the caller's own system: 1 to 255 visible ASCII characters, compared exactly.
    ///
    /// At most one event of an organization has an external id, and at most one shift of an event. Deleted ones do not count.
    /// So a program that imports a schedule again and again needs no table of its own.
    ///
    /// ```
    /// use signup_core::ExternalId;
    ///
    /// let id: ExternalId = "roster/2027#17".parse()?;
    /// assert_eq!(id.as_str(), "roster/2027#17");
    /// assert!("night shift".parse::<ExternalId>().is_err(), "a space is not visible");
    /// # Ok::<(), signup_core::ValueError>(())
    /// ```
    ExternalId;
}

impl ExternalId {
    /// An id that no record has.
    pub(crate) const NONE: Self = Self(String::new());
}
