//! A cache of whole answers of reads.
//!
//! The key of an answer has the version of the database, which a read takes before it begins. So an answer that was read before a
//! commit is never found after the commit, even if it arrives later. Answers of former versions are not used again, so they are the
//! first to be evicted.

use std::any::Any;
use std::fmt::{self, Debug, Write as _};
use std::sync::Arc;
use std::time::Duration;

use moka::policy::EvictionPolicy;
use signup_core::StoreError;

use crate::sql::store::CachedRead;

/// The maximum size of all answers, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long an answer stays cached after its last use.
const IDLE: Duration = Duration::from_secs(60);

/// The version of the database, and the read.
type Key = (u64, CachedRead);

/// The cached answers. Clones share them.
#[derive(Clone)]
pub(super) struct Cache(moka::sync::Cache<Key, CachedAnswer>);

#[derive(Clone)]
struct CachedAnswer {
    value: Arc<dyn Any + Send + Sync>,
    bytes: u32,
}

impl Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cache(…)")
    }
}

impl Cache {
    pub(super) fn new() -> Self {
        let weigher = |_: &Key, answer: &CachedAnswer| answer.bytes;
        let cache = moka::sync::Cache::builder().max_capacity(MAX_BYTES).weigher(weigher).time_to_idle(IDLE);
        // The default policy would refuse the answers of a new version, because none of them was used before.
        Self(cache.eviction_policy(EvictionPolicy::lru()).build())
    }

    /// Returns the answer of a read at a version: the cached one, or the result of `read`.
    ///
    /// # Errors
    /// Returns the error of `read`.
    pub(super) async fn get<V: Clone + Debug + Send + Sync + 'static>(
        &self,
        version: u64,
        wanted: CachedRead,
        read: impl Future<Output = Result<V, StoreError>>,
    ) -> Result<V, StoreError> {
        let key = (version, wanted);
        if let Some(found) = self.0.get(&key)
            && let Some(value) = found.value.downcast_ref::<V>()
        {
            // A hit awaits nothing else. Without this yield point a caller in a loop would block its thread for other tasks.
            tokio::task::consume_budget().await;
            return Ok(value.clone());
        }
        let value = read.await?;
        let bytes = text_bytes(&key).saturating_add(text_bytes(&value));
        self.0.insert(key, CachedAnswer { value: Arc::new(value.clone()), bytes });
        Ok(value)
    }
}

/// Returns the length of the debug text of a value, which is about its size in memory, whatever its fields are.
fn text_bytes(value: &impl Debug) -> u32 {
    struct Length(usize);
    impl fmt::Write for Length {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut length = Length(0);
    match write!(length, "{value:?}") {
        Ok(()) => u32::try_from(length.0).unwrap_or(u32::MAX),
        Err(_) => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records;
    use signup_core::{Event, EventQuery, OrganizationId, Page};

    use super::*;

    fn page(number: u32) -> CachedRead {
        CachedRead::Events(OrganizationId::new(records::uuid(number)), EventQuery::new())
    }

    #[tokio::test]
    async fn the_size_of_the_cache_is_bounded() {
        let cache = Cache::new();
        let long = Page::new((0..100).map(|number| records::event(1, number)).collect(), None, None);
        for number in 0..1000 {
            let found: Page<Event> = cache.get(0, page(number), async { Ok(long.clone()) }).await.unwrap();
            assert_eq!(found, long);
        }
        cache.0.run_pending_tasks();
        assert!(cache.0.entry_count() > 0);
        assert!(cache.0.weighted_size() <= MAX_BYTES, "{} bytes", cache.0.weighted_size());
    }

    /// The read of the earlier version ends after that of the later one has begun.
    #[tokio::test]
    async fn an_answer_is_found_at_its_version_only() {
        let cache = Cache::new();
        let read = |version: u64| cache.get(version, page(1), async move { Ok(version) });
        assert_eq!(read(2).await.unwrap(), 2);
        assert_eq!(read(1).await.unwrap(), 1);
        for version in [1, 2] {
            assert_eq!(cache.get(version, page(1), async { Ok(3) }).await.unwrap(), version);
        }
    }
}
