//! The queue of a batcher: which of the requests that wait can share the next batch.
//!
//! A request that is held up is parked at one key that holds it up. Its turn to be examined comes when the key changes and
//! no older request is parked there. So each change of a key costs the examination of one request, and of one more for each
//! that moves on, however many are parked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::convert::Infallible;
use std::hash::Hash;

use super::line::Line;

/// The keys of a request, each with the access that the request needs.
///
/// Two requests conflict if they access the same key. Equal accesses to a key do not conflict if that access can be shared: in
/// one batch, or between batches that run at the same time.
pub(crate) trait Conflict: Send + 'static {
    type Key: Clone + Eq + Hash + Send;
    type Access: Copy + Eq + Send;

    /// Returns the keys, each once.
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
    waiting: BTreeMap<u64, Waiting<K, T>>,
    /// The number of the next request.
    next: u64,
    /// The waiting requests that are parked at no key. They may be held up.
    candidates: BTreeSet<u64>,
    /// The keys of the requests that wait or run.
    lines: HashMap<K::Key, Line<K::Access>>,
}

struct Waiting<K: Conflict, T> {
    request: T,
    /// The key where the request was parked last.
    parked_at: Option<(K::Key, K::Access)>,
}

impl<K: Conflict, T> Default for Queue<K, T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), next: 0, candidates: BTreeSet::new(), lines: HashMap::new() }
    }
}

impl<K: Conflict, T: AsRef<K>> Queue<K, T> {
    /// Appends a request and returns its number.
    pub(super) fn push(&mut self, request: T) -> u64 {
        let number = self.next;
        self.next += 1;
        for (key, access) in request.as_ref().claims() {
            let line = self.lines.entry(key.clone()).or_default();
            line.push(number, K::shares_batch(access).then_some(access));
        }
        self.waiting.insert(number, Waiting { request, parked_at: None });
        self.candidates.insert(number);
        number
    }

    /// Removes a request, unless it has left the queue already.
    pub(super) fn remove(&mut self, number: u64) -> Option<T> {
        let Waiting { request, .. } = self.waiting.remove(&number)?;
        self.candidates.remove(&number);
        for (key, _) in request.as_ref().claims() {
            let Some(line) = self.lines.get_mut(key) else { continue };
            line.remove(number);
            self.candidates.extend(line.unpark());
            if line.is_empty() {
                self.lines.remove(key);
            }
        }
        Some(request)
    }

