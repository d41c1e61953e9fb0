//! The sentences about faults.

use signup_core::ValueType;

use super::*;

#[test]
fn a_changed_field_fits_into_a_sentence() {
    for (name, words) in [
        ("ends_next_day", "whether it ends the next day"),
        ("start_time", "start"),
        ("external_id", "external id"),
    ] {
        assert_eq!(in_a_sentence(name), words);
    }
}

#[test]
fn a_sentence_names_what_is_wrong_with_its_bound_and_what_to_do() {
    use FaultKind::{OptionCount, Remainder, Repeated, Required, TooMany, TooManyDays};
    let number = |min, max| ValueError::WholeNumber { min, max: Some(max) }.into();
    let not_one_of = || ValueError::NotOneOf { names: &["a"] }.into();
    let too_long = |max| TextError::TooLong { max }.into();
    for (name, kind, sentence) in [
        ("title", Required, "Enter a title"),
        ("shifts", Required, "Enter at least one shift"),
        ("shifts.0.title", TextError::Blank.into(), "Enter a title"),
        ("is_virtual", ValueType::Flag.into(), "Say whether the event takes place online"),
        ("role", not_one_of(), "Choose a role"),
        ("types.3", not_one_of(), "Choose what the webhook receives"),
        (
            "code",
            ValueError::Malformed { expected: "8 characters" }.into(),
            "Enter the 8 letters and digits of the code",
        ),
        (
            "cursor",
            ValueError::Malformed { expected: "a cursor" }.into(),
            "Go back to the first page of the list",
        ),
        ("name", too_long(255), "Name must be 255 characters or fewer"),
        ("text", too_long(5000), "Message must be 5,000 characters or fewer"),
        ("options.2", too_long(255), "Option 3 must be 255 characters or fewer"),
        ("name", TextError::Invisible.into(), "Name has no visible characters. Type it again"),
        (
            "shifts.0.location",
            TextError::Invisible.into(),
            "Place has no visible characters. Type it again, or leave it empty",
        ),
        ("name", TextError::LineBreak.into(), "Name must be on one line"),
        (
            "description",
            TextError::Control { character: '\u{1b}' }.into(),
            "Description has characters that we can’t use. Please type it again",
        ),
        ("contact", TextError::Email.into(), "Enter an email address like name@example.com"),
        (
            "shifts.0.capacity",
            number(0, 1_000_000),
            "Number of volunteers must be a whole number from 0 to 1,000,000",
        ),
        (
            "shifts.0.each_minutes",
            number(1, 1440),
            "Length of each shift in minutes must be a whole number from 1 to 1,440",
        ),
        ("expires_in_days", number(1, 365), "Number of days must be a whole number from 1 to 365"),
        ("position", number(0, 1_000_000), "Order must be a whole number from 0 to 1,000,000"),
        ("start_date", TimeError::Date.into(), "Enter the first day, from 1970 to 9998"),
        ("end_date", TimeError::DayOrder.into(), "Last day must not be before the first day"),
        (
            "start_date",
            TimeError::LastDay.into(),
            "The last day moves with the first day, and must be from 1970 to 9998",
        ),
        (
            "end_date",
            TooManyDays { max: 7 },
            "Your plan allows events of up to 7 days. Enter an earlier last day",
        ),
        (
            "end_date",
            TooManyDays { max: 1 },
            "Your plan allows events of up to 1 day. Enter an earlier last day",
        ),
        ("start_time", TimeError::WallTime.into(), "Start must be a time such as 09:00"),
        (
            "end_time",
            TimeError::Order.into(),
            "End must be after the start, unless the shift ends the next day",
        ),
        (
            "end_time",
            TimeError::NextDay.into(),
            "End must be a time of the next day, not later than the start: a shift lasts up to 24 hours",
        ),
        ("shifts.0.day", FaultKind::NoSuchDay { days: 3 }, "The event has 3 days. Enter a day from 1 to 3"),
        (
            "shifts.0.day",
            FaultKind::NoSuchDay { days: 1 },
            "The event has only one day. Leave the day empty, or enter a later last day of the event",
        ),
        (
            "end_date",
            FaultKind::LeavesOutDay { day: 3 },
            "Day 3 of the event has shifts. Enter a later last day, or change or delete those shifts first",
        ),
        ("timezone", TimeError::Zone.into(), "Choose a time zone"),
        (
            "shifts",
            TooMany { items: "shifts in one request", max: 500, present: 0 },
            "You can add up to 500 shifts at once. Leave out some rows, or make each shift longer",
        ),
        (
            "shifts",
            TooMany { items: "shifts", max: 1000, present: 990 },
            "An event can have up to 1,000 shifts, and this one already has 990. Add fewer shifts",
        ),
        (
            "label",
            TooMany { items: "questions", max: 50, present: 50 },
            "An event can have up to 50 questions, and this one already has 50. Delete a question first",
        ),
        (
            "url",
            TooMany { items: "webhooks", max: 16, present: 16 },
            "An organization can have up to 16 webhooks, and yours already has 16. Delete a webhook first",
        ),
        (
            "types",
            TooMany { items: "types", max: 50, present: 0 },
            "Choose up to 50 things that the webhook receives",
        ),
        ("types.1", Repeated, "Choice 2 is the same as one before it. Enter each one once"),
        ("options.1", Repeated, "Option 2 is the same as one before it. Enter each one once"),
        (
            "options",
            OptionCount { kind: QuestionKind::Select, max: 100 },
            "Enter the options, one on each line. You can enter 1 to 100 options",
        ),
        (
            "options",
            OptionCount { kind: QuestionKind::Text, max: 100 },
            "Only a question with a list has options. Remove them, or choose a list",
        ),
        (
            "shifts.0.each_minutes",
            Remainder { minutes: 200 },
            "The time from start to end is 200 minutes. Enter a number that divides 200 without a remainder",
        ),
        (
            "type",
            FaultKind::Answered,
            "The kind can’t change, because a volunteer has already answered this question",
        ),
        ("url", WebhookUrlError::NotHttps.into(), "Enter a web address that begins with https://"),
        (
            "url",
            WebhookUrlError::Text(TextError::TooLong { max: 2048 }).into(),
            "Web address must be 2,048 characters or fewer",
        ),
        ("url", WebhookUrlError::Malformed.into(), "Enter a web address like https://example.com/hooks"),
    ] {
        assert_eq!(mistake(name, &Fault::new("title", kind)), sentence, "{name}");
    }
}
