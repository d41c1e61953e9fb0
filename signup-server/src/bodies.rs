//! Bodies of answers, kept beside the records that they show.
//!
//! A store that has records in memory hands out the same ones until they change, and then others: what is shared never
//! changes. So a body that was written of exactly these records is right whatever was committed meanwhile, and there is
//! nothing to invalidate: which records are the present ones is asked of the store each time.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use signup_core::{Event, EventId, EventQuery, OrganizationId, Shift};

/// How much of each kind is kept at most, in bytes, and for how long after its last use.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
const IDLE: Duration = Duration::from_secs(60);
/// What is left of a record whose store has let it go.
const RECORD_BYTES: usize = 640;

/// The bodies that are kept.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    pub(crate) pages: BodiesOf<PageKey, Event>,
    pub(crate) slots: BodiesOf<EventId, Shift>,
}

/// What a page of events shows beside the events.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PageKey {
    pub(crate) organization: OrganizationId,
    pub(crate) query: EventQuery,
    pub(crate) has_next: bool,
    pub(crate) has_prev: bool,
}

/// Bodies of one kind. The key tells everything that is in a body beside the records.
pub(crate) struct BodiesOf<K, R>(Cache<K, Arc<Written<R>>>);

struct Written<R> {
    /// As long as these are held on to, no other record can come to be where one of them was.
    records: Vec<Weak<R>>,
    body: Bytes,
}

impl<K, R> fmt::Debug for BodiesOf<K, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodiesOf(…)")
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, R: Send + Sync + 'static> Default for BodiesOf<K, R> {
    fn default() -> Self {
        let weigh = |_: &K, written: &Arc<Written<R>>| {
            let bytes = written.body.len() + RECORD_BYTES * written.records.len();
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(MAX_BYTES).weigher(weigh).time_to_idle(IDLE).build())
    }
}

impl<K: Hash + Eq + Send + Sync + 'static, R: Send + Sync + 'static> BodiesOf<K, R> {
    /// The body of `records`: the one that is kept, or one that is written now.
    pub(crate) fn get<E>(
        &self,
        key: K,
        records: &[Arc<R>],
        write: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        let are_the_same = |written: &Arc<Written<R>>| {
            written.records.iter().map(Weak::as_ptr).eq(records.iter().map(Arc::as_ptr))
        };
        if let Some(written) = self.0.get(&key).filter(are_the_same) {
            return Ok(written.body.clone());
        }
        let body = write()?;
        // Those that nobody else has were read for this answer, and will not be seen again.
        if records.iter().any(|record| Arc::strong_count(record) > 1) {
            // Without the room that was left for a longer one.
            let body = Bytes::copy_from_slice(&body);
            let records = records.iter().map(Arc::downgrade).collect();
            self.0.insert(key, Arc::new(Written { records, body }));
        }
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(kept: &BodiesOf<u32, u32>, key: u32, records: &[Arc<u32>], body: &str) -> Bytes {
        kept.get(key, records, || Ok::<_, ()>(body.to_owned().into())).unwrap()
    }

    #[test]
    fn a_body_is_always_that_of_the_records() {
        let kept = BodiesOf::default();
        let [mut one, two] = [1, 2].map(Arc::new);
        for _ in 0..2 {
            for key in [7, 8] {
                let [one, two] = [&one, &two].map(Arc::clone);
                for records in [vec![], vec![one.clone()], vec![one.clone(), two.clone()], vec![two, one]] {
                    let body = format!("{key} {records:?}");
                    assert_eq!(get(&kept, key, &records, &body), body);
                }
            }
        }
        // A store that changes a record in its place has another in its place then.
        *Arc::make_mut(&mut one) = 3;
        assert_eq!(get(&kept, 7, &[two, one], "changed"), "changed");
    }

    #[test]
    fn a_body_is_written_once_for_the_same_records() {
        let kept = BodiesOf::default();
        let records = [Arc::new(1)];
        let held_by_the_store = records.clone();
        get(&kept, 7, &records, "first");
        assert_eq!(get(&kept, 7, &held_by_the_store, "second"), "first");
    }

    #[test]
    fn what_nobody_else_has_is_not_kept() {
        let kept = BodiesOf::default();
        get(&kept, 7, &[Arc::new(1)], "one");
        get(&kept, 8, &[], "nothing");
        kept.0.run_pending_tasks();
        assert_eq!(kept.0.entry_count(), 0);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let kept = BodiesOf::default();
        let records: Vec<_> = (0..100).map(Arc::new).collect();
        for key in 0..1000 {
            get(&kept, key, &records.clone(), &" ".repeat(12_000));
        }
        kept.0.run_pending_tasks();
        assert!(kept.0.entry_count() > 0);
        assert!(kept.0.weighted_size() <= MAX_BYTES, "{} bytes", kept.0.weighted_size());
    }
}
