//! Measuring in turn.

use std::time::{Duration, Instant};

/// How often each side is measured, where a round takes long.
pub const ROUNDS: usize = 5;

/// Runs so many rounds of each side in turn, after one of each that is not counted. Gives the rounds of each side.
///
/// Each time another side begins, so that none always follows the same one and pays for what that has left behind.
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

/// The round in the middle, by what `key` says of each.
///
/// # Panics
/// If there are none.
pub fn median<T>(mut rounds: Vec<T>, key: impl Fn(&T) -> f64) -> T {
    rounds.sort_by(|one, other| key(one).total_cmp(&key(other)));
    rounds.swap_remove(rounds.len() / 2)
}

/// What each of so many calls takes in the mean, one after the other.
pub async fn per_call(calls: u32, work: impl AsyncFn()) -> Duration {
    let began = Instant::now();
    for _ in 0..calls {
        work().await;
    }
    began.elapsed() / calls
}
