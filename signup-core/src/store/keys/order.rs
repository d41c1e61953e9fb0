//! The property behind keys: the order of two change sets matters only if their keys conflict or a total reaches its
//! bound.
//!
//! The requirements and writes concern the records of [`world`](crate::conformance::world) and a few more, so that they
//! often access the same records.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::conformance::records::*;
use crate::conformance::world::*;
use crate::store::{Key, Records};
use crate::*;

static WORLD: LazyLock<Records> = LazyLock::new(|| {
    let mut records = Records::default();
    records.commit(ChangeSet { requires: vec![], writes: world() }).unwrap();
    records
});
static REQUIREMENTS: LazyLock<Vec<Requirement>> = LazyLock::new(requirements);
static WRITES: LazyLock<Vec<Write>> = LazyLock::new(writes);

#[test]
fn every_two_requirements_and_writes_without_a_conflict_commute() {
    let writes = WRITES.iter().map(|write| ChangeSet { requires: vec![], writes: vec![write.clone()] });
    let checks = REQUIREMENTS.iter().map(|check| ChangeSet { requires: vec![check.clone()], writes: vec![] });
    let changes: Vec<_> = writes.chain(checks).collect();
    for (index, write) in changes[..WRITES.len()].iter().enumerate() {
        for other in &changes[index..] {
            assert_commute(&WORLD, write, other);
            assert_commute(&Records::default(), write, other);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn change_sets_without_a_conflict_commute(one in change_set(), other in change_set()) {
        assert_commute(&WORLD, &one, &other);
    }
}

fn change_set() -> impl Strategy<Value = ChangeSet> {
    (vec(select(&**REQUIREMENTS), 0..3), vec(select(&**WRITES), 0..4))
        .prop_map(|(requires, writes)| ChangeSet { requires, writes })
}

/// Asserts that both orders of two change sets have the same outcomes and leave the same records. Accepts a conflict,
/// and a refusal for a total that the other change set adds to.
fn assert_commute(records: &Records, one: &ChangeSet, other: &ChangeSet) {
    if one.keys().conflicts_with(&other.keys()) {
        return;
    }
    let commit = |first: &ChangeSet, second: &ChangeSet| {
        let mut records = records.clone();
        let first = records.commit(first.clone());
        let second = records.commit(second.clone());
        (first, second, records)
    };
    let (one_first, other_second, forward) = commit(one, other);
    let (other_first, one_second, backward) = commit(other, one);
    let is_at_bound = [&one_first, &one_second, &other_first, &other_second].into_iter().any(is_at_bound);
    if is_at_bound && (adds_to_a_bound_of(one, other) || adds_to_a_bound_of(other, one)) {
        return;
    }
    assert_eq!(one_first, one_second, "{one:?} has another outcome after {other:?}");
    assert_eq!(other_first, other_second, "{other:?} has another outcome after {one:?}");
    assert_eq!(forward, backward, "{one:?} and {other:?} leave other records in the other order");
}

fn is_at_bound(outcome: &Result<(), Refusal>) -> bool {
    matches!(outcome, Err(Refusal::ShiftFull | Refusal::ActiveEvents { .. }))
}

/// Returns whether a write of `change` adds to a total that a requirement of `other` bounds.
fn adds_to_a_bound_of(change: &ChangeSet, other: &ChangeSet) -> bool {
    let bounded = |requirement: &Requirement| match requirement {
        Requirement::ShiftHasRoom { organization, shift } => Some(Key::Signups(*organization, *shift)),
        Requirement::ActiveEventsBelow { organization, .. } => Some(Key::ActiveEvents(*organization)),
        _ => None,
    };
    let bounded: Vec<_> = other.requires.iter().filter_map(bounded).collect();
    change.writes.iter().filter_map(Write::adds_to).any(|total| bounded.contains(&total))
}

/// Returns writes of every kind. An insert names the owner of the record, because an id belongs to one organization.
fn writes() -> Vec<Write> {
    let mut writes = inserts();
    for number in [1, 3] {
        let (organization, token) = (organization_id(number), TokenId::new(uuid(number)));
        writes.extend([Plan::Free, Plan::Pro].map(|plan| Write::SetPlan { organization, plan }));
        writes.extend([3, 4].map(|time| Write::RevokeToken { token, at: at(time) }));
    }
    for organization in [1, 2].map(organization_id) {
        for number in [1, 3, 5] {
            for (version, capacity) in [(1, 1), (2, 9)] {
                let occupancy = Occupancy::empty(Capacity::new(capacity).unwrap());
                let edited = Shift { organization, version, occupancy, ..shift_of(number) };
                writes.push(Write::UpdateShift(Box::new(edited)));
            }
        }
        for Signup { shift, id: signup, .. } in [1, 2, 5, 7].map(signup_of) {
            for at in [at(3), at(4)] {
                let secret = Digest::of("renewed");
                writes.push(Write::CancelSignup { organization, shift, signup, at });
                writes.push(Write::RenewSecret { organization, shift, signup, secret, at });
            }
            writes.push(Write::EraseSignup { organization, shift, signup });
        }
        for number in [1, 3, 5] {
            for (version, is_personal) in [(1, false), (2, true)] {
                let notice = Notice { organization, version, ..notice_of(number, is_personal) };
                writes.push(Write::UpdateNotice(Box::new(notice)));
            }
            let notice = notice_of(number, true).id;
            writes.push(Write::DeleteNotice { organization, notice });
        }
    }
    writes
}

fn inserts() -> Vec<Write> {
    let mut writes = vec![Write::InsertOrganization(organization(3)), Write::InsertToken(token(1, 3))];
    for is_published in [true, false] {
        let event = Box::new(Event { is_published, ..event_of(3) });
        writes.push(Write::InsertEvent { event, location_data: None });
    }
    let another = Event { slug: event_of(3).slug, ..event_of(4) };
    writes.push(Write::InsertEvent { event: Box::new(another), location_data: None });
    writes.push(Write::InsertShifts(vec![shift_of(5)]));
    writes.push(Write::InsertShifts(vec![shift_of(5), shift_of(7)]));
    for event in [1, 3].map(event_of) {
        writes.push(Write::InsertQuestions(vec![question(&event, 3, 1)]));
        writes.push(Write::InsertQuestions(vec![question(&event, 4, 1), question(&event, 5, 2)]));
    }
    for (number, person) in [(7, 0), (7, 3), (8, 3), (9, 3)] {
        let signup = Signup { email: address(person), ..signup_of(number) };
        writes.push(Write::InsertSignup(Box::new(signup)));
    }
    for (key, day) in [("used", 1), ("new", 0), ("new", 1)] {
        let expires_at = at(day * 86_400);
        writes.push(Write::InsertReceipt(Box::new(Receipt { expires_at, ..receipt_of(1, key) })));
    }
    for (number, is_personal) in [(5, false), (5, true), (7, true)] {
        writes.push(Write::InsertNotices(vec![notice_of(number, is_personal)]));
    }
    writes
}
