//! The moment of a reminder, and whether it is due.

use super::super::facts::*;
use super::*;
use crate::conformance::records;
use crate::event::Event;
use crate::hours::{Day, Hours};
use crate::shift::{CancelledBy, Closing, ScheduledShift, Shift};
use crate::signup::{SignupState, SignupStatus, Told};
use crate::store::EventInFull;

/// The moment of the reminder of the shifts on 5 June, and the first time at which it is too late.
const MOMENT: &str = "2027-06-04T14:00:00Z";
const TOO_LATE: &str = "2027-06-05T11:00:00Z";

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn second_before(text: &str) -> Timestamp {
    time(text) - SignedDuration::from_secs(1)
}

#[test]
fn volunteers_are_reminded_at_10_by_the_clocks_of_the_event_on_the_day_before() {
    let night = Hours::overnight("00:30".parse().unwrap(), "00:30".parse().unwrap()).unwrap();
    let late = Hours::parse(Some("23:30"), None).unwrap();
    for (what, date, zone, hours, expected) in [
        ("an all-day shift", "2027-06-05", "America/New_York", Hours::ALL_DAY, Some(MOMENT)),
        ("a late shift", "2027-06-05", "America/New_York", late, Some(MOMENT)),
        ("a shift just after midnight", "2027-06-05", "America/New_York", night, Some(MOMENT)),
        ("the third day", "2027-06-03", "America/New_York", late.on_day(3).unwrap(), Some(MOMENT)),
        ("the first of a month", "2027-03-01", "UTC", late, Some("2027-02-28T10:00:00Z")),
        ("half an hour off", "2027-06-05", "Asia/Kolkata", late, Some("2027-06-04T04:30:00Z")),
        ("the first zone", "2027-06-05", "Pacific/Kiritimati", late, Some("2027-06-03T20:00:00Z")),
        ("the last zone", "2027-06-05", "Etc/GMT+12", late, Some("2027-06-04T22:00:00Z")),
        (
            "before the clocks go forward",
            "2027-03-14",
            "America/New_York",
            night,
            Some("2027-03-13T15:00:00Z"),
        ),
        (
            "after the clocks went forward",
            "2027-03-15",
            "America/New_York",
            late,
            Some("2027-03-14T14:00:00Z"),
        ),
        // Samoa had no 30 December: 10:00 is in the gap, and moves forward by its 24 hours.
        ("after a skipped day", "2011-12-31", "Pacific/Apia", late, Some("2011-12-30T20:00:00Z")),
        ("the first date", "1970-01-01", "UTC", late, None),
        ("the second date", "1970-01-02", "UTC", late, Some("1970-01-01T10:00:00Z")),
    ] {
        let event = records::event_on(1, 1, date, zone);
        let shift = Shift { hours, ..records::shift(&event, 1, 5) };
        let reminded_at = ScheduledShift::of(shift, &event).reminded_at();
        assert_eq!(reminded_at, expected.map(time), "{what}");
    }
}

/// Returns a place on the shift from 09:00 to 12:00 on 5 June 2027 in New York, which a mail had at `sent_at`.
fn place(sent_at: Timestamp, change: impl FnOnce(&mut Event, &mut Shift)) -> SignupInFull {
    let EventInFull { event, shifts, .. } = full_with(|event, shifts| change(event, &mut shifts[0]));
    let shift = shifts[0].shift.clone();
    let told = Told::by_form(&shifts[0], &event);
    let told = Told { status: Some(SignupStatus::Confirmed), sent_at: Some(sent_at), ..told };
    let signup = crate::signup::Signup { told, ..records::signup(&shift, 3) }.of(&shift);
    SignupInFull::new(records::organization(1), event, shift, signup)
}

fn told_at(sent_at: Timestamp) -> SignupInFull {
    place(sent_at, |_, _| {})
}

#[test]
fn a_reminder_is_due_from_its_moment_until_two_hours_before_the_start() {
    for (now, expected) in [
        (second_before(MOMENT), false),
        (time(MOMENT), true),
        (second_before(TOO_LATE), true),
        (time(TOO_LATE), false),
        (after_shifts(), false),
    ] {
        assert_eq!(is_due(&told_at(before()), now), expected, "{now}");
    }
}

#[test]
fn a_mail_with_the_place_at_the_moment_or_later_takes_the_place_of_the_reminder() {
    for (sent_at, expected) in [(second_before(MOMENT), true), (time(MOMENT), false), (time(TOO_LATE), false)]
    {
        assert_eq!(is_due(&told_at(sent_at), second_before(TOO_LATE)), expected, "{sent_at}");
    }
}

