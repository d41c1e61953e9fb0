//! The mapping of PostgreSQL errors to errors of the store.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use signup_core::StoreError;

/// Returns the error of the store for an error of the operation `what`: `Unavailable` if a retry can succeed.
pub(super) fn postgres_error(what: &'static str, error: sqlx::Error) -> StoreError {
    use sqlx::Error::{PoolClosed, PoolTimedOut, WorkerCrashed};
    let is_removed = has_state(&error, REMOVED);
    if is_removed && is_first_report(&error) {
        tracing::error!(%error, "something that the service needs in the database is missing, and requests fail until it is restored");
    }
    // Rollbacks, missing resources, locks, the intervention of an operator, and errors of the system.
    let is_temporary = is_removed
        || is_broken(&error)
        || has_state(&error, &["40", "53", "55", "57", "58"])
        || matches!(error, PoolTimedOut | PoolClosed | WorkerCrashed);
    if is_temporary { StoreError::unavailable(what, error) } else { StoreError::failed(what, error) }
}

/// The states for a role, a database, a privilege, a table or a function that an operator has removed, and may restore.
const REMOVED: &[&str] = &["28", "3D", "42501", "42P01", "42883"];

/// Returns whether this process has not reported yet an error with this SQLSTATE.
fn is_first_report(error: &sqlx::Error) -> bool {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    code.is_some_and(|code| reported.insert(code.into_owned()))
}

/// Returns whether another transaction caused the error: a serialization failure or a deadlock.
pub(super) fn is_contention(error: &sqlx::Error) -> bool {
    has_state(error, &["40001", "40P01"])
}

/// Returns whether another record has a unique value.
pub(super) fn is_unique_violation(error: &sqlx::Error) -> bool {
    has_state(error, &["23505"])
}

/// Returns whether the statement exceeded its timeout, or that for a lock, or was cancelled by an operator. None of these says that
/// a write would fail. A full disk has states of its own.
pub(super) fn is_timeout(error: &sqlx::Error) -> bool {
    has_state(error, &["55P03", "57014"])
}

/// Returns whether there is no connection, or it can no longer be used: it is broken, its server has ended the session after a
/// timeout, or its server has too many connections, is shutting down, or refuses writes.
pub(super) fn is_broken(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_))
        || has_state(error, &["08", "25P03", "25P04", "53300", "57P01", "57P02", "57P03", "57P05", "25006"])
}

/// Returns whether the SQLSTATE of the error starts with one of `prefixes`: a code of five characters, or its class, which
/// has two (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn has_state(error: &sqlx::Error, prefixes: &[&str]) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| prefixes.iter().any(|prefix| code.starts_with(prefix)))
}
