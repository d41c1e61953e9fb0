//! Imports a schedule of several days from a CSV file over HTTP. The program can be run every night.
//!
//! ```sh
//! SIGNUP_URL=http://127.0.0.1:8080 SIGNUP_TOKEN=signup_… cargo run -p signup-examples --example import_schedule schedule.csv
//! ```
//!
//! Without both variables, the program starts a server of its own. Without a file, it imports `schedule.csv` of this folder
//! twice, and the second import changes nothing. Several files are imported one after the other.
//!
//! The module `schedule` describes the file. The id of a line is the `external_id` of its shift. A new id creates a shift,
//! and a known one changes the fields that differ. A shift without a line stays as it is, and is named. The event ends with
//! the day of its last shift.
//!
//! The program prints every fault with its line, and then exits with code 1. A fault in the file leaves everything as it is.
//! If the server refuses a request, the other requests are still sent.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

#[expect(dead_code, reason = "the module is written for the example `list_events`, too")]
mod client;
mod schedule;
mod server;

use std::collections::{HashMap, HashSet};
use std::env::{VarError, var};
use std::error::Error;
use std::path::{Path, PathBuf};

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use client::{ApiError, Client};
use schedule::{Line, Shift};
use server::Server;

/// The event that has the shifts, and its id in the system that writes the file. The program creates the event if it is missing.
const EXTERNAL_ID: &str = "harbour-festival-2027";
const TITLE: &str = "Harbour festival";
const FIRST_DAY: Date = date(2027, 7, 2);
const TIMEZONE: &str = "Europe/Berlin";
/// The largest number of shifts in a request.
const MAX_SHIFTS: usize = 500;

/// An event, without the fields that the program does not use.
#[derive(Debug, Deserialize)]
struct Event {
    id: String,
    local_start_date: Date,
    /// `None` if the event has one day.
    local_end_date: Option<Date>,
}

/// A shift on the server.
#[derive(Debug, Deserialize)]
struct Slot {
    id: String,
    #[serde(flatten)]
    shift: Shift,
}

/// What an import did.
#[derive(Debug, Default)]
struct Report {
    created: usize,
    changed: usize,
    unchanged: usize,
    /// The titles of the shifts with an id that no line has.
    without_line: Vec<String>,
    faults: Vec<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut files: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        files = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("schedule.csv"); 2];
    }
    // The server ends when its value is dropped.
    let (client, _server) = match (var("SIGNUP_URL"), var("SIGNUP_TOKEN")) {
        (Ok(url), Ok(token)) => (Client::new(&url, &token), None),
        (Err(VarError::NotPresent), Err(VarError::NotPresent)) => {
            let server = Server::start()?;
            (Client::new(&server.url, &server.token), Some(server))
        }
        (Err(error), _) => return Err(format!("SIGNUP_URL: {error}").into()),
        (_, Err(error)) => return Err(format!("SIGNUP_TOKEN: {error}").into()),
    };
    let mut is_faulty = false;
    for file in files {
        let name = file.display();
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
        let report = match schedule::read(&text, FIRST_DAY) {
            Ok(lines) => import(&client, &lines).await?,
            Err(faults) => Report { faults, ..Report::default() },
        };
        println!(
            "{name}: {} new, {} changed, {} unchanged",
            report.created, report.changed, report.unchanged
        );
        for shift in report.without_line {
            println!("{name}: no line for the shift {shift}");
        }
        for fault in &report.faults {
            eprintln!("{name}: {fault}");
        }
        is_faulty |= !report.faults.is_empty();
    }
    if is_faulty { Err("not all lines were imported".into()) } else { Ok(()) }
}

