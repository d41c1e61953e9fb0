//! The random choices of a simulation, which follow from its seed.

use std::sync::{Arc, Mutex, MutexGuard};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// A seeded generator. Its clones share the state.
#[derive(Debug, Clone)]
pub(super) struct Random(Arc<Mutex<StdRng>>);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// Returns a number from 0 to `end - 1`.
    pub(super) fn below(&self, end: usize) -> usize {
        self.lock().random_range(0..end)
    }

    pub(super) fn between(&self, first: u64, last: u64) -> u64 {
        self.lock().random_range(first..=last)
    }

    /// Returns true in so many of 1000 cases.
    pub(super) fn chance(&self, per_mille: u32) -> bool {
        per_mille > 0 && self.lock().random_range(0..1000) < per_mille
    }

    /// Returns one of these words.
    pub(super) fn word(&self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    pub(super) fn pick<'a, T>(&self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(super) fn pick_some<'a, T>(&self, items: &'a [T]) -> Option<&'a T> {
        (!items.is_empty()).then(|| self.pick(items))
    }

    fn lock(&self) -> MutexGuard<'_, StdRng> {
        self.0.lock().unwrap()
    }
}
