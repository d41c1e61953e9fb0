//! Forms that join the waiting list, and people who wait and sign up again.

use jiff::SignedDuration;

use super::*;
use crate::occupancy::{Capacity, Occupancy};
use crate::signup::SignupStatus;

/// The form of a shift with these numbers, from 09:00 to 12:00 in New York.
fn listed(capacity: u32, filled: u32, waitlisted: u32) -> SignUpFacts {
    facts(full_with(|event, shifts| {
        event.waitlist_enabled = true;
        shifts[0].occupancy = Occupancy { capacity: Capacity::new(capacity).unwrap(), filled, waitlisted };
    }))
}

/// The first moment at which nobody joins the list of the shift: 21:00 on the day before.
fn cutoff() -> Timestamp {
    "2027-06-05T01:00:00Z".parse().unwrap()
}

/// Returns what becomes of each person: whether their sign-up is new, and its status.
fn people(decision: &Decision<Vec<ShiftOutcome>>) -> Vec<(bool, SignupStatus)> {
    let places = decision.outcome[0].places.as_ref().unwrap();
    places.iter().map(|place| (place.is_new, place.signup.status())).collect()
}

/// Signs up a family in which some have a sign-up, by the index of the person.
fn sign_with(facts: &SignUpFacts, new: &NewSignup, held: &[(usize, Signup)], now: Timestamp) -> Decided {
    let shift = facts.shifts[0].id;
    let held = held.iter().map(|(index, signup)| ((shift, *index), signup.clone())).collect();
    sign_up(facts, new, &KnownPlaces { held, ..KnownPlaces::default() }, ids(), now)
}

#[test]
fn a_form_joins_the_list_of_a_full_shift_only_if_it_asks_for_that() {
    let full = listed(5, 5, 2);
    let [joins, asks] =
        [ada().or_wait(), ada()].map(|new| takes_all(&full.event, &full.shifts[0], &new, before()));
    assert!(joins && !asks);
    let decision = sign(&full, &ada().or_wait(), before()).unwrap();
    let expected = [
        "Event 1 at gate 1",
        "Shift 1 at gate 1",
        "no place of ada ada@example.org on Shift 1",
        "sign-ups of Shift 1 at least 5",
        "waiting for Shift 1 below 200",
        "places of ada@example.org on Shift 1 below 20",
        "no Notice",
        "insert Signup 7",
        "insert Notice",
    ];
    assert_eq!(lines(&decision), expected);
    assert_eq!(people(&decision), [(true, SignupStatus::Waitlisted)]);
    assert_eq!(named(&decision), ["signup.waitlisted"]);
}

#[test]
fn the_first_people_of_a_form_get_the_places_that_are_left_and_the_others_wait() {
    use SignupStatus::{Confirmed, Waitlisted};
    let decision = sign(&listed(5, 4, 0), &family(&["Bo", "Cy"]).or_wait(), before()).unwrap();
    assert_eq!(people(&decision), [(true, Confirmed), (true, Waitlisted), (true, Waitlisted)]);
    assert_eq!(named(&decision), ["signup.created", "signup.waitlisted", "signup.waitlisted"]);
    let totals: Vec<_> = lines(&decision)
        .into_iter()
        .filter(|line| line.contains(" below ") || line.contains("at least"))
        .collect();
    let expected = [
        "sign-ups of Shift 1 below 5",
        "waiting for Shift 1 below 1",
        "sign-ups of Shift 1 at least 4",
        "waiting for Shift 1 below 199",
        "places of ada@example.org on Shift 1 below 18",
    ];
    assert_eq!(totals, expected);
    let with_room = listed(5, 2, 0);
    let [waits, asks] = [family(&["Bo", "Cy"]).or_wait(), family(&["Bo", "Cy"])]
        .map(|new| lines(&sign(&with_room, &new, before()).unwrap()));
    assert_eq!(waits, asks, "with room for all, a form that may wait is like any other");
}

#[test]
fn nobody_joins_a_list_that_is_off_or_full_nor_one_after_the_cutoff() {
    let without_list = facts(full_with(|_, shifts| shifts[0].occupancy.filled = 5));
    for (what, facts, people, now, expected) in [
        ("a second before the cutoff", listed(5, 5, 0), 1, cutoff() - SignedDuration::from_secs(1), true),
        ("at the cutoff", listed(5, 5, 0), 1, cutoff(), false),
        ("an event without lists", without_list, 1, before(), false),
        ("a shift that takes nobody", listed(0, 0, 0), 1, before(), false),
        ("an over-full shift", listed(5, 6, 0), 1, before(), true),
        ("the last place on the list", listed(5, 5, 199), 1, before(), true),
        ("one more person than the list takes", listed(5, 5, 199), 2, before(), false),
        ("one more than the shift and the list take", listed(5, 4, 0), 202, before(), false),
        ("a full list", listed(5, 5, 200), 1, before(), false),
        ("a shift that still owes places", listed(5, 4, 1), 1, before(), false),
    ] {
        let names: Vec<_> = (1..people).map(|number| format!("Ada {number}")).collect();
        let new = family(&names.iter().map(String::as_str).collect::<Vec<_>>()).or_wait();
        assert_eq!(takes_all(&facts.event, &facts.shifts[0], &new, now), expected, "{what}");
    }
}

