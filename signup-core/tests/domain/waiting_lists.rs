//! Mails about waiting lists: joining, getting a place, and leaving.

use crate::news::run;

/// What happened, and when the worker came. Each line after it is a mail. Ada has the only place of the shift.
const TABLE: &[(&str, &[&str])] = &[
    (
        "one place, Ada signs up, Bob waits, Cy waits, mail, Ada cancels, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "cy: waiting Cy Packing as number 2",
            "ada: cancelled Ada Packing by volunteer",
            "bob: promoted Bob Packing at -",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, Cy waits, two places, mail, the organizer cancels Ada silently, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: promoted Bob Packing at -",
            "cy: waiting Cy Packing as number 1",
            "cy: promoted Cy Packing at -",
        ],
    ),
    (
        "one place, Ada signs up, Bea waits, mail, Bea waits, mail",
        &[
            "ada: new Ada Packing at -; waiting Bea Packing as number 1",
            "ada: has Ada Packing at -; waits Bea Packing as number 1",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, Cy waits, mail, Bob cancels, mail, Cy waits, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "cy: waiting Cy Packing as number 2",
            "bob: cancelled Bob Packing by volunteer",
            "cy: waits Cy Packing as number 1",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, mail, the organizer cancels Bob, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "bob: cancelled Bob Packing by organizer",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, mail, to Dock 1, Ada cancels, a minute, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "ada: cancelled Ada Packing by volunteer",
            "bob: promoted Bob Packing at Dock 1",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, mail, to Dock 1, a minute, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "ada: moved Ada Packing from - to Dock 1",
            "bob: moved Bob Packing from - to Dock 1",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, mail, Packing is deleted, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "ada: cancelled Ada Packing by shift_deletion",
            "bob: cancelled Bob Packing by shift_deletion",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, the event is cancelled, mail",
        &[
            "ada: new Ada Packing at -",
            "ada: cancelled Ada Packing by event_cancellation",
            "bob: cancelled Bob Packing by event_cancellation",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, mail, Ada cancels, the organizer cancels Bob, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "ada: cancelled Ada Packing by volunteer",
            "bob: cancelled Bob Packing by organizer",
        ],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, mail, the day before, mail, after the cutoff, Ada cancels, mail, Bob signs up, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "ada: reminder of Ada Packing at -",
            "ada: cancelled Ada Packing by volunteer",
            "bob: promoted Bob Packing at -",
        ],
    ),
    (
        "one place, Ada signs up, Bob waits, after the cutoff, the organizer cancels Ada silently, mail, to 7 June, mail",
        &["bob: waiting Bob Packing as number 1", "bob: promoted Bob Packing at -"],
    ),
    (
        "one place, Ada signs up, mail, Bob waits, Cy waits, mail, Bob cancels, Bob waits, mail",
        &[
            "ada: new Ada Packing at -",
            "bob: waiting Bob Packing as number 1",
            "cy: waiting Cy Packing as number 2",
            "bob: cancelled Bob Packing by volunteer; waiting Bob Packing as number 2",
        ],
    ),
    (
        "one place, Ada signs up, Bea waits, Bob waits, mail, the address of Ada is erased, mail",
        &[
            "ada: new Ada Packing at -; waiting Bea Packing as number 1",
            "bob: waiting Bob Packing as number 2",
            "bob: promoted Bob Packing at -",
        ],
    ),
    ("one place, Ada signs up, mail, Bob waits, it is over, mail", &["ada: new Ada Packing at -"]),
];

#[tokio::test]
async fn people_who_wait_are_told_their_place_in_line_then_of_their_place_or_of_the_end_of_their_wait() {
    for (steps, expected) in TABLE {
        assert_eq!(run(steps).await, *expected, "{steps}");
    }
}
