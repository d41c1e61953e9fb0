//! The promise of [`Keys`]: the order of two change sets matters only if their keys conflict or a total reaches its bound.
//!
//! This is a promise of requirements and writes, and not of a store. So [`conformance_tests!`](crate::conformance_tests)
//! has no test of it. The package of the reference store calls [`check`].

use super::records::*;
use super::world::*;
use crate::store::Key;
use crate::*;

/// Checks the keys of many requirements and writes, which concern the records of a small world and a few more.
///
/// Compares every write with every requirement and every other write. Larger change sets show no further missing keys.
/// `reference` is a store without records.
///
/// # Panics
/// Panics if the order of two of them matters and their keys do not conflict, or if a total is wrong.
pub fn check<Reference: Store + Clone + PartialEq>(reference: &Reference) {
    super::runtime().block_on(async {
        write(reference, world()).await;
        let mut afters: Vec<(Write, Reference)> = vec![];
        for write in writes() {
            let after = with(reference, &write).await;
            assert_total(reference, &after, &write).await;
            for requirement in requirements() {
                assert_independent(reference, &after, &write, requirement).await;
            }
            for (other, after_other) in &afters {
                if !write.keys().conflicts_with(&other.keys()) {
                    let is_same = with(&after, other).await == with(after_other, &write).await;
                    assert!(is_same, "the order matters of {write:?} and {other:?}");
                }
            }
            afters.push((write, after));
        }
    });
}

/// Returns a copy of the store with a write.
async fn with<Reference: Store + Clone>(store: &Reference, change: &Write) -> Reference {
    let store = store.clone();
    write(&store, vec![change.clone()]).await;
    store
}

/// Asserts that a write that changes the total of active events accesses the total, and adds at most what it names.
async fn assert_total(before: &dyn Store, after: &dyn Store, write: &Write) {
    let owner = organization_id(1);
    let active = async |store: &dyn Store| {
        let below = Requirement::ActiveEventsBelow { organization: owner, limit: 0, now: at(0) };
        match try_write(store, vec![below], vec![]).await {
            Err(Refusal::ActiveEvents { count }) => count,
            found => panic!("{found:?}"),
        }
    };
    let (before, after) = (active(before).await, active(after).await);
    let added = u32::from(write.adds_to() == Some(Key::ActiveEvents(owner)));
    assert!(after <= before + added, "{write:?}");
    let is_accessed = write.keys().get(&Key::ActiveEvents(owner)).is_some();
    assert!(after == before || is_accessed, "{write:?}");
}

/// Asserts that a requirement has the same outcome before and after the write, unless the keys of the two conflict or the
/// write changes a total that reaches its bound.
async fn assert_independent(before: &dyn Store, after: &dyn Store, write: &Write, requirement: Requirement) {
    if write.keys().conflicts_with(&requirement.keys()) {
        return;
    }
    let bounded = match requirement {
        Requirement::ShiftHasRoom { organization, shift } => Some(Key::Signups(organization, shift)),
        Requirement::ActiveEventsBelow { organization, .. } => Some(Key::ActiveEvents(organization)),
        _ => None,
    };
    if bounded.is_some_and(|total| write.keys().get(&total).is_some()) {
        return;
    }
    let before = try_write(before, vec![requirement.clone()], vec![]).await;
    let after = try_write(after, vec![requirement.clone()], vec![]).await;
    assert_eq!(before, after, "the outcome of {requirement:?} before and after {write:?}");
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
                let secret = Digest::of(&format!("renewed {number}"));
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
    for (event, first) in [(1, 3), (3, 6)] {
        let [one, two, three] = [0, 1, 2].map(|index| question(&event_of(event), first + index, 1));
        writes.push(Write::InsertQuestions(vec![one]));
        writes.push(Write::InsertQuestions(vec![two, three]));
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
