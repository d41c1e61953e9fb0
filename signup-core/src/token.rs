//! API tokens: each has the organization that a caller acts for, scopes and an expiry.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::activity::Actor;
use crate::id::{OrganizationId, TokenId};
use crate::secret::Digest;
use crate::text::Name;
use crate::text_form::{names, text_form};
use crate::value_error::ValueError;

/// A permission of a token. Each operation requires one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Read events and their questions.
    EventsRead,
    /// Create and change events and their questions.
    EventsWrite,
    /// Read shifts and the coverage of events.
    #[doc(alias = "slots:read")]
    ShiftsRead,
    /// Add, change and delete shifts.
    #[doc(alias = "slots:write")]
    ShiftsWrite,
    /// Read the organization.
    #[doc(alias = "team:read")]
    OrganizationRead,
    /// Read sign-ups: people's data.
    SignupsRead,
    /// Read the activity of the organization.
    ActivityRead,
    /// Read webhooks and their deliveries.
    WebhooksRead,
    /// Create, change, test and delete webhooks, and ask for deliveries again.
    WebhooksWrite,
}

names! {
    /// Every scope.
    Scope {
        EventsRead => "events:read",
        EventsWrite => "events:write",
        ShiftsRead => "slots:read",
        ShiftsWrite => "slots:write",
        OrganizationRead => "team:read",
        SignupsRead => "signups:read",
        ActivityRead => "activity:read",
        WebhooksRead => "webhooks:read",
        WebhooksWrite => "webhooks:write",
    }
}

/// A set of scopes. Its text is the names of the scopes, joined by commas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
// The array has one flag for each scope, at the scope's index in `Scope::ALL`.
pub struct Scopes([bool; Scope::ALL.len()]);

/// Checks at compile time that each scope's index in [`Scope::ALL`] equals its discriminant.
const _: () = {
    let mut index = 0;
    while index < Scope::ALL.len() {
        assert!(Scope::ALL[index] as usize == index, "Scope::ALL has the order of the declaration");
        index += 1;
    }
};

impl Scopes {
    /// Returns the set of all scopes.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// Returns the scopes of a stored text: names that are joined by commas. Ignores every other name, because a newer
    /// version may have stored it.
    ///
    /// ```
    /// use signup_core::{Scope, Scopes};
    ///
    /// let scopes = Scopes::known_of("events:read,kiosks:write");
    /// assert_eq!(scopes, [Scope::EventsRead].into());
    /// ```
    pub fn known_of(names: &str) -> Self {
        names.split(',').filter_map(|name| name.trim().parse::<Scope>().ok()).collect()
    }

    /// Returns whether the set contains `scope`.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0[scope as usize]
    }

    /// Iterates over the scopes in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |&scope| self.contains(scope))
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl<const N: usize> From<[Scope; N]> for Scopes {
    fn from(scopes: [Scope; N]) -> Self {
        scopes.into_iter().collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut set = Self::default();
        for scope in scopes {
            set.0[scope as usize] = true;
        }
        set
    }
}

impl FromStr for Scopes {
    type Err = ValueError;

    /// Parses names that are joined by commas. Ignores white space around a name, and empty names.
    fn from_str(names: &str) -> Result<Self, ValueError> {
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::parse).collect()
    }
}

text_form!(Scopes);

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, scope) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            f.write_str(scope.name())?;
        }
        Ok(())
    }
}

/// The record of a token, without its text.
///
/// A token belongs to the organization, not to a person. Only its digest is stored; its text is shown once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Token {
    /// The id. It is not secret: safe to show and to log.
    pub id: TokenId,
    /// The organization that the token belongs to.
    pub organization: OrganizationId,
    /// The name that tells the organization's tokens apart. It need not be unique.
    pub name: Name,
    /// The digest of the token's text.
    pub digest: Digest,
    /// The operations that the token allows.
    pub scopes: Scopes,
    /// The version, from 1. Each change of the token adds 1.
    pub version: u32,
    /// When the token was created.
    pub created_at: Timestamp,
    /// The caller that created the token. The token stays when that person has gone.
    pub created_by: Actor,
    /// When the token was last used, to [about a minute](Self::USE_PRECISION); `None` if it was not.
    pub last_used_at: Option<Timestamp>,
    /// The first instant at which the token is refused: at most 365 days after its creation.
    pub expires_at: Timestamp,
    /// When the token was revoked; `None` if it was not.
    pub revoked_at: Option<Timestamp>,
}

impl Token {
    /// The maximum and default life of a token, in days.
    pub const MAX_DAYS: u32 = 365;
    /// How much later than the last recorded use a use is recorded: 1 minute.
    pub const USE_PRECISION: SignedDuration = SignedDuration::from_mins(1);

    /// Creates the record of a token that expires [`MAX_DAYS`](Self::MAX_DAYS) after its creation, made by the operator. The other
    /// fields are public and can be set afterwards.
    pub fn new(
        id: TokenId,
        organization: OrganizationId,
        name: Name,
        digest: Digest,
        scopes: Scopes,
        created_at: Timestamp,
    ) -> Self {
        let life = SignedDuration::from_hours(i64::from(Self::MAX_DAYS) * 24);
        let expires_at = created_at.checked_add(life).unwrap_or(Timestamp::MAX);
        Self {
            id,
            organization,
            name,
            digest,
            scopes,
            version: 1,
            created_at,
            created_by: Actor::Operator,
            last_used_at: None,
            expires_at,
            revoked_at: None,
        }
    }

    /// Returns whether a use at `used_at` is so much later than the last recorded one that it is recorded.
    pub fn is_use_to_record(&self, used_at: Timestamp) -> bool {
        self.last_used_at.is_none_or(|last| used_at.duration_since(last) >= Self::USE_PRECISION)
    }

    /// Returns whether the token is accepted at `now`: neither expired nor revoked.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_one_scope_contains_and_prints_only_that_scope() {
        for &scope in Scope::ALL {
            let alone: Scopes = [scope].into_iter().collect();
            assert_eq!(alone.iter().collect::<Vec<_>>(), [scope]);
            for &other in Scope::ALL {
                assert_eq!(alone.contains(other), other == scope, "{scope} and {other}");
            }
            assert_eq!(alone.to_string(), scope.name());
            assert_eq!(scope.name().parse(), Ok(alone));
        }
    }

    #[test]
    fn the_full_and_the_empty_set_read_back() {
        assert_eq!(Scopes::all().iter().collect::<Vec<_>>(), Scope::ALL);
        assert_eq!(Scopes::all().to_string().parse(), Ok(Scopes::all()));
        assert!(!Scopes::all().is_empty() && Scopes::default().is_empty());
        assert_eq!("".parse(), Ok(Scopes::default()));
    }
}
