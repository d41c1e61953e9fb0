//! A pool of connections to one server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Postgres;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::sync::watch;

use crate::postgres::options::PostgresOptions;
use crate::sql::pool::{ConnectionPool, PooledConnection};

/// How long this process waits for a statement after its timeout in the database, and for a pool to close.
pub(super) const GRACE_PERIOD: Duration = Duration::from_secs(1);

/// A pool of connections to one server. Clones are handles to the same pool.
#[derive(Clone)]
pub(crate) struct Pool {
    pub(super) connections: ConnectionPool<Postgres>,
    /// Whether another pool has replaced this one.
    is_replaced: Arc<watch::Sender<bool>>,
    /// When the database last answered.
    answered_at: Arc<Mutex<Instant>>,
}

impl Pool {
    /// Creates a pool without connections.
    pub(super) fn new(options: &PostgresOptions, server: PgConnectOptions) -> Self {
        let pool = PgPoolOptions::new()
            .max_connections(options.connections)
            .acquire_timeout(options.connect_timeout)
            .test_before_acquire(false)
            .connect_lazy_with(server);
        let answered_at = Arc::new(Mutex::new(Instant::now()));
        Self { connections: ConnectionPool::new(pool), is_replaced: Arc::default(), answered_at }
    }

    /// Returns a connection. Fails with `PoolTimedOut` at `deadline`.
    pub(super) async fn acquire(&self, deadline: Instant) -> sqlx::Result<PooledConnection<Postgres>> {
        let connection = tokio::time::timeout_at(deadline.into(), self.connections.acquire()).await;
        connection.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Records that the database has answered now.
    pub(super) fn note_answer(&self) {
        *self.answered_at.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Returns whether the last answer of the database is older than the timeout for a connection.
    pub(crate) fn is_silent(&self) -> bool {
        let answered_at = *self.answered_at.lock().unwrap_or_else(PoisonError::into_inner);
        answered_at.elapsed() >= self.connections.pool.options().get_acquire_timeout()
    }

    /// Records that another pool has replaced this one.
    pub(super) fn set_replaced(&self) {
        self.is_replaced.send_replace(true);
    }

    /// Returns whether another pool has replaced this one.
    pub(super) fn is_replaced(&self) -> bool {
        *self.is_replaced.borrow()
    }

    /// Waits until the pool is replaced, and for the grace period, in which an operation on a healthy connection ends.
    pub(crate) async fn replaced(&self) {
        // The channel is open, because this handle has a sender.
        drop(self.is_replaced.subscribe().wait_for(|is_replaced| *is_replaced).await);
        tokio::time::sleep(GRACE_PERIOD).await;
    }

    /// Closes the pool after the operations in progress, or after the grace period: closing a connection waits for the
    /// server, which may not answer.
    pub(super) async fn close(&self) {
        drop(tokio::time::timeout(GRACE_PERIOD, self.connections.pool.close()).await);
    }
}
