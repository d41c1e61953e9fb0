//! Fair locks by key, in the process: edits of one event wait for their turn, and commits for the keys that they change.
//!
//! A task that waits here holds nothing but its place in line. A task that waits for a lock of a database holds a connection.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// Read-write locks by key. Clones share the locks.
///
/// The locks are fair: a task that waits to write comes before all tasks that arrive later. A key that is neither locked nor
/// waited for takes no memory. A task that acquires several locks acquires them in one order everywhere, so that no two tasks
/// wait for each other.
///
/// ```
/// use signup_core::FairLocks;
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let locks = FairLocks::new();
/// let (reader, another) = (locks.read("key").await, locks.read("key").await);
/// drop((reader, another));
/// let writer = locks.write("key").await;
/// let _other = locks.write("other").await;
/// drop(writer);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct FairLocks<K: Hash + Eq>(Arc<Mutex<Locks<K>>>);

/// The locks that are held or waited for. `RwLock` is fair.
type Locks<K> = HashMap<K, Arc<RwLock<()>>>;

/// A lock that is held. A drop releases the lock.
#[must_use]
pub struct HeldLock<K: Hash + Eq> {
    /// Dropped before the use, which counts the users of the lock.
    _guard: Guard,
    _use: Use<K>,
}

enum Guard {
    Read { _guard: OwnedRwLockReadGuard<()> },
    Write { _guard: OwnedRwLockWriteGuard<()> },
}

/// A use of a lock, by a holder or a waiter. The last use removes the lock from the map.
struct Use<K: Hash + Eq> {
    locks: Arc<Mutex<Locks<K>>>,
    key: K,
    lock: Arc<RwLock<()>>,
}

impl<K: Hash + Eq> Clone for FairLocks<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Hash + Eq> Default for FairLocks<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Hash + Eq> fmt::Debug for FairLocks<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FairLocks({} in use)", entries(&self.0).len())
    }
}

impl<K: Hash + Eq> fmt::Debug for HeldLock<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldLock(…)")
    }
}

impl<K: Hash + Eq + Clone> FairLocks<K> {
    /// Creates a map without locks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for a shared lock of `key`. A wait that is dropped leaves the line.
    pub async fn read(&self, key: K) -> HeldLock<K> {
        let of_key = self.enter(key);
        let guard = Arc::clone(&of_key.lock).read_owned().await;
        HeldLock { _guard: Guard::Read { _guard: guard }, _use: of_key }
    }

    /// Waits for the exclusive lock of `key`. A wait that is dropped leaves the line.
    pub async fn write(&self, key: K) -> HeldLock<K> {
        let of_key = self.enter(key);
        let guard = Arc::clone(&of_key.lock).write_owned().await;
        HeldLock { _guard: Guard::Write { _guard: guard }, _use: of_key }
    }

    fn enter(&self, key: K) -> Use<K> {
        let lock = Arc::clone(entries(&self.0).entry(key.clone()).or_default());
        Use { locks: Arc::clone(&self.0), key, lock }
    }
}

impl<K: Hash + Eq> Drop for Use<K> {
    fn drop(&mut self) {
        let mut locks = entries(&self.locks);
        // While the map is locked, no use begins and no other one ends. So the last use sees only the reference of the map.
        drop(std::mem::take(&mut self.lock));
        if locks.get(&self.key).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

fn entries<K>(locks: &Mutex<Locks<K>>) -> MutexGuard<'_, Locks<K>> {
    locks.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_writer_waits_for_readers_and_comes_before_those_that_arrive_later() {
        let locks = FairLocks::new();
        let readers = (locks.read(1).await, locks.read(1).await);
        let _other_key = locks.write(2).await;
        let order = Arc::new(Mutex::new(vec![]));
        let writer = tokio::spawn({
            let (locks, order) = (locks.clone(), Arc::clone(&order));
            async move {
                let _held = locks.write(1).await;
                order.lock().unwrap().push("writer");
            }
        });
        tokio::task::yield_now().await;
        let reader = tokio::spawn({
            let (locks, order) = (locks.clone(), Arc::clone(&order));
            async move {
                let _held = locks.read(1).await;
                order.lock().unwrap().push("reader");
            }
        });
        tokio::task::yield_now().await;
        assert!(order.lock().unwrap().is_empty(), "the first readers hold the lock");
        drop(readers);
        writer.await.unwrap();
        reader.await.unwrap();
        assert_eq!(*order.lock().unwrap(), ["writer", "reader"]);
    }

    #[tokio::test]
    async fn a_lock_without_a_holder_or_waiter_is_removed() {
        let locks = FairLocks::new();
        let held = locks.write(1).await;
        let waiters = [1, 1].map(|key| {
            let locks = locks.clone();
            tokio::spawn(async move { drop(locks.read(key).await) })
        });
        tokio::task::yield_now().await;
        let [dropped, waiter] = waiters;
        dropped.abort();
        assert!(dropped.await.unwrap_err().is_cancelled());
        drop(held);
        waiter.await.unwrap();
        assert!(entries(&locks.0).is_empty(), "{locks:?}");
    }
}
