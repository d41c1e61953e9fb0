//! Reminders to volunteers: when they come, and what takes their place.

use crate::news::run;

/// What happened, and when the worker came. Each line after it is a mail. "The day before" is the moment of the reminders.
const REMINDERS: &[(&str, &[&str])] = &[
    (
        "Ada signs up, mail, a second before, mail, the day before, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -"],
    ),
    (
        "Ada signs up, Bea signs up, Ada signs up for Driving, mail, the day before, mail, an hour, mail",
        &[
            "ada: new Ada Driving at -; new Ada Packing at -; new Bea Packing at -",
            "ada: reminder of Ada Driving at -; reminder of Ada Packing at -; reminder of Bea Packing at -",
        ],
    ),
    (
        "Ada signs up, mail, the day before, Bea signs up, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -; new Bea Packing at -"],
    ),
    ("the day before, Ada signs up, mail, an hour, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, mail, to Dock 1, the day before, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: moved Ada Packing from - to Dock 1"],
    ),
    (
        "Ada signs up, mail, silently to Dock 1, the day before, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at Dock 1"],
    ),
    (
        "Ada signs up, mail, Ada cancels, mail, the day before, mail",
        &["ada: new Ada Packing at -", "ada: cancelled Ada Packing by volunteer"],
    ),
    (
        "Ada signs up, mail, the organizer cancels Ada silently, the day before, mail",
        &["ada: new Ada Packing at -"],
    ),
    (
        "Ada signs up, mail, the day before, the event is cancelled silently, mail",
        &["ada: new Ada Packing at -"],
    ),
    ("Ada signs up, mail, Packing is deleted silently, the day before, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, mail, reminders are off, the day before, mail, an hour, mail",
        &["ada: new Ada Packing at -"],
    ),
    (
        "Ada signs up, mail, reminders are off, the day before, mail, reminders are on, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -"],
    ),
    (
        "Ada signs up, mail, reminders are off, the day before, mail, 2 hours before Packing, reminders are on, mail",
        &["ada: new Ada Packing at -"],
    ),
    ("Ada signs up, mail, 2 hours before Packing, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, mail, silently to 7 June, mail, the day before, mail, a day, mail, a day, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -"],
    ),
    (
        "silently to 7 June, Ada signs up, mail, silently to 6 June, the day before, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -"],
    ),
    (
        "Ada signs up, mail, silently to 7 June, the day before, mail, silently to 6 June, mail, a day, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -"],
    ),
    (
        "Ada signs up, mail, the day before, mail, to 7 June, a minute, mail, a day, mail",
        &[
            "ada: new Ada Packing at -",
            "ada: reminder of Ada Packing at -",
            "ada: moved Ada Packing from - to -",
            "ada: reminder of Ada Packing at -",
        ],
    ),
    (
        "Ada signs up, mail, the day before, mail, silently to Hawaii, mail, a day, mail",
        &[
            "ada: new Ada Packing at -",
            "ada: reminder of Ada Packing at -",
            "ada: reminder of Ada Packing at -",
        ],
    ),
    ("Ada signs up, a refusal, the day before, mail", &["ada: new Ada Packing at -"]),
    ("Ada signs up, mail, the day before, a refusal, an hour, mail", &["ada: new Ada Packing at -"]),
    (
        "Ada signs up, mail, the day before, a failure, an hour, mail, an hour, mail",
        &["ada: new Ada Packing at -", "ada: reminder of Ada Packing at -"],
    ),
    (
        "Ada signs up, mail, the day before, a late crash, a lease, mail, an hour, mail",
        &[
            "ada: new Ada Packing at -",
            "ada: reminder of Ada Packing at -",
            "ada: reminder of Ada Packing at -",
        ],
    ),
];

#[tokio::test]
async fn each_address_is_reminded_once_of_the_places_that_it_was_not_told_of_since_the_moment() {
    for (steps, expected) in REMINDERS {
        assert_eq!(run(steps).await, *expected, "{steps}");
    }
}
