//! Properties of edits of an event, through a session.

use std::sync::Arc;

use proptest::prelude::*;
use signup_core::*;

use crate::generators::{days, hours, zones};
use crate::recorded::Recorded;
use crate::scene::place;

/// A session of an organization with the longest events, and the parts that a test needs beside it.
struct World {
    service: Service,
    clock: Arc<FixedClock>,
    session: Session,
}

impl World {
    async fn at(now: &str) -> Self {
        let clock = Arc::new(FixedClock::at(now.parse().unwrap()));
        let service = Service::new(Wrapped(Recorded::default())).with_clock(Arc::clone(&clock));
        let organization = NewOrganization::new(Name::new("Riverside").unwrap()).plan(Plan::Pro);
        let organization = service.admin().create_organization(organization).await.unwrap();
        let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
        Self { service, clock, session }
    }

    /// Creates a published event on `day` that lasts `length` days longer, if the calendar allows it.
    async fn event(&self, day: &Day, length: Option<i64>, shifts: &[(Hours, u32)]) -> EventWithShifts {
        let mut new = NewEvent::new("A".parse().unwrap(), day.date().date(), day.zone().clone()).published();
        if let Some(last) = length.and_then(|length| day.date().plus_days(length)) {
            new = new.end_date(last.date());
        }
        let days = new.end_date.map_or(1, |last| last.duration_since(new.start_date).as_hours() / 24 + 1);
        for (number, (hours, capacity)) in (0..).zip(shifts) {
            let capacity = Capacity::new(*capacity).unwrap();
            // A shift on each day of a short event.
            let hours = hours.on_day(1 + number % u32::try_from(days).unwrap()).unwrap();
            new = new.shift(NewShift::new("S".parse().unwrap(), capacity).hours(hours));
        }
        self.session.create_event(new).await.unwrap()
    }

    async fn patch(&self, event: &Event, patch: EventPatch) -> Result<EventWithShifts> {
        self.session.patch_event(event.id, patch).await
    }

    async fn sign_up(&self, shift: &Shift, number: u32) -> Result<Place> {
        let email = format!("v{number}@example.org");
        let new = NewSignup::new("Ada".parse().unwrap(), email.parse().unwrap());
        place(self.service.volunteers().form_of(shift.organization, [shift.id]).await?.sign_up(new).await)
    }
}

/// Returns the event and its shifts without what every edit changes: the versions, the announced changes and the times of the
/// last change.
fn without_versions(found: EventWithShifts) -> (Event, Vec<ScheduledShift>) {
    let EventWithShifts { mut event, mut shifts, .. } = found;
    event.version = 0;
    event.gate = 0;
    event.updated_at = event.created_at;
    for ScheduledShift { shift, .. } in &mut shifts {
        shift.version = 0;
        shift.gate = 0;
        shift.announced = 0;
        shift.updated_at = shift.created_at;
    }
    (event, shifts)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn some_hours() -> impl Strategy<Value = Vec<(Hours, u32)>> {
    prop::collection::vec((hours(), 1..5_u32), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), ..ProptestConfig::default() })]

    /// An event moved to any date and back is as it was: its days, the hours and the order of its shifts, and their
    /// volunteers. A move that the calendar does not allow changes nothing.
    #[test]
    fn a_detour_over_any_date_loses_nothing(
        day in days(), other in days(), length in prop::option::of(0..366_i64), shifts in some_hours(), volunteers in 0..4_u32,
    ) {
        block_on(async {
            let world = World::at("1970-01-01T00:00:01Z").await;
            let before = world.event(&day, length, &shifts).await;
            for number in 0..volunteers {
                if let Some(shift) = before.shifts.first() {
                    // Fails if the shift is full or over.
                    drop(world.sign_up(shift, number).await);
                }
            }
            let before = world.session.event(before.event.id).await.unwrap();
            world.clock.advance(60);
            let there = world.patch(&before.event, EventPatch::new().start_date(other.date().date())).await;
            match there {
                Ok(there) => {
                    prop_assert_eq!(there.event.dates.first.date(), other.date());
                    prop_assert_eq!(there.event.dates.days(), before.event.dates.days());
                }
                Err(Error::Invalid(_)) => {
                    prop_assert!(before.event.dates.moved_to(other.date()).is_none());
                    prop_assert_eq!(&world.session.event(before.event.id).await.unwrap(), &before);
                    return Ok(());
                }
                Err(error) => panic!("{error:?}"),
            }
            let back = world.patch(&before.event, EventPatch::new().start_date(day.date().date())).await.unwrap();
            let stored = world.session.event(before.event.id).await.unwrap();
            prop_assert_eq!(&stored, &back, "the answer is what is stored");
            prop_assert_eq!(without_versions(back), without_versions(before));
            Ok(())
        })?;
    }

    /// In another zone, an event has the same dates, and its shifts have the same wall times. The instants are those of
    /// the wall times in the new zone.
    #[test]
    fn a_change_of_zone_keeps_every_date_and_wall_time(
        day in days(), zone in zones(), length in prop::option::of(0..366_i64), shifts in some_hours(),
    ) {
        block_on(async {
            let world = World::at("1970-01-01T00:00:01Z").await;
            let before = world.event(&day, length, &shifts).await;
            let moved = world.patch(&before.event, EventPatch::new().zone(zone.clone())).await.unwrap();
            let moved_day = Day::new(day.date(), zone.clone());
            prop_assert_eq!(&moved.event.dates.first, &moved_day);
            prop_assert_eq!(moved.event.dates.last, before.event.dates.last);
            prop_assert_eq!(moved.shifts.len(), before.shifts.len());
            for shift in &before.shifts {
                let found = moved.shifts.iter().find(|found| found.id == shift.id).unwrap();
                prop_assert_eq!(found.hours, shift.hours);
                prop_assert_eq!(found.interval(), moved_day.interval(shift.hours));
            }
            let order: Vec<_> = moved.shifts.iter().map(ScheduledShift::order_key).collect();
            prop_assert!(order.is_sorted(), "running order");
            let back = world.patch(&before.event, EventPatch::new().zone(day.zone().clone())).await.unwrap();
            prop_assert_eq!(without_versions(back), without_versions(before));
            Ok(())
        })?;
    }
}

/// The version of an event changes with its shifts and questions.
#[tokio::test]
async fn updated_at_of_an_event_stays_when_its_shifts_questions_or_sign_ups_change() {
    let scene = crate::scene::Scene::start().await;
    let (event, shift) = scene.event(3).await;
    let (session, shift) = (&scene.session, &shift.shift);
    scene.clock.advance(60);
    scene.sign_up(shift, "ada").await.unwrap();
    let capacity = ShiftPatch::new().capacity(Capacity::new(9).unwrap());
    session.patch_shift(shift.id, capacity).await.unwrap();
    let diet = NewQuestion::new("Diet".parse().unwrap(), QuestionKind::Text);
    let question = session.add_question(event.id, diet).await.unwrap().id;
    session.patch_question(question, QuestionPatch::new().label("Food".parse().unwrap())).await.unwrap();
    session.delete_question(question).await.unwrap();
    let late = NewShift::new("Late".parse().unwrap(), Capacity::new(1).unwrap());
    let late = session.add_shifts(event.id, vec![late]).await.unwrap()[0].shift.id;
    session.delete_shift(late, DeleteShift::new()).await.unwrap();
    assert_eq!(session.event(event.id).await.unwrap().event.updated_at, event.updated_at);
}
