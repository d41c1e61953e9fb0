//! Measuring in turn.

use std::time::{Duration, Instant};

/// How often each side is measured.
pub const ROUNDS: usize = 5;

/// Runs a round of each side in turn, [`ROUNDS`] times after a round of each that is not counted. Gives the rounds of each
/// side.
pub fn in_turn<S, T>(sides: &[S], mut round: impl FnMut(&S) -> T) -> Vec<Vec<T>> {
    for side in sides {
        drop(round(side));
    }
    let mut rounds: Vec<_> = sides.iter().map(|_| Vec::with_capacity(ROUNDS)).collect();
    for _ in 0..ROUNDS {
        for (side, rounds) in sides.iter().zip(&mut rounds) {
            rounds.push(round(side));
        }
    }
    rounds
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
