//! Errors of a store: why a read or a commit did not succeed.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::Refusal;

/// Why a commit did not succeed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CommitError {
    /// A requirement did not hold; nothing was written.
    #[error("a requirement of the change set does not hold")]
    Refused(Refusal),
    /// The backend failed. It is unknown whether the change set was applied.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// A failure of the backend. Its text is for the operator's log, never for a caller.
///
/// Two errors are equal if their [kinds](Self::kind) are equal: the text and the source differ between backends.
///
/// ```
/// use signup_core::{StoreError, StoreErrorKind};
///
/// let error = StoreError::unavailable("reading an event", "the connection was closed");
/// assert_eq!(error.kind(), StoreErrorKind::Unavailable);
/// assert_eq!(error.to_string(), "the store failed: reading an event");
/// ```
#[derive(Debug, Clone)]
pub struct StoreError {
    what: String,
    kind: StoreErrorKind,
    source: Arc<dyn std::error::Error + Send + Sync>,
}

/// The kind of a [`StoreError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The backend is unreachable or overloaded. A later retry may succeed.
    Unavailable,
    /// A stored value cannot be decoded. A retry fails again until the value is repaired.
    Corrupt,
    /// Any other failure. A retry may fail again.
    Failed,
}

impl PartialEq for StoreError {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for StoreError {}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store failed: {}", self.what)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}

impl StoreError {
    /// Creates an error for a backend that is unreachable or overloaded. A later retry may succeed. `what` names the
    /// action.
    pub fn unavailable(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::new(StoreErrorKind::Unavailable, what.into(), source.into())
    }

    /// Creates an error for a stored value that cannot be decoded.
    pub fn corrupt(
        table: &str,
        column: &str,
        id: impl fmt::Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let what = format!("{table}.{column} of {id} is unreadable");
        Self::new(StoreErrorKind::Corrupt, what, source.into())
    }

    /// Creates an error for any other failure. `what` names the action.
    pub fn failed(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::new(StoreErrorKind::Failed, what.into(), source.into())
    }

    fn new(kind: StoreErrorKind, what: String, source: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self { what, kind, source: source.into() }
    }

    /// Returns the kind, by which a caller decides what to do.
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns whether the backend is unreachable or overloaded, so that a later retry may succeed.
    pub fn is_unavailable(&self) -> bool {
        self.kind == StoreErrorKind::Unavailable
    }

    /// Returns whether a stored value could not be decoded.
    pub fn is_corrupt(&self) -> bool {
        self.kind == StoreErrorKind::Corrupt
    }

    /// Returns whether the backend failed for a reason other than [unavailable](Self::is_unavailable) or
    /// [corrupt](Self::is_corrupt).
    pub fn is_failed(&self) -> bool {
        self.kind == StoreErrorKind::Failed
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn errors_of_a_store_are_equal_if_their_kinds_are() {
        let closed = StoreError::unavailable("reading", "closed");
        assert_eq!(closed, StoreError::unavailable("writing", "full"));
        assert_ne!(closed, StoreError::failed("reading", "closed"));
        assert_ne!(closed, StoreError::corrupt("events", "title", 1, "closed"));
    }

    #[test]
    fn a_copy_of_an_error_has_the_same_text_and_source() {
        let error = StoreError::corrupt("events", "title", 1, "too long").clone();
        assert!(error.is_corrupt() && !error.is_unavailable() && !error.is_failed());
        assert_eq!(error.to_string(), "the store failed: events.title of 1 is unreadable");
        assert_eq!(error.source().unwrap().to_string(), "too long");
    }
}
