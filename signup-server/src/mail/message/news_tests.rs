//! The mails about places. The snapshots are what people read.

use insta::assert_snapshot;
use signup_core::CancelledBy::{EventCancellation, Organizer, ShiftDeletion, Volunteer};
use signup_core::PlaceChange::{Moved, New, Promoted, Reminder, Unchanged, Waiting};
use signup_core::{Answer, Hours, QuestionId, TimeAndPlace};

use super::sample::{EARLY, LATE, SUNDAY, Sample, html, shown};

fn answer(label: &str, value: &str) -> Answer {
    Answer::new(QuestionId::NONE, label.parse().unwrap(), value.parse().unwrap())
}

#[tokio::test]
async fn a_new_place_with_all_that_a_volunteer_needs() {
    let mut sample = Sample::create().await;
    sample.event.instructions = Some("The door code is 4711.\r\nAsk for Grace & Bo.".parse().unwrap());
    let description =
        "# Bring gloves\r\n\r\nMap: https://example.org/map?a=b&c\n<script>alert(1)</script>\tThanks";
    sample.event.description = Some(description.parse().unwrap());
    sample.shifts[EARLY].shift.description = Some("Lift 20 kg.".parse().unwrap());
    sample.shifts[EARLY].shift.location = Some("<Dock> 4".parse().unwrap());
    sample.place(EARLY, "Ada", New).signup.answers = vec![
        answer("Food", "vegan/gluten-free"),
        answer("Other", "see evil.example/x"),
        answer("Size", "<b>\r\nBcc: x"),
        answer("First time?", "yes"),
    ];
    assert_snapshot!(shown(&sample.written()));
    assert_snapshot!("a_new_place_in_html", html(&sample.written()));
}

