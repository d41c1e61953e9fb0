//! What an error of PostgreSQL means to the service.

use signup_core::StoreError;

/// A PostgreSQL error while `what` was being done: one that may pass, or one that will not.
pub(super) fn postgres_error(what: &'static str, error: sqlx::Error) -> StoreError {
    let may_pass = match &error {
        sqlx::Error::Database(_) => {
            let state = sql_state(&error);
            state == READ_ONLY
                || ["08", "40", "53", "55", "57", "58"].iter().any(|class| state.starts_with(class))
        }
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => true,
        error => is_broken(error),
    };
    if may_pass { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}

/// Whether another transaction was in the way: a serialization failure, a deadlock, or a key that it took.
pub(super) fn is_contention(error: &sqlx::Error) -> bool {
    matches!(sql_state(error).as_str(), "40001" | "40P01" | "23505")
}

/// Whether one change set of a batch made the statement fail: a value or a constraint. The others may succeed alone.
pub(super) fn is_of_one_change_set(error: &sqlx::Error) -> bool {
    let state = sql_state(error);
    // Data exceptions and constraints.
    matches!(error, sqlx::Error::Encode(_)) || ["22", "23"].iter().any(|class| state.starts_with(class))
}

/// Whether a lock, or the whole statement, took longer than it may.
pub(super) fn is_lock_timeout(error: &sqlx::Error) -> bool {
    matches!(sql_state(error).as_str(), "55P03" | "57014")
}

/// Whether the connection is of no use any more: it is broken, or its server is ending, or takes no writes.
pub(super) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(_) => {
            let state = sql_state(error);
            state.starts_with("08") || ["57P01", "57P02", "57P03", READ_ONLY].contains(&state.as_str())
        }
        _ => false,
    }
}

const READ_ONLY: &str = "25006";

/// PostgreSQL's code of an error (<https://www.postgresql.org/docs/current/errcodes-appendix.html>): its first two
/// characters are the class.
fn sql_state(error: &sqlx::Error) -> String {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.map(Into::into).unwrap_or_default()
}
