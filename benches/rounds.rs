//! Measurement in alternating rounds.

use std::time::{Duration, Instant};

/// The number of rounds of each side, where a round takes long.
pub const ROUNDS: usize = 5;

/// Runs rounds of each side in turn, after one warm-up round of each. Returns the results by side.
///
/// Another side starts each turn, so that the sides share the effects of a preceding round, such as dirty pages.
pub fn in_turn<S, T>(rounds: usize, sides: &[S], mut round: impl FnMut(&S) -> T) -> Vec<Vec<T>> {
    for side in sides {
        drop(round(side));
    }
    let mut found: Vec<_> = sides.iter().map(|_| Vec::with_capacity(rounds)).collect();
    for first in 0..rounds {
        for turn in 0..sides.len() {
            let number = (first + turn) % sides.len();
            found[number].push(round(&sides[number]));
        }
    }
    found
}

/// Returns the median of the rounds by `key`.
///
/// # Panics
/// If `rounds` is empty.
pub fn median<T>(mut rounds: Vec<T>, key: impl Fn(&T) -> f64) -> T {
    rounds.sort_by(|one, other| key(one).total_cmp(&key(other)));
    rounds.swap_remove(rounds.len() / 2)
}

/// Returns the mean duration of consecutive calls.
pub async fn per_call(calls: u32, work: impl AsyncFn()) -> Duration {
    let began = Instant::now();
    for _ in 0..calls {
        work().await;
    }
    began.elapsed() / calls
}
