//! The model test: random operations run against a store and against a reference, and every answer is compared.
//!
//! Ids, secrets and times come from small ranges, so that operations conflict: equal slugs, keys and addresses, full
//! shifts, stale versions, deleted records, records of another organization.

mod change;
mod compare;
mod generator;
mod step;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;

use proptest::collection::vec;

use super::records::*;
use crate::*;
use change::change;
pub(super) use compare::compare_records;
use compare::{compare, expect_equal, same};
use generator::step;
use step::{Page, Scope, SignupList, Step};

/// The number of lists, unless the environment variable `PROPTEST_CASES` sets another.
const CASES: u32 = 100;

/// Runs the model test: generates lists of 1 to 39 operations, and runs each list against an empty store of `fresh`
/// and against an empty store of `reference`.
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
    super::check_property(source, CASES, &vec(step(), 1..40), fresh, async |store, steps| {
        run(&*store, &reference(), &steps).await
    });
}

/// The state of a run: the records that were inserted, in order of insertion, and the present time.
#[derive(Debug, Default)]
pub(super) struct State {
    events: Vec<Event>,
    shifts: Vec<Shift>,
    questions: Vec<Question>,
    signups: Vec<Signup>,
    notices: Vec<Notice>,
    /// The shifts that a purge may have removed. No record that refers to one of them can be inserted.
    may_be_purged: BTreeSet<ShiftId>,
    /// The first of the 100 numbers from which the present step makes its ids.
    first_number: u32,
    /// The present time, in seconds after [`NOW_S`].
    now_s: i64,
}

/// Runs `steps` against two empty stores and compares every answer. Then compares the stored records, and checks `filled`
/// of each shift against its confirmed sign-ups.
async fn run(store: &dyn Store, reference: &dyn Store, steps: &[Step]) -> Result<(), String> {
    let mut state = State::default();
    for number in 1..3 {
        let insert = vec![Write::InsertOrganization(organization(number))];
        write(store, insert.clone()).await;
        write(reference, insert).await;
    }
    for step in steps {
        match step {
            Step::Wait(seconds) => state.now_s += i64::from(*seconds),
            Step::Purge(limit) => {
                let now = at(state.now_s);
                same!(store, reference, purge_receipts(now, *limit))?;
            }
            Step::PurgeDeleted { age, limit } => {
                let until = at(state.now_s - i64::from(*age));
                purge_deleted(store, reference, until, *limit).await?;
                for shift in &state.shifts {
                    if reference.shift(shift.organization, shift.id).await.unwrap().is_none() {
                        state.may_be_purged.insert(shift.id);
                    }
                }
            }
            Step::Page(page) => compare_page(store, reference, &state, page).await?,
            Step::SignupPage(list) => compare_signup_page(store, reference, &state, list).await?,
            step => {
                let Some(change) = change(&mut state, reference, step).await else { continue };
                let answer = try_write(store, change.requires.clone(), change.writes.clone()).await;
                let expected = try_write(reference, change.requires.clone(), change.writes.clone()).await;
                expect_equal(&format!("the answer to {step:?}"), &answer, &expected)?;
                if answer.is_ok() {
                    record(&mut state, change);
                }
            }
        }
    }
    compare(store, reference, &state).await
}

/// Purges deleted records until none is left, in portions of at most `limit`. The contract leaves the order open, so only
/// the number of all removed records is compared.
async fn purge_deleted(
    store: &dyn Store,
    reference: &dyn Store,
    until: Timestamp,
    limit: u32,
) -> Result<(), String> {
    let expected = reference.purge_deleted(until, u32::MAX).await.unwrap();
    let mut purged = 0;
    loop {
        let portion = store.purge_deleted(until, limit).await.unwrap();
        purged += portion;
        if portion != u64::from(limit) {
            return expect_equal("the number of purged records", &purged, &expected);
        }
        if purged > expected {
            return Err(format!("{purged} records are purged, but only {expected} are deleted"));
        }
    }
}

async fn compare_page(
    store: &dyn Store,
    reference: &dyn Store,
    state: &State,
    page: &Page,
) -> Result<(), String> {
    let position = page.beside.and_then(|(event, is_above)| {
        let event = state.events.get(event as usize)?;
        let side = if is_above { Side::Above } else { Side::Below };
        Some(Position { starts_at: event.dates.starts_at(), id: event.id, side })
    });
    let query = EventQuery { is_published: page.is_published, position, limit: page.limit };
    same!(store, reference, events(organization_id(page.organization), &query))
}

async fn compare_signup_page(
    store: &dyn Store,
    reference: &dyn Store,
    state: &State,
    list: &SignupList,
) -> Result<(), String> {
    let scope = match list.scope {
        Scope::Organization => None,
        Scope::Event(event) => state.events.get(event as usize).map(|event| SignupScope::Event(event.id)),
        Scope::Shift(shift) => state.shifts.get(shift as usize).map(|shift| SignupScope::Shift(shift.id)),
    };
    let position = list.beside.and_then(|(signup, is_above)| {
        let side = if is_above { Side::Above } else { Side::Below };
        Some(SignupPosition { id: state.signups.get(signup as usize)?.id, side })
    });
    let email = list.person.map(|person| email_of(person, true));
    let query = SignupQuery { scope, status: list.status, email, position, limit: list.limit };
    same!(store, reference, signup_page(organization_id(list.organization), &query))
}

/// Returns the address of a volunteer.
fn email_of(person: u32, is_upper_case: bool) -> EmailAddress {
    let address = format!("person{person}@example.org");
    EmailAddress::new(&if is_upper_case { address.to_uppercase() } else { address }).unwrap()
}

/// Adds the records of a committed change set to the state.
pub(super) fn record(state: &mut State, change: ChangeSet) {
    for write in change.writes {
        match write {
            Write::InsertEvent { event, .. } => state.events.push(*event),
            Write::InsertShifts(shifts) => state.shifts.extend(shifts),
            Write::InsertQuestions(questions) => state.questions.extend(questions),
            Write::InsertSignup(signup) => state.signups.push(*signup),
            Write::InsertNotices(notices) => state.notices.extend(notices),
            Write::DeleteNotice { notice, .. } => state.notices.retain(|found| found.id != notice),
            _ => {}
        }
    }
}
