//! Imports a schedule of several days from a CSV file over HTTP. The program can be run every night.
//!
//! ```sh
//! SIGNUP_URL=http://127.0.0.1:8080 SIGNUP_TOKEN=signup_… cargo run -p signup-examples --example import_schedule schedule.csv
//! ```
//!
//! The token needs the scopes `events:read`, `events:write`, `slots:read` and `slots:write`. Without both variables, the program
//! starts a server of its own. Without a file, it imports `schedule.csv` of this folder twice, and the second import changes
//! nothing. Several files are imported one after the other, as states of the same event.
//!
//! The module `schedule` describes the file. The id of a line is the `external_id` of its shift. A new id creates a shift. A known
//! one gives the shift the values of its line, so a change in the console is undone, and a shift that was deleted there is made
//! again. Volunteers are mailed about a new time or place. A shift whose line is gone stays as it is, and is named. The event
//! ends with the day of its last shift.
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
use std::process::ExitCode;

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
/// The largest number of new shifts in a request. The server takes 500, and at most 1 MiB: 100 shifts with the longest texts.
const MAX_SHIFTS: usize = 100;

/// An event, without the fields that the program does not use.
#[derive(Debug, Deserialize)]
struct Event {
    id: String,
    local_start_date: Date,
    /// `None` if the event has one day.
    local_end_date: Option<Date>,
    timezone: String,
    /// When the event was cancelled; `None` while it is not cancelled.
    cancelled_at: Option<String>,
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
    /// The new last day of the event.
    last_day: Option<Date>,
    /// The shifts with an id that no line has.
    without_line: Vec<String>,
    faults: Vec<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Err(error) = run().await else { return ExitCode::SUCCESS };
    eprintln!("{error}");
    ExitCode::FAILURE
}

async fn run() -> Result<(), Box<dyn Error>> {
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
    let mut is_complete = true;
    for file in files {
        let name = file.display();
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{name}: {error}"))?;
        let mut report = Report::default();
        let imported = match schedule::read(&text, FIRST_DAY) {
            Ok(lines) => import(&client, &lines, &mut report).await,
            Err(faults) => {
                report.faults = faults;
                Ok(())
            }
        };
        println!(
            "{name}: {} new, {} changed, {} unchanged",
            report.created, report.changed, report.unchanged
        );
        if let Some(day) = report.last_day {
            println!("{name}: the event now ends on {day}");
        }
        for shift in report.without_line {
            println!("{name}: no line for {shift}");
        }
        for fault in &report.faults {
            eprintln!("{name}: {fault}");
        }
        imported.map_err(|error| format!("{name}: {error}"))?;
        is_complete &= report.faults.is_empty();
    }
    if is_complete { Ok(()) } else { Err("Not all lines were imported.".into()) }
}

/// Creates and changes the shifts of the event. What was done stands in `report`, also after an error.
async fn import(client: &Client, lines: &[Line], report: &mut Report) -> Result<(), Box<dyn Error>> {
    let event = event(client).await?;
    if event.cancelled_at.is_some() {
        return Err("the event is cancelled".into());
    }
    if (event.local_start_date, &*event.timezone) != (FIRST_DAY, TIMEZONE) {
        let Event { local_start_date, timezone, .. } = event;
        return Err(format!(
            "the event begins on {local_start_date} ({timezone}), and not on {FIRST_DAY} ({TIMEZONE})"
        )
        .into());
    }
    let event_path = format!("/v1/events/{}", event.id);
    let slots_path = format!("{event_path}/slots");
    let slots: Vec<Slot> = client::record(|| client.request(Method::GET, &slots_path)).await?;
    let ids: HashSet<_> = lines.iter().map(|line| &line.shift.external_id).collect();
    let (known, others): (Vec<_>, Vec<_>) =
        slots.into_iter().partition(|slot| ids.contains(&slot.shift.external_id));
    let known: HashMap<_, _> = known.iter().map(|slot| (&slot.shift.external_id, slot)).collect();
    let without_line =
        others.iter().filter_map(|slot| Some((slot.shift.external_id.as_ref()?, &slot.shift.title)));
    report.without_line = without_line.map(|(id, title)| format!("{id} ({title})")).collect();

    // The other shifts stay on their days.
    let days = lines.iter().map(|line| line.shift.day).chain(others.iter().map(|slot| slot.shift.day));
    let last_day = days.max().unwrap_or(1);
    let mut present_last_day = (event.local_end_date.unwrap_or(FIRST_DAY) - FIRST_DAY).get_days() + 1;
    if last_day > present_last_day {
        let of_last_day: Vec<_> = lines.iter().filter(|line| line.shift.day == last_day).collect();
        match set_last_day(client, &event_path, last_day).await {
            Ok(event) => {
                report.last_day = event.local_end_date;
                present_last_day = last_day;
            }
            Err(error) => report.faults.extend(faults(error, &of_last_day)?),
        }
    }

    let mut new = vec![];
    for line in lines.iter().filter(|line| line.shift.day <= present_last_day) {
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
    if last_day < present_last_day && report.faults.is_empty() {
        set_last_day(client, &event_path, last_day).await?;
        report.last_day = FIRST_DAY.checked_add((last_day - 1).days()).ok();
    }
    Ok(())
}

/// Makes a day, by its number, the last one of the event.
async fn set_last_day(client: &Client, event_path: &str, day: i32) -> Result<Event, ApiError> {
    let end_date = FIRST_DAY.saturating_add((day - 1).days());
    client.send(Method::PATCH, event_path, &json!({"end_date": end_date}), None).await
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

/// Returns the idempotency key of a request. The client retries with the same key, so a retry creates no second record.
fn new_key() -> String {
    Uuid::new_v4().to_string()
}

/// Returns the faults of a request that the server refused because of its lines, in their order.
///
/// # Errors
/// Returns any other error, such as that of a wrong token.
fn faults(error: ApiError, lines: &[&Line]) -> Result<Vec<String>, ApiError> {
    let ApiError::Refused {
        // A shift is not found if it was deleted since it was read.
        status: StatusCode::UNPROCESSABLE_ENTITY | StatusCode::CONFLICT | StatusCode::NOT_FOUND,
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
    let numbers: Vec<_> = lines.iter().map(|line| line.number.to_string()).collect();
    format!("line {}", numbers.join(", "))
}
