//! How a program that uses the service tests itself: with the memory store and a clock that stands still.
//!
//! The program is [`is_room_left`]; its tests are below, and run under `cargo test`. Run by itself, it shows the same.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;

use signup_core::{
    Call, Clock, EventId, EventInput, FixedClock, Name, NewOrganization, NewToken, Plan, Result, Service,
    ShiftInput, SignUpInput,
};
use signup_store_memory::MemoryStore;

/// The program: whether somebody who comes now would still find a shift with room.
async fn is_room_left(service: &Service, call: &Call, event: EventId) -> Result<bool> {
    let now = service.now();
    let shifts = service.list_shifts(call, event).await?;
    Ok(shifts.iter().any(|shift| shift.occupancy.has_room() && now < shift.interval().end))
}

/// What its tests need: a service with an event whose one shift needs one volunteer.
struct World {
    service: Service,
    clock: Arc<FixedClock>,
    call: Call,
    event: EventId,
}

impl World {
    async fn new() -> std::result::Result<Self, Box<dyn Error>> {
        let clock = Arc::new(FixedClock::at("2027-06-05T08:00:00Z".parse()?));
        let service =
            Service::new(Arc::new(MemoryStore::new())).with_clock(Arc::clone(&clock) as Arc<dyn Clock>);
        let name = Name::new("Test")?;
        let new = NewOrganization { name: name.clone(), plan: Plan::Free, sport: None, public_url: None };
        let organization = service.create_organization(new).await?;
        let (_, token) = service.create_token(organization.id, &NewToken::with_every_scope(name)).await?;
        let call = service.authenticate(token.reveal()).await?;
        let shift = ShiftInput {
            title: "Packing".into(),
            start_time: "09:00".into(),
            end_time: "12:00".into(),
            capacity: 1.into(),
            ..ShiftInput::default()
        };
        let input = EventInput {
            title: "Saturday".into(),
            start_date: "2027-06-05".into(),
            timezone: "UTC".into(),
            is_published: true.into(),
            shifts: vec![shift].into(),
            ..EventInput::default()
        };
        let event = service.create_event(&call, None, &input).await?.outcome.event.id;
        Ok(Self { service, clock, call, event })
    }

    async fn sign_up(&self, email: &'static str) -> Result<()> {
        let shift = self.service.list_shifts(&self.call, self.event).await?[0].id;
        let volunteer = SignUpInput { name: "Ada".into(), email: email.into(), ..SignUpInput::default() };
        self.service.sign_up(self.call.organization, self.event, shift, &volunteer).await.map(|_| ())
    }

    async fn is_room_left(&self) -> Result<bool> {
        is_room_left(&self.service, &self.call, self.event).await
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
