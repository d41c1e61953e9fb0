//! What an error of SQLite means to the service.

use signup_core::StoreError;

/// An SQLite error while `what` was being done: one that may pass, or one that will not.
pub(super) fn store_error(what: &'static str, error: sqlx::Error) -> StoreError {
    // BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN
    let may_pass = match &error {
        sqlx::Error::Database(_) => matches!(result_code(&error), Some(5 | 6 | 7 | 8 | 9 | 10 | 13 | 14)),
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    };
    if may_pass { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}

/// Whether another connection was in the way.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    // BUSY, LOCKED
    matches!(result_code(error), Some(5 | 6))
}

/// Whether the disk failed.
pub(super) fn is_io_error(error: &StoreError) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<sqlx::Error>());
    // IOERR
    source.is_some_and(|error| result_code(error) == Some(10))
}

/// SQLite's primary result code (<https://sqlite.org/rescode.html>): extended codes keep it in their low byte.
fn result_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xff)
}
