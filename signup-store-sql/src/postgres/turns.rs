//! Sign-ups for one shift in PostgreSQL, many in one transaction.
//!
//! Whoever takes a place locks the shift's row until the commit, and a commit waits for the disk: one after the other, a
//! popular shift would take as many volunteers a second as the disk takes syncs. So while a transaction on a shift is under
//! way, those who come wait for the next one, which has all of them.
//!
//! Nobody waits without end, nor do more wait than a while can serve: who comes when too many do is told so at once, and who
//! has waited too long is told so then, and is left out of the next transaction.
//!
//! **Invariant:** a change set that takes turns locks no row that others know but that of its one shift. So different shifts
//! never wait for each other here, and there is no order of locks to keep.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signup_core::{ChangeSet, CommitError, OrganizationId, ShiftId, StoreError};
use tokio::sync::oneshot;

/// A shift, with its organization.
pub(crate) type Place = (OrganizationId, ShiftId);

const WHAT: &str = "committing a sign-up";
/// The most change sets of one transaction.
const MOST_AT_ONCE: usize = 64;
/// How many may wait for one shift.
const MOST_WAITING: usize = 1024;

/// A change set, and whom to tell what became of it.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) change: ChangeSet,
    answer: oneshot::Sender<Result<(), CommitError>>,
}

impl Waiting {
    /// Who has gone away needs no answer.
    pub(crate) fn answer(self, answer: Result<(), CommitError>) {
        drop(self.answer.send(answer));
    }

    /// Whether nobody waits for the answer any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.answer.is_closed()
    }
}

/// The shifts that have a transaction under way, each with those who wait for the next.
#[derive(Debug, Clone)]
pub(crate) struct Turns {
    shifts: Arc<Mutex<HashMap<Place, Vec<Waiting>>>>,
    patience: Duration,
}

/// Commits change sets on one shift together, and answers each.
pub(crate) trait Together: Clone + Send + 'static {
    fn commit_together(&self, changes: Vec<Waiting>) -> impl Future<Output = ()> + Send;
}

impl Turns {
    /// `patience` is how long each waits at most.
    pub(crate) fn new(patience: Duration) -> Self {
        Self { shifts: Arc::default(), patience }
    }

    /// Commits `change` by itself if nothing is under way on the shift, and else with those who come meanwhile. When the caller
    /// goes away, a transaction that has begun goes on.
    pub(crate) async fn commit(
        &self,
        together: &impl Together,
        place: Place,
        change: ChangeSet,
    ) -> Result<(), CommitError> {
        let (sender, answer) = oneshot::channel();
        if let Some(first) = self.queue(place, Waiting { change, answer: sender })? {
            let mut turn = Turn { turns: self.clone(), place, is_over: false };
            let together = together.clone();
            // It ends when nobody waits any more, and answers everybody: it need not be waited for.
            drop(tokio::spawn(async move {
                let mut changes = vec![first];
                while !changes.is_empty() {
                    together.commit_together(changes).await;
                    changes = turn.next();
                }
            }));
        }
        match tokio::time::timeout(self.patience, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(StoreError::unavailable(WHAT, "the task that does it has ended").into()),
            Err(_) => Err(StoreError::unavailable(WHAT, "it takes too long, or those before it do").into()),
        }
    }

    /// Gives the change set back if nothing is under way on the shift: then its turn begins.
    fn queue(&self, place: Place, new: Waiting) -> Result<Option<Waiting>, StoreError> {
        match self.shifts().entry(place) {
            Entry::Occupied(mut entry) => {
                let waiting = entry.get_mut();
                if waiting.len() >= MOST_WAITING {
                    waiting.retain(|waiting| !waiting.is_gone());
                }
                if waiting.len() >= MOST_WAITING {
                    return Err(StoreError::unavailable(WHAT, "too many wait for the same shift"));
                }
                waiting.push(new);
                Ok(None)
            }
            Entry::Vacant(entry) => {
                entry.insert(vec![]);
                Ok(Some(new))
            }
        }
    }

