//! A work that waits for permits and records its batches.

use std::error::Error as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};
use std::time::Duration;

use signup_core::StoreError;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::batch::{Batcher, Conflict, Limits, Next, Pending, Work};

/// A request at which the work panics.
pub(crate) const PANIC: usize = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Commute,
    Write,
}

pub(crate) type Keys = Vec<(u32, Access)>;

impl Conflict for Keys {
    type Key = u32;
    type Access = Access;

    fn claims(&self) -> impl Iterator<Item = (&u32, Access)> {
        self.iter().map(|(key, access)| (key, *access))
    }

    fn shares_batch(access: Access) -> bool {
        access != Access::Write
    }

    fn runs_beside(access: Access) -> bool {
        access == Access::Read
    }
}

pub(crate) fn limits() -> Limits {
    Limits { batch: 8, waiting: 100, max_wait: Duration::from_mins(1), yields: 0 }
}

/// Runs as many batches as there are permits, and answers each request with its own number.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    pub(crate) open: Arc<Semaphore>,
    /// The requests of each batch that has begun.
    batches: Arc<Mutex<Vec<Vec<usize>>>>,
    /// The requests that were abandoned at the end of their batch.
    abandoned: Arc<Mutex<Vec<usize>>>,
    next: fn() -> Next,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self {
            open: Arc::new(Semaphore::new(0)),
            batches: Arc::default(),
            abandoned: Arc::default(),
            next: Next::default,
        }
    }

    pub(crate) fn then(self, next: fn() -> Next) -> Self {
        Self { next, ..self }
    }

    pub(crate) fn batcher(&self, limits: Limits, works: usize) -> Batcher<Self> {
        Batcher::new("testing", limits, vec![self.clone(); works])
    }

    pub(crate) fn batches(&self) -> Vec<Vec<usize>> {
        self.batches.lock().unwrap().clone()
    }

    pub(crate) fn requests(&self) -> Vec<usize> {
        self.batches().concat()
    }

    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.batches().iter().map(Vec::len).collect()
    }

    pub(crate) fn abandoned(&self) -> Vec<usize> {
        self.abandoned.lock().unwrap().clone()
    }
}

impl Work for Gate {
    type Keys = Keys;
    type Request = usize;
    type Answer = usize;

    async fn run(&mut self, batch: Vec<Pending<usize, usize>>) -> Next {
        let numbers: Vec<_> = batch.iter().map(|pending| pending.request).collect();
        self.batches.lock().unwrap().push(numbers.clone());
        self.open.acquire().await.unwrap().forget();
        assert!(!numbers.contains(&PANIC), "the test wants this panic");
        for pending in batch {
            let number = pending.request;
            if pending.is_abandoned_at(Instant::now()) {
                self.abandoned.lock().unwrap().push(number);
            }
            pending.answer(number);
        }
        (self.next)()
    }
}

pub(crate) type Answer<'a> = Pin<Box<dyn Future<Output = Result<usize, StoreError>> + Send + 'a>>;

/// Submits requests without keys, in order.
pub(crate) async fn submit_all(
    batcher: &Batcher<Gate>,
    numbers: impl IntoIterator<Item = usize>,
) -> Vec<Answer<'_>> {
    submit_with(batcher, numbers.into_iter().map(|number| (number, vec![]))).await
}

/// Submits requests with keys, in order. Before the next request the batcher starts each batch that it can start.
pub(crate) async fn submit_with<W: Work<Keys = Keys, Request = usize, Answer = usize>>(
    batcher: &Batcher<W>,
    requests: impl IntoIterator<Item = (usize, Keys)>,
) -> Vec<Answer<'_>> {
    let mut answers: Vec<Answer<'_>> = vec![];
    for (number, keys) in requests {
        let mut answer: [Answer<'_>; 1] = [Box::pin(batcher.submit(keys, number))];
        begin(&mut answer);
        answers.extend(answer);
        tokio::task::yield_now().await;
    }
    answers
}

/// Polls each future once; none is ready.
pub(crate) fn begin<F: Future + Unpin>(futures: &mut [F]) {
    let mut context = Context::from_waker(Waker::noop());
    for future in futures {
        assert!(Pin::new(future).poll(&mut context).is_pending());
    }
}

pub(crate) fn assert_unavailable(answer: Result<usize, StoreError>) {
    let error = answer.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
}

/// The message of the error's source.
pub(crate) fn cause(error: &StoreError) -> String {
    error.source().unwrap().to_string()
}

/// Waits until the condition holds.
pub(crate) async fn until(condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the condition does not hold");
        tokio::task::yield_now().await;
    }
}
