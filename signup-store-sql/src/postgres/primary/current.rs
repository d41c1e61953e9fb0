//! The connections in use, and the rights to commit through them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Postgres;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use tokio::sync::watch;

use crate::postgres::options::PostgresOptions;
use crate::sql::pool::{ConnectionPool, PooledConnection};

/// How much longer than the database this process waits for the end of a statement, and for a pool to close.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// The pool in use. Each has a number of its own.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) queue: ConnectionPool<Postgres>,
    /// Whether another pool has taken the place of this one.
    is_replaced: Arc<watch::Sender<bool>>,
    pub(super) number: u64,
    /// When the database last answered through it.
    answered: Arc<Mutex<Instant>>,
}

impl Current {
    pub(super) fn new(options: &PostgresOptions, server: PgConnectOptions, number: u64) -> Self {
        let answered = Arc::new(Mutex::new(Instant::now()));
        Self {
            queue: ConnectionPool::new(pool(options, server)),
            is_replaced: Arc::default(),
            number,
            answered,
        }
    }

    /// A connection, by `deadline`.
    pub(super) async fn connection(&self, deadline: Instant) -> sqlx::Result<PooledConnection<Postgres>> {
        let connection = tokio::time::timeout_at(deadline.into(), self.queue.acquire()).await;
        connection.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    pub(super) fn note_answer(&self) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// For how long the database has not answered.
    pub(super) fn silence(&self) -> Duration {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Notes that another pool has taken the place of this one.
    pub(super) fn replace(&self) {
        self.is_replaced.send_replace(true);
    }

    /// Waits until the pool is replaced, and a little longer: an operation on a healthy connection ends meanwhile.
    pub(super) async fn replaced(&self) {
        // An error means that the pool is gone.
        drop(self.is_replaced.subscribe().wait_for(|is_replaced| *is_replaced).await);
        tokio::time::sleep(GRACE).await;
    }

    /// Closes the pool, after what is under way. It ends in bounded time: a connection that comes back to its pool says
    /// goodbye to a server that may not answer.
    pub(super) async fn close(&self) {
        // Elapsed or not: nobody can use it any more.
        drop(tokio::time::timeout(GRACE, self.queue.pool.close()).await);
    }
}

fn pool(options: &PostgresOptions, server: PgConnectOptions) -> PgPool {
    PgPoolOptions::new()
        .max_connections(options.connections)
        .acquire_timeout(options.connect_timeout)
        .test_before_acquire(false)
        .connect_lazy_with(server)
}
