//! A pool that passes a released connection directly to a waiting caller.
//!
//! The pool of sqlx pings each connection that is returned, so under load each statement would cost two round trips. A
//! connection whose statement just succeeded needs no ping. [`ConnectionPool::release`] passes it to the caller that has
//! waited longest. It returns to the pool of sqlx only if no caller waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool};
use tokio::sync::oneshot;

/// How long a connection is passed from caller to caller. Then it returns to the pool of sqlx, which bounds its age.
const MAX_TIME_OUTSIDE: Duration = Duration::from_secs(60);

/// A pool, and a queue of callers that wait for one of its connections.
#[derive(Debug)]
pub(crate) struct ConnectionPool<DB: Database> {
    pub(crate) pool: Pool<DB>,
    waiting: Arc<Mutex<VecDeque<oneshot::Sender<PooledConnection<DB>>>>>,
}

// The derive would require `DB: Clone`.
impl<DB: Database> Clone for ConnectionPool<DB> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), waiting: Arc::clone(&self.waiting) }
    }
}

/// A connection. A drop returns it to the pool of sqlx.
#[derive(Debug)]
pub(crate) struct PooledConnection<DB: Database> {
    pub(crate) connection: PoolConnection<DB>,
    /// When the connection left the pool of sqlx.
    since: Instant,
}

impl<DB: Database> PooledConnection<DB> {
    fn new(connection: PoolConnection<DB>) -> Self {
        Self { connection, since: Instant::now() }
    }
}

impl<DB: Database> ConnectionPool<DB> {
    pub(crate) fn new(pool: Pool<DB>) -> Self {
        Self { pool, waiting: Arc::default() }
    }

    /// Waits for a connection: an idle or new one of the pool, or one that another caller releases.
    ///
    /// # Errors
    /// Returns the error of the pool, such as `PoolTimedOut` after its `acquire_timeout`.
    pub(crate) async fn acquire(&self) -> sqlx::Result<PooledConnection<DB>> {
        if let Some(connection) = self.pool.try_acquire() {
            return Ok(PooledConnection::new(connection));
        }
        let (sender, released) = oneshot::channel();
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            // Removes callers that were dropped. Most of them are at the front.
            while waiting.pop_front_if(|first| first.is_closed()).is_some() {}
            waiting.push_back(sender);
        }
        let is_growing = self.pool.size() < self.pool.options().get_max_connections();
        let mut acquired = Box::pin(self.pool.acquire());
        tokio::select! {
            biased;
            Ok(released) = released => {
                if is_growing {
                    // The pool may be opening a connection. A separate task finishes the opening for later callers.
                    let pool = self.clone();
                    drop(tokio::spawn(async move {
                        if let Ok(connection) = acquired.await {
                            pool.release(PooledConnection::new(connection));
                        }
                    }));
                }
                Ok(released)
            }
            // A connection that arrives in the channel meanwhile returns to the pool when the channel is dropped.
            connection = &mut acquired => connection.map(PooledConnection::new),
        }
    }

    /// Passes the connection to the caller that has waited longest, or returns it to the pool of sqlx.
    ///
    /// The connection must be idle: no statement runs, and no transaction is open.
    pub(crate) fn release(&self, mut pooled: PooledConnection<DB>) {
        if self.pool.is_closed() || pooled.since.elapsed() > MAX_TIME_OUTSIDE {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(first) = waiting.pop_front() {
            match first.send(pooled) {
                Ok(()) => return,
                Err(unsent) => pooled = unsent,
            }
        }
    }
}

#[cfg(test)]
#[cfg(feature = "postgres")]
mod tests {
    use sqlx::Postgres;
    use sqlx::postgres::PgPoolOptions;

    use super::*;
    use crate::test_cluster::Cluster;

    async fn pool_of_one(cluster: &Cluster) -> ConnectionPool<Postgres> {
        let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_secs(60));
        ConnectionPool::new(options.connect(&cluster.database().await).await.unwrap())
    }

    /// Starts a caller, and waits until `number` callers wait.
    async fn waiting_caller(
        pool: &ConnectionPool<Postgres>,
        number: usize,
    ) -> tokio::task::JoinHandle<sqlx::Result<PooledConnection<Postgres>>> {
        let task = tokio::spawn({
            let pool = pool.clone();
            async move { pool.acquire().await }
        });
        while pool.waiting.lock().unwrap().len() < number {
            tokio::task::yield_now().await;
        }
        task
    }

    #[tokio::test]
    async fn a_released_connection_goes_to_the_first_caller_that_still_waits() {
        let Some(cluster) = Cluster::shared() else { return };
        let pool = pool_of_one(cluster).await;
        let pooled = pool.acquire().await.unwrap();
        let dropped = waiting_caller(&pool, 1).await;
        let next = waiting_caller(&pool, 2).await;
        dropped.abort();
        assert!(dropped.await.unwrap_err().is_cancelled());
        pool.release(pooled);
        let pooled = next.await.unwrap().unwrap();
        assert_eq!(pool.pool.num_idle(), 0, "it was not returned in between");
        // No caller waits, so the connection returns to the pool.
        pool.release(pooled);
        drop(pool.acquire().await.unwrap());
        assert_eq!(pool.pool.size(), 1);
    }

    #[tokio::test]
    async fn a_connection_that_was_outside_for_long_returns_to_the_pool() {
        let Some(cluster) = Cluster::shared() else { return };
        let pool = pool_of_one(cluster).await;
        let mut pooled = pool.acquire().await.unwrap();
        pooled.since = pooled.since.checked_sub(MAX_TIME_OUTSIDE + Duration::from_secs(1)).unwrap();
        let next = waiting_caller(&pool, 1).await;
        pool.release(pooled);
        assert!(next.await.unwrap().unwrap().since.elapsed() < MAX_TIME_OUTSIDE);
    }
}
