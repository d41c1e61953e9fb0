//! Metrics of the store on PostgreSQL. [`observe`](crate::sql::observe) has the table of all metrics.

pub(super) fn count_retry() {
    metrics::counter!("signup_store_commit_retries_total").increment(1);
}

pub(super) fn count_reconnect() {
    metrics::counter!("signup_store_reconnects_total").increment(1);
}
