//! The property behind keys: the order of two change sets matters only if their keys conflict or a total reaches its
//! bound.
//!
//! The requirements and writes come from a small world, so that they often access the same records. Records with an odd
//! number belong to the organization 1, the others to the organization 2.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::conformance::records::*;
use crate::store::{Key, Records};
use crate::*;

static WORLD: LazyLock<Records> = LazyLock::new(world);
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

/// Returns the number of the organization that owns the record `number`.
fn owner(number: u32) -> u32 {
    2 - number % 2
}

fn event_of(number: u32) -> Event {
    event(owner(number), number)
}

/// Returns a shift of the event 1 or 2, or for the numbers 7 and 8, of the event 3 or 4.
fn shift_of(number: u32) -> Shift {
    let event = if number < 7 { owner(number) } else { number - 4 };
    shift(&event_of(event), number, 3)
}

/// Returns a sign-up for the shift 1 or 2, or for the numbers 9 and 10, for the shift 5 or 6.
fn signup_of(number: u32) -> Signup {
    let shift = if number < 9 { owner(number) } else { number - 4 };
    Signup { email: address(number / 2), ..signup(&shift_of(shift), number) }
}

fn address(person: u32) -> EmailAddress {
    EmailAddress::new(&format!("person{person}@example.org")).unwrap()
}

/// Returns a notice about the sign-up with this number if `is_personal`, or else about a changed shift.
fn notice_of(number: u32, is_personal: bool) -> Notice {
    let about = notice(&shift_of(owner(number)), number);
    let cause = NoticeCause::Cancelled { signup: signup_of(number).id };
    if is_personal { Notice { cause, ..about } } else { about }
}

fn receipt_of(number: u32, key: &str) -> Receipt {
    receipt(receipt_key(number, key), &event_of(number), &[])
}

/// Returns the records before the change sets. The shift 1 has room for one sign-up, and the shift 2 is full.
fn world() -> Records {
    let mut writes = Vec::new();
    for number in 1..3 {
        let event = event_of(number);
        writes.push(Write::InsertOrganization(organization(number)));
        writes.push(Write::InsertToken(token(number, number)));
        writes.push(Write::InsertEvent { event: Box::new(event.clone()), location_data: None });
        writes.push(Write::InsertQuestions(vec![question(&event, number, 0)]));
        writes.push(Write::InsertReceipt(Box::new(receipt_of(number, "used"))));
    }
    for (number, capacity) in [(1, 3), (2, 2), (3, 1), (4, 1)] {
        let occupancy = Occupancy::empty(Capacity::new(capacity).unwrap());
        writes.push(Write::InsertShifts(vec![Shift { occupancy, ..shift_of(number) }]));
        writes.push(Write::InsertNotices(vec![notice_of(number, number < 3)]));
    }
    writes.extend((1..7).map(|number| Write::InsertSignup(Box::new(signup_of(number)))));
    for Signup { organization, shift, id: signup, .. } in [5, 6].map(signup_of) {
        writes.push(Write::CancelSignup { organization, shift, signup, at: at(1) });
    }
    let mut records = Records::default();
    records.commit(ChangeSet { requires: vec![], writes }).unwrap();
    records
}

/// Returns requirements on records that exist, that a write inserts, or that belong to another organization.
fn requirements() -> Vec<Requirement> {
    let mut requires = vec![Requirement::NoOrganization];
    for number in 1..4 {
        requires.push(Requirement::OrganizationSlugFree(organization(number).slug));
        requires.push(Requirement::EventSlugFree(event_of(number).slug));
    }
    for (key, day) in [("used", 0), ("used", 1), ("new", 0)] {
        let key = receipt_key(1, key);
        requires.push(Requirement::NoReceipt { key, now: at(day * 86_400) });
    }
    for organization in [1, 2].map(organization_id) {
        // The second time is after the end of every event.
        for (limit, day) in [(0, 0), (2, 0), (9, 0), (1, 999)] {
            let now = at(day * 86_400);
            requires.push(Requirement::ActiveEventsBelow { organization, limit, now });
        }
        for event in [1, 3].map(|number| event_of(number).id) {
            requires.extend((0..3).map(|count| Requirement::QuestionCount { organization, event, count }));
        }
        for shift in [1, 2, 3, 5, 7].map(|number| shift_of(number).id) {
            requires.push(Requirement::ShiftHasRoom { organization, shift });
            requires.extend((1..3).map(|version| Requirement::ShiftAtVersion {
                organization,
                shift,
                version,
            }));
            requires.extend([0, 2, 3].map(address).map(|email| Requirement::AddressNotOnShift {
                organization,
                shift,
                email,
            }));
        }
        for Signup { id: signup, secret, .. } in [1, 5, 7].map(signup_of) {
            requires.push(Requirement::SignupConfirmed { organization, signup });
            requires.extend([secret, Digest::of("renewed")].map(|secret| Requirement::SignupHasSecret {
                organization,
                signup,
                secret,
            }));
        }
        for notice in [1, 3, 5].map(|number| notice_of(number, true).id) {
            requires.extend((1..3).map(|version| Requirement::NoticeAtVersion {
                organization,
                notice,
                version,
            }));
        }
    }
    requires
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
