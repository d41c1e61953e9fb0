//! Connections that go from one who used them to one who waits.
//!
//! A pool asks each connection that comes back for a sign of life, so that a busy process would wait for the database twice
//! for each statement. What has just answered needs not be asked: it is handed over, and comes back only when nobody waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use tokio::sync::oneshot;

/// For how long a connection is handed on. Then it comes back, as a pool has bounds on how old they may be.
const LONGEST: Duration = Duration::from_secs(60);

/// A pool, and those who wait for one of its connections, the first of them first.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    pub(super) pool: PgPool,
    waiting: Arc<Mutex<VecDeque<oneshot::Sender<Lent>>>>,
}

/// A connection. Dropped, it goes back to its pool.
#[derive(Debug)]
pub(super) struct Lent {
    pub(super) connection: PoolConnection<Postgres>,
    /// Since when it has been out of the pool.
    since: Instant,
}

impl Queue {
    pub(super) fn new(pool: PgPool) -> Self {
        Self { pool, waiting: Arc::default() }
    }

    /// A connection of the pool, or one that another has done with.
    pub(super) async fn wait(&self) -> sqlx::Result<Lent> {
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
        // What is handed over when the pool's has come goes back to the pool with the channel.
        tokio::select! {
            biased;
            Ok(lent) = lent => Ok(lent),
            connection = self.pool.acquire() => connection.map(new),
        }
    }

    /// Hands on a connection that nothing is under way on, and nothing was left open.
    pub(super) fn hand_on(&self, mut lent: Lent) {
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
