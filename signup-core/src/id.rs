//! Typed identifiers.
//!
//! Every record has a UUIDv7 of its own type, so that a shift's id never passes for an event's. Version 7 leads with
//! the time of creation: ids made later sort later, which keeps the tail of every index warm.
//!
//! **Invariant:** an id is made in [`secret`](crate::secret) and nowhere else; here it is only named, written and read.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// The text is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be an id as this service writes it: a UUID in lower case with hyphens")]
pub struct IdError;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// The id that no record ever has.
            pub const NONE: Self = Self(Uuid::nil());
            /// The id above all that any record has.
            pub const MAX: Self = Self(Uuid::max());

            /// Takes a UUID as an id of this type.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID itself.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            /// Reads an id as this service writes it: 36 characters, lower case, hyphenated.
            ///
            /// Another spelling of the same UUID is another text, and no id of this service.
            fn from_str(text: &str) -> Result<Self, IdError> {
                let uuid = Uuid::try_parse(text).map_err(|_| IdError)?;
                let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
                (uuid.hyphenated().encode_lower(&mut buffer) == text).then_some(Self(uuid)).ok_or(IdError)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = IdError;

            fn try_from(text: &str) -> Result<Self, IdError> {
                text.parse()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// Names an [`Organization`](crate::Organization).
    #[doc(alias = "team")]
    OrganizationId,
    /// Names a [`Token`](crate::Token); not the token itself, and no secret.
    TokenId,
    /// Names an [`Event`](crate::Event).
    EventId,
    /// Names a [`Shift`](crate::Shift).
    #[doc(alias = "slot")]
    ShiftId,
    /// Names a [`Question`](crate::Question).
    QuestionId,
    /// Names a [`Signup`](crate::Signup).
    SignupId,
    /// Names a [`Notice`](crate::Notice).
    NoticeId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_what_it_writes() {
        let id = EventId::new(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0001));
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn another_spelling_of_an_id_is_no_id() {
        let id = EventId::new(Uuid::from_u128(0x0192_abcd_0000_7000_8000_0000_0000_0001)).to_string();
        for text in [
            id.to_uppercase(),
            id.replace('-', ""),
            format!("{{{id}}}"),
            format!("urn:uuid:{id}"),
            String::new(),
        ] {
            assert_eq!(text.parse::<EventId>(), Err(IdError), "{text}");
        }
    }
}
