//! Batching: requests that arrive while a batch is under way form the next batch.
//!
//! A durable commit or a round trip costs about the same for one request as for many. So a [`Batcher`] keeps requests in a
//! queue and hands them to its [`Work`] in batches. A batcher with several works runs that many batches at a time.
//!
//! A batch is a task. It is spawned as soon as a work is idle and a request can be taken, and takes its requests when it
//! runs. A lone request waits for no timer and for no other request. When the batch ends, the next batch is spawned. An idle
//! batcher has no task.
//!
//! The queue is bounded, and each request has a deadline. A caller that finds the queue full waits for a place until its
//! deadline. A request that waits is dropped from the queue when its caller goes away or its deadline passes. A work decides
//! what becomes of an abandoned request that it has taken.
//!
//! **Invariants:** Two requests whose keys conflict never share a batch and never run at the same time, and they run in the
//! order in which they were queued, unless a work ends its batch early. If a work is idle and no batch gathers, no request in
//! the queue can be taken. No lock is held over an await.

mod queue;
mod work;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signup_core::StoreError;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::Instant;

pub(crate) use queue::Conflict;
use queue::Queue;
pub(crate) use work::{Next, Pending, Work};

/// Bounds of a batcher. Each is at least one, except `yields`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most requests in one batch.
    pub(crate) batch: usize,
    /// The most requests in the queue. Requests of batches that run are not counted.
    pub(crate) waiting: usize,
    /// The longest time from the submission of a request to its answer, including the wait for a place in the queue.
    pub(crate) max_wait: Duration,
    /// How often a batch lets other tasks run before it takes its requests; 0 is allowed. Callers that were just answered
    /// then share the batch with their next requests.
    pub(crate) yields: u32,
}

/// Handle to a queue and to the works that serve the queue. Clones share both.
pub(crate) struct Batcher<W: Work>(Arc<Shared<W>>);

impl<W: Work> Clone for Batcher<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: Work> fmt::Debug for Batcher<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batcher")
            .field("what", &self.0.what)
            .field("limits", &self.0.limits)
            .finish_non_exhaustive()
    }
}

impl<W: Work> Batcher<W> {
    /// Creates a batcher that runs as many batches at a time as there are `works`, at least one. `what` names the action in
    /// errors, as in "committing a change set".
    pub(crate) fn new(what: &'static str, limits: Limits, works: Vec<W>) -> Self {
        let state = State {
            queue: Queue::default(),
            idle: works,
            running: 0,
            is_starting: false,
            is_gathering: false,
        };
        Self(Arc::new(Shared {
            what,
            limits,
            places: Semaphore::new(limits.waiting),
            changed: Notify::new(),
            state: Mutex::new(state),
        }))
    }

    /// Queues a request and waits for its answer. Needs a Tokio runtime, on which the batch may run.
    ///
    /// # Errors
    /// Fails with the error of the work. Returns an unavailable error if the deadline passes, if the batch ends without an
    /// answer, or if the batcher takes no more requests.
    pub(crate) async fn submit(&self, keys: W::Keys, request: W::Request) -> Result<W::Answer, StoreError> {
        let deadline = Instant::now() + self.0.limits.max_wait;
        let answer = tokio::time::timeout_at(deadline, self.submit_until(deadline, keys, request));
        answer.await.unwrap_or_else(|_| Err(self.0.too_late()))
    }

    async fn submit_until(
        &self,
        deadline: Instant,
        keys: W::Keys,
        request: W::Request,
    ) -> Result<W::Answer, StoreError> {
        // An `acquire` that is ready costs some of the task's budget, and a `try_acquire` does not. It overtakes no
        // caller: a permit is free only if no caller waits for one.
        let place = match self.0.places.try_acquire() {
            Ok(place) => place,
            Err(_) => self.0.places.acquire().await.map_err(|_| self.0.closed())?,
        };
        let (sender, answer) = oneshot::channel();
        let pending = Pending { request, what: self.0.what, deadline, answer: sender };
        let mut ticket = self.0.push(Waiting { keys, pending, runtime: Handle::current() })?;
        // The permit is added back when the request leaves the queue.
        place.forget();
        let answer = answer.await;
        ticket.number = None;
        answer.map_err(|_| self.0.unavailable("the batch ended without an answer"))?
    }

