//! Benchmark of the library on the SQL stores: `cargo bench -p signup-benches --bench store`.
//!
//! Four parts: growth to a million events, contention for one event, a purge, and a million reminders. The name of a part at the
//! end, `-- growth`, runs only that part. Both engines sync to the disk at every commit.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod contention;
mod engine;
mod growth;
mod purge;
mod reminders;

use engine::Engine;
use signup_store_sql::test_cluster::Cluster;
use tokio::runtime::Runtime;

fn main() {
    // Cargo adds flags.
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let runtime = Runtime::new().unwrap();
    // Commits wait for the disk. By default a test cluster does not sync.
    let cluster = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]);
    for engine in [Some(Engine::sqlite()), cluster.map(Engine::Postgres)].into_iter().flatten() {
        for (part, measure) in [
            ("growth", growth::measure as fn(&Runtime, &Engine)),
            ("contention", contention::measure),
            ("purge", purge::measure),
            ("reminders", reminders::measure),
        ] {
            if part.contains(&filter) {
                println!("\n{part}, {}", engine.name());
                measure(&runtime, &engine);
            }
        }
    }
}

/// Prints a figure. `!` marks a figure above its bound.
fn report(what: &str, figure: f64, unit: &str, bound: Option<f64>) {
    let goal = bound.map(|bound| format!("at most {bound}")).unwrap_or_default();
    let mark = if bound.is_some_and(|bound| figure > bound) { "!" } else { "" };
    println!("{what:<58} {figure:>10.2} {unit:<6} {goal} {mark}");
}
