//! A wrapper that injects faults into the commits of any store.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use signup_core::{ChangeSet, CommitError, Store, StoreError, Wrapped, Wrapper, async_trait};

/// The fault of a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// The commit fails, and nothing is written.
    NotWritten,
    /// The commit is written, but its caller gets an error.
    AnswerLost,
}

/// Injects faults into the commits of any store. `faults` maps the number of a commit, from 0, to its fault.
#[derive(Debug)]
pub(crate) struct Faulty<S> {
    inner: S,
    faults: BTreeMap<usize, Fault>,
    commits: AtomicUsize,
}

impl<S: Store> Faulty<S> {
    pub(crate) fn store(inner: S, faults: impl IntoIterator<Item = (usize, Fault)>) -> Wrapped<Self> {
        let faults = faults.into_iter().collect();
        Wrapped(Self { inner, faults, commits: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl<S: Store> Wrapper for Faulty<S> {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let failed = |fault| CommitError::Failed(StoreError::unavailable("committing", format!("{fault:?}")));
        match self.faults.get(&self.commits.fetch_add(1, Ordering::Relaxed)) {
            None => self.inner.commit(change).await,
            Some(fault @ Fault::NotWritten) => Err(failed(fault)),
            Some(fault @ Fault::AnswerLost) => {
                self.inner.commit(change).await?;
                Err(failed(fault))
            }
        }
    }
}
