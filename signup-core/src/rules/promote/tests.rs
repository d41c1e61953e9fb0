use jiff::SignedDuration;

use super::super::facts::*;
use super::super::{KnownPlaces, ShiftFacts, SignUpFacts, patch_shift, sign_up};
use super::*;
use crate::conformance::records;
use crate::id::SignupId;
use crate::input::{NewSignup, ShiftPatch};
use crate::occupancy::{Capacity, Occupancy};
use crate::shift::Shift;
use crate::store::{EventInFull, Write};

/// A shift of an event with waiting lists, with these numbers.
fn shift(capacity: u32, filled: u32, waitlisted: u32) -> (Event, ScheduledShift) {
    let EventInFull { event, mut shifts, .. } = full_with(|event, shifts| {
        event.waitlist_enabled = true;
        shifts[0].occupancy = Occupancy { capacity: Capacity::new(capacity).unwrap(), filled, waitlisted };
    });
    (event, shifts.remove(0))
}

/// Sign-ups that wait for the shift, numbered from 11.
fn waiting(shift: &Shift, number: u32) -> WaitingList {
    let signup = |number| records::waiting(records::signup(shift, number));
    WaitingList::new((11..11 + number).map(signup).collect())
}

/// Returns whether the requirements of totals hold for these numbers of confirmed sign-ups and of those that wait.
fn holds(change: &ChangeSet, filled: u32, waitlisted: u32) -> bool {
    let number = |total: &Total| match total {
        Total::Filled(..) => Some(filled),
        Total::Waiting(..) => Some(waitlisted),
        _ => None,
    };
    change.requires.iter().all(|requirement| match requirement {
        Requirement::Below { total, bound, .. } => number(total).is_none_or(|number| number < *bound),
        Requirement::AtLeast { total, bound, .. } => number(total).is_none_or(|number| number >= *bound),
        _ => true,
    })
}

/// Returns by how much the writes change the numbers of confirmed sign-ups and of those that wait.
fn added(change: &ChangeSet) -> (i64, i64) {
    let totals = change.writes.iter().flat_map(Write::totals);
    totals.fold((0, 0), |(filled, waitlisted), (total, by)| match total {
        Total::Filled(..) => (filled + by, waitlisted),
        Total::Waiting(..) => (filled, waitlisted + by),
        _ => (filled, waitlisted),
    })
}

fn after(number: u32, added: i64) -> u32 {
    u32::try_from(i64::from(number) + added).unwrap()
}

/// Checks every combination of small numbers: as they were read, and as they are when the change set is committed.
#[test]
fn whatever_was_committed_meanwhile_nobody_waits_for_an_empty_place_and_none_is_given_twice() {
    let mut committed = 0;
    for (capacity, read, waited, freed) in (0..5).flat_map(|capacity| {
        let numbers = (0..7).flat_map(move |read| (0..4).map(move |waited| (capacity, read, waited)));
        numbers.flat_map(|(capacity, read, waited)| [0, 1].map(|freed| (capacity, read, waited, freed)))
    }) {
        if freed > read {
            continue;
        }
        let (event, shift) = shift(capacity, read, waited);
        let mut change = ChangeSet::default();
        let waiting = waiting(&shift.shift, waited);
        let promoted = promote(&mut change, &event, &shift, freed, &waiting, before());
        let (more, left) = added(&change);
        let what = format!("{read} of {capacity}, {waited} wait, {freed} leave");
        assert!(holds(&change, read, waited), "{what}: as it was read");
        let room = (capacity + freed).saturating_sub(read);
        assert_eq!(promoted.len(), room.min(waited) as usize, "{what}");
        assert_eq!((more, left), (promoted.len() as i64, -(promoted.len() as i64)), "{what}");
        // Those who are promoted still wait.
        for (filled, waits) in
            (freed..9).flat_map(|filled| (promoted.len() as u32..6).map(move |waits| (filled, waits)))
        {
            if holds(&change, filled, waits) {
                committed += 1;
                let (filled, waits) = (after(filled - freed, more), after(waits, left));
                assert!(waits == 0 || filled >= capacity, "{what}: {filled} and {waits}");
                assert!(promoted.is_empty() || filled <= capacity, "{what}: {filled}");
            }
        }
    }
    assert!(committed > 1000);
}

