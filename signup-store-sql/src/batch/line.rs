//! The requests at one key: those in batches that run, and those that wait.

use std::collections::{BTreeSet, VecDeque};

/// The requests that claim one key. Waiting requests are in the order of their numbers.
///
/// If a waiting request is held up at this key, so is every later one. So a change at the key concerns the first of them.
pub(super) struct Line<A> {
    /// How many requests of batches that run claim the key.
    running: usize,
    /// The access of all of these, if more batches with this access may run.
    running_access: Option<A>,
    /// The waiting requests. A request can be taken only in the first group.
    groups: VecDeque<Group<A>>,
    /// The waiting requests that were found to be held up at this key. None of them is parked at another key.
    parked: BTreeSet<u64>,
}

/// Consecutive waiting requests that may share a batch.
struct Group<A> {
    /// `None` if the access cannot be shared. Then the group has one request.
    access: Option<A>,
    /// No request of the group has a lower number, and no request of an earlier group a higher one.
    first: u64,
    count: usize,
}

impl<A> Default for Line<A> {
    fn default() -> Self {
        Self { running: 0, running_access: None, groups: VecDeque::new(), parked: BTreeSet::new() }
    }
}

impl<A: Copy + Eq> Line<A> {
    /// Appends a waiting request. `access` is `None` if it cannot be shared in a batch.
    pub(super) fn push(&mut self, number: u64, access: Option<A>) {
        match self.groups.back_mut() {
            Some(last) if access.is_some() && last.access == access => last.count += 1,
            _ => self.groups.push_back(Group { access, first: number, count: 1 }),
        }
    }

    /// Removes a waiting request.
    pub(super) fn remove(&mut self, number: u64) {
        self.parked.remove(&number);
        let place = self.groups.partition_point(|group| group.first <= number).saturating_sub(1);
        let Some(group) = self.groups.get_mut(place) else { return };
        group.count -= 1;
        if group.count > 0 {
            return;
        }
        self.groups.remove(place);
        // The requests before and after this one may share a batch.
        if let (Some(before), Some(after)) = (place.checked_sub(1), self.groups.get(place))
            && let (access, count) = (after.access, after.count)
            && let Some(before) = self.groups.get_mut(before)
            && access.is_some()
            && before.access == access
        {
            before.count += count;
            self.groups.remove(place);
        }
    }

    /// Removes all waiting requests.
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.parked.clear();
    }

    /// Makes a waiting request one of a batch that runs. `access` is `None` if it cannot be shared between batches.
    ///
    /// No other request can be taken because of that: those behind this request conflict with it.
    pub(super) fn start(&mut self, number: u64, access: Option<A>) {
        self.remove(number);
        if self.running == 0 {
            self.running_access = access;
        } else if self.running_access != access {
            self.running_access = None;
        }
        self.running += 1;
    }

    /// Removes a request of a batch that has ended. Returns whether no other runs.
    pub(super) fn end(&mut self) -> bool {
        self.running -= 1;
        self.running == 0
    }

    /// Returns whether a request that runs, or an older one that waits, conflicts with a waiting request at this key.
    pub(super) fn holds_up(&self, number: u64, access: A) -> bool {
        let is_running = self.running > 0 && self.running_access != Some(access);
        is_running || self.groups.get(1).is_some_and(|second| second.first <= number)
    }

    /// Keeps a waiting request that is held up, until it is [unparked](Self::unpark).
    pub(super) fn park(&mut self, number: u64) {
        self.parked.insert(number);
    }

    /// Returns the first parked request, which may no longer be held up.
    pub(super) fn unpark(&mut self) -> Option<u64> {
        self.parked.pop_first()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running == 0 && self.groups.is_empty()
    }
}
