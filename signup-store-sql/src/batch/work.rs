//! What a [`Batcher`](super::Batcher) runs: the work, its requests, and what follows a batch.

use std::sync::Arc;

use signup_core::StoreError;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Conflict;

/// Runs batches, one at a time. A batcher runs as many batches at a time as it has works.
///
/// The work outlives a batch that panics or is cut off by the end of its runtime. [`run`](Self::run) has to leave the work
/// in a state in which the next batch can run, wherever `run` stops.
pub(crate) trait Work: Send + 'static {
    /// The keys of a request: `()` if no requests conflict.
    type Keys: Conflict;
    type Request: Send + 'static;
    type Answer: Send + 'static;

    /// Runs one batch and answers each of its requests. The batch has at least one request, and its requests are in the
    /// order in which they were queued. A caller whose [`Pending`] is dropped without an answer gets
    /// [`Unavailable`](signup_core::StoreErrorKind::Unavailable).
    fn run(&mut self, batch: Vec<Pending<Self::Request, Self::Answer>>) -> impl Future<Output = Next> + Send;
}

/// What a batcher does after a batch: with the default it runs the next batch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Next {
    /// Fails the requests in the queue with this error, because their batches would fail, too. Later requests are taken.
    pub(crate) fail_waiting: Option<Arc<StoreError>>,
    /// Takes no more requests. The requests in the queue fail as unavailable.
    pub(crate) stop: bool,
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Pending<Q, A> {
    pub(crate) request: Q,
    pub(super) what: &'static str,
    pub(super) deadline: Instant,
    pub(super) answer: oneshot::Sender<Result<A, StoreError>>,
}

impl<Q, A> Pending<Q, A> {
    /// Answers the request. The answer is dropped if the caller has gone away.
    pub(crate) fn answer(self, answer: A) {
        self.send(Ok(answer));
    }

    /// Fails the request with an error that several requests share. An unavailable error stays unavailable.
    pub(crate) fn fail(self, error: &Arc<StoreError>) {
        let (what, source) = (self.what, Arc::clone(error));
        let error = if error.is_unavailable() {
            StoreError::unavailable(what, source)
        } else {
            StoreError::failed(what, source)
        };
        self.send(Err(error));
    }

    /// Returns whether no caller waits for the answer at `now`: the caller has gone away, or the deadline has passed.
    pub(crate) fn is_abandoned_at(&self, now: Instant) -> bool {
        self.answer.is_closed() || self.deadline <= now
    }

    pub(super) fn send(self, answer: Result<A, StoreError>) {
        // An error means that the caller has gone away.
        drop(self.answer.send(answer));
    }
}
