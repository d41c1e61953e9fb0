//! Commit and retry: decides, commits, and decides again if a fact has changed.
//!
//! **Invariant:** no other module of the service calls [`Store::commit`](crate::Store::commit).

use jiff::Timestamp;

use super::Shared;
use crate::error::{Error, Result};
use crate::rules::Decision;
use crate::store::{ChangeSet, CommitError, Refusal};

/// The maximum number of attempts to commit one decision. An attempt is refused only if another change of the same
/// record was committed after the read, so only very many simultaneous changes of one record reach the limit.
const ATTEMPTS: u32 = 200;

/// A decision that the store refused to commit.
#[derive(Debug)]
pub(super) struct Refused<T> {
    /// The outcome that the decision would have had.
    pub(super) planned: T,
    /// The requirement that did not hold.
    pub(super) refusal: Refusal,
}

impl Shared {
    /// Commits a decision. Decides again after a refusal that a new decision takes into account, such as a changed
    /// shift. Returns every other refusal with the planned outcome. An empty change set is not sent to the store.
    ///
    /// # Errors
    /// Returns the errors of `decide` and of the store, and [`Error::Contended`] after [`ATTEMPTS`].
    pub(super) async fn commit<T: Send, F>(
        &self,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<std::result::Result<T, Refused<T>>>
    where
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        for _ in 0..ATTEMPTS {
            let Decision { outcome, change } = decide(self.now()).await?;
            if change == ChangeSet::default() {
                return Ok(Ok(outcome));
            }
            match self.store.commit(change).await {
                Ok(()) => return Ok(Ok(outcome)),
                Err(CommitError::Refused(
                    Refusal::SlugTaken
                    | Refusal::ShiftChanged
                    | Refusal::EventChanged
                    | Refusal::ShiftHasSignups
                    | Refusal::SignupNotConfirmed,
                )) => {}
                Err(CommitError::Refused(refusal)) => return Ok(Err(Refused { planned: outcome, refusal })),
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }

    /// Commits a decision like [`commit`](Self::commit), for an operation that expects only refusals after which
    /// `commit` decides again. Returns every other refusal as [`Error::Refused`].
    pub(super) async fn commit_unrefused<T: Send, F>(
        &self,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<T>
    where
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        self.commit(decide).await?.map_err(|refused| Error::Refused(refused.refusal.into()))
    }

    /// Commits the next state of a notice. Returns `false` if another process changed the notice since it was read.
    pub(super) async fn commit_notice(&self, change: ChangeSet) -> Result<bool> {
        match self.store.commit(change).await {
            Ok(()) => Ok(true),
            Err(CommitError::Refused(Refusal::NoticeChanged)) => Ok(false),
            Err(CommitError::Refused(refusal)) => Err(Error::Refused(refusal.into())),
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }
}
