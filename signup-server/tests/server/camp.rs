//! A camp of nine days around a clock change, imported in two calls and read back by the calendar of Python. Volunteers sign up for
//! the shifts around the clock change.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Server;
use crate::lives::{PROXY, submit_from};
use crate::mailbox::Mailbox;
use crate::packages::{python, run};
use crate::pages::Page;

/// The number of shifts of a camp, and of its days.
const SHIFTS: usize = 591;
const DAYS: usize = 9;
/// The number of shifts that one request creates at most.
const MAX_NEW: usize = 500;
/// A zone, the first day of its camp, and its last. The clocks change on the fifth day.
const CAMPS: [[&str; 3]; 2] =
    [["Europe/Berlin", "2027-03-24", "2027-04-01"], ["America/New_York", "2027-11-03", "2027-11-11"]];

/// Returns whether the shift `number` of a camp begins around the clock change, or a day before.
fn is_around_change(number: usize) -> bool {
    number.is_multiple_of(3)
}

/// Returns the shift `number` of a camp. Starts and lengths are spread over the days and the nights.
fn shift(number: usize) -> Value {
    let (day, start) = if is_around_change(number) {
        (4 + number % 2, 30 + number * 7 % 180)
    } else {
        (number % DAYS + 1, number * 7 % 1440)
    };
    let end = start + [30, 60, 90, 120, 240, 480, 720, 1440][number % 8];
    let clock = |minutes: usize| format!("{:02}:{:02}", minutes / 60, minutes % 60);
    json!({
        "title": format!("Shift {number}"), "capacity": 1, "day": day, "start_time": clock(start),
        "end_time": clock(if end > 1440 { end - 1440 } else { end }), "ends_next_day": end > 1440,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_camp_in_two_calls_reads_back_to_the_minute_in_local_times_and_calendars() {
    let Some(python) = python() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&[PROXY.as_slice(), &["--smtp", &mailbox.url()]].concat());
    for (number, [zone, first, last]) in CAMPS.into_iter().enumerate() {
        let shifts: Vec<_> = (0..SHIFTS).map(shift).collect();
        let (begin, rest) = shifts.split_at(MAX_NEW);
        let event = json!({
            "title": "Camp", "start_date": first, "end_date": last, "timezone": zone, "is_published": true, "shifts": begin,
        });
        let event = server.create(&event).await;
        let slots = format!("/v1/events/{}/slots", event["id"].as_str().unwrap());
        assert_eq!(server.post(&slots, &json!({"shifts": rest})).await.status, 201);
        let slots = server.get(&slots).await.data();
        let page = Page { path: format!("/events/{}", event["slug"].as_str().unwrap()), event };
        let folder = tempfile::tempdir().unwrap();
        let (mut given, mut mailed) = (vec![], vec![]);
        for (place, slot) in slots.as_array().unwrap().iter().enumerate() {
            let of_title = slot["title"].as_str().unwrap().strip_prefix("Shift ").unwrap();
            let of_title: usize = of_title.parse().unwrap();
            let is_mailed = is_around_change(of_title);
            given.push(json!({
                "slot": slot, "shift": shifts[of_title], "start_date": first, "timezone": zone, "is_mailed": is_mailed,
            }));
            if is_mailed {
                let email = format!("v{number}.{place}@example.org");
                let fields = [("slot_id", slot["id"].as_str().unwrap()), ("name", "Ada"), ("email", &email)];
                let answer = submit_from(number * SHIFTS + place, &server, &page, &fields).await;
                assert_eq!(answer.status, 303, "{place}: {}", answer.text);
                mailed.push((place, email));
            }
        }
        assert_eq!(given.len(), SHIFTS);
        let mails = mailbox.wait_for((number + 1) * mailed.len(), Duration::from_secs(300)).await;
        for (place, email) in mailed {
            let mail = mails.iter().find(|mail| mail.to == email).unwrap();
            std::fs::write(folder.path().join(format!("{place}.eml")), &mail.raw).unwrap();
        }
        std::fs::write(folder.path().join("given.json"), Value::from(given).to_string()).unwrap();
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/read_camp.py");
        run(Command::new(&python).arg(program).arg(folder.path()));
    }
}
