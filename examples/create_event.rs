//! Creates an event from a JSON file and prints it, or prints every fault of the file.
//!
//! ```sh
//! cargo run -p signup-examples --example create_event [FILE [DATABASE]]
//! ```
//!
//! FILE defaults to `event.json` in this folder, DATABASE to a temporary database that is deleted at the end. The digest
//! of the file is the idempotency key, so a second run on the same database within 24 hours creates nothing.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use std::path::PathBuf;
use std::process::ExitCode;

use signup_core::{Digest, Error, EventWithShifts, Input, NewEvent, NewOrganization, Plan, Scopes, Service};
use signup_store_sql::SqliteStore;

#[tokio::main]
async fn main() -> ExitCode {
    let Err(error) = run().await else { return ExitCode::SUCCESS };
    eprintln!("{error}");
    ExitCode::FAILURE
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let file = arguments.next().unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/event.json").into());
    let cannot_read = |error| format!("cannot read {}: {error}", file.display());
    let json = std::fs::read_to_string(&file).map_err(cannot_read)?;
    let folder = tempfile::tempdir()?;
    let database = arguments.next().unwrap_or_else(|| folder.path().join("signup.db"));

    let store = SqliteStore::open(&database).await?;
    let service = Service::new(store.clone());
    let organization = match service.admin().find_organization("riverside-food-bank").await {
        Err(Error::NotFound) => {
            let new = NewOrganization::new("Riverside Food Bank".parse()?).plan(Plan::Starter);
            service.admin().create_organization(new).await?
        }
        found => found?,
    };
    let session = service.session_for(organization.id, Scopes::all()).await?;

    let input = Input::from_json(json.as_bytes());
    let checked = input.and_then(|input| NewEvent::from_input(input, session.limits()));
    let event = checked.map_err(|faults| {
        faults.iter().for_each(|fault| eprintln!("  {fault}"));
        format!("{} has faults, and no event was created", file.display())
    })?;
    let created =
        session.create_event(event).with_key(Digest::of(&json).to_string().parse()?).reply().await?;
    print(created.is_replay, &created.value);
    store.close().await;
    Ok(())
}

fn print(is_replay: bool, EventWithShifts { event, shifts, .. }: &EventWithShifts) {
    let (day, created) = (&event.dates.first, if is_replay { "Created already" } else { "Created" });
    println!("{created}: {} ({}), {} in {}", event.title, event.slug, day.date(), day.zone());
    for shift in shifts {
        let (title, hours, utc) = (shift.title.as_str(), shift.hours, shift.interval());
        let (start, end, needed) = (utc.start, utc.end, shift.occupancy.remaining());
        println!("  {title:<16} {hours} by the wall clock, {start} to {end} in UTC, {needed} needed");
    }
}
