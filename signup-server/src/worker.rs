//! The worker: delivers what the outbox has queued, with one loop for mails and for webhooks.
//!
//! A worker reads a batch of due items, and delivers each item in a task of its own. Several processes can share the work,
//! because each delivery begins with a claim. If a process is killed, its items are due again when their leases have expired.
//!
//! **Invariant:** the worker knows nothing of what it delivers. What a mail or a webhook needs is in its [`WorkQueue`].

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use signup_core::Error;
use signup_core::uuid::Uuid;
use tokio::sync::watch;
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use crate::reply::WithSources;

/// The pause when no item is due, and between two tries to store a report.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The pause after the store, or what every item is sent to, was unreachable.
const UNREACHABLE_PAUSE: Duration = Duration::from_secs(5);

/// A queue of the outbox.
pub(crate) trait WorkQueue: Send + Sync + 'static {
    /// A queued item.
    type Item: Send + 'static;
    /// What an item is sent to.
    type Target: Send + 'static;

    /// The name of the items in the log.
    const ITEMS: &'static str;
    /// The maximum number of items that a process delivers at the same time.
    const AT_ONCE: usize;
    /// The maximum number of items that one read returns; at least [`AT_ONCE`](Self::AT_ONCE).
    const BATCH: u32;

    /// Returns the id of an item.
    fn id(item: &Self::Item) -> Uuid;

    /// Returns what an item is sent to.
    fn target(item: &Self::Item) -> Self::Target;

    /// Returns whether an item for `target` may take a free place. `in_flight` are the targets of the items that are being
    /// delivered.
    fn has_place<'a>(target: &Self::Target, in_flight: impl Iterator<Item = &'a Self::Target>) -> bool;

    /// Returns at most [`BATCH`](Self::BATCH) items that are due, in the order in which they are delivered.
    ///
    /// # Errors
    /// Fails only if the store fails.
    fn due(&self) -> impl Future<Output = Result<Vec<Self::Item>, Error>> + Send;

    /// Claims an item, sends it and reports the result.
    fn deliver(&self, item: Self::Item) -> impl Future<Output = Next> + Send;

    /// Does what is left to do when no item is due and none is being delivered.
    fn idle(&self);
}

/// What the worker does after the delivery of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Continues with the batch, and then reads the queue at once.
    Continue,
    /// Continues with the batch, but does not read the queue before its time, unless the last read was full: the item was not
    /// claimed, so it may still be due.
    Wait,
    /// Drops the batch and pauses: no other item could be delivered either.
    Pause,
}

/// Delivers due items until `stop` is true. Then starts no other delivery, and returns when those in flight have ended.
pub(crate) async fn run<Q: WorkQueue>(queue: Q, mut stop: watch::Receiver<bool>) {
    let mut worker = Worker::new(queue);
    while !*stop.borrow() {
        worker.start_due().await;
        let wake_at = worker.wake_at();
        tokio::select! {
            biased;
            Some(ended) = worker.tasks.join_next_with_id() => worker.end(ended),
            () = sleep_until(wake_at) => {}
            // An error means that the sender was dropped. Without the sender, nothing could stop this loop.
            changed = stop.changed() => if changed.is_err() { break },
        }
        // One read serves all deliveries that have ended meanwhile.
        while let Some(ended) = worker.tasks.try_join_next_with_id() {
            worker.end(ended);
        }
    }
    while let Some(ended) = worker.tasks.join_next_with_id().await {
        worker.end(ended);
    }
}

struct Worker<Q: WorkQueue> {
    queue: Arc<Q>,
    /// One task for each item in flight, so that a panic over one item does not stop the delivery of the others. The item stays
    /// claimed until its lease expires.
    tasks: JoinSet<Next>,
    /// The ids of the items in flight, and their targets. An item that is not claimed yet is still due, and must not be
    /// started twice.
    in_flight: HashMap<task::Id, (Uuid, Q::Target)>,
    /// Due items that wait for a free place.
    batch: VecDeque<Q::Item>,
    /// Whether the last read may have left due items out.
    has_more: bool,
    next_read: Instant,
    paused_until: Instant,
}

impl<Q: WorkQueue> Worker<Q> {
    fn new(queue: Q) -> Self {
        let now = Instant::now();
        Self {
            queue: Arc::new(queue),
            tasks: JoinSet::new(),
            in_flight: HashMap::new(),
            batch: VecDeque::new(),
            has_more: false,
            next_read: now,
            paused_until: now,
        }
    }

