//! What an operation can fail with, in the domain's words. What it means in HTTP is decided in the server, once.

use thiserror::Error;

use crate::fault::Faults;
use crate::store::StoreError;
use crate::token::Scope;

/// The result of an operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation was not done. Unless it is [`Store`](Self::Store), nothing was written.
#[derive(Debug, Error)]
pub enum Error {
    /// The token is missing, malformed, unknown, expired or revoked.
    #[error("the token is not valid")]
    Unauthenticated,
    /// The token does not allow this operation.
    #[error("the token lacks the scope {0}")]
    MissingScope(Scope),
    /// There is no such record in the caller's organization.
    #[error("there is no such record")]
    NotFound,
    /// The input is wrong: all of what is wrong with it.
    #[error("the input is not valid")]
    Invalid(#[from] Faults),
    /// The plan allows no more active events.
    #[error("the plan's limit of {max_allowed} active events is reached")]
    PlanLimit {
        /// How many are active.
        current_count: u32,
        /// How many may be.
        max_allowed: u32,
    },
    /// Nobody more can sign up for the shift.
    #[error("the shift is full")]
    ShiftFull,
    /// The shift has ended.
    #[error("the shift is over")]
    ShiftOver,
    /// Others changed the same record over and over; nothing was written, and a later try may succeed.
    #[error("the record is being changed by too many at once")]
    Contended,
    /// The store failed. For a write with an idempotency key, trying again with the key is safe.
    #[error(transparent)]
    Store(#[from] StoreError),
}
