//! What a server does every minute besides its requests: it records the uses of tokens and sign-ins, and purges expired records.

use std::time::Duration;

use signup_core::Admin;

use crate::reply::WithSources;

/// The interval at which uses are recorded and expired records are purged.
const UPKEEP_EVERY: Duration = Duration::from_secs(60);
/// The maximum number of records that one purge removes. A small number keeps the purge from delaying requests.
const PURGE_BATCH: u32 = 500;

/// Records the uses of tokens and sign-ins. After a failure, the next call records them. The last uses are lost if the process ends
/// first.
pub(crate) async fn record_uses(admin: &Admin) {
    if let Err(error) = admin.record_uses().await {
        tracing::warn!(error = %WithSources(&error), "the last uses of tokens and sign-ins could not be recorded");
    }
}

/// Records uses and purges expired records at every interval, until the task is aborted.
pub(crate) async fn run(admin: Admin) {
    let mut interval = tokio::time::interval(UPKEEP_EVERY);
    loop {
        interval.tick().await;
        record_uses(&admin).await;
        loop {
            match admin.purge(PURGE_BATCH).await {
                Ok(purged) if purged == u64::from(PURGE_BATCH) => {}
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(error = %WithSources(&error), "a purge of expired records failed; it is retried later");
                    break;
                }
            }
        }
    }
}
