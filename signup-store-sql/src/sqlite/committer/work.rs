//! What the writer does, and what it tells of it.

use std::sync::Arc;

use jiff::Timestamp;
use signup_core::{CommitError, StoreError};
use tokio::sync::oneshot;

use super::hand_off::Change;

/// What waits for the writer.
#[derive(Debug)]
pub(super) enum Work {
    Commit(Change),
    PurgeReceipts { now: Timestamp, limit: u32, purged: oneshot::Sender<Result<u64, StoreError>> },
    Close(oneshot::Sender<()>),
}

/// What was done, to be told once it is durable.
pub(super) enum Done {
    Commit(Result<(), CommitError>),
    Purged(Result<u64, StoreError>),
}

impl Work {
    /// The change set, if it is one.
    pub(super) const fn change(&mut self) -> Option<&mut Change> {
        match self {
            Self::Commit(change) => Some(change),
            _ => None,
        }
    }

    /// What became of it when it failed alone.
    pub(super) fn failed(&self, error: StoreError) -> Done {
        match self {
            Self::PurgeReceipts { .. } => Done::Purged(Err(error)),
            Self::Commit(_) | Self::Close(_) => Done::Commit(Err(error.into())),
        }
    }

    /// Tells what was done. Who has gone away needs no answer.
    pub(super) fn answer(self, done: Done) {
        match (self, done) {
            (Self::Commit(change), Done::Commit(applied)) => drop(change.answer.send(applied)),
            (Self::PurgeReceipts { purged, .. }, Done::Purged(number)) => drop(purged.send(number)),
            _ => tracing::error!("an answer was given to another question"),
        }
    }

    /// Tells that the batch is not known to be committed. Refused or not, it was decided on what may not be there.
    pub(super) fn fail(self, error: &Arc<StoreError>) {
        let error = StoreError::unavailable("committing a batch", Arc::clone(error));
        match self {
            Self::Commit(change) => drop(change.answer.send(Err(error.into()))),
            Self::PurgeReceipts { purged, .. } => drop(purged.send(Err(error))),
            Self::Close(_) => {}
        }
    }
}
