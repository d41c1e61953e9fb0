//! A cache of serialized response bodies. A hit requires that the body was serialized from the current records.
//!
//! A store that keeps records in memory returns the same `Arc` for a record until the record changes, and a different
//! `Arc` afterwards. Every request reads its records from the store and looks up the body. A cached body is used only
//! if the body was serialized from the allocations that the request read. So the cache needs no invalidation: a body of
//! old records is never a hit.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use signup_core::{Event, EventId, EventQuery, OrganizationId, Shift};

/// The maximum size of the cache of each kind of body, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How long a body stays cached after its last use.
const IDLE: Duration = Duration::from_secs(60);
/// The bytes that a weak reference keeps allocated after the store has dropped its record.
const RECORD_BYTES: usize = 640;

/// A cache for each kind of body.
#[derive(Debug, Default)]
pub(crate) struct BodyCaches {
    pub(crate) pages: BodyCache<PageKey, Event>,
    pub(crate) slots: BodyCache<EventId, Shift>,
}

/// Everything that determines a page of events, except the events.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    pub(crate) organization: OrganizationId,
    pub(crate) query: EventQuery,
    pub(crate) has_next: bool,
    pub(crate) has_prev: bool,
}

/// A cache for one kind of body. The key determines everything in a body except the records.
pub(crate) struct BodyCache<K, R>(Cache<K, Arc<CachedBody<R>>>);

struct CachedBody<R> {
    /// Weak references keep the allocations alive, so an equal pointer cannot be a reused address.
    records: Vec<Weak<R>>,
    body: Bytes,
}

impl<K, R> fmt::Debug for BodyCache<K, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyCache(…)")
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, R: Send + Sync + 'static> Default for BodyCache<K, R> {
    fn default() -> Self {
        let weigh = |_: &K, cached: &Arc<CachedBody<R>>| {
            let bytes = cached.body.len() + RECORD_BYTES * cached.records.len();
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(MAX_BYTES).weigher(weigh).time_to_idle(IDLE).build())
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, R: Send + Sync + 'static> BodyCache<K, R> {
    /// Returns the cached body for `key` if the body was serialized from `records`. Otherwise calls `write` and returns
    /// the result.
    ///
    /// Caches the result only if at least one of the records has another owner, such as a store in memory.
    ///
    /// # Errors
    /// Returns the error of `write`.
    pub(crate) fn get<E>(
        &self,
        key: K,
        records: &[Arc<R>],
        write: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        let is_of_records = |cached: &Arc<CachedBody<R>>| {
            cached.records.iter().map(Weak::as_ptr).eq(records.iter().map(Arc::as_ptr))
        };
        if let Some(cached) = self.0.get(&key).filter(is_of_records) {
            return Ok(cached.body.clone());
        }
        let body = write()?;
        // Records without another owner were read for this response only. A later read returns other allocations, so a
        // cached body would never be a hit.
        if records.iter().any(|record| Arc::strong_count(record) > 1) {
            // Copies, because the original has spare capacity.
            let body = Bytes::copy_from_slice(&body);
            let records = records.iter().map(Arc::downgrade).collect();
            self.0.insert(key, Arc::new(CachedBody { records, body }));
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(cache: &BodyCache<u32, u32>, key: u32, records: &[Arc<u32>], body: &str) -> Bytes {
        cache.get(key, records, || Ok::<_, ()>(body.to_owned().into())).unwrap()
    }

    #[test]
    fn a_body_is_always_serialized_from_the_given_records() {
        let cache = BodyCache::default();
        let [mut one, two] = [1, 2].map(Arc::new);
        for _ in 0..2 {
            for key in [7, 8] {
                let [one, two] = [&one, &two].map(Arc::clone);
                for records in [vec![], vec![one.clone()], vec![one.clone(), two.clone()], vec![two, one]] {
                    let body = format!("{key} {records:?}");
                    assert_eq!(get(&cache, key, &records, &body), body);
                }
            }
        }
        // `make_mut` moves the record to another allocation, because the cache holds a weak reference to the old one.
        *Arc::make_mut(&mut one) = 3;
        assert_eq!(get(&cache, 7, &[two, one], "changed"), "changed");
    }

    #[test]
    fn a_body_is_serialized_once_for_the_same_records() {
        let cache = BodyCache::default();
        let records = [Arc::new(1)];
        let held_by_the_store = records.clone();
        get(&cache, 7, &records, "first");
        assert_eq!(get(&cache, 7, &held_by_the_store, "second"), "first");
    }

    #[test]
    fn records_without_another_owner_are_not_cached() {
        let cache = BodyCache::default();
        get(&cache, 7, &[Arc::new(1)], "one");
        get(&cache, 8, &[], "nothing");
        cache.0.run_pending_tasks();
        assert_eq!(cache.0.entry_count(), 0);
    }

    #[test]
    fn the_size_of_the_cache_is_bounded() {
        let cache = BodyCache::default();
        let records: Vec<_> = (0..100).map(Arc::new).collect();
        for key in 0..1000 {
            get(&cache, key, &records.clone(), &" ".repeat(12_000));
        }
        cache.0.run_pending_tasks();
        assert!(cache.0.entry_count() > 0);
        assert!(cache.0.weighted_size() <= MAX_BYTES, "{} bytes", cache.0.weighted_size());
    }
}