    /// Fails with an unavailable error if the batcher takes no more requests.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.0.places.is_closed() { Err(self.0.closed()) } else { Ok(()) }
    }

    /// Waits until the batcher takes no more requests, because of [`Next::stop`] or [`close`](Self::close).
    #[cfg(feature = "sqlite")]
    pub(crate) async fn stopped(&self) {
        self.0.when(|_| self.0.places.is_closed().then_some(())).await;
    }

    /// Takes no more requests, waits until the queue is empty and no batch runs, and returns the works. A second call returns
    /// no works.
    pub(crate) async fn close(&self) -> Vec<W> {
        {
            let _state = self.0.lock();
            self.0.places.close();
        }
        self.0.changed.notify_waiters();
        let works = |state: &mut State<W>| {
            let is_over = state.running == 0 && state.queue.is_empty();
            is_over.then(|| std::mem::take(&mut state.idle))
        };
        self.0.when(works).await
    }
}

struct Shared<W: Work> {
    what: &'static str,
    limits: Limits,
    /// Has a permit for each free place in the queue. Closed, under the lock of `state`, when no more requests are taken.
    places: Semaphore,
    /// Notified when `places` is closed, and after each batch that ends later.
    changed: Notify,
    state: Mutex<State<W>>,
}

struct State<W: Work> {
    queue: Queue<W::Keys, Waiting<W>>,
    idle: Vec<W>,
    /// How many batches run or gather.
    running: usize,
    /// Whether [`Shared::start`] runs. The running call checks the state again before it ends, so another call returns at
    /// once.
    is_starting: bool,
    /// Whether a batch has started and has not taken its requests. Requests that arrive now can join the batch. A runtime
    /// that is neither driven nor dropped meanwhile blocks the other works.
    is_gathering: bool,
}

/// A request in the queue.
struct Waiting<W: Work> {
    keys: W::Keys,
    pending: Pending<W::Request, W::Answer>,
    /// The runtime of the caller. The batch whose first request this is runs there.
    runtime: Handle,
}

impl<W: Work> AsRef<W::Keys> for Waiting<W> {
    fn as_ref(&self) -> &W::Keys {
        &self.keys
    }
}

impl<W: Work> Shared<W> {
    fn lock(&self) -> MutexGuard<'_, State<W>> {
        // Nothing panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unavailable(&self, cause: &'static str) -> StoreError {
        StoreError::unavailable(self.what, cause)
    }

    fn too_late(&self) -> StoreError {
        self.unavailable("the deadline passed before the answer")
    }

    fn closed(&self) -> StoreError {
        self.unavailable("no more requests are taken")
    }

    /// Waits until `ready` returns a value.
    async fn when<T>(&self, mut ready: impl FnMut(&mut State<W>) -> Option<T>) -> T {
        loop {
            // Created before the check, so a change after the check is not missed.
            let changed = self.changed.notified();
            let value = ready(&mut self.lock());
            if let Some(value) = value {
                return value;
            }
            changed.await;
        }
    }

    /// Queues a request, and starts a batch if the request can be taken.
    fn push(self: &Arc<Self>, waiting: Waiting<W>) -> Result<Ticket<'_, W>, StoreError> {
        let mut state = self.lock();
        if self.places.is_closed() {
            return Err(self.closed());
        }
        // If a work is idle, no older request can be taken, or another call of `start` follows. So this request starts a batch
        // only if no running batch conflicts with it.
        let may_start = !state.idle.is_empty() && !state.queue.is_held_up(&waiting.keys);
        let number = state.queue.push(waiting);
        if may_start {
            self.start(state);
        }
        Ok(Ticket { shared: self, number: Some(number) })
    }

    /// Starts a batch if a work is idle, a request can be taken, and no other batch gathers. Called after each change of the
    /// state that may let a request be taken.
    fn start<'a>(self: &'a Arc<Self>, mut state: MutexGuard<'a, State<W>>) {
        if state.is_starting {
            return;
        }
        state.is_starting = true;
        while !state.is_gathering
            && !state.idle.is_empty()
            && let Some(first) = state.queue.next()
        {
            let runtime = first.runtime.clone();
            let work = state.idle.pop();
            state.is_gathering = true;
            state.running += 1;
            drop(state);
            let running = Running { shared: Arc::clone(self), work, keys: None, next: Next::default() };
            // `Running` reports the end of the task. A runtime that has ended drops the task within this call.
            drop(runtime.spawn(running.run()));
            state = self.lock();
        }
        state.is_starting = false;
        if self.places.is_closed() {
            self.changed.notify_waiters();
        }
    }

    /// Takes the requests of the batch that gathers, and starts another batch for the rest.
    fn take(self: &Arc<Self>, limit: usize) -> Vec<Waiting<W>> {
        let now = Instant::now();
        let mut state = self.lock();
        let is_abandoned = |waiting: &Waiting<W>| waiting.pending.is_abandoned_at(now);
        let (batch, abandoned) = state.queue.take(limit, is_abandoned);
        state.is_gathering = false;
        self.places.add_permits(batch.len() + abandoned.len());
        self.start(state);
        for waiting in abandoned {
            waiting.pending.send(Err(self.too_late()));
        }
        batch
    }
}

