//! What the benchmarks share: measuring two things in turn, so that a noisy machine is equally unfair to both.
//!
//! Figures mean something only as ratios of one run on one machine.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::{Duration, Instant};

/// How often each side is measured.
pub const ROUNDS: usize = 5;

/// The median.
///
/// # Panics
/// If there are none.
pub fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort_unstable();
    durations[durations.len() / 2]
}

/// What the calls of `work` take each, in the mean of one round.
pub async fn per_call(calls: u32, work: impl AsyncFn()) -> Duration {
    let began = Instant::now();
    for _ in 0..calls {
        work().await;
    }
    began.elapsed() / calls
}

/// Measures two kinds of work in turn, after a round that is not counted; gives the median of each.
pub async fn in_turn(calls: u32, one: impl AsyncFn(), other: impl AsyncFn()) -> (Duration, Duration) {
    let (mut ones, mut others) = (vec![], vec![]);
    for round in 0..=ROUNDS {
        let times = (per_call(calls, &one).await, per_call(calls, &other).await);
        if round > 0 {
            ones.push(times.0);
            others.push(times.1);
        }
    }
    (median(ones), median(others))
}

/// Prints a line of a table: what was compared, both times, and the second as a multiple of the first.
pub fn line(what: &str, one: Duration, other: Duration) {
    let ratio = other.as_secs_f64() / one.as_secs_f64();
    println!(
        "{what:<58} {:>9.1} µs {:>9.1} µs {ratio:>7.2}",
        one.as_secs_f64() * 1e6,
        other.as_secs_f64() * 1e6
    );
}

/// Prints the heading of a table.
pub fn heading(what: &str, one: &str, other: &str) {
    println!("\n{what:<58} {one:>12} {other:>12} {:>7}", "ratio");
}
