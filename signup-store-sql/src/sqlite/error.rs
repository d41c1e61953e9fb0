//! The mapping of SQLite errors to errors of the store.

use signup_core::StoreError;

/// Returns the error of the store for an error of the operation `what`: `Unavailable` if a retry can succeed.
pub(super) fn store_error(what: &'static str, error: sqlx::Error) -> StoreError {
    // BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, FULL, CANTOPEN
    let is_temporary = match &error {
        sqlx::Error::Database(_) => matches!(result_code(&error), Some(5 | 6 | 7 | 8 | 9 | 10 | 13 | 14)),
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    };
    if is_temporary { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}

/// Returns whether a lock of another connection caused the error.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    // BUSY, LOCKED
    matches!(result_code(error), Some(5 | 6))
}

/// Returns whether the disk failed.
pub(super) fn is_io_error(error: &StoreError) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<sqlx::Error>());
    // IOERR
    source.is_some_and(|error| result_code(error) == Some(10))
}

/// Returns the primary result code, which is the low byte of an extended code (<https://sqlite.org/rescode.html>).
fn result_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xff)
}
