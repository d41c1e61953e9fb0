//! Edits of an event: a patch and a publication beside a patch of a shift, and a cancellation with many sign-ups.

use signup_benches::{Report, in_turn, median, per_call};
use signup_core::{Cancellation, EventId};
use tokio::runtime::Runtime;

use crate::engine::Engine;
use crate::operation::Operation;
use crate::site::{Site, publish};
use crate::{SMALLEST, line};

/// The number of rounds of edits. With 41 rounds the ratios differ by 5% between runs.
const EDITS: usize = 123;
/// The numbers of sign-ups of an event that is cancelled.
const SIGN_UPS: [u32; 2] = [10_000, 10];
/// The number of rounds. A round cancels one event of each size, because a cancelled event stays cancelled.
const CANCELLATIONS: usize = 11;

pub(crate) fn beside_a_patch_of_a_shift(runtime: &Runtime, report: &mut Report, engine: &str, site: &Site) {
    let operations = [Operation::PatchShift, Operation::PatchEvent, Operation::Publish];
    let rounds = in_turn(EDITS, &operations, |operation| operation.round(runtime, site));
    let costs: Vec<_> = rounds.into_iter().map(|rounds| median(rounds, |cost| *cost)).collect();
    let [limit, edits @ ..] = operations;
    for (edit, cost) in edits.into_iter().zip(&costs[1..]) {
        let work = format!("{}, {engine}", edit.name());
        report.add(line(work, limit.name(), [*cost, costs[0]], 1.3));
    }
}

/// Measures how long a cancellation takes. On SQLite, every other commit waits as long.
pub(crate) fn cancellations(runtime: &Runtime, report: &mut Report, engine: &Engine) {
    let site = runtime.block_on(Site::new(engine, SMALLEST));
    let mut events = runtime.block_on(events_with_signups(&site));
    let rounds = in_turn(CANCELLATIONS, &[0, 1], |size: &usize| {
        let event = events[*size].pop().unwrap();
        let cancel = async || drop(site.session.cancel_event(event, Cancellation::new()).await.unwrap());
        runtime.block_on(per_call(1, cancel)).as_secs_f64() * 1e6
    });
    let costs: [Vec<_>; 2] = rounds.try_into().unwrap_or_default();
    let work = format!("cancel an event with 10,000 sign-ups, {}", engine.name());
    report.add(line(work, "with 10 sign-ups", costs.map(|rounds| median(rounds, |cost| *cost)), 1.5));
}

/// Publishes events of both sizes in turn: one for each round, and one for the warm-up round.
async fn events_with_signups(site: &Site) -> [Vec<EventId>; 2] {
    let mut events = [vec![], vec![]];
    for _ in 0..=CANCELLATIONS {
        for (events, sign_ups) in events.iter_mut().zip(SIGN_UPS) {
            let published = publish(&site.session).await;
            site.sign_up(&published.shifts, sign_ups).await;
            events.push(published.event.id);
        }
    }
    site.settle().await;
    events
}
