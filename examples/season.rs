//! The events of a season, from a template to the last Saturday: twelve copies are published, one is moved, and one is
//! cancelled. At the end the program prints which Saturdays still need volunteers.
//!
//! ```sh
//! cargo run -p signup-examples --example season
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;

use signup_core::{
    Cancellation, Capacity, CoverageQuery, CoverageState, EventCoverage, EventId, EventPatch,
    EventWithShifts, FixedClock, Hours, NewEvent, NewOrganization, NewShift, NewSignup, Plan, Scopes,
    Service, Session, date, time,
};
use signup_store_memory::MemoryStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let service =
        Service::new(MemoryStore::new()).with_clock(FixedClock::at("2027-02-01T08:00:00Z".parse()?));
    // The plan `calendar` allows 25 active events. The template is a draft, so it does not count.
    let organization = NewOrganization::new("Riverside Food Bank".parse()?).plan(Plan::Calendar);
    let organization = service.admin().create_organization(organization).await?;
    let session = service.session_for(organization.id, Scopes::all()).await?;

    let template = session.create_event(template()?).await?.event.id;
    let season = publish_season(&session, template).await?;
    for name in ["Ada", "Bob", "Eve"] {
        sign_up(&service, &season[0], name).await?;
    }
    sign_up(&service, &season[2], "Ada").await?;

    // The volunteers of a moved or cancelled event get a mail. The example `volunteers` shows how mails are delivered.
    let sunday = EventPatch::new().start_date(date(2027, 3, 21)).location("Hall B".parse()?);
    let moved = session.patch_event(season[2].event.id, sunday).await?.event;
    println!(
        "Moved to {}, at {}.",
        moved.dates.first.date(),
        moved.location.as_ref().map_or("", |at| at.as_str())
    );
    let storm = Cancellation::new().reason("A storm is forecast.".parse()?);
    let cancelled = session.cancel_event(season[5].event.id, storm).await?.event;
    println!("Cancelled: {}.", cancelled.dates.first.date());

    // The template is a draft, and one event is cancelled. The list has neither.
    let mut pages = session.pages(CoverageQuery::new());
    while let Some(page) = pages.next().await? {
        page.items.iter().for_each(print_coverage);
    }
    Ok(())
}

/// Returns the draft that every Saturday is copied from.
fn template() -> Result<NewEvent, Box<dyn Error>> {
    let morning = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?;
    let loading = Hours::between(time(12, 0, 0, 0), time(13, 30, 0, 0))?;
    let template = NewEvent::new("Saturday packing".parse()?, date(2027, 2, 27), "America/New_York".parse()?)
        .shift(NewShift::new("Packing".parse()?, Capacity::new(2)?).hours(morning))
        .shift(NewShift::new("Loading".parse()?, Capacity::new(1)?).hours(loading));
    Ok(template)
}

/// Copies the template to the twelve Saturdays after it, and publishes the copies.
///
/// A second run creates and changes nothing: each copy has an idempotency key, and a published event stays as it is.
async fn publish_season(
    session: &Session,
    template: EventId,
) -> Result<Vec<EventWithShifts>, Box<dyn Error>> {
    let first = session.event(template).await?.event.dates.first.date();
    let mut season = vec![];
    for week in 1..=12 {
        let date = first.plus_days(7 * week).ok_or("the date is out of range")?;
        let copy = session.duplicate_event(template, date.date());
        let copy = copy.with_key(format!("season-2027/{date}").parse()?).await?;
        season.push(session.publish_event(copy.event.id).await?);
    }
    Ok(season)
}

/// Signs a volunteer up for the first shift that has room.
async fn sign_up(service: &Service, copy: &EventWithShifts, name: &str) -> Result<(), Box<dyn Error>> {
    let email = format!("{}@example.org", name.to_lowercase());
    let volunteer = NewSignup::new(name.parse()?, email.parse()?);
    let page = service.volunteers().event(&copy.event.slug).await?;
    let open = page.shifts.iter().find(|shift| shift.occupancy.has_room()).ok_or("every shift is full")?;
    service.volunteers().form(&copy.event.slug, [open.id]).await?.sign_up(volunteer).await?.into_places()?;
    Ok(())
}

/// Prints what an event still needs.
fn print_coverage(EventCoverage { event, coverage, .. }: &EventCoverage) {
    let open = coverage.shifts.iter().filter(|found| found.state == CoverageState::Open);
    let open: Vec<_> = open.map(|found| format!("{} for {}", found.remaining, found.shift.title)).collect();
    let state = if coverage.is_covered {
        format!("covered by {} volunteers", coverage.filled)
    } else {
        format!("needs {} of {}: {}", coverage.remaining, coverage.capacity, open.join(", "))
    };
    println!("{}: {state}", event.dates.first.date());
}
