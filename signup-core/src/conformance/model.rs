//! The model test: random operations run against a store and against [`Records`], and every answer is compared.
//!
//! Ids, secrets and times come from small ranges, so that operations conflict: equal slugs, keys and addresses, full
//! shifts, stale versions, records of another organization.

mod step;

use std::fmt::Debug;
use std::sync::Arc;

use proptest::collection::vec;

use super::records::*;
use crate::store::Records;
use crate::*;
use step::{Step, step};

/// The number of lists, unless the environment variable `PROPTEST_CASES` sets another.
const CASES: u32 = 100;

/// Runs the model test: generates lists of 1 to 39 operations, and runs each list against an empty store of `fresh`.
///
/// Runs 100 lists, or as many as the environment variable `PROPTEST_CASES` says. Shrinks a list that fails. Saves the
/// seed of that list beside the file `source`, with the extension `proptest-regressions`. Later runs start with the
/// saved seeds.
///
/// # Panics
/// Panics if the store answers differently from [`Records`], or a count is wrong. The message has the shortest list of
/// operations that was found.
pub fn check<Guard>(source: &'static str, fresh: impl AsyncFn() -> Option<(Arc<dyn Store>, Guard)>) {
    super::check_property(source, CASES, &vec(step(), 1..40), fresh, async |store, steps| {
        run(&*store, &steps).await
    });
}

/// Compares a read of the store with the same read of the records.
macro_rules! same {
    ($store:expr, $records:expr, $method:ident($($argument:expr),*)) => {
        same(concat!("Store::", stringify!($method)), &$store.$method($($argument),*).await.unwrap(), &$records.$method($($argument),*))
    };
}

fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} differs from the contract\n    found: {found:?}\n expected: {expected:?}"))
}

/// The state of a run: the records that were inserted, in order of insertion, and the present time.
#[derive(Debug, Default)]
pub(super) struct State {
    events: Vec<Event>,
    shifts: Vec<Shift>,
    signups: Vec<Signup>,
    notices: Vec<Notice>,
    /// The first of the 100 numbers from which the present step makes its ids.
    first_number: u32,
    /// The present time, in seconds after [`NOW_S`].
    now_s: i64,
}

/// Runs `steps` against an empty store and compares every answer. Then compares the stored records, and checks `filled`
/// of each shift against its confirmed sign-ups.
async fn run(store: &dyn Store, steps: &[Step]) -> Result<(), String> {
    let mut records = Records::default();
    let mut state = State::default();
    for number in 1..3 {
        let insert = vec![Write::InsertOrganization(organization(number))];
        write(store, insert.clone()).await;
        records.commit(ChangeSet { requires: vec![], writes: insert }).unwrap();
    }
    for step in steps {
        match step {
            Step::Wait(seconds) => state.now_s += i64::from(*seconds),
            Step::Purge(limit) => {
                let now = at(state.now_s);
                same!(store, records, purge_receipts(now, *limit))?;
            }
            Step::Page { organization, beside, is_published, limit } => {
                let position = beside.and_then(|(event, is_above)| {
                    let event = state.events.get(event as usize)?;
                    let side = if is_above { Side::Above } else { Side::Below };
                    Some(Position { starts_at: event.dates.starts_at(), id: event.id, side })
                });
                let query = EventQuery { is_published: *is_published, position, limit: *limit };
                same!(store, records, events(organization_id(*organization), &query))?;
            }
            step => {
                let Some(change) = change(&mut state, step) else { continue };
                let answer = try_write(store, change.requires.clone(), change.writes.clone()).await;
                let expected = records.commit(change.clone());
                same(&format!("the answer to {step:?}"), &answer, &expected)?;
                if answer.is_ok() {
                    record(&mut state, change);
                }
            }
        }
    }
    compare(store, &records, &state).await
}

