//! The queue of a batcher: which of the requests that wait can share the next batch.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::hash::Hash;

/// The keys of a request, each with the access that the request needs.
///
/// Two requests conflict if they access the same key. Equal accesses to a key do not conflict if that access can be shared: in
/// one batch, or between batches that run at the same time.
pub(crate) trait Conflict: Send + 'static {
    type Key: Clone + Eq + Hash + Send;
    type Access: Copy + Eq + Send;

    /// Returns the keys.
    fn claims(&self) -> impl Iterator<Item = (&Self::Key, Self::Access)>;

    /// Returns whether requests with this access to the same key may share a batch.
    fn shares_batch(access: Self::Access) -> bool;

    /// Returns whether requests with this access to the same key may be in two batches that run at the same time. Such
    /// requests may also share a batch.
    fn runs_beside(access: Self::Access) -> bool;
}

/// No keys. Requests never conflict, so they are taken first in, first out.
impl Conflict for () {
    type Key = Infallible;
    type Access = Infallible;

    fn claims(&self) -> impl Iterator<Item = (&Infallible, Infallible)> {
        std::iter::empty()
    }

    fn shares_batch(access: Infallible) -> bool {
        match access {}
    }

    fn runs_beside(access: Infallible) -> bool {
        match access {}
    }
}

/// Waiting requests in the order of their arrival, and the keys of the batches that run.
pub(super) struct Queue<K: Conflict, T> {
    waiting: BTreeMap<u64, T>,
    /// The number of the next request.
    next: u64,
    running: Claims<K::Key, K::Access>,
}

impl<K: Conflict, T> Default for Queue<K, T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), next: 0, running: Claims::default() }
    }
}

impl<K: Conflict, T: AsRef<K>> Queue<K, T> {
    /// Appends a request and returns its number.
    pub(super) fn push(&mut self, request: T) -> u64 {
        let number = self.next;
        self.next += 1;
        self.waiting.insert(number, request);
        number
    }

    /// Removes a request, unless it has left the queue already.
    pub(super) fn remove(&mut self, number: u64) -> Option<T> {
        self.waiting.remove(&number)
    }

    /// Removes all requests.
    pub(super) fn clear(&mut self) -> Vec<T> {
        std::mem::take(&mut self.waiting).into_values().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns whether a batch that runs conflicts with `keys`.
    pub(super) fn is_held_up(&self, keys: &K) -> bool {
        self.running.conflict_with(keys)
    }

    /// Returns the first request that [`take`](Self::take) would remove.
    pub(super) fn next(&self) -> Option<&T> {
        let (batch, _) = self.scan(1, |_| false);
        batch.first().and_then(|number| self.waiting.get(number))
    }

    /// Removes and returns the next batch of at most `limit` requests, and the abandoned requests before its end.
    ///
    /// Skips each request that conflicts with a batch that runs, with a request of this batch, or with an older request that
    /// was skipped. The keys of the batch are held until they are [released](Self::release).
    pub(super) fn take(&mut self, limit: usize, is_abandoned: impl Fn(&T) -> bool) -> (Vec<T>, Vec<T>) {
        let (batch, abandoned) = self.scan(limit, is_abandoned);
        for request in batch.iter().filter_map(|number| self.waiting.get(number)) {
            self.running.add(request.as_ref(), Clone::clone, K::runs_beside);
        }
        let mut remove = |numbers: Vec<u64>| {
            numbers.into_iter().filter_map(|number| self.waiting.remove(&number)).collect()
        };
        (remove(batch), remove(abandoned))
    }

    /// Returns the numbers of the requests that [`take`](Self::take) takes, and of the abandoned requests before them.
    ///
    /// Skipped requests do not count towards `limit`. So many skipped requests do not hide a later one that can be taken.
    fn scan(&self, limit: usize, is_abandoned: impl Fn(&T) -> bool) -> (Vec<u64>, Vec<u64>) {
        let (mut batch, mut abandoned) = (vec![], vec![]);
        let (mut skipped, mut taken) = (Claims::default(), Claims::default());
        for (&number, request) in &self.waiting {
            if batch.len() == limit {
                break;
            }
            if is_abandoned(request) {
                abandoned.push(number);
                continue;
            }
            let keys = request.as_ref();
            if self.running.conflict_with(keys) || skipped.conflict_with(keys) || taken.conflict_with(keys) {
                skipped.add(keys, |key| key, K::shares_batch);
            } else {
                taken.add(keys, |key| key, K::shares_batch);
                batch.push(number);
            }
        }
        (batch, abandoned)
    }

    /// Releases the keys of a batch that has ended.
    pub(super) fn release(&mut self, batch: &[K]) {
        for keys in batch {
            self.running.remove(keys);
        }
    }
}

/// The keys of several requests. `Q` is the key or a reference to it.
struct Claims<Q, A>(HashMap<Q, Claim<A>>);

struct Claim<A> {
    /// The access that all have to the key. `None` if the key admits no other request.
    shared: Option<A>,
    /// How many times the key was added.
    count: usize,
}

impl<Q, A> Default for Claims<Q, A> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<Q: Eq + Hash, A: Copy + Eq> Claims<Q, A> {
    fn conflict_with<K: Conflict<Access = A>>(&self, keys: &K) -> bool
    where
        Q: Borrow<K::Key>,
    {
        let is_in_conflict = |(key, access)| {
            let claim = self.0.get(key);
            claim.is_some_and(|claim| claim.shared != Some(access))
        };
        !self.0.is_empty() && keys.claims().any(is_in_conflict)
    }

    /// Adds keys. `is_shared` says for an access whether other requests may have the same access.
    fn add<'a, K: Conflict<Access = A>>(
        &mut self,
        keys: &'a K,
        own: impl Fn(&'a K::Key) -> Q,
        is_shared: impl Fn(A) -> bool,
    ) {
        for (key, access) in keys.claims() {
            let shared = is_shared(access).then_some(access);
            let claim = self.0.entry(own(key)).or_insert(Claim { shared, count: 0 });
            claim.count += 1;
            if claim.shared != shared {
                claim.shared = None;
            }
        }
    }

    fn remove<K: Conflict<Access = A>>(&mut self, keys: &K)
    where
        Q: Borrow<K::Key>,
    {
        for (key, _) in keys.claims() {
            let Some(claim) = self.0.get_mut(key) else { continue };
            claim.count -= 1;
            if claim.count == 0 {
                self.0.remove(key);
            }
        }
    }
}
