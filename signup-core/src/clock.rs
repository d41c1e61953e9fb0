//! Clocks: the system's, with and without a timer, and a fixed one for tests.
//!
//! Every time is a whole second, so a printed time equals the stored time.
//!
//! **Invariant:** only this module reads the system's clock. Everything else takes the time as an argument or from a
//! [`Clock`]. Only the age of a cached token and the duration of a commit are measured elsewhere, with a monotonic clock.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

/// A source of the present time, in whole seconds, and of pauses.
#[async_trait]
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Returns the present time, rounded down to a whole second.
    fn now(&self) -> Timestamp;

    /// Waits for `duration`, or lets other tasks run once if the clock has no timer.
    ///
    /// The service pauses between two attempts to commit, for at most 50 ms. Without a timer the attempts follow each
    /// other at once, so they cost more and end sooner. A clock of your own can call the method of [`TokioClock`] or
    /// of [`SystemClock`].
    async fn pause(&self, duration: Duration);
}

#[async_trait]
impl<T: Clock + ?Sized> Clock for Arc<T> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    async fn pause(&self, duration: Duration) {
        (**self).pause(duration).await;
    }
}

/// The system's clock, which a new [`Service`](crate::Service) uses. It has no timer, so it works on any async runtime.
///
/// ```
/// use signup_core::{Clock, SystemClock};
///
/// let now = SystemClock.now();
/// assert_eq!(now.subsec_nanosecond(), 0);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
        let now = Timestamp::now();
        whole_second(now)
    }

    async fn pause(&self, _duration: Duration) {
        yield_once().await;
    }
}

/// The system's clock with tokio's timer, for programs that share a database with other processes.
///
/// [`pause`](Clock::pause) panics outside of a tokio runtime with time enabled.
///
/// ```
/// use signup_core::{Service, TokioClock};
/// use signup_store_memory::MemoryStore;
///
/// let service = Service::new(MemoryStore::new()).with_clock(TokioClock);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioClock;

#[async_trait]
impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    async fn pause(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// A clock that changes only by [`advance`](Self::advance) and [`set`](Self::set), for tests. Its pauses let other tasks run once,
/// and leave the time as it is.
///
/// A test keeps a handle of the clock beside the service:
///
/// ```
/// use std::sync::Arc;
/// use signup_core::{FixedClock, Service};
/// use signup_store_memory::MemoryStore;
///
/// let clock = Arc::new(FixedClock::at("2026-03-01T12:00:00Z".parse()?));
/// let service = Service::new(MemoryStore::new()).with_clock(Arc::clone(&clock));
/// clock.advance(90);
/// assert_eq!(service.now().to_string(), "2026-03-01T12:01:30Z");
/// clock.set("2026-03-02T00:00:00Z".parse()?);
/// assert_eq!(service.now().to_string(), "2026-03-02T00:00:00Z");
/// # Ok::<(), signup_core::jiff::Error>(())
/// ```
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Creates a clock that shows `now`, rounded down to a whole second.
    pub fn at(now: Timestamp) -> Self {
        Self(AtomicI64::new(whole_second(now).as_second()))
    }

    /// Moves the clock by `seconds`, forward or backward.
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }

    /// Moves the clock forward to `now`, rounded down to a whole second.
    ///
    /// # Panics
    /// Panics if the clock shows a later time, which then stays. [`advance`](Self::advance) moves the clock backward.
    pub fn set(&self, now: Timestamp) {
        let shown = self.0.fetch_max(whole_second(now).as_second(), Ordering::SeqCst);
        assert!(shown <= whole_second(now).as_second(), "the clock shows a time later than {now}");
    }
}

#[async_trait]
impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::MAX)
    }

    async fn pause(&self, _duration: Duration) {
        yield_once().await;
    }
}

/// Lets the other tasks of the runtime run once.
async fn yield_once() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Rounds down to a whole second, also before 1970, where truncation towards zero would round up.
pub(crate) fn whole_second(time: Timestamp) -> Timestamp {
    let second = time.as_second() - i64::from(time.subsec_nanosecond() < 0);
    Timestamp::from_second(second).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_rounded_down_to_a_whole_second() {
        for (given, cut) in [
            ("2026-01-01T00:00:00.999999999Z", "2026-01-01T00:00:00Z"),
            ("1969-12-31T23:59:58.25Z", "1969-12-31T23:59:58Z"),
        ] {
            assert_eq!(FixedClock::at(given.parse().unwrap()).now(), cut.parse().unwrap());
        }
    }

    #[test]
    fn a_fixed_clock_is_set_to_a_later_time_only() {
        let [earlier, later]: [Timestamp; 2] =
            ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"].map(|time| time.parse().unwrap());
        let clock = FixedClock::at(earlier);
        clock.set(later);
        clock.set(later);
        assert_eq!(clock.now(), later);
        let panic = std::panic::catch_unwind(|| clock.set(earlier)).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert_eq!(message, "the clock shows a time later than 2026-01-01T00:00:00Z");
        assert_eq!(clock.now(), later);
    }
}
