//! A bounded queue of requests to one task, which takes all requests that wait at once.
//!
//! A durable commit, or a round trip, costs about the same for one request as for many.

use std::time::Duration;

use signup_core::StoreError;
use tokio::sync::{mpsc, oneshot};

/// The most requests that wait. A caller that arrives later waits until there is room.
const CAPACITY: usize = 1024;

/// Handle to a queue. Clones share the queue, which ends when the last handle is dropped.
#[derive(Debug)]
pub(crate) struct RequestQueue<Q, A> {
    what: &'static str,
    max_wait: Duration,
    sender: mpsc::Sender<Waiting<Q, A>>,
}

// The derive would require `Q: Clone`.
impl<Q, A> Clone for RequestQueue<Q, A> {
    fn clone(&self) -> Self {
        Self { what: self.what, max_wait: self.max_wait, sender: self.sender.clone() }
    }
}

/// A request that waits for its answer. A drop fails the request as unavailable.
#[derive(Debug)]
pub(crate) struct Waiting<Q, A> {
    pub(crate) request: Q,
    answer: oneshot::Sender<A>,
}

impl<Q, A> Waiting<Q, A> {
    /// Answers the request. The answer is dropped if the caller has gone away.
    pub(crate) fn answer(self, answer: A) {
        drop(self.answer.send(answer));
    }

    /// Separates the request from the waiting caller.
    #[cfg(feature = "sqlite")]
    pub(crate) fn split(self) -> (Q, Waiting<(), A>) {
        (self.request, Waiting { request: (), answer: self.answer })
    }

    /// Returns whether no caller waits for the answer.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }
}

impl<Q, A> RequestQueue<Q, A> {
    /// Creates a queue, and the end from which the task takes the requests. `what` names the action in errors. A request fails
    /// after `max_wait`, the wait for room included.
    pub(crate) fn new(what: &'static str, max_wait: Duration) -> (Self, mpsc::Receiver<Waiting<Q, A>>) {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        (Self { what, max_wait, sender }, receiver)
    }

    /// Sends a request to the task, and waits for its answer.
    ///
    /// # Errors
    /// Returns an unavailable error if the time passes, if the request is dropped, or if no more requests are taken.
    pub(crate) async fn submit(&self, request: Q) -> Result<A, StoreError> {
        let submit = async {
            let (answer, answered) = oneshot::channel();
            self.sender.send(Waiting { request, answer }).await.map_err(|_| self.ended())?;
            answered.await.map_err(|_| self.unavailable("the request was dropped"))
        };
        let answered = tokio::time::timeout(self.max_wait, submit).await;
        answered.unwrap_or_else(|_| Err(self.unavailable("the deadline passed before the answer")))
    }

    /// Fails with an unavailable error if no more requests are taken.
    #[cfg(feature = "sqlite")]
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.sender.is_closed() { Err(self.ended()) } else { Ok(()) }
    }

    /// Waits until no more requests are taken.
    #[cfg(feature = "sqlite")]
    pub(crate) async fn closed(&self) {
        self.sender.closed().await;
    }

    fn ended(&self) -> StoreError {
        self.unavailable("no more requests are taken")
    }

    fn unavailable(&self, cause: &'static str) -> StoreError {
        StoreError::unavailable(self.what, cause)
    }
}