/// The right to a place in the queue. Removes the request from the queue if the caller goes away.
struct Ticket<'a, W: Work> {
    shared: &'a Arc<Shared<W>>,
    /// `None` if the request has left the queue for certain.
    number: Option<u64>,
}

impl<W: Work> Drop for Ticket<'_, W> {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let mut state = self.shared.lock();
        let Some(_removed) = state.queue.remove(number) else { return };
        self.shared.places.add_permits(1);
        // The request may have held up others.
        self.shared.start(state);
    }
}

/// A batch. When dropped, puts the work back, releases the keys and starts what they held up: at the end of the batch, after
/// a panic, and when the runtime ends.
struct Running<W: Work> {
    shared: Arc<Shared<W>>,
    /// `None` only while dropped.
    work: Option<W>,
    /// The keys of the requests. `None` while the batch gathers.
    keys: Option<Vec<W::Keys>>,
    next: Next,
}

impl<W: Work> Running<W> {
    async fn run(mut self) {
        for _ in 0..self.shared.limits.yields {
            tokio::task::yield_now().await;
        }
        let batch = self.take(self.shared.limits.batch);
        if let Some(work) = &mut self.work
            && !batch.is_empty()
        {
            self.next = work.run(batch).await;
        }
    }

    fn take(&mut self, limit: usize) -> Vec<Pending<W::Request, W::Answer>> {
        let batch = self.shared.take(limit).into_iter();
        let (keys, batch) = batch.map(|waiting| (waiting.keys, waiting.pending)).unzip();
        self.keys = Some(keys);
        batch
    }
}

impl<W: Work> Drop for Running<W> {
    fn drop(&mut self) {
        if self.keys.is_none() {
            // The batch was dropped before it took its requests, because its runtime ended. The request that started the
            // batch belongs to that runtime, and would start the next batch there.
            drop(self.take(1));
        }
        let mut state = self.shared.lock();
        state.queue.release(self.keys.as_deref().unwrap_or_default());
        state.idle.extend(self.work.take());
        state.running -= 1;
        let Next { mut fail_waiting, stop } = std::mem::take(&mut self.next);
        if stop {
            self.shared.places.close();
            fail_waiting = Some(Arc::new(self.shared.closed()));
        }
        let failed = fail_waiting.map(|error| (error, state.queue.clear()));
        if let Some((error, waiting)) = failed {
            drop(state);
            self.shared.places.add_permits(waiting.len());
            for waiting in waiting {
                waiting.pending.fail(&error);
            }
            state = self.shared.lock();
        }
        self.shared.start(state);
    }
}
