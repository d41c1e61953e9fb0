//! What was read lately of an SQLite file, for as long as the file is as it was then.
//!
//! Every commit of every process changes the header of the WAL index, which is the file `…-shm`, before it is acknowledged:
//! by it SQLite's own readers learn what is committed (<https://sqlite.org/walformat.html>, 2.1). So a value that was read
//! after a look at the header is the present one as long as the header is the same, and there is nothing to invalidate. A
//! look is two system calls, and takes a hundredth of the time of a statement.
//!
//! Any commit ends everything that was kept. That costs a busy writer's readers what they would have to do without a cache.
//!
//! **Invariant:** a file that a database may be using is never closed here: by the rules of POSIX that would take away the
//! locks that SQLite holds on it in this process (<https://sqlite.org/howtocorrupt.html>, 2.2).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata};
use std::hash::Hash;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use signup_core::{
    Event, EventId, EventInFull, EventPage, EventQuery, Organization, OrganizationId, Question, Shift,
};

/// How much of each kind is kept at most, in bytes, and for how long after its last use.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
const IDLE: Duration = Duration::from_secs(60);
/// What a record takes beside its texts, with a share of what is around it.
const RECORD_BYTES: usize = 640;

/// What is kept of what was read.
#[derive(Debug)]
pub(crate) struct Cache {
    index: Option<Arc<File>>,
    pub(crate) organizations: Kept<OrganizationId, Option<Organization>>,
    pub(crate) pages: Kept<(OrganizationId, EventQuery), EventPage>,
    pub(crate) shifts: Kept<(OrganizationId, EventId), Option<Vec<Arc<Shift>>>>,
    pub(crate) events_by_slug: Kept<String, Option<EventInFull>>,
}

/// The state of a database: another one after each commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version([u8; Self::BYTES]);

impl Version {
    /// The length of the header, which stands twice at the beginning of the WAL index.
    const BYTES: usize = 48;
}

impl Cache {
    /// For the database at `path`, which is open and in WAL mode.
    pub(crate) fn new(path: &Path) -> Self {
        let index = wal_index(path)
            .inspect_err(|error| tracing::warn!(%error, "nothing is cached: the WAL index cannot be read"));
        Self {
            index: index.ok(),
            organizations: Kept::new(),
            pages: Kept::new(),
            shifts: Kept::new(),
            events_by_slug: Kept::new(),
        }
    }

    /// The version of the database at this moment; `None` if it cannot be told, as in the middle of a commit.
    pub(crate) fn version(&self) -> Option<Version> {
        let index = self.index.as_deref()?;
        let mut headers = [0; 2 * Version::BYTES];
        index.read_exact_at(&mut headers, 0).ok()?;
        let (first, second) = headers.split_at(Version::BYTES);
        // A file that was taken away, as it is when nobody has the database open for a moment, says nothing of its successor.
        let is_in_use = index.metadata().is_ok_and(|metadata| metadata.nlink() > 0);
        if is_in_use && first == second { first.try_into().ok().map(Version) } else { None }
    }
}

/// The WAL index of a database. Each is opened once in a process, and never closed.
fn wal_index(database: &Path) -> io::Result<Arc<File>> {
    static OPEN: Mutex<BTreeMap<(u64, u64), Arc<File>>> = Mutex::new(BTreeMap::new());
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let mut path = OsString::from(database);
    path.push("-shm");
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(file) = open.get(&identity(fs::metadata(&path)?)) {
        return Ok(Arc::clone(file));
    }
    let file = Arc::new(File::open(&path)?);
    Ok(Arc::clone(open.entry(identity(file.metadata()?)).or_insert(file)))
}

/// Values by their keys, each with the version of the database that it is of.
pub(crate) struct Kept<K, V>(moka::sync::Cache<K, Arc<(Version, V)>>);

impl<K, V> fmt::Debug for Kept<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept(…)")
    }
}

impl<K, V> Kept<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Weigh + Clone + Send + Sync + 'static,
{
    fn new() -> Self {
        let weigh = |_: &K, kept: &Arc<(Version, V)>| {
            u32::try_from(RECORD_BYTES + kept.1.bytes()).unwrap_or(u32::MAX)
        };
        Self(moka::sync::Cache::builder().max_capacity(MAX_BYTES).weigher(weigh).time_to_idle(IDLE).build())
    }

    /// The value of `key`, from here or from `read`.
    pub(crate) async fn get<E>(
        &self,
        version: Option<Version>,
        key: K,
        read: impl Future<Output = Result<V, E>>,
    ) -> Result<V, E> {
        let Some(version) = version else { return read.await };
        if let Some(kept) = self.0.get(&key).filter(|kept| kept.0 == version) {
            // Nothing here waits: a caller that asks in a loop would keep its thread from all other tasks.
            tokio::task::consume_budget().await;
            return Ok(kept.1.clone());
        }
        // Of this version or a later one; in that case it is never used.
        let value = read.await?;
        self.0.insert(key, Arc::new((version, value.clone())));
        Ok(value)
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

impl<T: Weigh> Weigh for Vec<Arc<T>> {
    fn bytes(&self) -> usize {
        self.iter().map(|item| item.bytes()).sum()
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
        let data = self.location_data.as_ref().map_or(0, |data| data.to_json().len());
        RECORD_BYTES + self.title.as_str().len() + self.slug.len() + description + location + data
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
        let questions = self.questions.iter().map(Question::bytes);
        self.event.bytes() + self.shifts.bytes() + questions.sum::<usize>()
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
        let events = (0..100).map(|number| Arc::new(records::event(1, number))).collect();
        let page = EventPage { events, has_above: false, has_below: false };
        let version = Some(Version([0; Version::BYTES]));
        for number in 0..1000 {
            kept.get(version, number, async { Ok::<_, ()>(page.clone()) }).await.unwrap();
        }
        kept.0.run_pending_tasks();
        assert!(kept.0.entry_count() > 0);
        assert!(kept.0.weighted_size() <= MAX_BYTES, "{} bytes", kept.0.weighted_size());
    }
}
