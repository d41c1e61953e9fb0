//! A purge of many deleted shifts, and the writes beside it.

use std::time::Instant;

use signup_benches::{Goal, Line, Report, Unit};
use signup_core::{Capacity, ShiftPatch};
use tokio::runtime::Runtime;

use crate::engine::Engine;
use crate::population::{Population, Purge};
use crate::site::Site;
use crate::{SMALLEST, line};

/// The numbers of deleted shifts.
const SHIFTS: [u32; 2] = [500_000, 50_000];
/// The number of notices that stay.
const NOTICES: u32 = 100_000;
/// The number of records of each call, as in the server.
const LIMIT: u32 = 500;

/// Purges as the server does, while one caller patches a shift again and again.
pub(crate) fn beside_a_patch(runtime: &Runtime, report: &mut Report, engine: &Engine) {
    let found = SHIFTS.map(|shifts| {
        let purge = Some(Purge { shifts, notices: NOTICES });
        let site = runtime.block_on(Site::new(engine, Population { purge, ..SMALLEST }));
        runtime.block_on(purge_beside_a_patch(&site))
    });
    let costs = [0, 1].map(|size| found[size].0 / f64::from(SHIFTS[size]) * 1e6);
    let work = format!("time per shift of a purge of 500,000, {}", engine.name());
    // The trees of a larger database are deeper and do not fit the cache of SQLite. A cost that grows with the square of the
    // number would be ten times as high.
    report.add(line(work, "of a purge of 50,000", costs, 2.0));
    report.add(Line {
        work: format!("longest patch beside that purge, {}", engine.name()),
        limit: "the goal".to_owned(),
        unit: Unit::Milliseconds,
        ours: found[0].1,
        theirs: Some(250.0),
        goal: Some(Goal::AtMost(1.0)),
        latencies: None,
    });
}

/// Returns how many seconds the purge takes, and how many milliseconds the longest patch.
async fn purge_beside_a_patch(site: &Site) -> (f64, f64) {
    let admin = site.service.admin();
    let purge = tokio::spawn(async move {
        let began = Instant::now();
        while admin.purge(LIMIT).await.unwrap() >= LIMIT.into() {}
        began.elapsed().as_secs_f64()
    });
    let mut longest = 0_f64;
    while !purge.is_finished() {
        let capacity = 1 + u32::try_from(site.number() % 1000).unwrap();
        let patch = ShiftPatch::new().capacity(Capacity::new(capacity).unwrap());
        let began = Instant::now();
        site.session.patch_shift(site.shift, patch).await.unwrap();
        longest = longest.max(began.elapsed().as_secs_f64() * 1e3);
    }
    (purge.await.unwrap(), longest)
}