#[test]
fn only_a_place_at_a_published_event_that_reminds_is_reminded_of() {
    let close = |shift: &mut Shift| {
        let by = CancelledBy::EventCancellation;
        shift.closing = Some(Closing { at: before(), by, reason: None, is_silent: true });
    };
    let with = |change: fn(&mut Event, &mut Shift)| place(before(), change);
    let mut cancelled = told_at(before());
    cancelled.signup.state = SignupState::Cancelled { at: before(), by: CancelledBy::Volunteer };
    for (what, found, expected) in [
        ("a place", told_at(before()), true),
        ("a cancelled place", cancelled, false),
        ("a closed shift", place(before(), |_, shift| close(shift)), false),
        ("a deleted shift", with(|_, shift| shift.deleted_at = Some(before())), false),
        ("a draft", with(|event, _| event.is_published = false), false),
        ("without reminders", with(|event, _| event.reminders_enabled = false), false),
        ("a cancelled event", with(|event, _| event.cancelled_at = Some(before())), false),
        ("a deleted event", with(|event, _| event.deleted_at = Some(before())), false),
    ] {
        assert_eq!(is_due(&found, time(MOMENT)), expected, "{what}");
    }
}

#[test]
fn a_shift_that_moves_to_another_day_or_zone_reminds_anew_unless_a_mail_told_it_since() {
    let reminded = time(MOMENT);
    let to_day = |date: &str| {
        let first = Day::new(date.parse().unwrap(), "America/New_York".parse().unwrap());
        place(reminded, move |event, _| event.dates.first = first)
    };
    let to_zone = |zone: &str| {
        let first = Day::new("2027-06-05".parse().unwrap(), zone.parse().unwrap());
        place(reminded, move |event, _| event.dates.first = first)
    };
    for (what, found, now, expected) in [
        ("a week later", to_day("2027-06-12"), "2027-06-11T13:59:59Z", false),
        ("a week later", to_day("2027-06-12"), "2027-06-11T14:00:00Z", true),
        ("back on the day that was told", to_day("2027-06-05"), MOMENT, false),
        ("to a day whose moment was before", to_day("2027-06-04"), MOMENT, false),
        ("to the west", to_zone("America/Denver"), "2027-06-04T15:59:59Z", false),
        ("to the west", to_zone("America/Denver"), "2027-06-04T16:00:00Z", true),
        ("to the east", to_zone("Europe/Berlin"), MOMENT, false),
    ] {
        assert_eq!(is_due(&found, time(now)), expected, "{what} at {now}");
    }
    // On another day at the moment, and then silently moved back.
    assert!(is_due(&told_at(before()), time("2027-06-04T18:00:00Z")), "the reminder is late");
}

#[test]
fn a_recipient_is_looked_at_next_at_the_first_moment_to_come_of_a_place() {
    let on = |date: &str| {
        let first = Day::new(date.parse().unwrap(), "America/New_York".parse().unwrap());
        place(before(), move |event, _| event.dates.first = first)
    };
    let mut cancelled = on("2027-06-05");
    cancelled.signup.state = SignupState::Cancelled { at: before(), by: CancelledBy::Volunteer };
    let draft = place(before(), |event, _| event.is_published = false);
    let later = "2027-06-11T14:00:00Z";
    for (what, found, now, expected) in [
        ("nothing", vec![], before(), None),
        ("two days", vec![on("2027-06-12"), on("2027-06-05")], before(), Some(MOMENT)),
        ("the first moment has come", vec![on("2027-06-12"), on("2027-06-05")], time(MOMENT), Some(later)),
        ("the last moment has come", vec![on("2027-06-05")], time(MOMENT), None),
        ("a cancelled place", vec![on("2027-06-12"), cancelled], before(), Some(later)),
        ("a draft, which may be published", vec![draft], before(), Some(MOMENT)),
    ] {
        assert_eq!(next(&found, now), expected.map(time), "{what}");
    }
}

#[test]
fn a_change_concerns_a_reminder_to_come_and_one_that_is_late() {
    for (sent_at, now, expected) in [
        (before(), before(), Some(MOMENT)),
        (before(), second_before(TOO_LATE), Some(MOMENT)),
        (before(), time(TOO_LATE), None),
        (time(MOMENT), time(MOMENT), None),
    ] {
        assert_eq!(next_of(&told_at(sent_at), now), expected.map(time), "{sent_at} {now}");
    }
}