/// Returns the change set of a step, or `None` if the step selects a missing record or commits nothing.
fn change(state: &mut State, step: &Step) -> Option<ChangeSet> {
    state.first_number += 100;
    let (number, now) = (state.first_number, at(state.now_s));
    let mut change = ChangeSet::default();
    match *step {
        Step::Create { organization, day, is_published, ref capacities, common_slug, key, limit } => {
            let mut event = Event {
                is_published,
                ..event_on(organization, number, &format!("2027-06-0{}", day + 1), "UTC")
            };
            if common_slug {
                event.slug = "common".to_owned();
            }
            let organization = event.organization;
            let numbered = (number..).zip(capacities);
            let shifts: Vec<_> =
                numbered.map(|(number, &capacity)| shift(&event, number, capacity)).collect();
            if let Some((key, life)) = key {
                let key = receipt_key(1, &format!("key-{key}"));
                change.requires.push(Requirement::NoReceipt { key: key.clone(), now });
                let expires_at = at(state.now_s + i64::from(life));
                let receipt = Receipt { expires_at, ..receipt(key, &event, &shifts) };
                change.writes.push(Write::InsertReceipt(Box::new(receipt)));
            }
            change.requires.push(Requirement::EventSlugFree(event.slug.clone()));
            if let Some(limit) = limit {
                change.requires.push(Requirement::ActiveEventsBelow { organization, limit, now });
            }
            let data = serde_json::Map::from_iter([("number".to_owned(), number.into())]);
            let location_data = (number % 2 == 0).then(|| LocationData::new(data).unwrap());
            change.writes.push(Write::InsertEvent { event: Box::new(event), location_data });
            change.writes.push(Write::InsertShifts(shifts));
        }
        Step::Edit { organization, shift, version, capacity, hours } => {
            let found = state.shifts.get(shift as usize)?;
            let organization = organization_id(organization);
            change.requires.push(Requirement::ShiftAtVersion { organization, shift: found.id, version });
            let edited = Shift {
                organization,
                hours: Hours::try_from(hours).unwrap(),
                occupancy: Occupancy { capacity: Capacity::new(capacity).unwrap(), filled: 99 },
                version: version + 1,
                updated_at: now,
                ..found.clone()
            };
            change.writes.push(Write::InsertNotices(vec![Notice { due_at: now, ..notice(found, number) }]));
            change.writes.push(Write::UpdateShift(Box::new(edited)));
        }
        Step::SignUp { organization, shift, person, is_upper_case, checks_room } => {
            let shift = state.shifts.get(shift as usize)?;
            let address = format!("person{person}@example.org");
            let address = if is_upper_case { address.to_uppercase() } else { address };
            let signup = Signup { email: EmailAddress::new(&address).unwrap(), ..signup(shift, number) };
            change = sign_up(shift, &signup);
            if !checks_room {
                change.requires.truncate(1);
            }
            if organization == 2 && shift.organization == organization_id(1) {
                // The other organization has no such shift, so the address is free. Checks this, and writes nothing.
                let (organization, email) = (organization_id(2), signup.email);
                change.requires =
                    vec![Requirement::AddressNotOnShift { organization, shift: shift.id, email }];
                change.writes.clear();
            }
        }
        Step::Cancel { organization, signup, is_checked } => {
            let Signup { id: signup, shift, .. } = *state.signups.get(signup as usize)?;
            let organization = organization_id(organization);
            if is_checked {
                change.requires.push(Requirement::SignupConfirmed { organization, signup });
            }
            change.writes.push(Write::CancelSignup { organization, shift, signup, at: now });
        }
        Step::Change { signup, is_first, is_erased } => {
            let found = state.signups.get(signup as usize)?;
            let (organization, shift, signup) = (found.organization, found.shift, found.id);
            let secret = if is_first { found.secret } else { Digest::of(&format!("renewed {signup}")) };
            change.requires.push(Requirement::SignupHasSecret { organization, signup, secret });
            let secret = Digest::of(&format!("renewed {signup}"));
            change.writes.push(if is_erased {
                Write::EraseSignup { organization, shift, signup }
            } else {
                Write::RenewSecret { organization, shift, signup, secret, at: now }
            });
        }
        Step::Deliver { version, action } => {
            let notice = Notice { version, ..state.notices.first()?.clone() };
            change = match action {
                0 => rules::delete_notice(&notice),
                1 => rules::replace_notice(&notice, notice.clone().claimed(now)),
                2 => rules::replace_notice(
                    &notice,
                    notice.clone().after_failure(DeliveryFailure::Transient, "450 later", now),
                ),
                _ => rules::replace_notice(
                    &notice,
                    notice.clone().after_failure(DeliveryFailure::Permanent, "550 never", now),
                ),
            };
        }
        Step::Ask { event, count, position } => {
            let event = state.events.get(event as usize)?;
            let organization = event.organization;
            change.requires.push(Requirement::QuestionCount { organization, event: event.id, count });
            change.writes.push(Write::InsertQuestions(vec![question(event, number, position)]));
        }
        Step::Token { organization, number: token, is_revoked: true } => {
            change
                .requires
                .push(Requirement::OrganizationSlugFree(format!("organization-{}", organization + 1)));
            change.writes.push(Write::RevokeToken { token: TokenId::new(uuid(100 * token)), at: now });
        }
        Step::Token { organization, is_revoked: false, .. } => {
            change.writes.push(Write::InsertToken(token(organization, number)));
        }
        Step::Plan(organization, is_free) => {
            let plan = if is_free { Plan::Free } else { Plan::Pro };
            change.writes.push(Write::SetPlan { organization: organization_id(organization), plan });
        }
        Step::Wait(_) | Step::Purge(_) | Step::Page { .. } => return None,
    }
    Some(change)
}

