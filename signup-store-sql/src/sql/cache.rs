//! A cache of whole answers of reads.
//!
//! The key of an answer has the generation of its organization: a number that each commit raises that changes an event, a shift, a
//! question or a sign-up of the organization, or the organization itself. A caller takes the generation before it reads. So an answer
//! that was read before a commit is never found after the commit, even if it arrives later. Old answers are evicted.

use std::any::Any;
use std::fmt::{self, Debug, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::sync::Cache;
#[cfg(feature = "sqlite")]
use signup_core::{Access, ChangeSet, Key, RecordKey};
use signup_core::{EventId, EventQuery, OrganizationId, StoreError};

/// The maximum size of all answers, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long an answer stays cached after its last use.
const IDLE: Duration = Duration::from_secs(60);
/// Organizations that share a generation also drop each other's answers.
const GENERATIONS: usize = 256;

/// A read whose answer is cached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Read {
    Organization(OrganizationId),
    Events(OrganizationId, EventQuery),
    Shifts(OrganizationId, EventId),
    EventBySlug(String),
}

impl Read {
    /// Returns the organization whose commits change the answer. `NONE`: those of every organization.
    const fn organization(&self) -> OrganizationId {
        match self {
            Self::Organization(organization)
            | Self::Events(organization, _)
            | Self::Shifts(organization, _) => *organization,
            Self::EventBySlug(_) => OrganizationId::NONE,
        }
    }
}

/// The cached answers. Clones share them.
#[derive(Clone)]
pub(crate) struct Answers {
    cache: Cache<(u64, Read), Answer>,
    generations: Arc<[AtomicU64; GENERATIONS]>,
}

#[derive(Clone)]
struct Answer {
    value: Arc<dyn Any + Send + Sync>,
    bytes: u32,
}

impl Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answers(…)")
    }
}

impl Default for Answers {
    fn default() -> Self {
        let weigher = |_: &(u64, Read), answer: &Answer| answer.bytes;
        let cache = Cache::builder().max_capacity(MAX_BYTES).weigher(weigher).time_to_idle(IDLE).build();
        Self { cache, generations: Arc::new(std::array::from_fn(|_| AtomicU64::new(0))) }
    }
}

impl Answers {
    /// Returns the answer of a read: the cached one, or the result of `read`.
    ///
    /// # Errors
    /// Returns the error of `read`.
    pub(crate) async fn get<V, F>(&self, wanted: Read, read: impl FnOnce() -> F) -> Result<V, StoreError>
    where
        V: Clone + Debug + Send + Sync + 'static,
        F: Future<Output = Result<V, StoreError>>,
    {
        let key = (self.generation(wanted.organization()).load(Ordering::Acquire), wanted);
        if let Some(found) = self.cache.get(&key)
            && let Some(value) = found.value.downcast_ref::<V>()
        {
            // A hit awaits nothing else. Without this yield point a caller in a loop would block its thread for other tasks.
            tokio::task::consume_budget().await;
            return Ok(value.clone());
        }
        let value = read().await?;
        let bytes = text_bytes(&key).saturating_add(text_bytes(&value));
        self.cache.insert(key, Answer { value: Arc::new(value.clone()), bytes });
        Ok(value)
    }

    /// Drops the answers that a commit of this change set changes.
    #[cfg(feature = "sqlite")]
    pub(crate) fn drop_changed(&self, change: &ChangeSet) {
        let mut is_changed = false;
        for (key, access) in change.accesses() {
            if let Key::Record(key) | Key::Gate(key) = key
                && access != Access::Read
                && is_read(&key)
            {
                is_changed = true;
                self.generation(key.organization()).fetch_add(1, Ordering::AcqRel);
            }
        }
        if is_changed {
            self.generation(OrganizationId::NONE).fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Drops all answers.
    #[cfg(feature = "sqlite")]
    pub(crate) fn drop_all(&self) {
        for generation in &*self.generations {
            generation.fetch_add(1, Ordering::AcqRel);
        }
    }

    fn generation(&self, organization: OrganizationId) -> &AtomicU64 {
        let [.., last] = organization.uuid().into_bytes();
        &self.generations[usize::from(last)]
    }
}

/// Returns whether a cached answer can depend on the record.
#[cfg(feature = "sqlite")]
const fn is_read(key: &RecordKey) -> bool {
    matches!(
        key,
        RecordKey::Organization(_)
            | RecordKey::Event(..)
            | RecordKey::LocationData(..)
            | RecordKey::Shift(..)
            | RecordKey::Question(..)
            | RecordKey::Signup(..)
    )
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

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use signup_core::conformance::records;
    use signup_core::{Event, Organization, Page};

    use super::*;

    fn page(number: u32) -> Read {
        Read::Events(OrganizationId::new(records::uuid(number)), EventQuery::new())
    }

    #[tokio::test]
    async fn the_size_of_the_cache_is_bounded() {
        let answers = Answers::default();
        let long = Page::new((0..100).map(|number| records::event(1, number)).collect(), None, None);
        for number in 0..1000 {
            let found: Page<Event> = answers.get(page(number), || async { Ok(long.clone()) }).await.unwrap();
            assert_eq!(found, long);
        }
        answers.cache.run_pending_tasks();
        assert!(answers.cache.entry_count() > 0);
        assert!(answers.cache.weighted_size() <= MAX_BYTES, "{} bytes", answers.cache.weighted_size());
    }

    /// An answer that arrives after the commit is one from before the commit.
    #[tokio::test]
    async fn a_commit_drops_the_answers_of_its_organization_also_those_on_their_way() {
        let answers = Answers::default();
        let [one, other] = [1, 2].map(records::organization);
        let change = records::insert([one.clone()]);
        let read = |organization: &Organization| Read::Organization(organization.id);
        let before: Option<Organization> = None;
        for organization in [&one, &other] {
            let late = answers.get(read(organization), || async {
                answers.drop_changed(&change);
                Ok(before.clone())
            });
            late.await.unwrap();
        }
        let now = || async { Ok(Some(one.clone())) };
        assert_eq!(answers.get(read(&one), now).await.unwrap(), Some(one.clone()));
        assert_eq!(answers.get(read(&other), now).await.unwrap(), None, "of another organization");
        answers.drop_all();
        assert_eq!(answers.get(read(&other), now).await.unwrap(), Some(one.clone()));
    }
}
