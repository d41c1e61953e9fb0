//! Creates an event from a JSON file and prints it, or prints every fault of the file.
//!
//! ```sh
//! cargo run -p signup-examples --example create_event [FILE [DATABASE]]
//! ```
//!
//! FILE defaults to `event.json` in the folder of this example. DATABASE defaults to a temporary database, which is
//! deleted at the end.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::path::PathBuf;

use signup_core::{EventInput, EventWithShifts, NewOrganization, Plan, Scopes, Service, from_json};
use signup_store_sql::SqliteStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let default_file = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("event.json");
    let json = std::fs::read(arguments.next().unwrap_or_else(default_file))?;
    let folder = tempfile::tempdir()?;
    let database = arguments.next().unwrap_or_else(|| folder.path().join("signup.db"));

    let store = SqliteStore::open(&database).await?;
    let service = Service::new(store.clone());
    let organization = NewOrganization::new("Riverside Food Bank".parse()?).plan(Plan::Starter);
    let organization = service.admin().create_organization(organization).await?;
    let session = service.session_for(organization.id, Scopes::all()).await?;

    let created = session.create_event(from_json::<EventInput<'_>>(&json)).await;
    match created {
        Ok(reply) => print(&reply.outcome),
        Err(signup_core::Error::Invalid(faults)) => {
            println!("The file has faults:");
            faults.iter().for_each(|fault| println!("  {fault}"));
        }
        Err(error) => return Err(error.into()),
    }
    store.close().await;
    Ok(())
}

fn print(created: &EventWithShifts) {
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
