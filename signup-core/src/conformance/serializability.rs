//! Serializability: simultaneous change sets have the outcomes of committing them one after the other.
//!
//! A store may check and write several change sets together. So the test commits random change sets at the same time, and
//! then looks for an order in which a reference gives each change set the same outcome, and ends with the same records. The
//! reference commits one change set after the other.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use proptest::prelude::*;

use super::model::{compare_records, is_same_outcome};
use super::random::{Draft, Seen, Step, World, first_writes, similar_steps};
use super::records::*;
use crate::*;

/// The number of lists, unless the environment variable `PROPTEST_CASES` sets another.
const CASES: u32 = 200;

type Outcome = Result<(), CommitError>;

/// Runs the test: generates lists of 2 to 8 change sets, and commits each list to an empty store of `fresh`, which first
/// gets a few records. The search for an order calls `reference` for each order that it tries.
///
/// Runs 200 lists, or as many as the environment variable `PROPTEST_CASES` says. Shrinks a list that fails. Saves the
/// seed of that list beside the file `source`, with the extension `proptest-regressions`. Later runs start with the
/// saved seeds.
///
/// # Panics
/// Panics if the outcomes or the stored records fit no order. The message has the change sets and their outcomes.
pub fn check<Guard, Reference: Store>(
    source: &'static str,
    fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>,
    reference: impl Fn() -> Reference,
) {
    super::check_property(source, CASES, &case(), fresh, async |store, case| {
        run(&*store, &reference, &case).await
    });
}

/// Checks [`Keys`] on random change sets: the outcome of a change set does not depend on another one before it, if the keys of
/// the two do not conflict and have no total in common. This is a test of `signup-core`, so one store runs it as `reference`.
///
/// # Panics
/// Panics if two change sets depend on their order. The message has both.
pub fn check_keys<Reference: Store>(source: &'static str, reference: impl Fn() -> Reference) {
    let fresh = async || Some((Arc::new(reference()) as Arc<dyn Store>, ()));
    super::check_property(source, CASES, &case(), fresh, async |_, case| {
        let changes = case.change_sets();
        let keys: Vec<_> = changes.iter().map(ChangeSet::keys).collect();
        for (second, change) in changes.iter().enumerate() {
            let alone = after(&reference, &changes, &[]).await.commit(change.clone()).await;
            for first in (0..changes.len()).filter(|first| are_independent(&keys[*first], &keys[second])) {
                let outcome = after(&reference, &changes, &[first]).await.commit(change.clone()).await;
                if !is_same_outcome(change, &outcome, &alone)
                    && (holder(&outcome).is_none() || holder(&outcome) != holder(&alone))
                {
                    let first = &changes[first];
                    return Err(format!("{outcome:?} and not {alone:?} of {change:#?}\nafter {first:#?}"));
                }
            }
        }
        Ok(())
    });
}

/// Returns the key of the record that a refusal carries. Keys do not tell in which version the record is.
fn holder(outcome: &Outcome) -> Option<RecordKey> {
    match outcome {
        Err(CommitError::Refused(Refusal::Taken(record))) => Some(record.entity().key()),
        _ => None,
    }
}

fn are_independent(one: &Keys, other: &Keys) -> bool {
    let is_common = |(key, _): (&Key, Access)| matches!(key, Key::Total(_)) && other.get(key).is_some();
    !one.conflicts_with(other) && !one.iter().any(is_common)
}

/// Change sets that are committed at the same time.
#[derive(Debug)]
struct Case {
    /// Whether the store is busy when the change sets arrive, so that a store with batches takes them as one batch.
    is_gathered: bool,
    /// The steps of each change set.
    steps: Vec<Vec<Step>>,
}

fn case() -> impl Strategy<Value = Case> {
    let steps = prop_oneof![similar_steps(1), similar_steps(4)];
    (any::<bool>(), steps).prop_map(|(is_gathered, steps)| Case { is_gathered, steps })
}

impl Case {
    /// Returns the change sets. Each may also concern the records that those before it insert.
    fn change_sets(&self) -> Vec<ChangeSet> {
        let mut world = World::default();
        first_writes().iter().for_each(|write| world.apply(write));
        let change_set = |(place, steps): (u32, &Vec<Step>)| {
            let change = Draft::change_set(&world, steps, place, at(0));
            world.add_new(&change);
            change
        };
        (1..).zip(&self.steps).map(change_set).collect()
    }
}

async fn run<Reference: Store>(
    store: &dyn Store,
    reference: &impl Fn() -> Reference,
    case: &Case,
) -> Result<(), String> {
    let changes = case.change_sets();
    let mut seen = Seen::default();
    let first = ChangeSet { requires: vec![], writes: first_writes() };
    // The records that a refused change set would have put are read, too.
    [&first].into_iter().chain(&changes).for_each(|change| seen.add(change));
    commit(store, first).await;
    let outcomes = all_at_once(store, &changes, case.is_gathered).await;
    let difference = match find_order(reference, &changes, &outcomes).await {
        Some(end) => match compare_records(store, &end, &seen).await {
            Ok(()) => return Ok(()),
            Err(difference) => difference,
        },
        None => "no order has these outcomes".to_owned(),
    };
    let lines = changes.iter().zip(&outcomes).enumerate();
    let lines: Vec<_> =
        lines.map(|(place, (change, outcome))| format!("{place}: {outcome:?} of {change:#?}")).collect();
    Err(format!("{difference}\n{}", lines.join("\n")))
}

/// Commits all change sets at the same time, in their order of arrival.
async fn all_at_once(store: &dyn Store, changes: &[ChangeSet], is_gathered: bool) -> Vec<Outcome> {
    // Checks that hold. They start the first batches of the store, so the change sets form the next one.
    let busy = ["unused-1", "unused-2"]
        .map(|slug| ChangeSet { requires: vec![absent(Unique::EventSlug(slug.to_owned()))], writes: vec![] });
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

/// Finds an order in which the reference gives each change set its outcome. Returns the reference after that order. Tries the
/// order of arrival first.
///
/// A change set replaces and removes only records at the versions that it requires. So the records after some change sets with
/// certain outcomes do not depend on the order of these change sets, and the search tries each set of change sets once.
async fn find_order<Reference: Store>(
    reference: &impl Fn() -> Reference,
    changes: &[ChangeSet],
    outcomes: &[Outcome],
) -> Option<Reference> {
    let (mut order, mut next, mut visited) = (vec![], 0, BTreeSet::new());
    while order.len() < changes.len() {
        if next == changes.len() {
            next = order.pop()? + 1;
            continue;
        }
        let longer = [&order[..], &[next]].concat();
        let set: BTreeSet<_> = longer.iter().copied().collect();
        if order.contains(&next) || visited.contains(&set) {
            next += 1;
            continue;
        }
        let outcome = after(reference, changes, &order).await.commit(changes[next].clone()).await;
        if is_same_outcome(&changes[next], &outcome, &outcomes[next]) {
            visited.insert(set);
            (order, next) = (longer, 0);
        } else {
            next += 1;
        }
    }
    Some(after(reference, changes, &order).await)
}

/// Returns a reference store after some change sets.
async fn after<Reference: Store>(
    reference: &impl Fn() -> Reference,
    changes: &[ChangeSet],
    order: &[usize],
) -> Reference {
    let store = reference();
    write(&store, first_writes()).await;
    for place in order {
        let _outcome = store.commit(changes[*place].clone()).await;
    }
    store
}
