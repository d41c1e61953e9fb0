//! Completeness of the list of activity: after each operation of a handle, the new activity is exactly what happened to the
//! records, and each webhook that selects it has one delivery of it.
//!
//! Random operations go through the handles of a [`Service`] on the store. The records are read before and after each operation.
//! What happened follows from the two states alone, and not from the rule that named the activity. So the test finds an activity that
//! is missing, invented, repeated, in the wrong order, or about another record or field.

mod inputs;
mod operations;
mod people;
mod records;
mod webhooks;

use std::sync::Arc;

use proptest::collection::vec;

use self::operations::{Done, Effect, Operation, Run, operation};
use self::records::{Happened, Owned, State, difference, read};
use self::webhooks::check_deliveries;
use crate::*;

/// The number of lists, unless the environment variable `PROPTEST_CASES` sets another.
const CASES: u32 = 16;

/// Runs the test: generates lists of 1 to 59 operations, and runs each list on an empty store of `fresh`.
///
/// Runs 16 lists, or as many as the environment variable `PROPTEST_CASES` says. Shrinks a list that fails. Saves the seed of that
/// list beside the file `source`, with the extension `proptest-regressions`. Later runs start with the saved seeds.
///
/// # Panics
/// Panics if the new activity differs from what happened to the records, if the new deliveries differ from what the webhooks
/// select, if an earlier activity changed, or if a refused operation or a replay changed a record. The message has the shortest
/// list of operations that was found.
pub fn check<Guard>(source: &'static str, fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>) {
    super::check_property(source, CASES, &vec(operation(), 1..60), fresh, async |store, operations| {
        run(store, &operations).await
    });
}

async fn run(store: Arc<dyn Store>, operations: &[Operation]) -> Result<(), String> {
    let (mut run, first) = Run::start(Arc::clone(&store)).await;
    let mut before = compare(&*store, &run, State::new(), first).await?;
    let first = Operation::first();
    let mut last = None;
    for (place, operation) in first.iter().chain(operations).enumerate() {
        // A repetition is the operation before it again.
        let operation = if operation.is_repetition() { last.unwrap_or(operation) } else { operation };
        last = Some(operation);
        if let Some(done) = run.execute(operation, &before).await {
            let with_place = |found| format!("operation {place}, {operation:?}: {found}");
            before = compare(&*store, &run, before, done).await.map_err(with_place)?;
        }
    }
    Ok(())
}

/// Compares the new activity of every organization with what happened to its records. Returns the records after the operation.
async fn compare(store: &dyn Store, run: &Run, before: State, done: Done) -> Result<State, String> {
    let Done { actor, effect } = done;
    let after = read(store).await;
    for (id, owned) in &after {
        let before = before.get(id);
        let expected = difference(before, owned, &after, run.now())?;
        if !expected.is_empty() && effect != Effect::Write {
            return Err(format!("{effect:?}, and yet {expected:?}"));
        }
        let is_kept = |activity: &&Activity| effect != Effect::Purge || activity.expires_at() > run.now();
        let earlier: Vec<_> = before.iter().flat_map(|before| &before.activity).filter(is_kept).collect();
        let new = new_activity(owned, &earlier)?;
        let found: Vec<_> = new.iter().map(|activity| Happened::of(activity)).collect();
        let (found, expected) = (in_fixed_order(found), in_fixed_order(expected));
        if found != expected {
            return Err(format!(
                "the activity of {id}\n    is: {found:#?}\n and what happened is: {expected:#?}"
            ));
        }
        let others = new.iter().find(|activity| {
            (&activity.actor, activity.organization, activity.created_at) != (&actor, *id, run.now())
        });
        if let Some(other) = others {
            return Err(format!("{actor:?} of {id} at {} is not in {other:?}", run.now()));
        }
        check_deliveries(before, owned, &new, &effect, run.now())?;
    }
    match before.keys().find(|id| !after.contains_key(id)) {
        Some(gone) => Err(format!("the organization {gone} is gone")),
        None => Ok(after),
    }
}

/// Returns the activity that is newer than `earlier`, the oldest first. Both lists have the newest first.
///
/// # Errors
/// Fails if the list is not in descending order of ids, or does not end with the earlier activity as it was.
fn new_activity<'o>(owned: &'o Owned, earlier: &[&Activity]) -> Result<Vec<&'o Activity>, String> {
    let all = &owned.activity;
    let (new, kept) = all.split_at(all.len().saturating_sub(earlier.len()));
    if kept.iter().ne(earlier.iter().copied()) || !all.is_sorted_by(|newer, older| newer.id > older.id) {
        return Err(format!("earlier activity has changed: {all:#?}"));
    }
    Ok(new.iter().rev().collect())
}

/// Sorts a list that has only erasures. Each erasure is a commit of its own, and no promise defines their order.
fn in_fixed_order(mut happened: Vec<Happened>) -> Vec<Happened> {
    if happened.iter().all(|one| one.erased().is_some()) {
        happened.sort_by_key(Happened::erased);
    }
    happened
}
