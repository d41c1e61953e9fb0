//! What was read lately of an SQLite file, for as long as the file is as it was then.
//!
//! Every commit of every process changes the header of the WAL index, which is the file `…-shm`, before it is acknowledged:
//! by it SQLite's own readers learn what is committed (<https://sqlite.org/walformat.html>, 2.1). So a value that was read
//! after a look at the header is the present one as long as the header is the same, and there is nothing to invalidate. A
//! look is two system calls, and takes a hundredth of the time of a statement.
//!
//! Any commit ends everything that was kept. That costs a busy writer's readers what they would have to do without a cache.

#[cfg(unix)]
mod wal_index;
/// Where a file cannot be told from its successor, nothing is kept.
#[cfg(not(unix))]
mod wal_index {
    #[derive(Debug)]
    pub(super) struct WalIndex;

    impl WalIndex {
        pub(super) fn of(_database: &std::path::Path) -> std::io::Result<Self> {
            Err(std::io::ErrorKind::Unsupported.into())
        }

        pub(super) fn headers(&self) -> Option<[u8; 2 * super::Version::BYTES]> {
            None
        }
    }
}

use std::fmt;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::ops::compute::Op;
use moka::sync::Cache as Values;
use signup_core::{
    Event, EventId, EventInFull, EventPage, EventQuery, Organization, OrganizationId, Question, Shift,
    StoreError,
};
use tokio::sync::OnceCell;
use wal_index::WalIndex;

use super::READ_TIMEOUT;

/// How much of each kind is kept at most, in bytes, and for how long after its last use.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
const IDLE: Duration = Duration::from_secs(60);
/// What a record takes beside its texts, with a share of what is around it.
const RECORD_BYTES: usize = 640;
/// The longest slug under which an event is kept. The service makes none that are half as long; but it is asked for any.
pub(crate) const MAX_SLUG_BYTES: usize = 255;

/// What is kept of what was read.
#[derive(Debug)]
pub(crate) struct Cache {
    index: Option<WalIndex>,
    /// How often one of these was asked for.
    reads: Arc<AtomicU64>,
    pub(crate) organizations: Kept<OrganizationId, Option<Organization>>,
    pub(crate) pages: Kept<(OrganizationId, EventQuery), EventPage>,
    pub(crate) shifts: Kept<(OrganizationId, EventId), Option<Vec<Shift>>>,
    pub(crate) events_by_slug: Kept<String, Option<EventInFull>>,
}

/// The state of a database: another one after each commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version([u8; Self::BYTES]);

impl Version {
    /// The length of the header, which stands twice at the beginning of the WAL index.
    const BYTES: usize = 48;
    /// Where the header says that it was written at all.
    const IS_INITIALIZED: usize = 12;

    /// From the beginning of a WAL index; `None` if it is being written, or was never.
    fn new(headers: &[u8; 2 * Self::BYTES]) -> Option<Self> {
        let (first, second) = headers.split_at(Self::BYTES);
        (first == second && first[Self::IS_INITIALIZED] != 0).then(|| first.try_into().ok().map(Self))?
    }
}

impl Cache {
    /// For the database at `path`, which is open and in WAL mode.
    pub(crate) fn new(path: &Path) -> Self {
        let index = WalIndex::of(path)
            .inspect_err(|error| tracing::warn!(%error, "nothing is cached: the WAL index cannot be read"));
        Self {
            index: index.ok(),
            reads: Arc::default(),
            organizations: Kept::new(),
            pages: Kept::new(),
            shifts: Kept::new(),
            events_by_slug: Kept::new(),
        }
    }

    /// A count of what was asked for, whether it was kept or not.
    pub(crate) fn reads(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.reads)
    }

    pub(crate) fn count_read(&self) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    /// The version of the database at this moment; `None` if it cannot be told, as in the middle of a commit.
    pub(crate) fn version(&self) -> Option<Version> {
        Version::new(&self.index.as_ref()?.headers()?)
    }
}

