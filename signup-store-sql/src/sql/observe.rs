//! Metrics of the stores. Without a recorder of the `metrics` crate they have no effect.
//!
//! | name | kind | meaning |
//! |---|---|---|
//! | `signup_store_round_trips_total` | counter | round trips to the database, by `kind`: `read`, `commit`, `count`, `purge` or `check` |
//! | `signup_store_commit_batch_size` | histogram | change sets in one commit |
//! | `signup_store_commit_retries_total` | counter | commits that were retried after a conflict with another transaction |
//! | `signup_store_reconnects_total` | counter | times that all connections were closed and replaced |
//! | `signup_notices_unreadable_total` | counter | notices that cannot be read; each process counts a notice once |

use super::commit::Verdict;

/// Counts round trips to the database.
pub(crate) fn count_round_trips(kind: &'static str, number: u64) {
    metrics::counter!("signup_store_round_trips_total", "kind" => kind).increment(number);
}

/// Records the number of change sets in one commit, after the commit.
pub(crate) fn note_batch<T>(verdicts: &[Verdict<T>]) {
    let committed = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Committed(_))).count();
    #[expect(clippy::cast_precision_loss, reason = "a batch has a few hundred at most")]
    metrics::histogram!("signup_store_commit_batch_size").record(committed as f64);
}

/// Counts a commit that runs again after a conflict with another transaction.
#[cfg(feature = "postgres")]
pub(crate) fn count_retry() {
    metrics::counter!("signup_store_commit_retries_total").increment(1);
}

/// Counts a replacement of all connections.
#[cfg(feature = "postgres")]
pub(crate) fn count_reconnect() {
    metrics::counter!("signup_store_reconnects_total").increment(1);
}

/// Counts a notice that cannot be read.
pub(crate) fn count_unreadable_notice() {
    metrics::counter!("signup_notices_unreadable_total").increment(1);
}
