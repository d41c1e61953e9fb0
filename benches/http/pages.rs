//! The weight of the pages that grow with what they show: their size as sent, and how long a server takes for one.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use signup_benches::quantile;
use signup_core::{Clock as _, SystemClock};

use crate::burst::Burst;
use crate::connection::Connection;
use crate::request::Request;
use crate::site::{Engine, Site};

const EVENTS: u64 = 1000;
const PEOPLE: u64 = 300;
const SHIFTS: usize = 200;
/// The number of times that each page is loaded, one after the other.
const LOADS: usize = 200;

/// Prints the figures.
pub(crate) fn measure(program: &Path, engine: Engine<'_>) {
    let site = Site::empty(program, engine, &[]);
    let cookies = site.sign_in("owner@example.org");
    let port = site.process.port;
    drop(site.runtime.block_on(Burst::of_answers(port, &[site.create(true)], EVENTS)));

    // The shift is on now, so the page has a button for each person.
    let today = SystemClock.now().strftime("%F").to_string();
    let door = json!({
        "title": "Door", "start_date": today, "timezone": "UTC", "is_published": true,
        "shifts": [{ "title": "Door", "capacity": PEOPLE }],
    });
    let door = site.publish_with(&site.json("POST", "/v1/events", &door.to_string()).with_status(201));
    drop(site.runtime.block_on(Burst::of_answers(port, &[door.sign_up(&door.slots[0])], PEOPLE)));

    let shift = |number: usize| {
        let (hour, day) = (number % 24, number / 24 % 3 + 1);
        json!({
            "title": format!("Team {}", number % 12 + 1), "location": format!("Hall {}", number % 7 + 1), "day": day,
            "start_time": format!("{hour:02}:00"), "end_time": format!("{hour:02}:45"), "capacity": number % 8 + 1,
        })
    };
    let camp = json!({
        "title": "Camp", "start_date": "2099-06-05", "end_date": "2099-06-07", "timezone": "Europe/Berlin",
        "is_published": true, "shifts": (0..SHIFTS).map(shift).collect::<Vec<_>>(),
    });
    let camp = site.publish_with(&site.json("POST", "/v1/events", &camp.to_string()).with_status(201));

    for (name, path) in [
        ("home with 1,000 events", "/console/starter/".to_owned()),
        ("check-in of 300 people", format!("/console/starter/events/{}/check-in", door.id)),
        ("sign-ups of 300 people", format!("/console/starter/events/{}/signups", door.id)),
        ("an event of 200 shifts", format!("/console/starter/events/{}", camp.id)),
        ("public page of 200 shifts", format!("/events/{}", camp.slug)),
    ] {
        let page = Request::get(&path).with_header("cookie", &cookies);
        let page = page.with_header("accept-encoding", "gzip");
        let (bytes, millis) = site.runtime.block_on(async {
            let (mut connection, mut millis) = (Connection::open(port).await.unwrap(), vec![]);
            for _ in 0..LOADS {
                let began = Instant::now();
                assert_eq!(connection.send(&page).await.unwrap(), page.status, "{path}");
                millis.push(began.elapsed().as_secs_f64() * 1e3);
            }
            (connection.body().len(), millis)
        });
        let (p50, p99) = (quantile(&millis, 0.5), quantile(&millis, 0.99));
        println!("{:<10} {name:<26} {bytes:>8} bytes{p50:>12.2}{p99:>12.2}", engine.name());
    }
}