/// Values by their keys.
pub(crate) struct Kept<K, V>(Values<K, Arc<Read<V>>>);

/// A value as soon as it was read, and the version of the database that was looked at before: it is of that, or of a later one.
struct Read<V> {
    version: Version,
    value: OnceCell<V>,
}

impl<V: Weigh> Weigh for Read<V> {
    fn bytes(&self) -> usize {
        RECORD_BYTES + self.value.get().map_or(0, V::bytes)
    }
}

impl<K, V> fmt::Debug for Kept<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept(…)")
    }
}

impl<K, V> Kept<K, V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Weigh + Clone + Send + Sync + 'static,
{
    fn new() -> Self {
        let weigh = |_: &K, kept: &Arc<Read<V>>| u32::try_from(kept.bytes()).unwrap_or(u32::MAX);
        Self(Values::builder().max_capacity(MAX_BYTES).weigher(weigh).time_to_idle(IDLE).build())
    }

    /// The value of `key`, from here or from `read`. Of those who want the same of the same version one reads; the others
    /// wait for it, but not longer than a read may wait, and all go on together.
    pub(crate) async fn get<F>(
        &self,
        version: impl Fn() -> Option<Version>,
        key: K,
        read: impl FnOnce() -> F,
    ) -> Result<V, StoreError>
    where
        F: Future<Output = Result<V, StoreError>>,
    {
        let Some(version) = version() else { return read().await };
        let kept = match self.0.get(&key) {
            Some(kept) if kept.version == version => kept,
            _ => self.begin(&key, version),
        };
        if let Some(value) = kept.value.get() {
            // Nothing here waits: a caller that asks in a loop would keep its thread from all other tasks.
            tokio::task::consume_budget().await;
            return Ok(value.clone());
        }
        let mut is_the_reader = false;
        let found = kept.value.get_or_try_init(|| {
            is_the_reader = true;
            read()
        });
        let late = |_| StoreError::unavailable("waiting for what another reads", "it took too long");
        let value = tokio::time::timeout(READ_TIMEOUT, Box::pin(found)).await.map_err(late)??.clone();
        if is_the_reader {
            self.weigh_again(&key, &kept);
        }
        Ok(value)
    }

    /// The place of a value that is to be read, and of which somebody else may have begun the same.
    fn begin(&self, key: &K, version: Version) -> Arc<Read<V>> {
        // (`or_insert_with_if` gives those who come at the same moment one and the same, of whichever version.)
        let entry = self.0.entry_by_ref(key).and_upsert_with(|kept| match kept {
            Some(kept) if kept.value().version == version => kept.into_value(),
            _ => Arc::new(Read { version, value: OnceCell::new() }),
        });
        entry.into_value()
    }

    /// What a value weighs is not known before it was read. One that would fill the place of all others is not kept.
    fn weigh_again(&self, key: &K, read: &Arc<Read<V>>) {
        self.0.entry_by_ref(key).and_compute_with(|kept| match kept {
            Some(kept) if !Arc::ptr_eq(kept.value(), read) => Op::Nop,
            Some(kept) if kept.value().bytes() as u64 > MAX_BYTES => Op::Remove,
            Some(kept) => Op::Put(kept.into_value()),
            None => Op::Nop,
        });
    }
}

/// About how many bytes a value takes.
pub(crate) trait Weigh {
    fn bytes(&self) -> usize;
}

impl<T: Weigh> Weigh for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, T::bytes)
    }
}

impl<T: Weigh> Weigh for Vec<T> {
    fn bytes(&self) -> usize {
        self.iter().map(T::bytes).sum()
    }
}

impl Weigh for Organization {
    fn bytes(&self) -> usize {
        RECORD_BYTES
    }
}

impl Weigh for Event {
    fn bytes(&self) -> usize {
        let description = self.description.as_ref().map_or(0, |text| text.as_str().len());
        let location = self.location.as_ref().map_or(0, |text| text.as_str().len());
        RECORD_BYTES + self.title.as_str().len() + self.slug.len() + description + location
    }
}

