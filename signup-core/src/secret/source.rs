//! The random sources: the operating system for secrets, and a generator in the process for what is not secret.
//!
//! In a simulation, one seed takes the place of both on its thread.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(any(test, feature = "conformance"))]
pub use seeded::seed_thread;

/// Returns random bytes of the operating system.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    #[cfg(any(test, feature = "conformance"))]
    if let Some(bytes) = seeded::bytes() {
        return bytes;
    }
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        reason = "without randomness no token is safe: the process must not go on"
    )]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// Returns random bytes for a value that is not secret. They come from a generator in the process, which the system seeds: reading
/// the system's source for each of them would be slower.
pub(super) fn guessable<const N: usize>() -> [u8; N] {
    #[cfg(any(test, feature = "conformance"))]
    if let Some(bytes) = seeded::bytes() {
        return bytes;
    }
    rand::random()
}

/// Returns a random number from 0 up to 1, for the length of a pause.
pub(crate) fn random_ratio() -> f64 {
    f64::from(u32::from_be_bytes(guessable())) / f64::from(u32::MAX)
}

/// Returns the next value of a counter that starts at a random number of 33 bits.
pub(super) fn count() -> u64 {
    static COUNTER: LazyLock<AtomicU64> =
        LazyLock::new(|| AtomicU64::new(u64::from_be_bytes(random()) >> 31));
    #[cfg(any(test, feature = "conformance"))]
    if let Some(next) = seeded::count() {
        return next;
    }
    COUNTER.fetch_add(1, Ordering::Relaxed)
}

/// The generator that takes the place of every random source on a thread.
#[cfg(any(test, feature = "conformance"))]
mod seeded {
    use std::cell::RefCell;

    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    thread_local! {
        /// The generator and the counter, if the thread has a seed.
        static SEEDED: RefCell<Option<(StdRng, u64)>> = const { RefCell::new(None) };
    }

    /// Makes every random value on this thread follow from `seed`, ids and secrets included, so that a simulation can be repeated.
    ///
    /// No secret of the thread is safe from then on.
    pub fn seed_thread(seed: u64) {
        SEEDED.set(Some((StdRng::seed_from_u64(seed), 0)));
    }

    pub(super) fn bytes<const N: usize>() -> Option<[u8; N]> {
        SEEDED.with_borrow_mut(|seeded| seeded.as_mut().map(|(random, _)| random.random()))
    }

    pub(super) fn count() -> Option<u64> {
        SEEDED.with_borrow_mut(|seeded| {
            seeded.as_mut().map(|(_, counter)| {
                *counter += 1;
                *counter
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::{Secret, new_uuid};
    use super::*;

    #[test]
    fn every_random_value_of_a_thread_follows_from_its_seed() {
        let values = |seed| {
            seed_thread(seed);
            let id = || new_uuid(Timestamp::UNIX_EPOCH);
            (id(), Secret::generate(), random_ratio().to_bits(), id())
        };
        let in_thread = |seed| std::thread::spawn(move || values(seed)).join().unwrap();
        assert_eq!(in_thread(7), in_thread(7));
        assert_ne!(in_thread(7), in_thread(8));
    }

    #[test]
    fn a_random_ratio_is_between_zero_and_one() {
        assert!((0..1000).all(|_| (0.0..=1.0).contains(&random_ratio())));
    }
}
