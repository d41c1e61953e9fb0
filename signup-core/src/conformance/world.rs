//! A small world of records, for properties of many change sets: every record is in use by several of them.
//!
//! Records with an odd number belong to the organization 1, the others to the organization 2. The shift 1 has room for one
//! sign-up, the shift 2 is full, and the shifts 3 and 4 have room for one. The sign-ups 5 and 6 are cancelled.
//!
//! The events 5 and 6 are deleted, each with a shift and a sign-up. The shifts 11 and 12 of the events 1 and 2 are deleted,
//! each with a sign-up.

use super::records::*;
use crate::*;

/// Returns the number of the organization that owns the record `number`.
pub(crate) fn owner(number: u32) -> u32 {
    2 - number % 2
}

/// Returns the event with this number.
pub(crate) fn event_of(number: u32) -> Event {
    event(owner(number), number)
}

/// Returns a shift of the event 1 or 2, or for the numbers 7 to 10, of the events 3 to 6.
pub(crate) fn shift_of(number: u32) -> Shift {
    let event = if (7..11).contains(&number) { number - 4 } else { owner(number) };
    shift(&event_of(event), number, 3)
}

/// Returns a sign-up for the shift 1 or 2. The numbers 9 and 10 are for the shifts 5 and 6, and 11 to 14 for the shifts 9 to
/// 12. Each answers the question with its number, which need not exist.
pub(crate) fn signup_of(number: u32) -> Signup {
    let shift = shift_of(match number {
        ..9 => owner(number),
        9 | 10 => number - 4,
        11.. => number - 2,
    });
    let answers = vec![answer(number, "M")];
    Signup { email: address(number / 2), answers, ..signup(&shift, number) }
}

/// Returns the address of a volunteer.
pub(crate) fn address(person: u32) -> EmailAddress {
    EmailAddress::new(&format!("person{person}@example.org")).unwrap()
}

/// Returns a notice about the sign-up with this number if `is_personal`, or else about a changed shift.
pub(crate) fn notice_of(number: u32, is_personal: bool) -> Notice {
    let about = notice(&shift_of(owner(number)), number);
    let cause = NoticeCause::Cancelled { signup: signup_of(number).id };
    if is_personal { Notice { cause, ..about } } else { about }
}

/// Returns the receipt of the event with this number.
pub(crate) fn receipt_of(number: u32, key: &str) -> Receipt {
    receipt(receipt_key(number, key), &event_of(number), &[])
}

/// Returns the writes that insert the world into an empty store.
pub(crate) fn world() -> Vec<Write> {
    let mut writes = Vec::new();
    for number in 1..3 {
        let event = event_of(number);
        writes.push(Write::InsertOrganization(organization(number)));
        writes.push(Write::InsertToken(token(number, number)));
        writes.push(insert_event(&event));
        writes.push(Write::InsertQuestions(vec![question(&event, number, 0)]));
        writes.push(Write::InsertReceipt(Box::new(receipt_of(number, "used"))));
    }
    for (number, capacity) in [(1, 3), (2, 2), (3, 1), (4, 1)] {
        let occupancy = Occupancy::empty(Capacity::new(capacity).unwrap());
        writes.push(Write::InsertShifts(vec![Shift { occupancy, ..shift_of(number) }]));
        writes.push(Write::InsertNotices(vec![notice_of(number, number < 3)]));
    }
    for number in [5, 6] {
        writes.push(insert_event(&event_of(number)));
        writes.push(Write::InsertShifts(vec![shift_of(number + 4), shift_of(number + 6)]));
    }
    let signups = (1..7).chain(11..15).map(signup_of);
    writes.extend(signups.map(|signup| Write::InsertSignup(Box::new(signup))));
    writes.extend([5, 6].map(|number| cancel(&signup_of(number), at(1))));
    for Event { organization, id: event, .. } in [5, 6].map(event_of) {
        writes.push(Write::DeleteEvent { organization, event, at: at(1) });
    }
    for Shift { organization, id: shift, .. } in [11, 12].map(shift_of) {
        writes.push(Write::DeleteShift { organization, shift, at: at(1) });
    }
    writes
}

/// Returns requirements on records that exist, that are missing, or that belong to another organization.
pub(crate) fn requirements() -> Vec<Requirement> {
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
        for event in [1, 3, 5].map(|number| event_of(number).id) {
            requires.push(Requirement::EventDeleted { organization, event, version: 1 });
            requires.extend((1..3).map(|version| Requirement::EventAtVersion {
                organization,
                event,
                version,
            }));
            requires.extend([vec![1, 5], vec![7], vec![9, 11]].map(|shifts| Requirement::ShiftsAreEmpty {
                organization,
                event,
                shifts: shifts.into_iter().map(|number| shift_of(number).id).collect(),
            }));
            requires.extend([1, 5, 7, 11, 99].map(|number| Requirement::QuestionUnanswered {
                organization,
                event,
                question: QuestionId::new(uuid(number)),
            }));
        }
        for shift in [1, 2, 3, 5, 7, 9, 11].map(|number| shift_of(number).id) {
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
        for number in [1, 5, 7, 11, 13] {
            let signup = Signup { organization, ..signup_of(number) };
            requires.push(is_confirmed(&signup));
            requires.extend([signup.secret, Digest::of("renewed")].map(|secret| has_secret(&signup, secret)));
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