impl Weigh for EventPage {
    fn bytes(&self) -> usize {
        self.events.bytes()
    }
}

impl Weigh for Shift {
    fn bytes(&self) -> usize {
        let location = self.location.as_ref().map_or(0, |text| text.as_str().len());
        RECORD_BYTES + self.title.as_str().len() + location
    }
}

impl Weigh for Question {
    fn bytes(&self) -> usize {
        let options = self.options.iter().map(|option| size_of::<String>() + option.as_str().len());
        RECORD_BYTES + options.sum::<usize>()
    }
}

impl Weigh for EventInFull {
    fn bytes(&self) -> usize {
        let data = self.location_data.as_ref().map_or(0, |data| data.to_json().len());
        self.event.bytes() + data + self.shifts.bytes() + self.questions.bytes()
    }
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records;

    use super::*;
    use crate::SqliteStore;

    #[tokio::test]
    async fn a_version_ends_with_a_commit_and_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let cache = Cache::new(&path);
        let first = cache.version();
        assert!(first.is_some() && cache.version() == first);
        let write = signup_core::Write::InsertOrganization(records::organization(1));
        let change = signup_core::ChangeSet { requires: vec![], writes: vec![write] };
        signup_core::Store::commit(&store, change).await.unwrap();
        let second = cache.version();
        assert!(second.is_some() && second != first);
        // The last connection takes the index away with it, and the next makes another.
        store.close().await;
        assert_eq!(cache.version(), None);
        let store = SqliteStore::open(&path).await.unwrap();
        assert_eq!(cache.version(), None);
        assert!(Cache::new(&path).version().is_some());
        store.close().await;
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded() {
        let kept: Kept<u32, EventPage> = Kept::new();
        let events = (0..100).map(|number| records::event(1, number)).collect();
        let page = EventPage::new(events);
        let version = Some(Version([0; Version::BYTES]));
        for number in 0..1000 {
            kept.get(|| version, number, || async { Ok(page.clone()) }).await.unwrap();
        }
        kept.0.run_pending_tasks();
        assert!(kept.0.entry_count() > 0);
        assert!(kept.0.weighted_size() <= MAX_BYTES, "{} bytes", kept.0.weighted_size());
    }

    #[tokio::test]
    async fn who_goes_away_while_reading_keeps_nobody_waiting() {
        let kept: Kept<u32, Option<Organization>> = Kept::new();
        let version = || Some(Version([0; Version::BYTES]));
        let stuck = kept.get(version, 1, std::future::pending::<Result<_, StoreError>>);
        assert!(tokio::time::timeout(Duration::from_millis(10), stuck).await.is_err());
        let found = Some(records::organization(1));
        let read = || async { Ok::<_, StoreError>(found.clone()) };
        assert_eq!(kept.get(version, 1, read).await.unwrap(), found);
    }

    #[tokio::test]
    async fn those_who_want_the_same_at_the_same_time_read_once() {
        let kept: Kept<u32, Option<Organization>> = Kept::new();
        let version = || Some(Version([0; Version::BYTES]));
        let reads = std::cell::Cell::new(0);
        let read = || async {
            reads.set(reads.get() + 1);
            tokio::task::yield_now().await;
            Ok(None)
        };
        let all = futures_util::future::join_all((0..10).map(|_| kept.get(version, 1, read))).await;
        assert_eq!((all.len(), reads.get()), (10, 1));
    }

    #[test]
    fn an_index_that_is_being_written_or_was_never_tells_no_version() {
        let mut headers = [7; 2 * Version::BYTES];
        assert_ne!(Version::new(&headers), None);
        headers[0] = 8;
        assert_eq!(Version::new(&headers), None, "the copies differ");
        assert_eq!(Version::new(&[0; 2 * Version::BYTES]), None, "the index is empty");
    }
}
