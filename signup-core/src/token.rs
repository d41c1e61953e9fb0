//! API tokens: which organization a caller speaks for, what it may do, and until when.
//!
//! A token belongs to the organization, not to a person. Only the digest is kept; the token itself is shown once.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::id::{OrganizationId, TokenId};
use crate::secret::Digest;
use crate::text::Name;

/// What a token allows its bearer to do. Each operation asks for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// List events.
    EventsRead,
    /// Create and duplicate events.
    EventsWrite,
    /// List an event's shifts.
    #[doc(alias = "slots:read")]
    ShiftsRead,
    /// Change shifts.
    #[doc(alias = "slots:write")]
    ShiftsWrite,
    /// Read the organization.
    #[doc(alias = "team:read")]
    OrganizationRead,
}

/// The name is not a scope's.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no scope: use events:read, events:write, slots:read, slots:write or team:read")]
pub struct ScopeError(String);

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 5] =
        [Self::EventsRead, Self::EventsWrite, Self::ShiftsRead, Self::ShiftsWrite, Self::OrganizationRead];

    /// The scope's name, as it is stored and written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EventsRead => "events:read",
            Self::EventsWrite => "events:write",
            Self::ShiftsRead => "slots:read",
            Self::ShiftsWrite => "slots:write",
            Self::OrganizationRead => "team:read",
        }
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(name: &str) -> Result<Self, ScopeError> {
        Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or_else(|| ScopeError(name.to_owned()))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of scopes. Written as their names, joined by commas.
///
/// Each scope has a place of its own, at its index in [`Scope::ALL`]. The places are as many as the scopes, so a further scope
/// cannot share one with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Scopes([bool; Scope::ALL.len()]);

/// Fails to compile unless each scope stands in [`Scope::ALL`] at the index of its place.
const _: () = {
    let mut index = 0;
    while index < Scope::ALL.len() {
        assert!(Scope::ALL[index] as usize == index, "Scope::ALL has the order of the declaration");
        index += 1;
    }
};

impl Scopes {
    /// Every scope.
    pub fn all() -> Self {
        Scope::ALL.into_iter().collect()
    }

    /// Whether `scope` is one of them.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0[scope as usize]
    }

    /// The scopes, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |&scope| self.contains(scope))
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Self::default()
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
    type Err = ScopeError;

    fn from_str(names: &str) -> Result<Self, ScopeError> {
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::parse).collect()
    }
}

impl TryFrom<String> for Scopes {
    type Error = ScopeError;

    fn try_from(names: String) -> Result<Self, ScopeError> {
        names.parse()
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
    }
}

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

/// A token, without the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its id: safe to show and to log.
    pub id: TokenId,
    /// Whom its bearer speaks for.
    pub organization: OrganizationId,
    /// What people call it.
    pub name: Name,
    /// The digest by which it is recognized.
    pub digest: Digest,
    /// What its bearer may do.
    pub scopes: Scopes,
    /// When it was created.
    pub created_at: Timestamp,
    /// From when on it is refused: at most 365 days after its creation.
    pub expires_at: Timestamp,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
}

impl Token {
    /// The longest, and the default, life of a token.
    pub const MAX_DAYS: u32 = 365;

    /// Whether it is accepted at `now`.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scope_alone_comes_back_and_is_no_other() {
        for scope in Scope::ALL {
            let alone: Scopes = [scope].into_iter().collect();
            assert_eq!(alone.iter().collect::<Vec<_>>(), [scope]);
            for other in Scope::ALL {
                assert_eq!(alone.contains(other), other == scope, "{scope} and {other}");
            }
            assert_eq!(alone.to_string(), scope.name());
            assert_eq!(scope.name().parse(), Ok(alone));
        }
    }

    #[test]
    fn all_scopes_come_back_and_none_is_empty() {
        assert_eq!(Scopes::all().iter().collect::<Vec<_>>(), Scope::ALL);
        assert_eq!(Scopes::all().to_string().parse(), Ok(Scopes::all()));
        assert!(!Scopes::all().is_empty() && Scopes::default().is_empty());
        assert_eq!("".parse(), Ok(Scopes::default()));
    }
}
