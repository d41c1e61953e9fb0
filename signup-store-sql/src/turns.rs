//! Sign-ups for one shift in PostgreSQL, many in one transaction.
//!
//! Whoever takes a place locks the shift's row until the commit, and a commit waits for the disk: one after the other, a
//! popular shift would take as many volunteers a second as the disk takes syncs. So while a transaction on a shift is under
//! way, those who come wait for the next one, which has all of them. Each is still checked and written by a statement of its
//! own, which sees what those before it did; one that is refused has written nothing.
//!
//! Different shifts never wait for each other here, and no lock is held but that of the one shift, so there is no order of
//! locks to keep.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signup_core::{ChangeSet, CommitError, Requirement, ShiftId, StoreError};
use tokio::sync::oneshot;

/// The most change sets of one transaction: a bound on how long its first waits for its last.
const MOST_AT_ONCE: usize = 64;

/// A change set, and whom to tell what became of it.
pub(crate) type Waiting = (ChangeSet, oneshot::Sender<Result<(), CommitError>>);

/// The shifts that have a transaction under way, each with those who wait for the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<HashMap<ShiftId, Vec<Waiting>>>>);

/// Commits change sets on one shift together, and answers each.
pub(crate) trait Together: Clone + Send + 'static {
    fn commit_together(&self, changes: Vec<Waiting>) -> impl Future<Output = ()> + Send;
}

/// The shift for a place on which the change set asks.
pub(crate) fn wanted_shift(change: &ChangeSet) -> Option<ShiftId> {
    change.requires.iter().find_map(|requirement| match requirement {
        Requirement::ShiftHasRoom { shift, .. } => Some(*shift),
        _ => None,
    })
}

impl Turns {
    /// Commits `change` by itself if nothing is under way on `shift`, and else with those who come meanwhile. It goes on
    /// when the caller goes away.
    pub(crate) async fn commit(
        &self,
        together: &impl Together,
        shift: ShiftId,
        change: ChangeSet,
    ) -> Result<(), CommitError> {
        let (sender, answer) = oneshot::channel();
        let is_first = match self.shifts().entry(shift) {
            Entry::Occupied(mut entry) => {
                entry.get_mut().push((change, sender));
                None
            }
            Entry::Vacant(entry) => {
                entry.insert(vec![]);
                Some((change, sender))
            }
        };
        if let Some(first) = is_first {
            let (turn, together) = (Turn { turns: self.clone(), shift }, together.clone());
            // It ends when nobody waits any more, and answers everybody: it need not be waited for.
            drop(tokio::spawn(async move {
                let mut changes = vec![first];
                while !changes.is_empty() {
                    together.commit_together(changes).await;
                    changes = turn.next();
                }
            }));
        }
        let gone = || StoreError::unavailable("committing a sign-up", "the task that does it has ended");
        answer.await.map_err(|_| gone())?
    }

    fn shifts(&self) -> MutexGuard<'_, HashMap<ShiftId, Vec<Waiting>>> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to commit on a shift, until nobody waits for it.
struct Turn {
    turns: Turns,
    shift: ShiftId,
}

impl Turn {
    /// Those who wait; if nobody does, the turn is over.
    fn next(&self) -> Vec<Waiting> {
        let mut shifts = self.turns.shifts();
        let Entry::Occupied(mut entry) = shifts.entry(self.shift) else { return vec![] };
        let waiting = entry.get_mut();
        let later = waiting.split_off(waiting.len().min(MOST_AT_ONCE));
        let next = mem::replace(waiting, later);
        if next.is_empty() {
            entry.remove();
        }
        next
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // Those who wait for a task that is gone are told so, as what they wait on is dropped with the entry.
        if std::thread::panicking() {
            self.turns.shifts().remove(&self.shift);
        }
    }
}
