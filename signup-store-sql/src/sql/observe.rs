//! What the stores count of themselves, for whoever has installed a recorder of the `metrics` crate; else it costs nothing.
//!
//! | name | kind | meaning |
//! |---|---|---|
//! | `signup_store_round_trips_total` | counter | waits for the database, by `kind`: `read`, `commit`, `count`, `purge` or `check` |
//! | `signup_store_commit_batch_size` | histogram | change sets that one commit made durable |
//! | `signup_store_commit_retries_total` | counter | commits that were tried again because of another transaction |
//! | `signup_store_reconnects_total` | counter | times that all connections were given up and made anew |
//! | `signup_notices_unreadable_total` | counter | notices that cannot be read; each is counted once |

/// Counts waits for the database.
pub(crate) fn count_round_trips(kind: &'static str, number: u64) {
    metrics::counter!("signup_store_round_trips_total", "kind" => kind).increment(number);
}

/// Notes how many change sets one commit has made durable.
pub(crate) fn note_batch(change_sets: usize) {
    #[expect(clippy::cast_precision_loss, reason = "a batch has a few hundred at most")]
    metrics::histogram!("signup_store_commit_batch_size").record(change_sets as f64);
}

pub(crate) fn count_unreadable_notice() {
    metrics::counter!("signup_notices_unreadable_total").increment(1);
}
