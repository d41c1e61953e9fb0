//! Days: which ones a patch can set, and what moves with the first.

use super::*;
use crate::notice::NoticeCause;

#[test]
fn a_move_is_announced_for_each_shift_unless_the_patch_suppresses_the_mails() {
    let patched = || EventPatch::new().start_date(date(2027, 6, 12));
    let announced = |patch: Decision<EventWithShifts>| {
        patch.outcome.shifts.iter().map(|shift| shift.announced).collect::<Vec<_>>()
    };
    assert_eq!(announced(patch(full(), patched(), before()).unwrap()), [1, 1]);
    assert_eq!(announced(patch(full(), patched().without_mail(), before()).unwrap()), [0, 0]);
}

#[test]
fn a_first_day_moves_the_last_one_unless_the_patch_names_it() {
    let three_days = || full_with(|event, _| event.dates.last = "2027-06-07".parse().ok());
    let new = EventPatch::new;
    for (patched, first, last) in [
        (new().start_date(date(2027, 6, 12)), "2027-06-12", Some("2027-06-14")),
        (new().start_date(date(2027, 6, 12)).end_date(date(2027, 6, 12)), "2027-06-12", Some("2027-06-12")),
        (new().start_date(date(2027, 6, 12)).clear_end_date(), "2027-06-12", None),
        (new().end_date(date(2027, 6, 11)), "2027-06-05", Some("2027-06-11")),
    ] {
        let dates = patch(three_days(), patched, before()).unwrap().outcome.event.dates;
        let found = (dates.first.date().to_string(), dates.last.map(|last| last.to_string()));
        assert_eq!(found, (first.to_owned(), last.map(str::to_owned)));
    }
}

#[test]
fn dates_that_do_not_fit_are_faults_only_if_they_change() {
    let long = || full_with(|event, _| event.dates.last = "2027-06-20".parse().ok());
    let new = EventPatch::new;
    for (full, patched, field) in [
        (full(), new().end_date(date(2027, 6, 4)), "end_date"),
        (full(), new().end_date(date(2027, 6, 12)), "end_date"),
        (long(), new().start_date(date(2027, 6, 6)), "end_date"),
        (long(), new().start_date(date(9998, 12, 31)), "start_date"),
        (full(), new().start_date(date(1969, 12, 31)), "start_date"),
        (full(), new().end_date(date(9999, 1, 1)), "end_date"),
    ] {
        let Err(Error::Invalid(faults)) = patch(full, patched, before()) else { panic!("{field}") };
        assert_eq!(fault_paths(&faults), [field]);
    }
    assert!(patch(long(), new().title("Other".parse().unwrap()), before()).is_ok());
}

#[test]
fn an_event_keeps_the_days_that_have_shifts() {
    let on_second_day = |shifts: &mut [Shift]| shifts[0].hours = shifts[0].hours.on_day(2).unwrap();
    let three_days = || {
        full_with(|event, shifts| {
            event.dates.last = "2027-06-07".parse().ok();
            on_second_day(shifts);
        })
    };
    let new = EventPatch::new;
    let left_out = Error::Invalid(Faults::one("end_date", FaultKind::LeavesOutDay { day: 2 }));
    for (patched, is_taken) in [
        (new().end_date(date(2027, 6, 6)), true),
        (new().end_date(date(2027, 6, 5)), false),
        (new().clear_end_date(), false),
        (new().start_date(date(2027, 6, 7)).end_date(date(2027, 6, 7)), false),
        (new().start_date(date(2027, 6, 6)).end_date(date(2027, 6, 7)), true),
        (new().start_date(date(2027, 6, 12)), true),
    ] {
        let refused = patch(three_days(), patched.clone(), before()).err();
        assert_eq!(refused, (!is_taken).then(|| left_out.clone()), "{patched:?}");
    }
    let moved = patch(three_days(), new().start_date(date(2027, 6, 12)), before()).unwrap().outcome;
    let dates: Vec<_> = moved.shifts.iter().map(|shift| shift.date().to_string()).collect();
    assert_eq!(dates, ["2027-06-12", "2027-06-13"], "each shift moves with its day");
}

/// Another edit could move a shift to the day that the event loses.
#[test]
fn a_patch_that_removes_days_requires_every_shift_as_it_was_read() {
    let three_days = || full_with(|event, _| event.dates.last = "2027-06-07".parse().ok());
    let fewer = patch(three_days(), EventPatch::new().end_date(date(2027, 6, 6)), before()).unwrap();
    let expected = ["Event 1 at 1", "Shift 1 at 1", "Shift 2 at 1", "put Event 1 to 2, gate 2"];
    assert_eq!(lines(&fewer), expected);
    let more = patch(three_days(), EventPatch::new().end_date(date(2027, 6, 8)), before()).unwrap();
    assert_eq!(lines(&more), ["Event 1 at 1", "put Event 1 to 2, gate 2"]);
}

/// The shift begins at 09:00 in New York. The second time is after the cutoff of its waiting list.
#[test]
fn a_move_past_the_cutoff_and_a_publication_queue_the_promotion_of_those_who_wait() {
    let room = |waitlisted| {
        full_with(|_, shifts| (shifts[0].occupancy.filled, shifts[0].occupancy.waitlisted) = (1, waitlisted))
    };
    // Until the commit, a place may come free that goes to nobody.
    let full_shift = || {
        full_with(|_, shifts| {
            let occupancy = &mut shifts[0].occupancy;
            (occupancy.filled, occupancy.waitlisted) = (occupancy.capacity.volunteers(), 2);
        })
    };
    let draft = || {
        full_with(|event, shifts| {
            event.is_published = false;
            (shifts[0].occupancy.filled, shifts[0].occupancy.waitlisted) = (1, 2);
        })
    };
    let after_cutoff: Timestamp = "2027-06-05T12:00:00Z".parse().unwrap();
    let new = EventPatch::new;
    let later = || new().start_date(date(2027, 6, 12));
    for (full, patch, now, expected) in [
        (room(2), later(), after_cutoff, true),
        (full_shift(), later(), after_cutoff, true),
        // The clock of another process may be ahead.
        (full_shift(), later(), "2027-06-05T00:59:30Z".parse().unwrap(), true),
        (room(0), later(), after_cutoff, false),
        (room(2), later(), before(), false),
        (draft(), new().published(true), before(), true),
        (room(2), new().title("Packing".parse().unwrap()), after_cutoff, false),
        (room(2), new().start_date(date(2027, 6, 4)), after_cutoff, false),
    ] {
        let decided = patch_event(full, patch.without_mail(), None, limits(), None, DELAY, now);
        let decided = decided.unwrap();
        let job: Option<Notice> = put(&decided);
        let job = job.filter(|job| job.cause == NoticeCause::Promotion && job.due_at == Some(now));
        assert_eq!(job.is_some(), expected, "{:?} at {now}", decided.outcome.event.dates);
    }
}
