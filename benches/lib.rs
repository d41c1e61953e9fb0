//! Shared parts of the benchmarks: alternating rounds, and the statistics of their figures.
//!
//! Absolute figures depend on the machine and on its other load. So the sides of a comparison run in alternating rounds of
//! one run, and the ratio of two sides is what a reader compares.

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

/// Returns the value below which this share of the figures lies. `0.5` is the median. No figures give zero.
pub fn quantile(figures: &[f64], share: f64) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}

/// Returns the mean of the ratios of neighbouring rounds, and its standard error.
///
/// Rounds with the same index are neighbours in time, so other load on the machine changes both alike.
pub fn ratio(ours: &[f64], theirs: &[f64]) -> (f64, f64) {
    let ratios: Vec<_> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let squares: f64 = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}
