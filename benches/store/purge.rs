//! A purge of many deleted events, and the patches beside it.

use std::time::Instant;

use signup_core::{
    Capacity, Day, Event, EventDates, EventId, OrganizationId, Shift, ShiftId, ShiftPatch, Timestamp, Write,
};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::engine::{self, Engine, new_event};
use crate::report;

/// The numbers of deleted shifts. The time for each of the last is compared with that for each of the first.
const SIZES: [u32; 2] = [20_000, 200_000];
/// The number of shifts of each deleted event.
const SHIFTS: u32 = 500;
/// The number of records of each call, as in the server.
const LIMIT: u32 = 500;

/// Purges as the server does, while one caller patches a shift again and again.
pub(crate) fn measure(runtime: &Runtime, engine: &Engine) {
    let mut costs = vec![];
    for size in SIZES {
        let (seconds, longest) = runtime.block_on(purge_beside_a_patch(engine, size));
        costs.push(seconds / f64::from(size) * 1e6);
        report(&format!("time for each of {size} deleted shifts"), costs[costs.len() - 1], "µs", None);
        report("longest patch beside the purge", longest, "ms", Some(250.0));
    }
    // A cost that grows with the square of the number would be ten times as high.
    report("time for each shift, last size to first", costs[1] / costs[0], "", Some(2.0));
}

/// Returns how many seconds the purge takes, and how many milliseconds the longest patch.
async fn purge_beside_a_patch(engine: &Engine, shifts: u32) -> (f64, f64) {
    let database = engine.database(1).await;
    let service = engine::service(&database.stores[0]);
    let organization = engine::organization(&service).await;
    engine::fill(&*database.stores[0], (0..shifts / SHIFTS).flat_map(|event| deleted(organization, event)))
        .await;
    engine.settle(&database);
    let session = engine::session(&service, organization).await;
    let shift = session.create_event(new_event(1)).await.unwrap().shifts[0].id;
    let admin = service.admin();
    let purge = tokio::spawn(async move {
        let began = Instant::now();
        while admin.purge(LIMIT).await.unwrap() >= LIMIT.into() {}
        began.elapsed().as_secs_f64()
    });
    let (mut longest, mut capacity) = (0_f64, 1);
    while !purge.is_finished() {
        capacity = capacity % 1000 + 1;
        let patch = ShiftPatch::new().capacity(Capacity::new(capacity).unwrap());
        let began = Instant::now();
        drop(session.patch_shift(shift, patch).await.unwrap());
        longest = longest.max(began.elapsed().as_secs_f64() * 1e3);
    }
    (purge.await.unwrap(), longest)
}

/// Returns the writes of a deleted event and of its shifts.
fn deleted(organization: OrganizationId, number: u32) -> impl Iterator<Item = Write> {
    let (title, then) = ("Food drive".parse().unwrap(), Timestamp::UNIX_EPOCH);
    let first = Day::new("1970-01-01".parse().unwrap(), "UTC".parse().unwrap());
    let id = |number: u32| Uuid::from_u128(1 + u128::from(number));
    let dates = EventDates { first, last: None };
    let mut event = Event::new(
        EventId::new(id(number)),
        organization,
        title,
        format!("food-drive-{number}"),
        dates,
        then,
    );
    event.deleted_at = Some(then);
    let event_id = event.id;
    let shifts = (0..SHIFTS).map(move |place| {
        let (id, title) = (ShiftId::new(id(number * SHIFTS + place)), "Packing".parse().unwrap());
        let mut shift = Shift::new(id, organization, event_id, title, Capacity::new(8).unwrap(), then);
        shift.deleted_at = Some(then);
        Write::insert(shift)
    });
    std::iter::once(Write::insert(event)).chain(shifts)
}
