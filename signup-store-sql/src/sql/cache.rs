//! A cache of reads, for a backend that can tell whether its database has changed.
//!
//! The backend has a version of its database: a number that rises with each commit. Each value is stored with the version
//! that the caller took before the read. A value is a hit for callers whose version is not higher. So any commit makes all
//! entries stale, and no entry has to be invalidated. With frequent commits most reads miss, and cost as much as without a
//! cache.

mod weight;

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use moka::ops::compute::Op;
use moka::sync::Cache;
use signup_core::{
    Event, EventId, EventInFull, EventQuery, Organization, OrganizationId, Page, ScheduledShift, StoreError,
};
use tokio::sync::OnceCell;

use weight::RECORD_BYTES;
pub(crate) use weight::Weight;

/// The maximum size of the values of each kind, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How long a value stays cached after its last use.
const IDLE: Duration = Duration::from_secs(60);
/// How long a caller waits for another caller's read of the same value.
const WAIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of a slug whose event is cached. The service creates slugs of less than half this length, but callers
/// can ask for any text.
pub(crate) const MAX_SLUG_BYTES: usize = 255;

/// The cached reads, by kind.
#[derive(Debug, Default)]
pub(crate) struct CachedReads {
    pub(crate) organizations: CachedValues<OrganizationId, Option<Organization>>,
    pub(crate) pages: CachedValues<(OrganizationId, EventQuery), Page<Event>>,
    pub(crate) shifts: CachedValues<(OrganizationId, EventId), Option<Vec<ScheduledShift>>>,
    pub(crate) events_by_slug: CachedValues<String, Option<EventInFull>>,
}

/// Values of one kind, by key.
pub(crate) struct CachedValues<K, V>(Cache<K, Arc<CachedValue<V>>>);

/// The value of a read, and the version of the database before the read.
struct CachedValue<V> {
    version: u64,
    /// Empty until the read ends.
    value: OnceCell<V>,
}

impl<V: Weight> CachedValue<V> {
    fn bytes(&self) -> usize {
        RECORD_BYTES + self.value.get().map_or(0, V::bytes)
    }
}

impl<K, V> fmt::Debug for CachedValues<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CachedValues(…)")
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, V: Weight + Send + Sync + 'static> Default for CachedValues<K, V> {
    fn default() -> Self {
        let weigher = |_: &K, cached: &Arc<CachedValue<V>>| u32::try_from(cached.bytes()).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(MAX_BYTES).weigher(weigher).time_to_idle(IDLE).build())
    }
}

impl<K, V> CachedValues<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Weight + Clone + Send + Sync + 'static,
{
    /// Returns the value of `key` at `version` or at a higher one: the cached value, or the result of `read`. The caller
    /// takes the version before this call.
    ///
    /// Of simultaneous callers with the same key and version, one reads, and the others wait for the result. If the reading
    /// caller is dropped or fails, the next one reads.
    ///
    /// # Errors
    /// Returns the error of `read`, and `Unavailable` after [`WAIT_TIMEOUT`].
    pub(crate) async fn get<F>(&self, version: u64, key: K, read: impl FnOnce() -> F) -> Result<V, StoreError>
    where
        F: Future<Output = Result<V, StoreError>>,
    {
        let cached = match self.0.get(&key) {
            Some(cached) if cached.version >= version => cached,
            _ => self.entry(&key, version),
        };
        if let Some(value) = cached.value.get() {
            // A hit awaits nothing else. Without this yield point a caller in a loop would block its thread for other tasks.
            tokio::task::consume_budget().await;
            return Ok(value.clone());
        }
        let mut has_read = false;
        let value = cached.value.get_or_try_init(|| {
            has_read = true;
            read()
        });
        let late = |_| StoreError::unavailable("waiting for a read of the same records", "it took too long");
        let value = tokio::time::timeout(WAIT_TIMEOUT, Box::pin(value)).await.map_err(late)??.clone();
        if has_read {
            self.update_weight(&key, &cached);
        }
        Ok(value)
    }

    /// Returns the entry of `key` for a read at `version`. Simultaneous callers get the same entry.
    fn entry(&self, key: &K, version: u64) -> Arc<CachedValue<V>> {
        // `or_insert_with_if` is unsuitable: it returns one entry to simultaneous callers, whatever their versions are.
        let entry = self.0.entry_by_ref(key).and_upsert_with(|entry| match entry {
            Some(entry) if entry.value().version >= version => entry.into_value(),
            _ => Arc::new(CachedValue { version, value: OnceCell::new() }),
        });
        entry.into_value()
    }

    /// Stores the entry again, because its weight is known only after the read. Removes a value that is larger than the
    /// maximum size of the cache.
    fn update_weight(&self, key: &K, cached: &Arc<CachedValue<V>>) {
        self.0.entry_by_ref(key).and_compute_with(|entry| match entry {
            Some(entry) if Arc::ptr_eq(entry.value(), cached) => {
                if cached.bytes() as u64 > MAX_BYTES {
                    Op::Remove
                } else {
                    Op::Put(entry.into_value())
                }
            }
            _ => Op::Nop,
        });
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use signup_core::conformance::records;

    use super::*;

    const VERSION: u64 = 1;

    #[tokio::test]
    async fn the_size_of_the_cache_is_bounded() {
        let cache: CachedValues<u32, Page<Event>> = CachedValues::default();
        let page = Page::new((0..100).map(|number| records::event(1, number)).collect(), None, None);
        for number in 0..1000 {
            cache.get(VERSION, number, || async { Ok(page.clone()) }).await.unwrap();
        }
        cache.0.run_pending_tasks();
        assert!(cache.0.entry_count() > 0);
        assert!(cache.0.weighted_size() <= MAX_BYTES, "{} bytes", cache.0.weighted_size());
    }

    #[tokio::test]
    async fn a_value_is_a_hit_up_to_its_version() {
        let cache: CachedValues<u32, Option<Organization>> = CachedValues::default();
        let found = Some(records::organization(1));
        assert_eq!(cache.get(VERSION, 1, || async { Ok(None) }).await.unwrap(), None);
        assert_eq!(cache.get(VERSION + 1, 1, || async { Ok(found.clone()) }).await.unwrap(), found);
        assert_eq!(cache.get(VERSION, 1, || async { Ok(None) }).await.unwrap(), found);
    }

    #[tokio::test]
    async fn a_dropped_read_does_not_block_others() {
        let cache: CachedValues<u32, Option<Organization>> = CachedValues::default();
        let stuck = cache.get(VERSION, 1, std::future::pending::<Result<_, StoreError>>);
        assert!(stuck.now_or_never().is_none());
        let found = Some(records::organization(1));
        assert_eq!(cache.get(VERSION, 1, || async { Ok(found.clone()) }).await.unwrap(), found);
    }

    #[tokio::test]
    async fn simultaneous_callers_share_one_read() {
        let cache: CachedValues<u32, Option<Organization>> = CachedValues::default();
        let reads = std::cell::Cell::new(0);
        let read = || async {
            reads.set(reads.get() + 1);
            tokio::task::yield_now().await;
            Ok(None)
        };
        let all = futures_util::future::join_all((0..10).map(|_| cache.get(VERSION, 1, read))).await;
        assert_eq!((all.len(), reads.get()), (10, 1));
    }
}
