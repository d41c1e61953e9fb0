//! Copies one event to the twelve Saturdays of a season, across a clock change; and does it twice, as a script does that was
//! cut off and started again. The second time makes nothing new, because each copy has an idempotency key of its date.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;

use signup_core::{
    Call, DuplicateInput, Event, EventDate, EventInput, EventListInput, Name, NewOrganization, NewToken,
    Plan, Service, ShiftInput,
};
use signup_store_memory::MemoryStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = Service::new(Arc::new(MemoryStore::new()));
    let name = Name::new("Riverside Food Bank")?;
    let new = NewOrganization { name: name.clone(), plan: Plan::Free, sport: None, public_url: None };
    let organization = service.create_organization(new).await?;
    let (_, token) = service.create_token(organization.id, &NewToken::with_every_scope(name)).await?;
    let call = service.authenticate(token.reveal()).await?;

    let packing = ShiftInput {
        title: "Packing".into(),
        start_time: "09:00".into(),
        end_time: "12:00".into(),
        capacity: 8.into(),
        ..ShiftInput::default()
    };
    let first = EventInput {
        title: "Saturday packing".into(),
        start_date: "2027-01-30".into(),
        timezone: "America/New_York".into(),
        shifts: vec![packing].into(),
        ..EventInput::default()
    };
    let source = service.create_event(&call, None, &first).await?.outcome.event;

    println!("The season, copied from {}:", source.dates.first.date());
    copy_season(&service, &call, &source).await?;
    println!("The same script again:");
    copy_season(&service, &call, &source).await?;

    let all = EventListInput { per_page: Some("100".into()), ..EventListInput::default() };
    let copies = service.list_events(&call, &all).await?.events.len() - 1;
    println!("{copies} events were made.");
    Ok(())
}

async fn copy_season(service: &Service, call: &Call, source: &Event) -> Result<(), Box<dyn Error>> {
    for week in 1..=12 {
        let date: EventDate = source.dates.first.date().plus_days(7 * week).ok_or("the calendar ends")?;
        let (date, key) = (date.to_string(), format!("season-2027/{date}").parse()?);
        let input = DuplicateInput { start_date: date.as_str().into() };
        let reply = service.duplicate_event(call, Some(&key), source.id, &input).await?;
        let shift = &reply.outcome.shifts[0];
        let news = if reply.is_replay { "was there" } else { "made" };
        println!("  {date}: {} by the wall clock, {} in UTC, {news}", shift.hours, shift.interval().start);
    }
    Ok(())
}
