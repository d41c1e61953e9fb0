//! Races of edits of an event and of its shifts, on every store.

use std::sync::Arc;

use super::races::Race;
use crate::*;

/// If an event loses its last day while a shift moves to that day, or is added there, only the first commit succeeds. No
/// shift is outside of its event.
pub async fn an_event_loses_no_day_that_gets_a_shift_at_once(store: Arc<dyn Store>) {
    for is_added in [false, true] {
        for race in Race::each(&store).await {
            let session = async |process: usize| {
                race.services[process].session_for(race.organization, Scopes::all()).await.unwrap()
            };
            let (here, there) = (session(0).await, session(1).await);
            let shift = || NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap());
            let new = NewEvent::new("Camp".parse().unwrap(), date(2099, 6, 5), "UTC".parse().unwrap());
            let created = here.create_event(new.end_date(date(2099, 6, 6)).shift(shift())).await.unwrap();
            let (event, first) = (created.event.id, created.shifts[0].id);
            let shorten =
                async move { here.patch_event(event, EventPatch::new().clear_end_date()).await.map(drop) };
            let second_day = Hours::ALL_DAY.on_day(2).unwrap();
            let fill = async move {
                if is_added {
                    there.add_shifts(event, vec![shift().hours(second_day)]).await.map(drop)
                } else {
                    there.patch_shift(first, ShiftPatch::new().day(2)).await.map(drop)
                }
            };
            let outcomes: [Result<()>; 2] = race.run(shorten, fill).await.into();
            let winner = race.first().unwrap_or_else(|| usize::from(outcomes[0].is_err()));
            let day =
                if is_added { FaultPath::new().field("shifts").index(0).field("day") } else { "day".into() };
            let refusal = match winner {
                0 => Faults::one(day, FaultKind::NoSuchDay { days: 1 }),
                _ => Faults::one("end_date", FaultKind::LeavesOutDay { day: 2 }),
            };
            assert_eq!(outcomes[winner], Ok(()), "{:?}", race.places);
            assert_eq!(outcomes[1 - winner], Err(Error::Invalid(refusal)), "{:?}", race.places);
        }
    }
}