    fn shifts(&self) -> MutexGuard<'_, HashMap<Place, Vec<Waiting>>> {
        // Nothing panics while it holds the lock.
        self.shifts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to commit on a shift, until nobody waits for it.
struct Turn {
    turns: Turns,
    place: Place,
    is_over: bool,
}

impl Turn {
    /// Those who wait, the first of them; if nobody does, the turn is over.
    fn next(&mut self) -> Vec<Waiting> {
        let mut shifts = self.turns.shifts();
        let mut next = vec![];
        if let Entry::Occupied(mut entry) = shifts.entry(self.place) {
            let waiting = entry.get_mut();
            waiting.retain(|waiting| !waiting.is_gone());
            next.extend(waiting.drain(..waiting.len().min(MOST_AT_ONCE)));
            if next.is_empty() {
                entry.remove();
            }
        }
        self.is_over = next.is_empty();
        next
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // The task has panicked, or its runtime has ended. Those who wait for it are told so, as what they wait on is dropped
        // with the entry; who comes later begins a turn.
        if !self.is_over {
            self.turns.shifts().remove(&self.place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Waker};

    use signup_core::conformance::records::uuid;
    use tokio::sync::Semaphore;

    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    fn place() -> Place {
        (OrganizationId::new(uuid(1)), ShiftId::new(uuid(1)))
    }

    /// Commits as many times as it may, and notes of how many change sets each was.
    #[derive(Debug, Clone)]
    struct Gate {
        open: Arc<Semaphore>,
        commits: Arc<Mutex<Vec<usize>>>,
    }

    impl Gate {
        fn new() -> Self {
            Self { open: Arc::new(Semaphore::new(0)), commits: Arc::default() }
        }

        fn commits(&self) -> Vec<usize> {
            self.commits.lock().unwrap().clone()
        }
    }

    impl Together for Gate {
        async fn commit_together(&self, changes: Vec<Waiting>) {
            self.open.acquire().await.unwrap().forget();
            self.commits.lock().unwrap().push(changes.len());
            for change in changes {
                change.answer(Ok(()));
            }
        }
    }

    type Commit<'a> = Pin<Box<dyn Future<Output = Result<(), CommitError>> + 'a>>;

    /// So many change sets on one shift, each come to where it waits for its answer.
    fn come<'a>(turns: &'a Turns, gate: &'a Gate, number: usize) -> Vec<Commit<'a>> {
        let mut commits: Vec<Commit<'_>> = vec![];
        for _ in 0..number {
            commits.push(Box::pin(turns.commit(gate, place(), ChangeSet::default())));
        }
        let mut context = Context::from_waker(Waker::noop());
        for commit in &mut commits {
            assert!(commit.as_mut().poll(&mut context).is_pending());
        }
        commits
    }

    fn assert_unavailable(answer: Result<(), CommitError>) {
        let Err(CommitError::Failed(error)) = answer else { panic!("{answer:?}") };
        assert!(error.is_unavailable(), "{error:?}");
    }

    #[tokio::test]
    async fn who_comes_meanwhile_is_committed_with_the_others_and_no_more_at_once_than_there_may_be() {
        let (turns, gate) = (Turns::new(PATIENCE), Gate::new());
        let commits = come(&turns, &gate, 1 + 2 * MOST_AT_ONCE + 3);
        gate.open.add_permits(9);
        for commit in commits {
            commit.await.unwrap();
        }
        assert_eq!(gate.commits(), [1, MOST_AT_ONCE, MOST_AT_ONCE, 3]);
    }

    #[tokio::test]
    async fn who_has_gone_away_is_left_out() {
        let (turns, gate) = (Turns::new(PATIENCE), Gate::new());
        let mut commits = come(&turns, &gate, 5);
        drop(commits.drain(2..4));
        gate.open.add_permits(9);
        for commit in commits {
            commit.await.unwrap();
        }
        assert_eq!(gate.commits(), [1, 2]);
    }

    #[tokio::test]
    async fn who_has_waited_too_long_is_told_so_and_left_out() {
        let (turns, gate) = (Turns::new(Duration::from_millis(1)), Gate::new());
        for commit in come(&turns, &gate, 5) {
            assert_unavailable(commit.await);
        }
        gate.open.add_permits(9);
        while !turns.shifts().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(gate.commits(), [1], "only what had begun");
    }

    #[tokio::test]
    async fn who_comes_when_too_many_wait_is_told_so_at_once() {
        let (turns, gate) = (Turns::new(PATIENCE), Gate::new());
        let mut commits = come(&turns, &gate, 1 + MOST_WAITING);
        assert_unavailable(turns.commit(&gate, place(), ChangeSet::default()).await);
        // Who has gone away makes room.
        drop(commits.pop());
        commits.extend(come(&turns, &gate, 1));
        assert_unavailable(turns.commit(&gate, place(), ChangeSet::default()).await);
        gate.open.add_permits(MOST_WAITING);
        for commit in commits {
            commit.await.unwrap();
        }
    }

    #[test]
    fn a_turn_whose_runtime_has_ended_is_over() {
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (turns, gate) = (Turns::new(PATIENCE), Gate::new());
        let first = runtime();
        let left = first.block_on(async { come(&turns, &gate, 2) });
        drop(first);
        assert!(turns.shifts().is_empty());
        drop(left);
        gate.open.add_permits(1);
        let later = turns.commit(&gate, place(), ChangeSet::default());
        runtime().block_on(later).unwrap();
    }
}
