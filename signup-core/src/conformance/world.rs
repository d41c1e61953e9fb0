//! A small world of records, for properties of many change sets: every record is in use by several of them.
//!
//! Records with an odd number belong to the organization 1, the others to the organization 2. The shift 1 has room for one
//! sign-up, the shift 2 is full, and the shifts 3 and 4 have room for one. The sign-ups 5 and 6 are cancelled.

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

/// Returns a shift of the event 1 or 2, or for the numbers 7 and 8, of the event 3 or 4.
pub(crate) fn shift_of(number: u32) -> Shift {
    let event = if number < 7 { owner(number) } else { number - 4 };
    shift(&event_of(event), number, 3)
}

/// Returns a sign-up for the shift 1 or 2, or for the numbers 9 and 10, for the shift 5 or 6.
pub(crate) fn signup_of(number: u32) -> Signup {
    let shift = if number < 9 { owner(number) } else { number - 4 };
    Signup { email: address(number / 2), ..signup(&shift_of(shift), number) }
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
