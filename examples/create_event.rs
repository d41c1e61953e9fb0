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

use signup_core::{EventInput, EventWithShifts, NewOrganization, Plan, Scopes, Service, from_json};
use signup_store_sql::SqliteStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("event.json");
    let json = std::fs::read(arguments.next().unwrap_or_else(beside))?;
    let folder = tempfile::tempdir()?;
    let database = arguments.next().unwrap_or_else(|| folder.path().join("signup.db"));

    let store = SqliteStore::open(&database).await?;
    let service = Service::new(store.clone());
    let organization = NewOrganization::new("Riverside Food Bank".parse()?).plan(Plan::Starter);
    let organization = service.admin().create_organization(organization).await?;
    let session = service.session_for(organization.id, Scopes::all()).await?;

    let created = session.create_event(from_json::<EventInput<'_>>(&json)).await;
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
