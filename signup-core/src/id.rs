//! Typed identifiers.
//!
//! Each kind of record has its own type of id, so a shift's id cannot be used as an event's id. An id is a UUIDv7. It
//! starts with the time of creation, so later ids sort later, and inserts append to the end of each index.
//!
//! **Invariant:** only [`secret`](crate::secret) generates ids. This module parses and formats them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::text_form::from_text;
use crate::value_error::ValueError;

const MALFORMED: ValueError =
    ValueError::Malformed { expected: "an id as this service writes it: a UUID in lower case with hyphens" };

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// An id that no record has: all bits 0.
            pub const NONE: Self = Self(Uuid::nil());
            /// An id above those of all records: all bits 1.
            pub const MAX: Self = Self(Uuid::max());

            /// Creates an id of this type from a UUID.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// Returns the UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = ValueError;

            /// Parses an id in the form that this service writes: 36 characters, lower case, hyphenated.
            ///
            /// Any other spelling of the same UUID is an error.
            fn from_str(text: &str) -> Result<Self, ValueError> {
                let uuid = Uuid::try_parse(text).map_err(|_| MALFORMED)?;
                let mut buffer = [0; uuid::fmt::Hyphenated::LENGTH];
                (uuid.hyphenated().encode_lower(&mut buffer) == text).then_some(Self(uuid)).ok_or(MALFORMED)
            }
        }

        from_text!($name);

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
    /// The id of an [`Organization`](crate::Organization).
    #[doc(alias = "team")]
    OrganizationId,
    /// The id of a [`Token`](crate::Token). It is not secret.
    TokenId,
    /// The id of an [`Event`](crate::Event).
    EventId,
    /// The id of a [`Shift`](crate::Shift).
    #[doc(alias = "slot")]
    ShiftId,
    /// The id of a [`Question`](crate::Question).
    QuestionId,
    /// The id of a [`Signup`](crate::Signup).
    SignupId,
    /// The id of a [`Notice`](crate::Notice).
    NoticeId,
    /// The id of an [`Activity`](crate::Activity).
    ActivityId,
    /// The id of a [`Webhook`](crate::Webhook).
    WebhookId,
    /// The id of a [`Delivery`](crate::Delivery).
    DeliveryId,
    /// The id of a [`Person`](crate::Person).
    PersonId,
    /// The id of an [`Invitation`](crate::Invitation).
    InvitationId,
    /// The id of a [`Message`](crate::Message).
    MessageId,
    /// The id of the token or the person of a [`Session`](crate::Session). No token and person have one id, because every id is a
    /// new UUID.
    CallerId,
}

impl From<TokenId> for CallerId {
    fn from(id: TokenId) -> Self {
        Self(id.0)
    }
}

impl From<PersonId> for CallerId {
    fn from(id: PersonId) -> Self {
        Self(id.0)
    }
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
    fn another_spelling_of_an_id_is_refused() {
        let id = EventId::new(Uuid::from_u128(0x0192_abcd_0000_7000_8000_0000_0000_0001)).to_string();
        for text in [
            id.to_uppercase(),
            id.replace('-', ""),
            format!("{{{id}}}"),
            format!("urn:uuid:{id}"),
            String::new(),
        ] {
            assert_eq!(text.parse::<EventId>(), Err(MALFORMED), "{text}");
        }
    }
}