/// Adds the records of a committed change set to the state.
pub(super) fn record(state: &mut State, change: ChangeSet) {
    for write in change.writes {
        match write {
            Write::InsertEvent { event, .. } => state.events.push(*event),
            Write::InsertShifts(shifts) => state.shifts.extend(shifts),
            Write::InsertSignup(signup) => state.signups.push(*signup),
            Write::InsertNotices(notices) => state.notices.extend(notices),
            Write::DeleteNotice { notice, .. } => state.notices.retain(|found| found.id != notice),
            _ => {}
        }
    }
}

/// Compares the records of the store, each of them once, with the expected records.
pub(super) async fn compare_records(
    store: &dyn Store,
    records: &Records,
    state: &State,
) -> Result<(), String> {
    same!(store, records, organizations(None, 99))?;
    for have_failed in [false, true] {
        same!(store, records, notices(have_failed, None, 999))?;
    }
    same!(store, records, count_notices())?;
    for owner in [1, 2].map(organization_id) {
        same!(store, records, tokens(owner))?;
        for event in &state.events {
            same!(store, records, event_in_full(owner, event.id))?;
            same!(store, records, signups(owner, event.id, None, 999))?;
        }
    }
    for key in 0..3 {
        // Expired receipts are records, too: they were live earlier.
        let (key, earlier) = (receipt_key(1, &format!("key-{key}")), at(-9));
        same!(store, records, receipt(&key, earlier))?;
    }
    Ok(())
}

/// Compares every read of the store with the same read of the records.
async fn compare(store: &dyn Store, records: &Records, state: &State) -> Result<(), String> {
    compare_records(store, records, state).await?;
    same!(store, records, organizations(Some(organization_id(1)), 1))?;
    for have_failed in [false, true] {
        for notice in &state.notices {
            same!(store, records, notices(have_failed, Some(notice.id), 1))?;
        }
    }
    for notice in &state.notices {
        same!(store, records, notice(notice.id))?;
    }
    // A failed attempt makes a notice due after 30 seconds, so some due times are after `latest`.
    let (now, latest) = (at(state.now_s), at(state.now_s + 20));
    for limit in [1, 2, 99] {
        same!(store, records, due_notices(now, latest, limit))?;
    }
    for person in 0..4 {
        let email = EmailAddress::new(&format!("Person{person}@example.org")).unwrap();
        for (owner, limit) in [(1, 1), (1, 99), (2, 99)] {
            same!(store, records, signups_of_address(organization_id(owner), &email, limit))?;
        }
    }
    for signup in &state.signups {
        same!(store, records, signup(signup.organization, signup.id))?;
        same!(store, records, signup_by_secret(&signup.secret))?;
        same!(store, records, signup_by_secret(&Digest::of(&format!("renewed {}", signup.id))))?;
    }
    for owner in [1, 2].map(organization_id) {
        for event in &state.events {
            compare_event(store, records, owner, event).await?;
        }
    }
    for key in 0..3 {
        let key = receipt_key(1, &format!("key-{key}"));
        for now in [at(0), at(state.now_s)] {
            same!(store, records, receipt(&key, now))?;
        }
    }
    Ok(())
}

async fn compare_event(
    store: &dyn Store,
    records: &Records,
    owner: OrganizationId,
    event: &Event,
) -> Result<(), String> {
    same!(store, records, event(owner, event.id))?;
    same!(store, records, event_by_slug(&event.slug))?;
    same!(store, records, shifts(owner, event.id))?;
    same!(store, records, questions(owner, event.id))?;
    let signups = store.signups(owner, event.id, None, 999).await.unwrap();
    for shift in store.shifts(owner, event.id).await.unwrap().into_iter().flatten() {
        same!(store, records, shift(owner, shift.id))?;
        same!(store, records, confirmed_signups(owner, shift.id, None, 999))?;
        let is_here = |signup: &&Signup| signup.shift == shift.id && signup.status == SignupStatus::Confirmed;
        let confirmed = signups.iter().filter(is_here).count();
        same(&format!("filled of {:?}", shift.id), &(shift.occupancy.filled as usize), &confirmed)?;
        for after in &signups {
            same!(store, records, confirmed_signups(owner, shift.id, Some(after.id), 1))?;
        }
    }
    for after in &signups {
        same!(store, records, signups(owner, event.id, Some(after.id), 1))?;
    }
    Ok(())
}
