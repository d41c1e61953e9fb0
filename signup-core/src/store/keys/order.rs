//! The property behind keys: the order of two change sets matters only if their keys conflict or a total reaches its
//! bound.
//!
//! The requirements and writes concern the records of [`world`](crate::conformance::world) and a few more, so that they
//! often access the same records.

use std::collections::BTreeSet;
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

/// A write that changes the total of active events accesses the total, and adds at most what it names.
#[test]
fn every_write_adds_at_most_1_to_the_total_that_it_names() {
    let owner = organization_id(1);
    let active = |records: &Records| {
        let below = Requirement::ActiveEventsBelow { organization: owner, limit: 0, now: at(0) };
        match records.clone().commit(ChangeSet { requires: vec![below], writes: vec![] }) {
            Err(Refusal::ActiveEvents { count }) => count,
            found => panic!("{found:?}"),
        }
    };
    let mut counts = BTreeSet::new();
    for write in &*WRITES {
        let mut records = WORLD.clone();
        records.commit(ChangeSet { requires: vec![], writes: vec![write.clone()] }).unwrap();
        let (before, after) = (active(&WORLD), active(&records));
        let added = u32::from(write.adds_to() == Some(Key::ActiveEvents(owner)));
        assert!(after <= before + added, "{write:?}");
        let is_accessed = write.keys().get(&Key::ActiveEvents(owner)).is_some();
        assert!(after == before || is_accessed, "{write:?}");
        counts.insert(after);
    }
    assert_eq!(counts, BTreeSet::from([0, 1, 2]), "some writes add, and some subtract");
}

/// Asserts that both orders of two change sets have the same outcomes and leave the same records. Accepts a conflict,
/// and a refusal for a total that the other change set changes.
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
    if is_at_bound && (changes_a_bound_of(one, other) || changes_a_bound_of(other, one)) {
        return;
    }
    assert_eq!(one_first, one_second, "{one:?} has another outcome after {other:?}");
    assert_eq!(other_first, other_second, "{other:?} has another outcome after {one:?}");
    assert_eq!(forward, backward, "{one:?} and {other:?} leave other records in the other order");
}

fn is_at_bound(outcome: &Result<(), Refusal>) -> bool {
    matches!(outcome, Err(Refusal::ShiftFull | Refusal::ActiveEvents { .. }))
}

/// Returns whether a write of `change` may change a total that a requirement of `other` bounds.
fn changes_a_bound_of(change: &ChangeSet, other: &ChangeSet) -> bool {
    let bounded = |requirement: &Requirement| match requirement {
        Requirement::ShiftHasRoom { organization, shift } => Some(Key::Signups(*organization, *shift)),
        Requirement::ActiveEventsBelow { organization, .. } => Some(Key::ActiveEvents(*organization)),
        _ => None,
    };
    let bounded: Vec<_> = other.requires.iter().filter_map(bounded).collect();
    change.writes.iter().flat_map(Write::accesses).any(|(key, _)| bounded.contains(&key))
}

/// Returns writes of every kind. An insert names the owner of the record, because an id belongs to one organization.
fn writes() -> Vec<Write> {
    let mut writes = inserts();
    for organization in [1, 2].map(organization_id) {
        writes.extend(writes_of_events(organization));
        writes.extend(writes_of_questions(organization));
    }
    for number in [1, 3] {
        let (organization, token) = (organization_id(number), TokenId::new(uuid(number)));
        writes.extend([Plan::Free, Plan::Pro].map(|plan| Write::SetPlan { organization, plan }));
        writes.extend([3, 4].map(|time| Write::RevokeToken { token, at: at(time) }));
    }
    for organization in [1, 2].map(organization_id) {
        for number in [1, 3, 5, 9, 11] {
            let shift = shift_of(number).id;
            for (version, capacity) in [(1, 1), (2, 9)] {
                let occupancy = Occupancy::empty(Capacity::new(capacity).unwrap());
                let edited = Shift { organization, version, occupancy, ..shift_of(number) };
                writes.push(Write::UpdateShift(Box::new(edited)));
            }
            for at in [at(3), at(4)] {
                writes.push(Write::DeleteShift { organization, shift, at });
            }
            for by in [CancelledBy::ShiftDeletion, CancelledBy::EventCancellation] {
                writes.push(Write::CloseShift { organization, shift, at: at(3), by });
            }
        }
        for number in [1, 2, 5, 7, 11, 13] {
            let found = Signup { organization, ..signup_of(number) };
            let Signup { shift, id: signup, .. } = found;
            for at in [at(3), at(4)] {
                let secret = Digest::of("renewed");
                writes.push(cancel(&found, at));
                writes.push(Write::RenewSecret { organization, shift, signup, secret, at });
            }
            writes.push(erase(&found));
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

fn writes_of_events(organization: OrganizationId) -> Vec<Write> {
    let mut writes = vec![];
    for number in [1, 3, 5] {
        let (present, event) = (event_of(number), event_of(number).id);
        let dates = EventDates { last: Some("2027-06-06".parse().unwrap()), ..present.dates.clone() };
        let moved =
            EventDates { first: Day::new("2027-06-04".parse().unwrap(), "UTC".parse().unwrap()), last: None };
        let next = Event { organization, version: 2, is_virtual: true, ..present.clone() };
        let edits = [
            next.clone(),
            Event { is_published: false, ..next.clone() },
            Event { cancelled_at: Some(at(3)), ..next.clone() },
            Event { dates, ..next.clone() },
            Event { dates: moved, ..next.clone() },
        ];
        for edit in edits {
            let is_as_active = (edit.is_published, edit.cancelled_at, &edit.dates)
                == (present.is_published, present.cancelled_at, &present.dates);
            // The event 3 is inserted as a draft or published.
            let may_change_activity = number == 3 || !is_as_active;
            writes.push(Write::UpdateEvent { event: Box::new(edit), may_change_activity });
        }
        writes.push(Write::RestoreEvent(Box::new(next.clone())));
        writes.push(Write::RestoreEvent(Box::new(Event { is_published: false, ..next })));
        writes.extend([3, 4].map(|time| Write::DeleteEvent { organization, event, at: at(time) }));
        for location_data in [None, Some(LocationData::new(serde_json::Map::new()).unwrap())] {
            writes.push(Write::SetLocationData { organization, event, location_data });
        }
    }
    writes
}

fn writes_of_questions(organization: OrganizationId) -> Vec<Write> {
    let mut writes = vec![];
    for event in [1, 3].map(event_of) {
        for number in [1, 3] {
            let edits = [0, 9].map(|position| question(&event, number, position));
            writes.extend(edits.map(|edit| Write::UpdateQuestion(Question { organization, ..edit })));
            let question = QuestionId::new(uuid(number));
            writes.push(Write::DeleteQuestion { organization, event: event.id, question });
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