/// Checks forms of one to three people, with the waiting list or without, against every combination of small numbers.
#[test]
fn whatever_was_committed_meanwhile_nobody_passes_those_who_wait() {
    for (capacity, read, waited, people) in (0..4).flat_map(|capacity| {
        let numbers = (0..6).flat_map(move |read| (0..3).map(move |waited| (capacity, read, waited)));
        numbers
            .flat_map(|(capacity, read, waited)| (1..4).map(move |people| (capacity, read, waited, people)))
    }) {
        let (event, shift) = shift(capacity, read, waited);
        let facts = SignUpFacts { event, shifts: vec![shift], deleted: vec![], questions: vec![] };
        let ada = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        let family = |form: NewSignup, name: u32| form.and(format!("Ada {name}").parse().unwrap());
        let plain = (1..people).fold(ada, family);
        for form in [plain.clone(), plain.or_wait()] {
            let ids = (21..30).map(|number| SignupId::new(records::uuid(number))).collect();
            let decided = sign_up(&facts, &form, &KnownPlaces::default(), ids, before()).unwrap();
            let (places, waits) = added(&decided.change);
            let room = if waited > 0 { 0 } else { capacity.saturating_sub(read) };
            let what = format!("{people} for {read} of {capacity}, {waited} wait: {form:?}");
            assert_eq!(places + waits, i64::from(people), "{what}");
            let has_list = form.joins_waitlist && capacity > 0 && (waited == 0 || read >= capacity);
            if has_list {
                assert_eq!(places, i64::from(people.min(room)), "{what}");
                assert!(holds(&decided.change, read, waited), "{what}");
            } else {
                assert_eq!(holds(&decided.change, read, waited), room >= people, "{what}");
            }
            // Every state before that keeps the invariant, or a move of the event has broken it.
            for (filled, wait) in (0..8).flat_map(|filled| (0..5).map(move |wait| (filled, wait))) {
                if holds(&decided.change, filled, wait) {
                    let (filled, wait) = (after(filled, places), after(wait, waits));
                    assert!(wait == 0 || filled >= capacity, "{what}: {filled} and {wait}");
                    assert!(places == 0 || filled <= capacity, "{what}: {filled}");
                }
            }
        }
    }
}

#[test]
fn a_freed_place_goes_to_the_person_who_waits_longest_in_the_same_commit() {
    let (event, shift) = shift(1, 1, 3);
    let signup = |number, second| crate::signup::Signup {
        created_at: records::at(second),
        ..records::waiting(records::signup(&shift.shift, number))
    };
    let waiting = WaitingList::new(vec![signup(13, 7), signup(11, 9), signup(12, 7)]);
    let mut change = ChangeSet::default();
    let promoted = promote(&mut change, &event, &shift, 1, &waiting, before());
    assert_eq!(promoted[0].promoted_at, Some(before()));
    let expected = [
        "Event 1 at gate 1",
        "Shift 1 at gate 1",
        "sign-ups of Shift 1 below 2",
        "sign-ups of Shift 1 at least 1",
        "Signup 12 at 1",
        "put Signup 12 to 2",
    ];
    assert_eq!(change_lines(&change), expected);
    assert_eq!(waiting.place_of(&signup(11, 9)), Some(3));
}

