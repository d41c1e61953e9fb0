//! What all processes of a simulation share: the store, the time, the faults, and the ledger of what was committed.

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use signup_core::{ChangeSet, Clock, OrganizationId, ShiftId, SignedDuration, Timestamp, async_trait};
use signup_store_memory::MemoryStore;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use super::inbox::Inbox;
use super::ledger::Ledger;
use super::random::Random;

tokio::task_local! {
    /// The request that a task serves.
    pub(super) static CAUSE: Cause;
}

/// What the ledger knows of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cause {
    pub(super) request: usize,
    /// Whether the organizer asked for no mail.
    pub(super) is_silent: bool,
    /// Whether a volunteer signs up.
    pub(super) is_sign_up: bool,
    /// Whether the volunteer waits for the shifts that are full.
    pub(super) joins_waitlist: bool,
}

/// How often calls fail, in 1000 of them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Faults {
    /// Reads that fail.
    pub(super) reads: u32,
    /// Commits that fail: half of them take effect.
    pub(super) commits: u32,
    /// Mails that the mail server refuses, loses or does not answer.
    pub(super) mails: u32,
    /// Requests that a webhook does not accept.
    pub(super) webhooks: u32,
    /// Calls that take seconds.
    pub(super) slow: u32,
}

pub(super) struct World {
    pub(super) random: Random,
    pub(super) store: MemoryStore,
    pub(super) organization: Mutex<OrganizationId>,
    pub(super) faults: Mutex<Faults>,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) inbox: Mutex<Inbox>,
    /// The shift of the last step, or the shift until whose moment the last pause went. Most steps are about it, so that they race.
    pub(super) focus: Mutex<Option<ShiftId>>,
    /// The number of requests, calls of the store, mails and deliveries that are under way.
    pub(super) under_way: AtomicUsize,
    start: Timestamp,
    began: Instant,
    /// The seconds by which the driver has moved the clock.
    jumped: AtomicI64,
    failure: Mutex<Option<String>>,
    trace: Option<Mutex<Vec<String>>>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("World")
    }
}

/// The clock of one process.
#[derive(Debug)]
pub(super) struct ProcessClock {
    pub(super) world: Arc<World>,
    /// How far the clock is ahead, in seconds.
    pub(super) ahead_s: i64,
}

#[async_trait]
impl Clock for ProcessClock {
    fn now(&self) -> Timestamp {
        self.world.now() + SignedDuration::from_secs(self.ahead_s)
    }

    async fn pause(&self, duration: Duration) {
        sleep(duration).await;
    }
}

/// Something that is under way until the guard is dropped.
#[derive(Debug)]
pub(super) struct UnderWay<'w>(&'w World);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

impl World {
    pub(super) fn new(seed: u64, is_traced: bool) -> Self {
        let random = Random::new(seed);
        let start: Timestamp = "2027-01-04T06:00:00Z".parse().unwrap();
        let start = start + SignedDuration::from_hours(i64::try_from(random.below(300 * 24)).unwrap());
        Self {
            random,
            store: MemoryStore::new(),
            organization: Mutex::new(OrganizationId::NONE),
            faults: Mutex::default(),
            ledger: Mutex::default(),
            inbox: Mutex::default(),
            focus: Mutex::default(),
            under_way: AtomicUsize::new(0),
            start,
            began: Instant::now(),
            jumped: AtomicI64::new(0),
            failure: Mutex::default(),
            trace: is_traced.then(Mutex::default),
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        let elapsed = i64::try_from(self.elapsed().as_secs()).unwrap();
        self.start + SignedDuration::from_secs(elapsed + self.jumped.load(Ordering::Relaxed))
    }

    /// Returns how long the tasks have run, without jumps.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Moves the clocks of all processes.
    pub(super) fn jump(&self, duration: SignedDuration) {
        self.jumped.fetch_add(duration.as_secs(), Ordering::Relaxed);
        self.trace(|| format!("the clock moves by {duration:#}"));
    }

    pub(super) fn faults(&self) -> Faults {
        *self.faults.lock().unwrap()
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap()
    }

    pub(super) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap()
    }

    pub(super) fn organization(&self) -> OrganizationId {
        *self.organization.lock().unwrap()
    }

    pub(super) fn enter(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(self)
    }

    /// Takes some time, so that other tasks run.
    pub(super) async fn delay(&self) {
        let Faults { slow, .. } = self.faults();
        match self.random.below(100) {
            _ if self.random.chance(slow) => sleep(self.millis(100, 3000)).await,
            0..60 => {}
            60..92 => yield_now().await,
            _ => sleep(self.millis(1, 30)).await,
        }
    }

    pub(super) fn millis(&self, first: u64, last: u64) -> Duration {
        Duration::from_millis(self.random.between(first, last))
    }

    /// Notes what a commit has done.
    pub(super) fn committed(&self, change: &ChangeSet) {
        let cause = CAUSE.try_with(|cause| *cause).ok();
        let (now, elapsed) = (self.now(), self.elapsed());
        self.trace(|| format!("commit {}", super::ledger::in_words(change)));
        let mut ledger = self.ledger();
        let noted = ledger.apply(change, cause, now, elapsed);
        self.check(noted.and_then(|()| ledger.check_occupancy(&self.store, change)));
    }

    /// Notes that a promise was broken.
    pub(super) fn check(&self, result: Result<(), String>) {
        if let Err(broken) = result {
            self.trace(|| format!("BROKEN: {broken}"));
            self.failure.lock().unwrap().get_or_insert(broken);
        }
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap().clone()
    }

    pub(super) fn trace(&self, line: impl FnOnce() -> String) {
        if let Some(trace) = &self.trace {
            let line = format!("{} {:>9.3} {}", self.now(), self.elapsed().as_secs_f64(), line());
            trace.lock().unwrap().push(line);
        }
    }

    pub(super) fn take_trace(&self) -> Vec<String> {
        self.trace.as_ref().map(|trace| std::mem::take(&mut *trace.lock().unwrap())).unwrap_or_default()
    }
}