/// Creates and changes the shifts of the event.
async fn import(client: &Client, lines: &[Line]) -> Result<Report, Box<dyn Error>> {
    let event = event(client).await?;
    if event.local_start_date != FIRST_DAY {
        return Err(format!("the event begins on {}, and not on {FIRST_DAY}", event.local_start_date).into());
    }
    let event_path = format!("/v1/events/{}", event.id);
    let slots_path = format!("{event_path}/slots");
    let slots: Vec<Slot> = client::record(|| client.request(Method::GET, &slots_path)).await?;
    let ids: HashSet<_> = lines.iter().map(|line| &line.shift.external_id).collect();
    let (known, others): (Vec<_>, Vec<_>) =
        slots.into_iter().partition(|slot| ids.contains(&slot.shift.external_id));
    let known: HashMap<_, _> = known.iter().map(|slot| (&slot.shift.external_id, slot)).collect();

    // The other shifts stay on their days.
    let days = lines.iter().map(|line| line.shift.day).chain(others.iter().map(|slot| slot.shift.day));
    let last_day = FIRST_DAY.checked_add((days.max().unwrap_or(1) - 1).days())?;
    let present_last_day = event.local_end_date.unwrap_or(FIRST_DAY);
    if last_day > present_last_day {
        client.send::<Event>(Method::PATCH, &event_path, &json!({"end_date": last_day}), None).await?;
    }

    let mut report = Report::default();
    let mut new = vec![];
    for line in lines {
        match known.get(&line.shift.external_id) {
            None => new.push(line),
            Some(slot) if slot.shift == line.shift => report.unchanged += 1,
            Some(slot) => {
                let path = format!("/v1/slots/{}", slot.id);
                match client.send::<Slot>(Method::PATCH, &path, &line.shift, None).await {
                    Ok(_) => report.changed += 1,
                    Err(error) => report.faults.extend(faults(error, &[line])?),
                }
            }
        }
    }
    for lines in new.chunks(MAX_SHIFTS) {
        let shifts: Vec<_> = lines.iter().map(|line| &line.shift).collect();
        let body = json!({"shifts": shifts});
        match client.send::<Vec<Slot>>(Method::POST, &slots_path, &body, Some(&new_key())).await {
            Ok(slots) => report.created += slots.len(),
            Err(error) => report.faults.extend(faults(error, lines)?),
        }
    }
    let is_ours = |slot: &&Slot| slot.shift.external_id.is_some();
    report.without_line = others.iter().filter(is_ours).map(|slot| slot.shift.title.clone()).collect();
    if last_day < present_last_day && report.faults.is_empty() {
        client.send::<Event>(Method::PATCH, &event_path, &json!({"end_date": last_day}), None).await?;
    }
    Ok(report)
}

/// Finds the event, or creates it as a draft of one day.
async fn event(client: &Client) -> Result<Event, ApiError> {
    let find = || client.request(Method::GET, "/v1/events").query(&[("external_id", EXTERNAL_ID)]);
    let found: Vec<Event> = client::record(find).await?;
    if let Some(event) = found.into_iter().next() {
        return Ok(event);
    }
    let event =
        json!({"title": TITLE, "external_id": EXTERNAL_ID, "start_date": FIRST_DAY, "timezone": TIMEZONE});
    client.send(Method::POST, "/v1/events", &event, Some(&new_key())).await
}

/// Returns the idempotency key of a request. The client retries with the same key, so a retry creates nothing.
fn new_key() -> String {
    Uuid::new_v4().to_string()
}

/// Returns the faults of a refused request, in the order of the lines.
///
/// # Errors
/// Returns an error that the lines did not cause, such as that of a wrong token.
fn faults(error: ApiError, lines: &[&Line]) -> Result<Vec<String>, ApiError> {
    let ApiError::Refused {
        status: StatusCode::UNPROCESSABLE_ENTITY | StatusCode::CONFLICT,
        message,
        errors,
        ..
    } = error
    else {
        return Err(error);
    };
    if errors.is_empty() {
        return Ok(vec![format!("{}: {message}", place(lines))]);
    }
    let mut faults: Vec<_> = errors
        .into_iter()
        .map(|(field, messages)| {
            // A field of one of several shifts is named `shifts.3.title`.
            let index = field.strip_prefix("shifts.").and_then(|rest| rest.split('.').next()?.parse().ok());
            let line = index.and_then(|index: usize| lines.get(index..=index));
            (index, format!("{}: {}", place(line.unwrap_or(lines)), messages.join(" ")))
        })
        .collect();
    faults.sort();
    Ok(faults.into_iter().map(|(_, fault)| fault).collect())
}

fn place(lines: &[&Line]) -> String {
    match lines {
        [] => "no line".to_owned(),
        [line] => format!("line {}", line.number),
        [first, .., last] => format!("lines {} to {}", first.number, last.number),
    }
}
