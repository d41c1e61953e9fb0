//! The mails to volunteers in each language. The snapshots are read by people who speak the language.

use insta::assert_snapshot;
use signup_core::CancelledBy::{EventCancellation, Organizer, ShiftDeletion, Volunteer};
use signup_core::PlaceChange::{Moved, New, Promoted, Reminder, Unchanged, Waiting};
use signup_core::{Answer, Language, QuestionId, TimeAndPlace};

use super::sample::{EARLY, LATE, SUNDAY, Sample, shown};

/// Returns a mail with what a mail can have, and the subject and the first section of each other kind of mail.
async fn mails(language: Language) -> String {
    let start = async || {
        let mut sample = Sample::create().await;
        sample.event.language = language;
        sample
    };
    let mut all = start().await;
    all.event.instructions = Some("The door code is 4711.".parse().unwrap());
    all.shifts[EARLY].shift.description = Some("Lift 20 kg.".parse().unwrap());
    let answer = |value: &str| Answer::new(QuestionId::NONE, "Car?".parse().unwrap(), value.parse().unwrap());
    all.place(EARLY, "Ada", New).signup.answers = vec![answer("yes")];
    all.place(EARLY, "Inés", New).signup.answers = vec![answer("see evil.example/x")];
    all.place(SUNDAY, "Ada", Unchanged);
    let mut before = TimeAndPlace::of(&all.shifts[SUNDAY], &all.event);
    before.event_location = None;
    all.place(LATE, "Ada", Moved { before });
    all.cancelled(LATE, "Inés", Organizer).signup.reason = Some("We have enough people.".parse().unwrap());
    let mut texts = shown(&all.written());
    let places: [&[(usize, &str, &str)]; 28] = [
        &[(EARLY, "Ada", "new")],
        &[(EARLY, "Ada", "new"), (SUNDAY, "Ada", "new")],
        &[(EARLY, "Ada", "held")],
        &[(EARLY, "Ada", "asked"), (LATE, "Ada", "asked")],
        &[(EARLY, "Ada", "held"), (EARLY, "evil.example", "held")],
        &[(EARLY, "Ada", "later")],
        &[(EARLY, "Ada", "elsewhere"), (LATE, "Ada", "elsewhere")],
        &[(EARLY, "Ada", "other shift")],
        &[(EARLY, "Ada", "other shift"), (EARLY, "Ben", "other shift")],
        &[(EARLY, "Ada", "event cancelled"), (SUNDAY, "Ada", "event cancelled")],
        &[(EARLY, "Ada", "shift cancelled")],
        &[(EARLY, "Ada", "shift cancelled"), (LATE, "Ben", "shift cancelled")],
        &[(EARLY, "Ada", "removed"), (LATE, "Ada", "removed")],
        &[(EARLY, "Ada", "cancelled")],
        &[(EARLY, "Ada", "cancelled"), (EARLY, "Ben", "cancelled")],
        &[(EARLY, "Ada", "waiting")],
        &[(EARLY, "Ada", "waiting"), (EARLY, "Ben", "waiting"), (EARLY, "Cy", "held")],
        &[(EARLY, "Ada", "still waiting")],
        &[(EARLY, "Ada", "moved waiting")],
        &[(EARLY, "Ada", "promoted")],
        &[(EARLY, "Ada", "promoted"), (LATE, "Ada", "promoted")],
        &[(EARLY, "Ada", "promoted"), (EARLY, "Ben", "promoted"), (EARLY, "Cy", "held")],
        &[(EARLY, "Ada", "left the list")],
        &[(EARLY, "Ada", "left the list"), (LATE, "Ben", "held")],
        &[(EARLY, "Ada", "off the list")],
        &[(EARLY, "Ada", "off the list"), (LATE, "Ben", "held")],
        &[(EARLY, "Ada", "reminder")],
        &[(EARLY, "Ada", "reminder"), (LATE, "Ada", "reminder")],
    ];
    for places in places {
        let mut sample = start().await;
        for (shift, name, change) in places {
            let at = TimeAndPlace::of(&sample.shifts[*shift], &sample.event);
            let sunday = sample.shifts[SUNDAY].interval();
            drop(match *change {
                "new" => sample.place(*shift, name, New).clone(),
                "held" | "asked" => sample.place(*shift, name, Unchanged).clone(),
                "later" => sample
                    .place(*shift, name, Moved { before: TimeAndPlace { interval: sunday, ..at } })
                    .clone(),
                "elsewhere" => sample
                    .place(*shift, name, Moved { before: TimeAndPlace { event_location: None, ..at } })
                    .clone(),
                "other shift" => sample.moved(SUNDAY, *shift, name).clone(),
                "waiting" => sample.waiting(*shift, name, Waiting).clone(),
                "still waiting" => sample.waiting(*shift, name, Unchanged).clone(),
                "moved waiting" => sample
                    .waiting(*shift, name, Moved { before: TimeAndPlace { interval: sunday, ..at } })
                    .clone(),
                "promoted" => sample.place(*shift, name, Promoted).clone(),
                "left the list" => sample.off_list(*shift, name, Volunteer).clone(),
                "off the list" => sample.off_list(*shift, name, Organizer).clone(),
                "reminder" => sample.place(*shift, name, Reminder).clone(),
                "event cancelled" => sample.cancelled(*shift, name, EventCancellation).clone(),
                "shift cancelled" => sample.cancelled(*shift, name, ShiftDeletion).clone(),
                "removed" => sample.cancelled(*shift, name, Organizer).clone(),
                _ => sample.cancelled(*shift, name, Volunteer).clone(),
            });
            sample.is_asked = *change == "asked";
        }
        let written = sample.written();
        let section: Vec<_> = written.text.lines().filter(|line| !line.is_empty()).skip(1).take(2).collect();
        texts += &format!("\n=== {}\n{}\n", written.subject, section.join("\n"));
    }
    texts
}

#[tokio::test]
async fn the_mails_speak_the_language_of_their_event() {
    for language in [Language::EnUs, Language::De, Language::Fr, Language::Es] {
        assert_snapshot!(format!("mails_{language}"), mails(language).await);
    }
}