    /// Removes all requests.
    pub(super) fn clear(&mut self) -> Vec<T> {
        self.candidates.clear();
        self.lines.values_mut().for_each(Line::clear);
        self.lines.retain(|_, line| !line.is_empty());
        std::mem::take(&mut self.waiting).into_values().map(|waiting| waiting.request).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the first request that [`take`](Self::take) would remove.
    pub(super) fn next(&mut self) -> Option<&T> {
        while let Some(number) = self.candidates.pop_first() {
            if self.examine(number) {
                self.candidates.insert(number);
                return self.waiting.get(&number).map(|waiting| &waiting.request);
            }
        }
        None
    }

    /// Removes and returns the next batch of at most `limit` requests, and abandoned requests before its end.
    ///
    /// Skips each request that conflicts with a batch that runs, with a request of this batch, or with an older request that
    /// was skipped. The keys of the batch are held until they are [released](Self::release).
    pub(super) fn take(&mut self, limit: usize, is_abandoned: impl Fn(&T) -> bool) -> (Vec<T>, Vec<T>) {
        let (mut batch, mut abandoned) = (vec![], vec![]);
        while batch.len() < limit
            && let Some(number) = self.candidates.pop_first()
        {
            if self.waiting.get(&number).is_some_and(|waiting| is_abandoned(&waiting.request)) {
                abandoned.extend(self.remove(number));
            } else if self.examine(number) {
                // Until the batch is complete, the request keeps its place at its keys and holds up those that conflict.
                batch.push(number);
            }
        }
        // A request can become free after a later one was taken.
        batch.sort_unstable();
        (batch.into_iter().filter_map(|number| self.start(number)).collect(), abandoned)
    }

    /// Releases the keys of a batch that has ended.
    pub(super) fn release(&mut self, batch: &[K]) {
        for (key, _) in batch.iter().flat_map(K::claims) {
            let Some(line) = self.lines.get_mut(key) else { continue };
            if line.end() {
                self.candidates.extend(line.unpark());
            }
            if line.is_empty() {
                self.lines.remove(key);
            }
        }
    }

    /// Returns whether a request that was a candidate is free. Otherwise parks it at a key that holds it up.
    fn examine(&mut self, number: u64) -> bool {
        let Some(waiting) = self.waiting.get_mut(&number) else { return false };
        let holds_up =
            |key: &K::Key, access| self.lines.get(key).is_some_and(|line| line.holds_up(number, access));
        let (parked_at, left) = match waiting.parked_at.take() {
            Some((key, access)) if holds_up(&key, access) => (Some((key, access)), None),
            left => {
                let held_up_at =
                    waiting.request.as_ref().claims().find(|(key, access)| holds_up(key, *access));
                (held_up_at.map(|(key, access)| (key.clone(), access)), left)
            }
        };
        if let Some((key, _)) = &parked_at
            && let Some(line) = self.lines.get_mut(key)
        {
            line.park(number);
        }
        // The next request at the key that this one leaves may be free, too.
        if let Some((key, _)) = left
            && let Some(line) = self.lines.get_mut(&key)
        {
            self.candidates.extend(line.unpark());
        }
        waiting.parked_at = parked_at;
        waiting.parked_at.is_none()
    }

    /// Removes a request that is in the batch, and holds its keys.
    fn start(&mut self, number: u64) -> Option<T> {
        let Waiting { request, .. } = self.waiting.remove(&number)?;
        for (key, access) in request.as_ref().claims() {
            if let Some(line) = self.lines.get_mut(key) {
                line.start(number, K::runs_beside(access).then_some(access));
            }
        }
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Access {
        Read,
        Commute,
        Write,
    }

    type Keys = BTreeMap<u64, Access>;

    impl Conflict for Keys {
        type Key = u64;
        type Access = Access;

        fn claims(&self) -> impl Iterator<Item = (&u64, Access)> {
            self.iter().map(|(key, access)| (key, *access))
        }

        fn shares_batch(access: Access) -> bool {
            access != Access::Write
        }

        fn runs_beside(access: Access) -> bool {
            access == Access::Read
        }
    }

    #[derive(Debug, Clone, PartialEq)]
    struct Request(Keys);

    impl AsRef<Keys> for Request {
        fn as_ref(&self) -> &Keys {
            &self.0
        }
    }

    fn conflict(one: &Keys, other: &Keys, is_shared: fn(Access) -> bool) -> bool {
        one.iter()
            .any(|(key, access)| other.get(key).is_some_and(|found| found != access || !is_shared(*access)))
    }

    /// Takes a batch by a look at every waiting request, as the documentation of [`Queue::take`] says.
    fn take_by_scan(waiting: &mut BTreeMap<u64, Keys>, running: &[Vec<Keys>], limit: usize) -> Vec<Keys> {
        let (mut batch, mut older) = (vec![], vec![]);
        for (number, keys) in &*waiting {
            let is_held_up = running.iter().flatten().any(|held| conflict(held, keys, Keys::runs_beside))
                || older.iter().any(|held| conflict(held, keys, Keys::shares_batch));
            if !is_held_up && batch.len() < limit {
                batch.push(*number);
            }
            older.push(keys.clone());
        }
        batch.iter().filter_map(|number| waiting.remove(number)).collect()
    }

    #[test]
    fn batches_are_those_of_a_scan_of_the_whole_queue() {
        let mut state = 1_u64;
        // A linear congruential generator: the same numbers in every run.
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for round in 0..100 {
            let mut queue = Queue::<Keys, Request>::default();
            let (mut waiting, mut running) = (BTreeMap::new(), vec![]);
            for _ in 0..200 {
                match below(8) {
                    0..4 => {
                        let accesses = [Access::Read, Access::Commute, Access::Write];
                        let keys: Keys = (0..below(4))
                            .map(|_| (below(6), accesses[usize::try_from(below(3)).unwrap_or(0)]))
                            .collect();
                        waiting.insert(queue.push(Request(keys.clone())), keys);
                    }
                    4..6 => {
                        let limit = usize::try_from(below(5)).unwrap_or(0);
                        let is_any = !take_by_scan(&mut waiting.clone(), &running, 1).is_empty();
                        assert_eq!(queue.next().is_some(), is_any, "{round}");
                        let (batch, _) = queue.take(limit, |_| false);
                        let batch: Vec<_> = batch.into_iter().map(|request| request.0).collect();
                        assert_eq!(batch, take_by_scan(&mut waiting, &running, limit), "{round}");
                        running.push(batch);
                    }
                    6 if !running.is_empty() => {
                        let place = usize::try_from(below(running.len() as u64)).unwrap_or(0);
                        queue.release(&running.remove(place));
                    }
                    6 => {
                        assert_eq!(queue.clear().len(), waiting.len());
                        waiting.clear();
                    }
                    _ => {
                        let number = waiting.keys().nth(usize::try_from(below(9)).unwrap_or(0)).copied();
                        let removed = number.and_then(|number| queue.remove(number)).map(|request| request.0);
                        assert_eq!(removed, number.and_then(|number| waiting.remove(&number)));
                    }
                }
            }
        }
    }
}
