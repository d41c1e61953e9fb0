//! The model test: random change sets, purges and lists run against a store and against a reference, and every answer is
//! compared.

mod compare;

use std::sync::Arc;

use proptest::array::uniform11;
use proptest::collection::vec;
use proptest::prelude::*;

use super::random::{Draft, Numbers, SEARCHES, Seen, Step, World, email, first_writes, number, step};
use super::records::*;
use crate::*;
pub(super) use compare::compare_records;
use compare::{compare, expect_equal, same};

/// The number of lists, unless the environment variable `PROPTEST_CASES` sets another.
const CASES: u32 = 100;

/// Runs the model test: generates lists of 1 to 39 operations, and runs each list against a store of `fresh` and against a store of
/// `reference`. Both are empty, and first get the same few records.
///
/// Runs 100 lists, or as many as the environment variable `PROPTEST_CASES` says. Shrinks a list that fails. Saves the
/// seed of that list beside the file `source`, with the extension `proptest-regressions`. Later runs start with the
/// saved seeds.
///
/// # Panics
/// Panics if the store answers differently from the reference, or a count is wrong. The message has the shortest list of
/// operations that was found.
pub fn check<Guard, Reference: Store>(
    source: &'static str,
    fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>,
    reference: impl Fn() -> Reference,
) {
    super::check_property(source, CASES, &vec(operation(), 1..40), fresh, async |store, operations| {
        run(&*store, &reference(), &operations).await
    });
}

/// One operation. Small numbers describe queries, as they do [`Step`]s.
#[derive(Debug, Clone)]
enum Operation {
    /// Commits the change set of the steps.
    Commit(Vec<Step>),
    /// Advances the time by some seconds.
    Wait(u8),
    /// Purges until nothing is left to purge, in portions up to a limit. The age is that of the youngest records that are
    /// removed, in seconds.
    Purge { kind: u8, age: u8, limit: u32 },
    /// Reads a page of events.
    Events([u8; 11]),
    /// Reads a page of sign-ups.
    Signups([u8; 11]),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => vec(step(), 1..4).prop_map(Operation::Commit),
        1 => (1..20_u8).prop_map(Operation::Wait),
        1 => (0..3_u8, 0..20_u8, 1..4_u32).prop_map(|(kind, age, limit)| Operation::Purge { kind, age, limit }),
        4 => uniform11(number()).prop_map(Operation::Events),
        6 => uniform11(number()).prop_map(Operation::Signups),
    ]
}

/// Runs the operations on both stores and compares every answer. Then compares every read.
async fn run(store: &dyn Store, reference: &dyn Store, operations: &[Operation]) -> Result<(), String> {
    let first = ChangeSet { requires: vec![], writes: first_writes() };
    commit(store, first.clone()).await;
    commit(reference, first.clone()).await;
    let mut seen = Seen::default();
    seen.add(&first);
    let mut now_s = 0;
    for (place, operation) in (1..).zip(operations) {
        let world = World::read(reference, &seen.keys).await;
        let now = at(now_s);
        match operation {
            Operation::Commit(steps) => {
                let change = Draft::change_set(&world, steps, place, now);
                let answer = store.commit(change.clone()).await;
                let expected = reference.commit(change.clone()).await;
                if !is_same_outcome(&change, &answer, &expected) {
                    expect_equal(&format!("the answer to {change:#?}"), &answer, &expected)?;
                }
                seen.add(&change);
            }
            Operation::Wait(seconds) => now_s += i64::from(*seconds),
            Operation::Purge { kind, age, limit } => {
                let until = at(now_s - i64::from(*age));
                let purge = match kind {
                    0 => Purge::Expired(now),
                    1 => Purge::Deleted(until),
                    _ => Purge::FailedNotices(until),
                };
                compare_purge(store, reference, purge, *limit).await?;
            }
            Operation::Events(numbers) => {
                let (owner, query) = event_query(&world, &mut Numbers(numbers.iter()));
                same!(store, reference, events(owner, &query))?;
                same!(store, reference, events_with_shifts(owner, &query))?;
            }
            Operation::Signups(numbers) => {
                let (owner, query) = signup_query(&world, &mut Numbers(numbers.iter()));
                same!(store, reference, signups(owner, &query))?;
            }
        }
    }
    compare(store, reference, &seen, at(now_s)).await
}