#[test]
fn an_over_full_shift_promotes_nobody() {
    let (event, shift) = shift(2, 4, 1);
    let mut change = ChangeSet::default();
    let waiting = waiting(&shift.shift, 1);
    assert_eq!(promote(&mut change, &event, &shift, 1, &waiting, before()), []);
    assert!(!shift.has_successor(&event, before()));
    let expected = ["Event 1 at gate 1", "Shift 1 at gate 1", "sign-ups of Shift 1 at least 3"];
    assert_eq!(change_lines(&change), expected);
}

/// The shift begins at 09:00 in New York, so its cutoff is at 21:00 on the day before.
#[test]
fn places_go_to_those_who_wait_until_twelve_hours_before_the_start() {
    let (event, shift) = shift(1, 1, 1);
    let cutoff: Timestamp = "2027-06-05T01:00:00Z".parse().unwrap();
    let closed_signups = Event { signups_close_at: "2027-01-01T00:00".parse().ok(), ..event.clone() };
    let without_list = Event { waitlist_enabled: false, ..event.clone() };
    let draft = Event { is_published: false, ..event.clone() };
    let cancelled = Event { cancelled_at: Some(before()), ..event.clone() };
    let gone = Event { deleted_at: Some(before()), ..event.clone() };
    for (event, now, expected) in [
        (&event, cutoff - SignedDuration::from_secs(1), 1),
        (&event, cutoff, 0),
        (&closed_signups, before(), 1),
        (&without_list, before(), 1),
        (&draft, before(), 0),
        (&cancelled, before(), 0),
        (&gone, before(), 0),
    ] {
        let mut change = ChangeSet::default();
        let promoted = promote(&mut change, event, &shift, 1, &waiting(&shift.shift, 1), now);
        assert_eq!(promoted.len(), expected, "{event:?} at {now}");
        assert_eq!(change.is_empty(), expected == 0, "then nothing is required");
        assert_eq!(shift.has_successor(event, now), expected == 1, "{event:?} at {now}");
    }
}

#[test]
fn a_job_promotes_those_whom_a_moved_shift_owes_places() {
    let (event, owing) = shift(3, 1, 3);
    let decided = promote_owed(&event, &owing, &waiting(&owing.shift, 3), before());
    assert_eq!(named(&decided), ["signup.promoted"; 2]);
    let lines = lines(&decided);
    assert_eq!(lines.iter().filter(|line| *line == "insert Notice").count(), 2, "each is mailed: {lines:?}");
    assert!(owes_places(&event, &owing, before()));
    for (capacity, filled, waits) in [(3, 3, 3), (3, 1, 0)] {
        let (event, shift) = shift(capacity, filled, waits);
        assert!(!owes_places(&event, &shift, before()));
        assert_eq!(promote_owed(&event, &shift, &waiting(&shift.shift, waits), before()).change.writes, []);
    }
}

/// The shift ends at noon. Another end leaves its cutoff as it is.
#[test]
fn a_patch_of_the_hours_gives_the_places_that_came_free_for_nobody_to_those_who_wait() {
    let cutoff: Timestamp = "2027-06-05T01:00:00Z".parse().unwrap();
    let second = SignedDuration::from_secs(1);
    let end = || ShiftPatch::new().end_time("13:00".parse().unwrap());
    let later = || ShiftPatch::new().start_time("11:00".parse().unwrap());
    for (what, patched, now, expected) in [
        ("a shift that is before its cutoff again", later(), cutoff, 1),
        ("a shift that stays past its cutoff", end(), cutoff, 0),
        ("a shift that a clock that is ahead takes to be past its cutoff", end(), cutoff - second, 1),
    ] {
        let (event, shift) = shift(1, 0, 2);
        let facts = ShiftFacts { waiting: waiting(&shift.shift, 2), ..ShiftFacts::default() };
        let decided = patch_shift(&event, shift, facts, patched, SignedDuration::ZERO, now).unwrap();
        let promoted = named(&decided).into_iter().filter(|line| line == "signup.promoted");
        assert_eq!(promoted.count(), expected, "{what}");
    }
}
