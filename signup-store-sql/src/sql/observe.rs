//! Metrics of the stores. Without a recorder of the `metrics` crate they have no effect.
//!
//! | name | kind | meaning |
//! |---|---|---|
//! | `signup_store_round_trips_total` | counter | round trips to the database, by `kind`: `read`, `commit`, `count`, `purge` or `check` |
//! | `signup_store_commit_batch_size` | histogram | change sets in one commit to SQLite |
//! | `signup_store_commit_retries_total` | counter | commits to PostgreSQL that were tried again |
//! | `signup_notices_unreadable_total` | counter | notices that cannot be read; each process counts a notice once |

/// Counts round trips to the database.
pub(crate) fn count_round_trips(kind: &'static str, number: u64) {
    metrics::counter!("signup_store_round_trips_total", "kind" => kind).increment(number);
}

/// Records the number of change sets in one commit, after the commit.
#[cfg(feature = "sqlite")]
pub(crate) fn note_batch(committed: usize) {
    #[expect(clippy::cast_precision_loss, reason = "a batch has 32 change sets at most")]
    metrics::histogram!("signup_store_commit_batch_size").record(committed as f64);
}

/// Counts a commit that is tried again.
#[cfg(feature = "postgres")]
pub(crate) fn count_retry() {
    metrics::counter!("signup_store_commit_retries_total").increment(1);
}

/// Counts a notice that cannot be read.
pub(crate) fn count_unreadable_notice() {
    metrics::counter!("signup_notices_unreadable_total").increment(1);
}
