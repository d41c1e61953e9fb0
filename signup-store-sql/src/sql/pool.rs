//! Connections that go from one who used them to one who waits.
//!
//! A pool asks each connection that comes back for a sign of life, so that a busy process would wait for the database twice
//! for each statement. What has just answered needs not be asked: it is handed over, and comes back only when nobody waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool};
use tokio::sync::oneshot;

/// For how long a connection is handed on. Then it comes back, as a pool has bounds on how old they may be.
const LONGEST: Duration = Duration::from_secs(60);

/// A pool, and those who wait for one of its connections, the first of them first.
#[derive(Debug)]
pub(crate) struct Queue<DB: Database> {
    pub(crate) pool: Pool<DB>,
    waiting: Arc<Mutex<VecDeque<oneshot::Sender<Lent<DB>>>>>,
}

// Derived, it would ask the same of the database.
impl<DB: Database> Clone for Queue<DB> {
    fn clone(&self) -> Self {
        Self { pool: self.pool.clone(), waiting: Arc::clone(&self.waiting) }
    }
}

/// A connection. Dropped, it goes back to its pool.
#[derive(Debug)]
pub(crate) struct Lent<DB: Database> {
    pub(crate) connection: PoolConnection<DB>,
    /// Since when it has been out of the pool.
    since: Instant,
}

impl<DB: Database> Queue<DB> {
    pub(crate) fn new(pool: Pool<DB>) -> Self {
        Self { pool, waiting: Arc::default() }
    }

    /// A connection of the pool, or one that another has done with.
    pub(crate) async fn wait(&self) -> sqlx::Result<Lent<DB>> {
        let new = |connection| Lent { connection, since: Instant::now() };
        if let Some(connection) = self.pool.try_acquire() {
            return Ok(new(connection));
        }
        let (sender, lent) = oneshot::channel();
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            // Who has gone away was mostly among the first.
            while waiting.pop_front_if(|first| first.is_closed()).is_some() {}
            waiting.push_back(sender);
        }
        let is_growing = self.pool.size() < self.pool.options().get_max_connections();
        let mut acquired = Box::pin(self.pool.acquire());
        tokio::select! {
            biased;
            Ok(lent) = lent => {
                if is_growing {
                    // A connection may be under way that is not to be for nothing. Nobody has to wait for it.
                    let queue = self.clone();
                    drop(tokio::spawn(async move {
                        if let Ok(connection) = acquired.await {
                            queue.hand_on(new(connection));
                        }
                    }));
                }
                Ok(lent)
            }
            // What is handed over meanwhile goes back to the pool with the channel.
            connection = &mut acquired => connection.map(new),
        }
    }

    /// Hands on a connection that nothing is under way on, and nothing was left open.
    pub(crate) fn hand_on(&self, mut lent: Lent<DB>) {
        if self.pool.is_closed() || lent.since.elapsed() > LONGEST {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(first) = waiting.pop_front() {
            match first.send(lent) {
                Ok(()) => return,
                Err(unwanted) => lent = unwanted,
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

    async fn queue(cluster: &Cluster) -> Queue<Postgres> {
        let options = PgPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_secs(60));
        Queue::new(options.connect(&cluster.database().await).await.unwrap())
    }

    async fn somebody_waits(
        queue: &Queue<Postgres>,
        number: usize,
    ) -> tokio::task::JoinHandle<sqlx::Result<Lent<Postgres>>> {
        let task = tokio::spawn({
            let queue = queue.clone();
            async move { queue.wait().await }
        });
        while queue.waiting.lock().unwrap().len() < number {
            tokio::task::yield_now().await;
        }
        task
    }

    #[tokio::test]
    async fn a_connection_is_handed_to_the_first_who_still_waits() {
        let Some(cluster) = Cluster::shared() else { return };
        let queue = queue(cluster).await;
        let lent = queue.wait().await.unwrap();
        let gone = somebody_waits(&queue, 1).await;
        let next = somebody_waits(&queue, 2).await;
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        queue.hand_on(lent);
        let lent = next.await.unwrap().unwrap();
        assert_eq!(queue.pool.num_idle(), 0, "it did not come back in between");
        // Nobody waits: it comes back.
        queue.hand_on(lent);
        drop(queue.wait().await.unwrap());
        assert_eq!(queue.pool.size(), 1);
    }

    #[tokio::test]
    async fn a_connection_that_was_handed_on_for_long_comes_back_to_its_pool_and_is_had_from_there() {
        let Some(cluster) = Cluster::shared() else { return };
        let queue = queue(cluster).await;
        let mut lent = queue.wait().await.unwrap();
        lent.since = lent.since.checked_sub(LONGEST + Duration::from_secs(1)).unwrap();
        let next = somebody_waits(&queue, 1).await;
        queue.hand_on(lent);
        assert!(next.await.unwrap().unwrap().since.elapsed() < LONGEST);
    }
}