    fn is_full(&self) -> bool {
        self.tasks.len() >= Q::AT_ONCE
    }

    /// Starts items of the batch, and reads the queue when the batch is used up and the time has come.
    async fn start_due(&mut self) {
        while Instant::now() >= self.paused_until {
            self.start_batch();
            if self.is_full() || Instant::now() < self.next_read {
                return;
            }
            self.read().await;
        }
    }

    /// Starts items of the batch until every place is taken. Leaves out an item that may not take a free place: it stays due.
    fn start_batch(&mut self) {
        while !self.is_full()
            && let Some(item) = self.batch.pop_front()
        {
            let (id, target) = (Q::id(&item), Q::target(&item));
            if !Q::has_place(&target, self.in_flight.values().map(|(_, target)| target)) {
                continue;
            }
            let queue = Arc::clone(&self.queue);
            let task = self.tasks.spawn(async move { queue.deliver(item).await });
            self.in_flight.insert(task.id(), (id, target));
            if self.has_more {
                self.next_read = Instant::now();
            }
        }
    }

    /// Reads a batch of due items, without those in flight.
    async fn read(&mut self) {
        // In a task, so that a panic over one record does not end the worker.
        let queue = Arc::clone(&self.queue);
        let due = match tokio::spawn(async move { queue.due().await }).await {
            Ok(Ok(due)) => due,
            Ok(Err(error)) => {
                tracing::warn!(error = %WithSources(&error), "due {} could not be read", Q::ITEMS);
                return self.pause();
            }
            Err(error) => return self.note_panic(&error),
        };
        self.has_more = due.len() >= Q::BATCH as usize;
        let in_flight: HashSet<_> = self.in_flight.values().map(|(id, _)| *id).collect();
        self.batch.extend(due.into_iter().filter(|item| !in_flight.contains(&Q::id(item))));
        self.next_read = Instant::now() + POLL_INTERVAL;
        if self.batch.is_empty() && self.tasks.is_empty() {
            self.queue.idle();
        }
    }

    /// Frees the place of an item whose delivery has ended.
    fn end(&mut self, ended: Result<(task::Id, Next), JoinError>) {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        self.in_flight.remove(&id);
        match ended {
            Ok((_, Next::Continue)) => self.next_read = Instant::now(),
            Ok((_, Next::Wait)) => {}
            Ok((_, Next::Pause)) => self.pause(),
            Err(error) => self.note_panic(&error),
        }
    }

    fn note_panic(&mut self, error: &JoinError) {
        tracing::error!(%error, "a task of the worker of {} panicked", Q::ITEMS);
        self.pause();
    }

    /// Drops the batch, and starts nothing for [`UNREACHABLE_PAUSE`].
    fn pause(&mut self) {
        self.batch.clear();
        self.paused_until = Instant::now() + UNREACHABLE_PAUSE;
        self.next_read = self.paused_until;
    }

    /// Returns when to look for items again, if no delivery ends before.
    fn wake_at(&self) -> Instant {
        // Without a free place, only the end of a delivery makes a difference. The worker then wakes once more than necessary.
        let next_read = if self.is_full() { Instant::now() + UNREACHABLE_PAUSE } else { self.next_read };
        next_read.max(self.paused_until)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Semaphore;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(20);

    /// A queue whose deliveries end when the test allows it.
    #[derive(Default)]
    struct TestQueue {
        due: Mutex<Vec<Uuid>>,
        started: Mutex<Vec<Uuid>>,
        reads: AtomicUsize,
        /// A permit for each delivery that may end.
        ends: Option<Semaphore>,
        /// What follows each delivery; a panic if there is none.
        next: Option<Next>,
    }

    impl TestQueue {
        fn new(due: std::ops::Range<u128>, ends: Option<Semaphore>, next: Option<Next>) -> Arc<Self> {
            let due = Mutex::new(due.map(Uuid::from_u128).collect());
            Arc::new(Self { due, ends, next, ..Self::default() })
        }

        fn started(&self) -> usize {
            self.started.lock().unwrap().len()
        }

        /// Waits until `count` deliveries have started.
        async fn wait_for(&self, count: usize) {
            let all_started = async {
                while self.started() < count {
                    tokio::task::yield_now().await;
                }
            };
            let waited = tokio::time::timeout(DEADLINE, all_started).await;
            assert!(waited.is_ok(), "only {} of {count} deliveries have started", self.started());
        }
    }

    impl WorkQueue for Arc<TestQueue> {
        type Item = Uuid;
        type Target = Uuid;

        const ITEMS: &'static str = "test items";
        const AT_ONCE: usize = 4;
        const BATCH: u32 = 6;

        fn id(item: &Uuid) -> Uuid {
            *item
        }

        /// The items below 100 have one target, and each further one has its own.
        fn target(item: &Uuid) -> Uuid {
            if item.as_u128() < 100 { Uuid::nil() } else { *item }
        }

        fn has_place<'a>(target: &Uuid, in_flight: impl Iterator<Item = &'a Uuid>) -> bool {
            in_flight.filter(|other| *other == target).count() < 3
        }

        async fn due(&self) -> Result<Vec<Uuid>, Error> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            Ok(self.due.lock().unwrap().iter().take(Self::BATCH as usize).copied().collect())
        }

