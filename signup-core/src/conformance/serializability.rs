//! Serializability: simultaneous change sets have the outcomes of committing them one after the other.
//!
//! A store may check and write several change sets together. So the test commits random change sets at the same time, and
//! then looks for an order in which a reference gives each change set the same outcome, and ends with the same records.
//! The reference commits one change set after the other.

mod change_set;
mod step;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use proptest::prelude::*;

use super::model::{self, State};
use super::records::*;
use super::world::{shift_of, world};
use crate::*;
use change_set::change_sets;
use step::{Step, steps};

/// The number of lists, unless the environment variable `PROPTEST_CASES` sets another.
const CASES: u32 = 200;
/// The most commits of one search for an order.
const MOST_COMMITS: u32 = 10_000;

type Outcome = Result<(), CommitError>;

/// Runs the test: generates lists of 2 to 8 change sets, and commits each list to an empty store of `fresh`, which first
/// gets a few records. The search copies the empty store of `reference`.
///
/// Runs 200 lists, or as many as the environment variable `PROPTEST_CASES` says. Shrinks a list that fails. Saves the
/// seed of that list beside the file `source`, with the extension `proptest-regressions`. Later runs start with the
/// saved seeds.
///
/// # Panics
/// Panics if the outcomes or the stored records fit no order. The message has the change sets and their outcomes.
pub fn check<Guard, Reference: Store + Clone + PartialEq>(
    source: &'static str,
    fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>,
    reference: impl Fn() -> Reference,
) {
    super::check_property(source, CASES, &case(), fresh, async |store, case| {
        run(&*store, reference(), &case).await
    });
}

/// A list of change sets.
#[derive(Debug)]
struct Case {
    /// The capacity of the shift 1, for which 2 volunteers have signed up.
    capacity: u32,
    /// Whether the store is busy when the change sets arrive, so that a store with batches takes them as one batch.
    is_gathered: bool,
    /// The steps of each change set.
    steps: Vec<Vec<Step>>,
}

fn case() -> impl Strategy<Value = Case> {
    (2..6_u32, any::<bool>(), steps()).prop_map(|(capacity, is_gathered, steps)| Case {
        capacity,
        is_gathered,
        steps,
    })
}

impl Case {
    /// Returns the writes before the change sets.
    fn before(&self) -> Vec<Write> {
        let occupancy = Occupancy::empty(Capacity::new(self.capacity).unwrap());
        let mut writes = world();
        writes.push(Write::UpdateShift(Box::new(Shift { occupancy, ..shift_of(1) })));
        writes
    }
}

async fn run(
    store: &dyn Store,
    reference: impl Store + Clone + PartialEq,
    case: &Case,
) -> Result<(), String> {
    let changes = change_sets(&case.steps);
    let mut state = State::default();
    let before = ChangeSet { requires: vec![], writes: case.before() };
    write(store, before.writes.clone()).await;
    write(&reference, before.writes.clone()).await;
    // The events that a refused change set would have inserted are read, too.
    for change in [&before].into_iter().chain(&changes) {
        model::record(&mut state, change.clone());
    }
    let outcomes = all_at_once(store, &changes, case.is_gathered).await;
    let mut search = Search::new(reference, &changes, &outcomes);
    let mut difference = "no order has these outcomes".to_owned();
    while let Some(end) = search.next_end().await {
        match model::compare_records(store, &end, &state).await {
            Ok(()) => return Ok(()),
            Err(found) => {
                difference = format!("no order leaves the stored records; in the last one, {found}");
            }
        }
    }
    if search.commits == MOST_COMMITS {
        difference = format!("no order was found in {MOST_COMMITS} commits");
    }
    let lines = changes.iter().zip(&outcomes).enumerate();
    let lines: Vec<_> =
        lines.map(|(place, (set, outcome))| format!("{place}: {outcome:?} of {set:?}")).collect();
    Err(format!("{difference}\n{}", lines.join("\n")))
}

/// Commits all change sets at the same time, in their order of arrival.
async fn all_at_once(store: &dyn Store, changes: &[ChangeSet], is_gathered: bool) -> Vec<Outcome> {
    // Checks that hold. They start the first batches of the store, so the change sets form the next one.
    let busy = ["unused-1", "unused-2"].map(|slug| ChangeSet {
        requires: vec![Requirement::EventSlugFree(slug.to_owned())],
        writes: vec![],
    });
    let first = if is_gathered { &busy[..] } else { &[] };
    let all = first.iter().chain(changes);
    let mut commits: Vec<_> = all.map(|change| (store.commit(change.clone()), None)).collect();
    poll_fn(|context| {
        for (commit, outcome) in &mut commits {
            if outcome.is_none()
                && let Poll::Ready(found) = commit.as_mut().poll(context)
            {
                *outcome = Some(found);
            }
        }
        if commits.iter().all(|(_, outcome)| outcome.is_some()) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    commits.into_iter().skip(first.len()).filter_map(|(_, outcome)| outcome).collect()
}

/// A depth-first search for an order in which the reference gives each change set its outcome. Tries the order of arrival
/// first.
struct Search<'a, Reference> {
    changes: &'a [ChangeSet],
    outcomes: &'a [Outcome],
    /// The nodes from the root to the present one.
    path: Vec<Node<Reference>>,
    /// The nodes visited so far: another path to one of them has the same ends.
    visited: Vec<(u32, Reference)>,
    commits: u32,
}

/// The reference after some of the change sets.
struct Node<Reference> {
    store: Reference,
    /// A bit for each change set that is committed.
    committed: u32,
    /// The next change set to try.
    next: usize,
}

impl<'a, Reference: Store + Clone + PartialEq> Search<'a, Reference> {
    fn new(store: Reference, changes: &'a [ChangeSet], outcomes: &'a [Outcome]) -> Self {
        let root = Node { store, committed: 0, next: 0 };
        Self { changes, outcomes, path: vec![root], visited: vec![], commits: 0 }
    }

    /// Returns the reference at the end of the next order, or `None` if no order is left or the search takes too long. No
    /// two ends are equal.
    async fn next_end(&mut self) -> Option<Reference> {
        while let Some(node) = self.path.last_mut() {
            let place = node.next;
            node.next += 1;
            if node.committed.count_ones() as usize == self.changes.len() {
                return self.path.pop().map(|node| node.store);
            }
            if place == self.changes.len() {
                let _exhausted = self.path.pop();
                continue;
            }
            if node.committed & (1 << place) != 0 {
                continue;
            }
            if self.commits == MOST_COMMITS {
                return None;
            }
            self.commits += 1;
            let (store, committed) = (node.store.clone(), node.committed | (1 << place));
            let outcome = store.commit(self.changes[place].clone()).await;
            if outcome != self.outcomes[place] {
                continue;
            }
            let is_visited = |(set, found): &(u32, Reference)| *set == committed && *found == store;
            if !self.visited.iter().any(is_visited) {
                self.visited.push((committed, store.clone()));
                self.path.push(Node { store, committed, next: 0 });
            }
        }
        None
    }
}
