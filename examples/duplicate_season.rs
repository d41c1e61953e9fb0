//! Copies one event to the twelve Saturdays of a season, across a clock change.
//!
//! The program then requests the same copies again, like a script that was interrupted and restarted. The idempotency
//! key of each copy contains the date of the copy, so nothing is created twice.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;

use signup_core::{
    Capacity, Event, EventQuery, Hours, NewEvent, NewOrganization, NewShift, Scopes, Service, Session, date,
    time,
};
use signup_store_memory::MemoryStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = Service::new(MemoryStore::new());
    let organization = NewOrganization::new("Riverside Food Bank".parse()?);
    let organization = service.admin().create_organization(organization).await?;
    let session = service.session_for(organization.id, Scopes::all()).await?;

    let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?)
        .hours(Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?);
    let first = NewEvent::new("Saturday packing".parse()?, date(2027, 1, 30), "America/New_York".parse()?)
        .shift(packing);
    let source = session.create_event(first).await?.event;

    println!("Copies of the event on {}:", source.dates.first.date());
    copy_season(&session, &source).await?;
    println!("The same copies again:");
    copy_season(&session, &source).await?;

    let (mut pages, mut events) = (session.pages(EventQuery::default()), 0);
    while let Some(page) = pages.next().await? {
        events += page.items.len();
    }
    println!("{} copies exist.", events - 1);
    Ok(())
}

async fn copy_season(session: &Session, source: &Event) -> Result<(), Box<dyn Error>> {
    for week in 1..=12 {
        let date = source.dates.first.date().plus_days(7 * week).ok_or("the date is out of range")?;
        let copy = session.duplicate_event(source.id, date.date());
        let copy = copy.with_key(format!("season-2027/{date}").parse()?).reply().await?;
        let shift = &copy.value.shifts[0];
        let result = if copy.is_replay { "replayed" } else { "created" };
        println!("  {date}: {} by the wall clock, {} in UTC, {result}", shift.hours, shift.interval().start);
    }
    Ok(())
}