        async fn deliver(&self, item: Uuid) -> Next {
            self.started.lock().unwrap().push(item);
            if let Some(ends) = &self.ends {
                ends.acquire().await.unwrap().forget();
            }
            let next = self.next.unwrap();
            if next == Next::Continue {
                self.due.lock().unwrap().retain(|due| *due != item);
            }
            next
        }

        fn idle(&self) {}
    }

    fn start(queue: &Arc<TestQueue>) -> (watch::Sender<bool>, task::JoinHandle<()>) {
        let (stop, stopped) = watch::channel(false);
        (stop, tokio::spawn(run(Arc::clone(queue), stopped)))
    }

    #[tokio::test]
    async fn each_item_is_started_once_as_soon_as_there_is_a_free_place() {
        let queue = TestQueue::new(100..120, Some(Semaphore::new(0)), Some(Next::Continue));
        let (_stop, worker) = start(&queue);
        let ends = queue.ends.as_ref().unwrap();
        for ended in 0..=16 {
            queue.wait_for(ended + 4).await;
            // The fixed wait is deliberate: only waiting shows that no other delivery starts.
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert_eq!(queue.started(), ended + 4, "four at once");
            ends.add_permits(1);
        }
        let mut started = queue.started.lock().unwrap().clone();
        started.sort_unstable();
        started.dedup();
        assert_eq!(started.len(), 20);
        worker.abort();
    }

    #[tokio::test]
    async fn a_target_never_takes_the_places_of_the_others() {
        let queue = TestQueue::new(0..8, Some(Semaphore::new(0)), Some(Next::Continue));
        let (_stop, worker) = start(&queue);
        queue.wait_for(3).await;
        queue.due.lock().unwrap().insert(3, Uuid::from_u128(100));
        queue.wait_for(4).await;
        assert_eq!(queue.started.lock().unwrap()[3], Uuid::from_u128(100));
        let reads = queue.reads.load(Ordering::Relaxed);
        assert!(reads <= 3, "{reads} reads in a second without a free place");
        worker.abort();
    }

    #[tokio::test]
    async fn items_that_cannot_be_claimed_or_delivered_are_not_read_in_a_busy_loop() {
        for next in [Some(Next::Wait), Some(Next::Pause), None] {
            let queue = TestQueue::new(0..2, None, next);
            let (_stop, worker) = start(&queue);
            queue.wait_for(2).await;
            // The fixed wait is deliberate: it is longer than the pause of a poll.
            tokio::time::sleep(Duration::from_millis(1500)).await;
            let reads = queue.reads.load(Ordering::Relaxed);
            assert!(reads <= 2, "{reads} reads in 1.5 s after {next:?}");
            assert_eq!(reads == 2, next == Some(Next::Wait), "a poll follows");
            worker.abort();
        }
    }

    #[tokio::test]
    async fn a_stopped_worker_starts_nothing_and_waits_for_what_is_in_flight() {
        let queue = TestQueue::new(100..120, Some(Semaphore::new(0)), Some(Next::Continue));
        let (stop, worker) = start(&queue);
        queue.wait_for(4).await;
        stop.send_replace(true);
        queue.ends.as_ref().unwrap().add_permits(3);
        // The fixed wait is deliberate: only waiting shows that the worker does not end.
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!worker.is_finished());
        queue.ends.as_ref().unwrap().add_permits(1);
        tokio::time::timeout(DEADLINE, worker).await.unwrap().unwrap();
        assert_eq!(queue.started(), 4);
    }
}
