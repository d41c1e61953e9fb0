//! Creates an event from a JSON file, and shows it; or shows everything that is wrong with the file.
//!
//! ```sh
//! cargo run -p signup-examples --example create_event [FILE [DATABASE]]
//! ```
//!
//! Without a file it takes `event.json` beside this program; without a database it uses one that goes with the program.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use signup_core::{EventInput, EventWithShifts, Name, NewOrganization, NewToken, Plan, Service, from_json};
use signup_store_sql::SqliteStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("event.json");
    let json = std::fs::read(arguments.next().unwrap_or_else(beside))?;
    let folder = tempfile::tempdir()?;
    let database = arguments.next().unwrap_or_else(|| folder.path().join("signup.db"));

    let store = SqliteStore::open(&database).await?;
    let service = Service::new(Arc::new(store.clone()));
    let name = Name::new("Riverside Food Bank")?;
    let new = NewOrganization { name: name.clone(), plan: Plan::Starter, sport: None, public_url: None };
    let organization = service.create_organization(new).await?;
    let (_, token) = service.create_token(organization.id, &NewToken::with_every_scope(name)).await?;
    let call = service.authenticate(token.reveal()).await?;

    let input: Result<EventInput<'_>, _> = from_json(&json);
    let created = match input {
        Ok(input) => service.create_event(&call, None, &input).await,
        Err(faults) => Err(faults.into()),
    };
    match created {
        Ok(reply) => show(&reply.outcome),
        Err(signup_core::Error::Invalid(faults)) => {
            println!("The file is not an event:");
            faults.iter().for_each(|fault| println!("  {}: {}", fault.field, fault.message));
        }
        Err(error) => return Err(error.into()),
    }
    store.close().await;
    Ok(())
}

fn show(created: &EventWithShifts) {
    let event = &created.event;
    let zone = event.dates.first.zone();
    println!("{} ({}), {} in {}", event.title, event.slug, event.dates.first.date(), zone);
    for shift in &created.shifts {
        let interval = shift.interval();
        let local = |instant| zone.rules().to_datetime(instant).time();
        println!(
            "  {:<16} {}–{} by the wall clock, {} to {} in UTC, {} needed",
            shift.title.as_str(),
            local(interval.start),
            local(interval.end),
            interval.start,
            interval.end,
            shift.occupancy.remaining(),
        );
    }
}