#[tokio::test]
async fn several_new_places_of_a_family_beside_an_earlier_one() {
    let mut sample = Sample::create().await;
    for (shift, name) in [(EARLY, "Ada"), (EARLY, "Ben"), (LATE, "Ada")] {
        sample.place(shift, name, New).signup.answers =
            vec![answer("Size", if name == "Ada" { "M" } else { "S" })];
    }
    sample.place(SUNDAY, "Ben", Unchanged).sequence = 3;
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn several_new_places_of_one_person() {
    let mut sample = Sample::create().await;
    sample.place(LATE, "Ada", New);
    sample.place(SUNDAY, "Ada", New);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_place_that_moved() {
    let mut sample = Sample::create().await;
    let mut before = TimeAndPlace::of(&sample.shifts[EARLY], &sample.event);
    before.interval = sample.shifts[SUNDAY].interval();
    before.zone = "Asia/Tokyo".parse().unwrap();
    before.event_location = Some("Old hall".parse().unwrap());
    sample.place(EARLY, "Ada", Moved { before }).sequence = 1;
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn places_that_moved_beside_a_new_one() {
    let mut sample = Sample::create().await;
    for shift in [EARLY, LATE] {
        let at = TimeAndPlace::of(&sample.shifts[shift], &sample.event);
        let before = TimeAndPlace { event_location: None, ..at };
        sample.place(shift, "Ada", Moved { before }).at.event_location = None;
        sample.places.last_mut().unwrap().at.location = Some("Dock 4".parse().unwrap());
    }
    sample.place(SUNDAY, "Ada", New);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_cancelled_event() {
    let mut sample = Sample::create().await;
    let reason = "The hall is flooded.\r\nBcc: all@example.org\r\n\r\nSorry & thanks";
    sample.event.cancellation_reason = Some(reason.parse().unwrap());
    sample.cancelled(EARLY, "Ada", EventCancellation);
    sample.cancelled(LATE, "Ada", EventCancellation);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn places_that_were_cancelled_for_different_reasons() {
    let mut sample = Sample::create().await;
    sample.cancelled(EARLY, "Ada", Organizer).signup.reason =
        Some("There are enough of us.".parse().unwrap());
    sample.cancelled(LATE, "Ben", ShiftDeletion);
    sample.cancelled(SUNDAY, "Ben", Volunteer);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_place_that_its_volunteer_cancelled_beside_another_one() {
    let mut sample = Sample::create().await;
    sample.cancelled(EARLY, "Ada", Volunteer);
    sample.place(LATE, "Ada", Unchanged);
    assert_snapshot!(shown(&sample.written()));
}

/// At 10:00 in New York on the day before the first two shifts.
const MOMENT: &str = "2099-06-05T14:00:00Z";

#[tokio::test]
async fn a_reminder_of_a_shift() {
    let mut sample = Sample::create().await;
    sample.now = MOMENT.parse().unwrap();
    sample.event.instructions = Some("The door code is 4711.".parse().unwrap());
    sample.place(EARLY, "Ada", Reminder);
    assert_snapshot!(shown(&sample.written()));
    assert_snapshot!("a_reminder_in_html", html(&sample.written()));
}

#[tokio::test]
async fn a_reminder_of_the_shifts_of_a_day_of_a_family() {
    let mut sample = Sample::create().await;
    sample.now = MOMENT.parse().unwrap();
    for (shift, name) in [(EARLY, "Ada"), (EARLY, "Ben"), (LATE, "Ada")] {
        sample.place(shift, name, Reminder);
    }
    sample.place(SUNDAY, "Ada", Unchanged);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_reminder_beside_a_new_place_cannot_be_turned_off() {
    let mut sample = Sample::create().await;
    sample.now = MOMENT.parse().unwrap();
    sample.place(EARLY, "Ada", Reminder);
    sample.place(LATE, "Ada", New);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn the_subject_of_a_reminder_names_a_day_that_is_near() {
    let subject = async |now: &str, shifts: &[usize]| {
        let mut sample = Sample::create().await;
        sample.now = now.parse().unwrap();
        for shift in shifts {
            sample.place(*shift, "Ada", Reminder);
        }
        sample.written().subject
    };
    let late = "2099-06-06T10:00:00Z";
    for (now, shifts, expected) in [
        (MOMENT, &[EARLY][..], "Tomorrow: Food drive – Early, 09:00"),
        (MOMENT, &[EARLY, LATE], "Tomorrow: Food drive – 2 shifts from 09:00"),
        (late, &[LATE], "Today: Food drive – Late, 12:00"),
        (late, &[SUNDAY], "Tomorrow: Food drive – Sunday, all day"),
        (late, &[LATE, SUNDAY], "Reminder: Food drive – 2 shifts from Saturday 6 June, 12:00"),
    ] {
        assert_eq!(subject(now, shifts).await, expected);
    }
}

#[tokio::test]
async fn a_mail_that_was_asked_for_again() {
    let mut sample = Sample::create().await;
    sample.place(EARLY, "Ada", Unchanged);
    sample.is_asked = true;
    assert_snapshot!(shown(&sample.written()));
}

/// A mail without an answer may have told of a change that was undone since.
#[tokio::test]
async fn a_mail_that_corrects_an_earlier_one() {
    let mut sample = Sample::create().await;
    sample.place(EARLY, "Ada", Unchanged);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn the_subject_names_those_whom_the_most_important_news_is_about() {
    let moved = |sample: &Sample| Moved { before: TimeAndPlace::of(&sample.shifts[SUNDAY], &sample.event) };
    let subject = async |places: &[(usize, &str, &str)]| {
        let mut sample = Sample::create().await;
        for (shift, name, change) in places {
            drop(match *change {
                "new" => sample.place(*shift, name, New).clone(),
                "held" => sample.place(*shift, name, Unchanged).clone(),
                "moved" => {
                    let moved = moved(&sample);
                    sample.place(*shift, name, moved).clone()
                }
                "removed" => sample.cancelled(*shift, name, Organizer).clone(),
                other => panic!("{other}"),
            });
        }
        sample.written().subject
    };
    for (places, expected) in [
        (
            &[(EARLY, "Ada", "new"), (LATE, "Ben", "held")][..],
            "Ada is signed up: Food drive – Early, Saturday 6 June",
        ),
        (
            &[(EARLY, "Ada", "new"), (SUNDAY, "Ben", "new")],
            "Ada and Ben are signed up: Food drive – 2 shifts from Saturday 6 June",
        ),
        (
            &[(EARLY, "a.example", "new"), (LATE, "Ben", "held")],
            "1 person is signed up: Food drive – Early, Saturday 6 June",
        ),
        (
            &[(EARLY, "Ada", "new"), (EARLY, "b.example", "new")],
            "Ada and 1 more are signed up: Food drive – Early, Saturday 6 June",
        ),
        (&[(EARLY, "Ada", "new"), (LATE, "Ada", "moved")], "Changed: Food drive – Late, Saturday 6 June"),
        (
            &[(EARLY, "Ada", "removed"), (LATE, "Ada", "moved")],
            "Cancelled: Food drive – Early, Saturday 6 June",
        ),
        (
            &[(EARLY, "Ada", "held"), (EARLY, "Ben", "held")],
            "Ada and Ben already have places: Food drive – Early, Saturday 6 June",
        ),
        (
            &[(EARLY, "Ada", "held"), (LATE, "Ada", "held")],
            "You already have places: Food drive – 2 shifts, Saturday 6 June",
        ),
    ] {
        assert_eq!(subject(places).await, expected);
    }
}

#[tokio::test]
async fn a_subject_cuts_long_titles_so_that_the_shift_and_the_day_stay() {
    let mut sample = Sample::create().await;
    sample.event.title = "Food drive ".repeat(20).trim().parse().unwrap();
    sample.place(EARLY, "Ada", New);
    let of_event = "Food drive Food drive Food drive Food drive Food drive Food drive Food…";
    assert_eq!(sample.written().subject, format!("You’re signed up: {of_event} – Early, Saturday 6 June"));
}

#[tokio::test]
async fn a_mail_about_an_online_event_says_so() {
    let mut sample = Sample::create().await;
    sample.event.is_virtual = true;
    for (location, text) in [(None, "\nWhere: Online\n"), (Some("Hall B"), "\nWhere: Hall B (online)\n")] {
        sample.event.location = location.map(|location| location.parse().unwrap());
        sample.places.clear();
        sample.place(EARLY, "Ada", New);
        assert!(sample.written().text.contains(text), "{}", sample.written().text);
    }
}

#[tokio::test]
async fn a_place_that_was_removed_from_an_event_is_told_as_not_given() {
    let mut sample = Sample::create().await;
    let before = TimeAndPlace::of(&sample.shifts[EARLY], &sample.event);
    sample.place(EARLY, "Ada", Moved { before }).at.event_location = None;
    let text = sample.written().text;
    assert!(
        text.contains(
            "\nLocation was: 12 Long Street\nLocation now: The organizer hasn’t given a new location.\n"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_mail_is_from_the_organization_unless_its_name_could_pass_for_another_sender() {
    let mut sample = Sample::create().await;
    sample.place(EARLY, "Ada", New);
    let long = "Food bank ".repeat(20);
    for (name, from) in [
        ("St.Mary’s, Inc.", "From: St.Mary’s, Inc. <help@example.org>\n"),
        (
            long.trim(),
            "From: Food bank Food bank Food bank Food bank Food bank Food bank Food bank Food bank… <help@example.org>\n",
        ),
        ("help@bank.example", "From: Signup <help@example.org>\n"),
        ("Bank\u{202e}", "From: Signup <help@example.org>\n"),
    ] {
        sample.organization.name = name.parse().unwrap();
        let mail = shown(&sample.written());
        assert!(mail.starts_with(from), "{mail}");
        let is_named = !from.contains("Signup");
        assert_eq!(mail.contains("\nORGANIZER:mailto:help@example.org\n"), !is_named, "{mail}");
        assert_eq!(mail.contains("\n\nThe organizer\n"), !is_named, "{mail}");
    }
}

#[tokio::test]
async fn replies_go_to_the_contact_of_the_organization_if_it_has_one() {
    let mut sample = Sample::create().await;
    sample.place(EARLY, "Ada", New);
    sample.organization.contact = Some("help@bücher.example".parse().unwrap());
    let mail = shown(&sample.written());
    assert!(mail.contains("\nReply-To: help@xn--bcher-kva.example\n"), "{mail}");
    assert!(mail.contains("\nQuestions? Write to help@bücher.example.\n"), "{mail}");
    sample.organization.contact = None;
    let mail = shown(&sample.written());
    assert!(!mail.contains("Reply-To") && !mail.contains("Questions?"), "{mail}");
}

#[tokio::test]
async fn the_subject_of_a_reminder_has_no_clock_if_the_first_shift_lasts_all_day() {
    let mut sample = Sample::create().await;
    sample.shifts[EARLY].shift.hours = Hours::ALL_DAY;
    sample.place(EARLY, "Ada", Reminder);
    sample.place(LATE, "Ada", Reminder);
    sample.now = sample.shifts[EARLY].interval().start;
    assert_eq!(sample.written().subject, "Today: Food drive – 2 shifts");
}

#[tokio::test]
async fn a_person_is_moved_to_another_shift_that_overlaps_a_place_of_theirs() {
    let mut sample = Sample::create().await;
    sample.moved(SUNDAY, LATE, "Ada");
    sample.place(EARLY, "Ada", Unchanged).sequence = 1;
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_cancellation_on_a_shift_that_the_volunteer_did_not_hear_of_names_the_former_one() {
    let mut sample = Sample::create().await;
    let former = sample.moved(SUNDAY, LATE, "Ada").signup.told.clone();
    sample.places.clear();
    sample.cancelled(LATE, "Ada", Organizer).signup.told = former;
    let text = sample.written().text;
    assert!(text.contains("\nShift was: Sunday\nShift now: Late\nTime was: Sunday 7 June"), "{text}");
}

#[tokio::test]
async fn people_who_are_moved_from_different_shifts_are_told_apart() {
    let mut sample = Sample::create().await;
    sample.shifts[EARLY].shift.hours = sample.shifts[LATE].shift.hours;
    sample.moved(EARLY, SUNDAY, "Ada");
    sample.moved(LATE, SUNDAY, "Ben");
    let text = sample.written().text;
    for [was, who] in [["Early", "Ada"], ["Late", "Ben"]] {
        let section = text.split(&format!("Shift was: {was}\n")).nth(1).unwrap();
        let people = section.lines().find(|line| line.starts_with("Who: ")).unwrap();
        assert_eq!(people, format!("Who: {who}"), "{text}");
    }
}

#[tokio::test]
async fn a_person_joins_a_waiting_list() {
    let mut sample = Sample::create().await;
    sample.event.instructions = Some("The door code is 4711.".parse().unwrap());
    sample.waiting(EARLY, "Ada", Waiting);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn one_of_a_family_has_a_place_and_another_one_waits() {
    let mut sample = Sample::create().await;
    sample.place(EARLY, "Ada", Promoted).sequence = 1;
    sample.waiting(EARLY, "Ben", Unchanged);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_person_who_waited_and_had_a_place_cancels_it() {
    let mut sample = Sample::create().await;
    let place = sample.off_list(EARLY, "Ada", Volunteer);
    place.signup.promoted_at = Some(place.signup.created_at);
    let mail = sample.written();
    assert!(mail.subject.starts_with("Cancelled: "), "{}", mail.subject);
    assert!(shown(&mail).contains("METHOD:CANCEL"));
}

#[tokio::test]
async fn a_person_leaves_a_waiting_list() {
    let mut sample = Sample::create().await;
    sample.off_list(EARLY, "Ada", Volunteer);
    assert_snapshot!(shown(&sample.written()));
}

#[tokio::test]
async fn a_shift_is_cancelled_for_those_who_wait() {
    let mut sample = Sample::create().await;
    sample.off_list(EARLY, "Ada", ShiftDeletion);
    assert_snapshot!(shown(&sample.written()));
}
