//! Waiting for a condition.

use std::time::{Duration, Instant};

/// How long a condition may take.
const LIMIT: Duration = Duration::from_secs(20);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(10);

/// Repeats `check` until it returns a value.
///
/// An `Err` says what has not happened yet. Panics with the last `Err` after [`LIMIT`].
pub(crate) async fn wait_until<T>(mut check: impl AsyncFnMut() -> Result<T, String>) -> T {
    let begin = Instant::now();
    loop {
        match check().await {
            Ok(value) => return value,
            Err(missing) => assert!(begin.elapsed() < LIMIT, "{missing} within {LIMIT:?}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}
