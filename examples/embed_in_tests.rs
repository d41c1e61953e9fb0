//! How a program that uses the service tests itself: with the memory store and a clock that stands still.
//!
//! The program is [`is_room_left`]; its tests are below, and run under `cargo test`. Run by itself, it shows the same.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;

use signup_core::{
    Capacity, EventId, FixedClock, Hours, NewEvent, NewOrganization, NewShift, Result, Scopes, Service,
    Session, SignUpInput, date, time,
};
use signup_store_memory::MemoryStore;

/// The program: whether a volunteer who comes now would find a shift with room.
async fn is_room_left(service: &Service, session: &Session, event: EventId) -> Result<bool> {
    let now = service.now();
    let shifts = session.shifts(event).await?;
    Ok(shifts.iter().any(|shift| shift.occupancy.has_room() && now < shift.interval().end))
}

/// What its tests need: a service with an event whose one shift needs one volunteer.
struct World {
    service: Service,
    clock: Arc<FixedClock>,
    session: Session,
    event: EventId,
}

impl World {
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
        let event = session.create_event(saturday).await?.outcome.event.id;
        Ok(Self { service, clock, session, event })
    }

    async fn sign_up(&self, email: &'static str) -> Result<()> {
        let shift = self.session.shifts(self.event).await?[0].id;
        let volunteer = SignUpInput { name: "Ada".into(), email: email.into(), ..SignUpInput::default() };
        let organization = self.session.organization_id();
        self.service.public().sign_up(organization, self.event, shift, &volunteer).await.map(|_| ())
    }

    async fn is_room_left(&self) -> Result<bool> {
        is_room_left(&self.service, &self.session, self.event).await
    }
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn Error>> {
    let world = World::new().await?;
    println!("At eight there is {}.", said(world.is_room_left().await?));
    world.sign_up("ada@example.org").await?;
    println!("When Ada has signed up there is {}.", said(world.is_room_left().await?));

    let world = World::new().await?;
    world.clock.advance(4 * 3600);
    println!("At noon, though nobody came, there is {}.", said(world.is_room_left().await?));
    Ok(())
}

fn said(is_room_left: bool) -> &'static str {
    if is_room_left { "still room" } else { "none left" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program itself runs, too.
    #[test]
    fn it_shows_what_it_is_there_to_show() {
        main().unwrap();
    }

    #[tokio::test]
    async fn the_last_place_is_gone_when_it_is_taken() {
        let world = World::new().await.unwrap();
        assert!(world.is_room_left().await.unwrap());
        world.sign_up("ada@example.org").await.unwrap();
        assert!(!world.is_room_left().await.unwrap());
    }

    #[tokio::test]
    async fn a_shift_that_is_over_has_no_room() {
        let world = World::new().await.unwrap();
        world.clock.advance(4 * 3600 - 1);
        assert!(world.is_room_left().await.unwrap());
        world.clock.advance(1);
        assert!(!world.is_room_left().await.unwrap());
    }
}
