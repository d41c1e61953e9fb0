//! A pool of connections, in which the caller that has waited longest gets the next one.
//!
//! The pool of sqlx pings each connection that is returned. Under load each statement would cost two round trips, and the ping
//! waits for a silent server without a limit. Here a connection is kept without a ping, and only if its user
//! [releases](ConnectionPool::release) it. A drop closes it.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::{ConnectOptions as _, Connection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tracing::Instrument as _;

/// The bounds of a pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) connections: u32,
    /// How long a caller waits for a connection, the opening of a new one included.
    pub(crate) wait: Duration,
    /// How long a connection is used.
    pub(crate) age: Duration,
    /// Whether a connection that could not be opened is tried again, because the server may be starting.
    pub(crate) is_tried_again: fn(&sqlx::Error) -> bool,
}

/// The first pause before a connection is tried again. Each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// Connections that are opened as they are needed.
#[derive(Debug)]
pub(crate) struct ConnectionPool<C: Connection> {
    options: C::Options,
    bounds: Bounds,
    /// One permit for each connection in use.
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<OpenConnection<C>>>,
}

#[derive(Debug)]
struct OpenConnection<C> {
    connection: C,
    opened_at: Instant,
}

/// A connection in use. A drop closes the connection.
#[derive(Debug)]
pub(crate) struct PooledConnection<C> {
    pub(crate) connection: C,
    opened_at: Instant,
    /// Dropped after the connection.
    permit: OwnedSemaphorePermit,
}

impl<C: Connection> ConnectionPool<C> {
    pub(crate) fn new(options: C::Options, bounds: Bounds) -> Self {
        let permits = Arc::new(Semaphore::new(bounds.connections as usize));
        Self { options, bounds, permits, idle: Mutex::default() }
    }

    /// Waits for a permit, and returns an idle or a new connection.
    ///
    /// # Errors
    /// Returns `PoolTimedOut` after [`Bounds::wait`], `PoolClosed` once the pool is closed, and the error of opening a connection.
    pub(crate) async fn acquire(&self) -> sqlx::Result<PooledConnection<C>> {
        let began = Instant::now();
        let acquire = async {
            let permit =
                Arc::clone(&self.permits).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
            let idle = self.idle().pop().filter(|idle| idle.opened_at.elapsed() < self.bounds.age);
            let OpenConnection { connection, opened_at } = match idle {
                Some(idle) => idle,
                None => OpenConnection { connection: self.open(began).await?, opened_at: Instant::now() },
            };
            Ok(PooledConnection { connection, opened_at, permit })
        };
        timeout(self.bounds.wait, acquire).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// Opens a connection for a caller that has waited since `began` and keeps its permit. So no more callers than there may be
    /// connections try to reach a server that is starting.
    async fn open(&self, began: Instant) -> sqlx::Result<C> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.options.connect().await {
                Err(error)
                    if (self.bounds.is_tried_again)(&error) && began.elapsed() + pause < self.bounds.wait =>
                {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                opened => return opened,
            }
        }
    }

    /// Keeps a connection for the next caller, and closes those that are too old. No statement runs on it, and no transaction is
    /// open.
    pub(crate) fn release(&self, pooled: PooledConnection<C>) {
        let PooledConnection { connection, opened_at, permit } = pooled;
        if !self.permits.is_closed() {
            let mut idle = self.idle();
            idle.push(OpenConnection { connection, opened_at });
            idle.retain(|idle| idle.opened_at.elapsed() < self.bounds.age);
        }
        drop(permit);
    }

    /// Returns the number of open connections, and the number of those in use.
    pub(crate) fn count(&self) -> (u32, u32) {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let used = self.bounds.connections.saturating_sub(number(self.permits.available_permits()));
        (used + number(self.idle().len()), used)
    }

    /// Closes the pool after the operations in progress, or after `limit`. Closing a connection waits for its server, which may not
    /// answer.
    pub(crate) async fn close(&self, limit: Duration) {
        let close = async {
            // An error means that the pool is closed already.
            let _unused = self.permits.acquire_many(self.bounds.connections).await;
            // Before the permits are free again, so that no caller opens a connection.
            self.permits.close();
            let idle = mem::take(&mut *self.idle());
            for OpenConnection { connection, .. } in idle {
                drop(connection.close().await);
            }
        };
        drop(timeout(limit, close).await);
        self.permits.close();
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<OpenConnection<C>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs an operation to its end, even if the caller is dropped. So it releases its connection.
pub(crate) async fn in_task<T: Send + 'static>(
    run: impl Future<Output = sqlx::Result<T>> + Send + 'static,
) -> sqlx::Result<T> {
    tokio::spawn(run.in_current_span()).await.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // The runtime is shutting down.
        Err(_) => Err(sqlx::Error::WorkerCrashed),
    })
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

    use super::*;

    fn pool(age: Duration) -> ConnectionPool<SqliteConnection> {
        let options = SqliteConnectOptions::new().in_memory(true);
        let wait = Duration::from_millis(50);
        ConnectionPool::new(options, Bounds { connections: 1, wait, age, is_tried_again: |_| false })
    }

    /// Marks the connection, and returns whether it was marked before.
    async fn mark(pooled: &mut PooledConnection<SqliteConnection>) -> bool {
        sqlx::raw_sql("CREATE TABLE marked (a)").execute(&mut pooled.connection).await.is_err()
    }

    #[tokio::test]
    async fn a_released_connection_is_used_again_and_a_dropped_or_old_one_is_not() {
        for (age, is_released, is_reused) in
            [(Duration::MAX, true, true), (Duration::MAX, false, false), (Duration::ZERO, true, false)]
        {
            let pool = pool(age);
            let mut pooled = pool.acquire().await.unwrap();
            assert!(!mark(&mut pooled).await);
            if is_released {
                pool.release(pooled);
            } else {
                drop(pooled);
            }
            assert_eq!(pool.count().0, u32::from(is_reused));
            assert_eq!(mark(&mut pool.acquire().await.unwrap()).await, is_reused);
        }
    }

    #[tokio::test]
    async fn a_caller_waits_for_a_bounded_time() {
        let pool = pool(Duration::MAX);
        let pooled = pool.acquire().await.unwrap();
        assert_eq!(pool.count(), (1, 1));
        assert!(matches!(pool.acquire().await, Err(sqlx::Error::PoolTimedOut)));
        pool.release(pooled);
        assert_eq!(pool.count(), (1, 0));
    }

    #[tokio::test]
    async fn a_pool_closes_after_the_operations_in_progress() {
        let pool = Arc::new(pool(Duration::MAX));
        let pooled = pool.acquire().await.unwrap();
        let closing = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move { pool.close(Duration::MAX).await }
        });
        tokio::task::yield_now().await;
        assert!(!closing.is_finished());
        pool.release(pooled);
        closing.await.unwrap();
        assert!(matches!(pool.acquire().await, Err(sqlx::Error::PoolClosed)));
    }

    #[tokio::test]
    async fn a_pool_closes_after_a_limit() {
        let pool = pool(Duration::MAX);
        let pooled = pool.acquire().await.unwrap();
        pool.close(Duration::from_millis(20)).await;
        pool.release(pooled);
        assert_eq!(pool.count(), (0, 0), "the connection is closed");
    }
}