/// Returns whether two outcomes of a change set are the same. The contract leaves open which of several totals that are not 0 a
/// refusal carries.
pub(super) fn is_same_outcome(
    change: &ChangeSet,
    one: &Result<(), CommitError>,
    other: &Result<(), CommitError>,
) -> bool {
    let total = |outcome: &Result<(), CommitError>| match outcome {
        Err(CommitError::Refused(Refusal::NotBelow { total, .. })) => Some(total.clone()),
        _ => None,
    };
    let (Some(found), Some(expected)) = (total(one), total(other)) else { return one == other };
    let is_either = |requirement: &Requirement| match requirement {
        Requirement::AllZero { totals, .. } => totals.contains(&found) && totals.contains(&expected),
        _ => false,
    };
    one == other || change.requires.iter().any(is_either)
}

/// Purges both stores. The contract leaves open which records the first portions have, so only the number of all removed
/// records is compared.
async fn compare_purge(
    store: &dyn Store,
    reference: &dyn Store,
    purge: Purge,
    limit: u32,
) -> Result<(), String> {
    let expected = reference.purge(purge, u32::MAX).await.unwrap();
    let mut purged = 0;
    loop {
        let portion = store.purge(purge, limit).await.unwrap();
        purged += portion;
        if portion != u64::from(limit) {
            return expect_equal(
                &format!("the number of records that {purge:?} removes"),
                &purged,
                &expected,
            );
        }
        if purged > expected {
            return Err(format!("{purge:?} removes {purged} records, and {expected} are there"));
        }
    }
}

fn event_query(world: &World, numbers: &mut Numbers<'_>) -> (OrganizationId, EventQuery) {
    let owner = numbers.pick(world.all::<&Organization>()).map_or(OrganizationId::NONE, |owner| owner.id);
    let mut query = EventQuery::new().limit(1 + u32::from(numbers.below(4)));
    query.is_published = [None, Some(true), Some(false)][usize::from(numbers.below(3))];
    query.order = EventOrder::ALL[usize::from(numbers.below(2))];
    let beside = side(numbers).zip(numbers.pick(world.all::<&Event>()));
    query.position = beside.map(|(side, event)| {
        let key = EventKey { order: query.order, starts_at: event.dates.starts_at(), id: event.id };
        Position { key, side }
    });
    query.is_cancelled = [None, Some(true), Some(false)][usize::from(numbers.below(3))];
    let mut date =
        || Some(numbers.below(14)).filter(|day| *day < 7).map(|day| format!("2027-06-0{}", 1 + day));
    query.from = date().and_then(|date| date.parse().ok());
    query.to = date().and_then(|date| date.parse().ok());
    // The second is the end of the shifts of `records`.
    let instant =
        ["2027-06-04T00:00:00Z", "2027-06-05T16:00:00Z"][usize::from(numbers.below(2))].parse().ok();
    match numbers.below(6) {
        0 => query.ends_after = instant,
        3 => query.inactive_at = instant,
        number @ 1..=2 => {
            query.open_shift = instant.map(|after| OpenShift { after, exists: number == 1 });
        }
        _ => {}
    }
    (owner, query)
}

fn signup_query(world: &World, numbers: &mut Numbers<'_>) -> (OrganizationId, SignupQuery) {
    let owner = numbers.pick(world.all::<&Organization>()).map_or(OrganizationId::NONE, |owner| owner.id);
    let mut query = SignupQuery::new().limit(1 + u32::from(numbers.below(4)));
    let scope = numbers.below(4);
    if scope & 1 != 0 {
        query.event = numbers.pick(world.all::<&Event>()).map(|event| event.id);
    }
    if scope & 2 != 0 {
        query.shift = numbers.pick(world.all::<&Shift>()).map(|shift| shift.id);
    }
    let beside = side(numbers).zip(numbers.pick(world.all::<&Signup>()));
    query.position = beside.map(|(side, signup)| Position { key: signup.id, side });
    query.status = SignupStatus::ALL.get(usize::from(numbers.below(5))).copied();
    query.email = Some(numbers.below(12)).filter(|person| *person < 4).map(|person| email(person, true));
    query.deleted = [Deleted::Excluded, Deleted::Included][usize::from(numbers.below(2))];
    query.search = SEARCHES.get(usize::from(numbers.below(24))).map(|text| SearchText::new(text).unwrap());
    (owner, query)
}

fn side(numbers: &mut Numbers<'_>) -> Option<Side> {
    [None, Some(Side::Below), Some(Side::Above)][usize::from(numbers.below(3))]
}
