//! Benchmark of the SQL stores with many records: `cargo bench -p signup-benches --bench store`.
//!
//! Compares the last page of long lists with the first, and edits of an event with each other. Measures a purge, and the
//! writes beside it. Measures the cost of each operation with up to a million events of one organization, and with up to ten
//! thousand organizations. One caller calls the library. Both engines sync to the disk at every commit.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod edits;
mod engine;
mod operation;
mod pages;
mod plot;
mod population;
mod purge;
mod site;

use engine::Engine;
use operation::Operation;
use population::Population;
use signup_benches::{Curve, Goal, Growth, Line, Report, Unit, in_turn, median};
use signup_store_sql::test_cluster::Cluster;
use site::Site;
use tokio::runtime::Runtime;

/// The number of rounds, whose median is the figure. Rounds are short and alternate, so that other load on the machine
/// affects few rounds, and the rounds of all sizes alike.
const ROUNDS: usize = 41;
/// The numbers of events of one organization.
const EVENTS: [u32; 3] = [100, 10_000, 1_000_000];
/// The population of measurements that do not depend on its size.
const SMALLEST: Population = Population { organizations: 1, events: EVENTS[0], purge: None };
/// The numbers of organizations, and of the events of each organization.
const ORGANIZATIONS: [u32; 3] = [1, 100, 10_000];
const EVENTS_EACH: u32 = 20;

fn main() {
    let runtime = Runtime::new().unwrap();
    let mut report = Report::begin("store");
    measure(&runtime, &mut report, &Engine::sqlite());
    // Commits wait for the disk. By default a test cluster does not sync.
    if let Some(cluster) = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]) {
        measure(&runtime, &mut report, &Engine::Postgres(cluster));
    }
    for growth in &report.growth {
        println!("\n{growth}");
    }
    if !report.growth.is_empty() {
        println!("\n{}", plot::draw(&report.growth).display());
    }
    report.end();
}

fn measure(runtime: &Runtime, report: &mut Report, engine: &Engine) {
    let sites = |populations: [Population; 3]| {
        populations.map(|population| runtime.block_on(Site::new(engine, population)))
    };
    let sites_by_events = sites(EVENTS.map(|events| Population { organizations: 1, events, purge: None }));
    pages::of_events(runtime, report, engine.name(), &sites_by_events[2]);
    edits::beside_a_patch_of_a_shift(runtime, report, engine.name(), &sites_by_events[0]);
    let by_events =
        growth(runtime, format!("{}, events of one organization", engine.name()), EVENTS, &sites_by_events);
    report.add(create_line(engine.name(), &by_events));
    drop(sites_by_events);
    pages::of_signups(runtime, report, engine);
    pages::of_activity(runtime, report, engine);
    pages::of_coverage(runtime, report, engine);
    edits::cancellations(runtime, report, engine);
    purge::beside_a_patch(runtime, report, engine);
    let sites_by_organizations = sites(ORGANIZATIONS.map(|organizations| Population {
        organizations,
        events: EVENTS_EACH,
        purge: None,
    }));
    let title = format!("{}, organizations of {EVENTS_EACH} events", engine.name());
    let by_organizations = growth(runtime, title, ORGANIZATIONS, &sites_by_organizations);
    report.growth.extend([by_events, by_organizations]);
}

fn growth(runtime: &Runtime, title: String, sizes: [u32; 3], sites: &[Site]) -> Growth {
    let curve = |operation: Operation| {
        let rounds = in_turn(ROUNDS, sites, |site| operation.round(runtime, site));
        let costs = rounds.into_iter().map(|rounds| median(rounds, |cost| *cost)).collect();
        Curve { operation: operation.name().to_owned(), costs }
    };
    Growth { title, sizes: sizes.to_vec(), curves: Operation::ALL.map(curve).into() }
}

fn create_line(engine: &str, growth: &Growth) -> Line {
    let create = growth.curves.iter().find(|curve| curve.operation == Operation::Create.name()).unwrap();
    let work = format!("create at 1,000,000 events, {engine}");
    line(work, "create at 100", [create.costs[2], create.costs[0]], 1.5)
}

/// Returns a line that compares the first of two costs in microseconds with the second.
fn line(work: String, limit: &str, [ours, theirs]: [f64; 2], at_most: f64) -> Line {
    Line {
        work,
        limit: limit.to_owned(),
        unit: Unit::Microseconds,
        ours,
        theirs: Some(theirs),
        goal: Some(Goal::AtMost(at_most)),
        latencies: None,
    }
}
