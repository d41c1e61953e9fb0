//! Tests of a program that embeds the library, with the memory store and a fixed clock.
//!
//! The program is the function `is_room_left`. The tests are at the end of the file and run under `cargo test`.
//! `main` prints the same cases.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::sync::Arc;

use signup_core::{
    Capacity, EventId, FixedClock, Hours, NewEvent, NewOrganization, NewShift, NewSignup, Result, Scopes,
    Service, Session, date, time,
};
use signup_store_memory::MemoryStore;

/// Returns whether any shift of the event has room and is not over. This is the program under test.
async fn is_room_left(service: &Service, session: &Session, event: EventId) -> Result<bool> {
    let now = service.now();
    let shifts = session.shifts(event).await?;
    Ok(shifts.iter().any(|shift| shift.takes_signups(now)))
}

/// A service with a fixed clock and an event whose only shift needs one volunteer.
struct Fixture {
    service: Service,
    clock: Arc<FixedClock>,
    session: Session,
    event: EventId,
}

impl Fixture {
    async fn new() -> std::result::Result<Self, Box<dyn Error>> {
        let clock = Arc::new(FixedClock::at("2027-06-05T08:00:00Z".parse()?));
        let service = Service::new(MemoryStore::new()).with_clock(Arc::clone(&clock));
        let organization = NewOrganization::new("Test".parse()?);
        let organization = service.admin().create_organization(organization).await?;
        let session = service.session_for(organization.id, Scopes::all()).await?;
        let shift = NewShift::new("Packing".parse()?, Capacity::new(1)?)
            .hours(Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?);
        let saturday =
            NewEvent::new("Saturday".parse()?, date(2027, 6, 5), "UTC".parse()?).shift(shift).published();
        let event = session.create_event(saturday).await?.event.id;
        Ok(Self { service, clock, session, event })
    }

    async fn sign_up(&self, email: &str) -> std::result::Result<(), Box<dyn Error>> {
        let shift = self.session.shifts(self.event).await?[0].id;
        let volunteer = NewSignup::new("Ada".parse()?, email.parse()?);
        let form = self.service.volunteers().form_of(self.session.organization_id(), [shift]).await?;
        form.sign_up(volunteer).await?.into_places()?;
        Ok(())
    }

    async fn is_room_left(&self) -> Result<bool> {
        is_room_left(&self.service, &self.session, self.event).await
    }
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn Error>> {
    let fixture = Fixture::new().await?;
    println!("At 08:00: {}", text(fixture.is_room_left().await?));
    fixture.sign_up("ada@example.org").await?;
    println!("After the sign-up of Ada: {}", text(fixture.is_room_left().await?));

    let fixture = Fixture::new().await?;
    fixture.clock.advance(4 * 3600);
    println!("At 12:00 without a sign-up: {}", text(fixture.is_room_left().await?));
    Ok(())
}

fn text(is_room_left: bool) -> &'static str {
    if is_room_left { "a shift has room" } else { "no shift has room" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `main`, because `cargo test` builds this file only as a test.
    #[test]
    fn main_succeeds() {
        main().unwrap();
    }

    #[tokio::test]
    async fn a_sign_up_takes_the_last_place() {
        let fixture = Fixture::new().await.unwrap();
        assert!(fixture.is_room_left().await.unwrap());
        fixture.sign_up("ada@example.org").await.unwrap();
        assert!(!fixture.is_room_left().await.unwrap());
    }

    #[tokio::test]
    async fn a_shift_that_is_over_has_no_room() {
        let fixture = Fixture::new().await.unwrap();
        fixture.clock.advance(4 * 3600 - 1);
        assert!(fixture.is_room_left().await.unwrap());
        fixture.clock.advance(1);
        assert!(!fixture.is_room_left().await.unwrap());
    }
}
