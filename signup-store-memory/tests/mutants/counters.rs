//! Faults in the counter of requests. The memory store has no counter, so each mutant adds one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use signup_core::conformance::{self, counter};
use signup_core::store::{Wrapped, Wrapper};
use signup_core::{RateKey, RequestCounter, Store, StoreError, Timestamp, Window, async_trait};
use signup_store_memory::MemoryStore;

use crate::wait_until;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// All keys share a window.
    OneWindow,
    /// A window never ends.
    EndlessWindow,
    /// Another request can come between the read and the write of a window.
    Race,
    /// A purge ignores its limit.
    UnlimitedPurge,
    /// A purge removes open windows, too.
    PurgeOfOpenWindows,
}

#[derive(Debug)]
struct Counting {
    inner: MemoryStore,
    windows: Mutex<HashMap<RateKey, Window>>,
    fault: Fault,
    /// The number of reads under [`Fault::Race`].
    reads: AtomicU32,
}

impl Wrapper for Counting {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        Some(self)
    }
}

#[async_trait]
impl RequestCounter for Counting {
    async fn count_request(&self, key: RateKey, now: Timestamp) -> Result<Window, StoreError> {
        let first = RateKey::visitor([192, 0, 2, 0].into());
        let key = if self.fault == Fault::OneWindow { first } else { key };
        let next = |windows: &HashMap<RateKey, Window>| {
            let open = windows.get(&key).copied();
            let open = open.filter(|open| open.is_open(now) || self.fault == Fault::EndlessWindow);
            let Window { opened_at, requests } = open.unwrap_or(Window { opened_at: now, requests: 0 });
            Window { opened_at, requests: requests + 1 }
        };
        if self.fault == Fault::Race {
            let counted = next(&self.windows.lock().unwrap());
            self.reads.fetch_add(1, Ordering::Relaxed);
            wait_until(|| self.reads.load(Ordering::Relaxed) > 1).await;
            self.windows.lock().unwrap().insert(key, counted);
            return Ok(counted);
        }
        let mut windows = self.windows.lock().unwrap();
        let counted = next(&windows);
        windows.insert(key, counted);
        Ok(counted)
    }

    async fn purge_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let mut windows = self.windows.lock().unwrap();
        let is_old = |window: &Window| !window.is_open(now) || self.fault == Fault::PurgeOfOpenWindows;
        let limit = if self.fault == Fault::UnlimitedPurge { usize::MAX } else { limit as usize };
        let old = windows.iter().filter(|(_, window)| is_old(window)).map(|(key, _)| *key);
        let old: Vec<_> = old.take(limit).collect();
        windows.retain(|key, _| !old.contains(key));
        Ok(old.len() as u64)
    }
}

fn with(fault: Fault, promise: impl AsyncFnOnce(Arc<dyn Store>)) {
    let counting =
        Counting { inner: MemoryStore::new(), windows: Mutex::default(), fault, reads: AtomicU32::new(0) };
    conformance::test(async || Some((Arc::new(Wrapped(counting)) as Arc<dyn Store>, ())), promise);
}

#[test]
fn a_counter_without_a_fault_passes() {
    with(Fault::None, counter::requests_are_counted_in_windows_of_60_seconds);
    with(Fault::None, counter::each_key_has_a_window_of_its_own);
    with(Fault::None, counter::simultaneous_requests_get_different_counts);
    with(Fault::None, counter::a_purge_removes_only_ended_windows);
}

#[test]
#[should_panic(expected = "the first request of")]
fn one_window_for_all_keys_is_caught() {
    with(Fault::OneWindow, counter::each_key_has_a_window_of_its_own);
}

#[test]
#[should_panic(expected = "a new window opens after 60 seconds")]
fn a_window_that_never_ends_is_caught() {
    with(Fault::EndlessWindow, counter::requests_are_counted_in_windows_of_60_seconds);
}

#[test]
#[should_panic(expected = "each request has a count of its own")]
fn a_count_that_two_requests_share_is_caught() {
    with(Fault::Race, counter::simultaneous_requests_get_different_counts);
}

#[test]
#[should_panic(expected = "the purge removes windows up to the limit")]
fn a_purge_of_windows_without_a_limit_is_caught() {
    with(Fault::UnlimitedPurge, counter::a_purge_removes_only_ended_windows);
}

#[test]
#[should_panic(expected = "all windows are open")]
fn a_purge_of_open_windows_is_caught() {
    with(Fault::PurgeOfOpenWindows, counter::a_purge_removes_only_ended_windows);
}
