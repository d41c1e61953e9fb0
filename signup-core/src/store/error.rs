//! Why a store did not read or commit.

use std::fmt;

use thiserror::Error;

use super::Refusal;

/// Why a commit did not succeed.
#[derive(Debug, Error)]
pub enum CommitError {
    /// A requirement did not hold; nothing was written.
    #[error("a requirement of the change set does not hold")]
    Refused(Refusal),
    /// The backend failed. It is unknown whether the change set was applied.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// A failure of the backend. Its text is for the operator's log, never for a caller.
#[derive(Debug, Error)]
#[error("the store failed: {what}")]
pub struct StoreError {
    what: String,
    kind: StoreErrorKind,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreErrorKind {
    Unavailable,
    Corrupt,
    Failed,
}

impl StoreError {
    /// Creates an error for a backend that is unreachable or overloaded. A later retry may succeed. `what` names the
    /// action.
    pub fn unavailable(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { what: what.into(), kind: StoreErrorKind::Unavailable, source: Some(source.into()) }
    }

    /// Creates an error for a stored value that cannot be decoded.
    pub fn corrupt(
        table: &str,
        column: &str,
        id: impl fmt::Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let what = format!("{table}.{column} of {id} is unreadable");
        Self { what, kind: StoreErrorKind::Corrupt, source: Some(source.into()) }
    }

    /// Creates an error for any other failure. `what` names the action.
    pub fn failed(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { what: what.into(), kind: StoreErrorKind::Failed, source: Some(source.into()) }
    }

    /// Returns whether a later retry may succeed.
    pub fn is_unavailable(&self) -> bool {
        self.kind == StoreErrorKind::Unavailable
    }

    /// Returns whether a stored value could not be decoded.
    pub fn is_corrupt(&self) -> bool {
        self.kind == StoreErrorKind::Corrupt
    }
}