#[test]
fn nobody_joins_the_list_while_sign_ups_are_closed() {
    let mut closed = listed(5, 5, 0);
    closed.event.signups_close_at = "2027-01-01T00:00".parse().ok();
    let decision = sign(&closed, &ada().or_wait(), before()).unwrap();
    assert_eq!(places(&decision), [Err(Error::SignupsClosed)]);
    assert_eq!(decision.change.writes, []);
}

/// Two forms may have read the same last place, or the same full shift from which somebody then went.
#[test]
fn a_form_that_may_wait_is_decided_again_when_the_shift_or_its_list_has_changed() {
    let facts = listed(5, 4, 0);
    let path = (facts.event.organization, facts.shifts[0].id);
    let (filled, waiting) = (Total::Filled(path.0, path.1), Total::Waiting(path.0, path.1));
    let places_of = Total::PlacesOf(path.0, path.1, "ada@example.org".to_owned());
    for (total, expected) in [(filled, true), (waiting, true), (places_of, false)] {
        for (new, expected) in [(ada().or_wait(), expected), (ada(), false)] {
            let decision = sign(&facts, &new, before()).unwrap();
            let refusals = [
                Refusal::NotBelow { total: total.clone(), count: 9 },
                Refusal::NotAtLeast { total: total.clone(), count: 0 },
            ];
            for refusal in refusals {
                assert_eq!((decision.decides_again)(&refusal), expected, "{refusal:?}");
            }
        }
    }
}

#[test]
fn a_person_who_has_a_place_or_waits_keeps_it_and_the_list_is_asked_for_everybody() {
    use SignupStatus::{Confirmed, Waitlisted};
    let facts = listed(5, 5, 1);
    let new = family(&["Bo", "Cy"]).or_wait();
    let shift = &facts.shifts[0];
    let held = [(0, records::signup(shift, 3)), (1, records::waiting(records::signup(shift, 4)))];
    let decision = sign_with(&facts, &new, &held, before()).unwrap();
    assert_eq!(people(&decision), [(false, Confirmed), (false, Waitlisted), (true, Waitlisted)]);
    assert_eq!(named(&decision), ["signup.waitlisted"]);
    let asked = |decision: &Decision<_>| {
        lines(decision).into_iter().filter(|line| line.contains(" below ")).collect::<Vec<_>>()
    };
    let expected = ["waiting for Shift 1 below 198", "places of ada@example.org on Shift 1 below 18"];
    assert_eq!(asked(&decision), expected);
    assert_eq!(asked(&sign(&facts, &new, before()).unwrap()), expected, "nobody of the family is known");
}

#[test]
fn until_the_cutoff_a_person_who_waits_and_signs_up_again_keeps_waiting_and_is_mailed() {
    let facts = listed(5, 5, 1);
    let waits = records::waiting(records::signup(&facts.shifts[0], 3));
    let last_second = cutoff() - SignedDuration::from_secs(1);
    let decision = sign_with(&facts, &ada().or_wait(), &[(0, waits.clone())], last_second).unwrap();
    assert_eq!(decision.outcome[0].places, Ok(vec![Place { signup: waits, is_new: false }]));
    let mut lines = lines(&decision);
    lines.retain(|line| !line.contains("gate") && !line.contains("below"));
    assert_eq!(lines, ["Signup 3 at 1", "no Notice", "put Signup 3 to 2", "insert Notice"]);
    assert_eq!(named(&decision), [""; 0]);
}

#[test]
fn after_the_cutoff_a_person_who_waits_takes_a_free_place_with_the_sign_up_that_waits() {
    use SignupStatus::Confirmed;
    let facts = listed(5, 3, 2);
    let waits = records::waiting(records::signup(&facts.shifts[0], 3));
    let decision = sign_with(&facts, &family(&["Bo"]), &[(0, waits.clone())], cutoff()).unwrap();
    assert_eq!(people(&decision), [(false, Confirmed), (true, Confirmed)]);
    let promoted = waits.promoted(cutoff());
    assert_eq!(
        (&decision.outcome[0].places.as_ref().unwrap()[0].signup, promoted.promoted_at),
        (&promoted, Some(cutoff()))
    );
    let expected = [
        "Event 1 at gate 1",
        "Shift 1 at gate 1",
        "no place of bo ada@example.org on Shift 1",
        "sign-ups of Shift 1 below 4",
        "places of ada@example.org on Shift 1 below 19",
        "no Notice",
        "Signup 3 at 1",
        "insert Signup 17",
        "put Signup 3 to 2",
        "insert Notice",
    ];
    let mut found = lines(&decision);
    found.sort_by_key(|line| expected.iter().position(|expected| expected == line));
    assert_eq!(found, expected);
    assert_eq!(named(&decision), ["signup.created", "signup.promoted"]);
}

#[test]
fn after_the_cutoff_a_person_who_waits_for_a_full_shift_keeps_waiting() {
    let facts = listed(5, 5, 1);
    let waits = records::waiting(records::signup(&facts.shifts[0], 3));
    for new in [ada(), ada().or_wait()] {
        assert!(!takes_all(&facts.event, &facts.shifts[0], &new, cutoff()));
        let known = KnownPlaces {
            held: [((facts.shifts[0].id, 0), waits.clone())].into(),
            full: [facts.shifts[0].id].into(),
            ..KnownPlaces::default()
        };
        let decision = sign_up(&facts, &new, &known, ids(), cutoff()).unwrap();
        assert_eq!(places(&decision), [Err(Error::ShiftFull)]);
        let put: Option<Signup> = put(&decision);
        assert!(put.unwrap().is_waitlisted(), "the mail is sent again");
    }
}
