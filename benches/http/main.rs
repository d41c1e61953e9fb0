//! The real server over real sockets, against what the machine can do: `cargo bench -p signup-benches --bench http`.
//!
//! Each line compares the server with a bare program that does the least that the same work needs: a warp server that
//! returns the same bytes, or one that runs the same statement. Server, bare program and load generator are processes of
//! their own; rounds alternate, and what is printed are medians. Nothing of the server is switched off but the plan's rate.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod bare;
mod load;
mod site;

use std::time::Duration;

use load::{Figures, Load};
use signup_benches::ROUNDS;
use site::{Process, Site};

/// Connections at once.
const CONNECTIONS: usize = 64;
/// How long a round takes.
const ROUND: Duration = Duration::from_millis(1500);

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("load") => load::run(&arguments.collect::<Vec<_>>()),
        Some("bare") => bare::run(&arguments.collect::<Vec<_>>()),
        _ => measure(),
    }
}

/// What is compared: a load on the server, and one on the bare program.
struct Comparison<'a> {
    what: &'a str,
    limit: &'a str,
    /// The ratio that is asked for.
    least: f64,
    ours: Load,
    theirs: Load,
}

fn measure() {
    site::build();
    println!("{CONNECTIONS} connections, rounds of {ROUND:?}, medians of {ROUNDS}");
    println!(
        "\n{:<34} {:<28} {:>9} {:>9} {:>6} {:>6}   {:>24}",
        "work", "limit", "ours/s", "limit/s", "ratio", "asked", "ours: p50, p99, p99.9 in ms"
    );
    let memory = Site::start("memory:", &[]);
    for (what, path) in [("GET slots (10), memory", &memory.slots), ("GET list (25), memory", &memory.list)] {
        let fixed = Process::bare(&["fixed", &memory.body(path)]);
        compare(&Comparison {
            what,
            limit: "warp, the same bytes",
            least: 0.5,
            ours: memory.get(path),
            theirs: Load::get(fixed.port, "/", None),
        });
    }
    drop(memory);

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signup.db");
    let sqlite = Site::start(&format!("sqlite:{}", file.display()), &[]);
    let works =
        [("GET slots (10), SQLite", &sqlite.slots, "slots"), ("GET list (25), SQLite", &sqlite.list, "list")];
    for (what, path, rows) in works {
        let fixed = Process::bare(&["fixed", &sqlite.body(path)]);
        compare(&Comparison {
            what,
            limit: "warp, the same bytes",
            least: 0.25,
            ours: sqlite.get(path),
            theirs: Load::get(fixed.port, "/", None),
        });
        let read = Process::bare(&[
            "sqlite",
            rows,
            &file.display().to_string(),
            &sqlite.organization,
            &sqlite.event,
        ]);
        compare(&Comparison {
            what,
            limit: "warp + sqlx, the same row",
            least: 0.9,
            ours: sqlite.get(path),
            theirs: Load::get(read.port, "/", None),
        });
    }
    for (limit, mode, least) in [("a commit for each request", "each", 3.0), ("whole batches", "batch", 0.6)]
    {
        let bare_file = folder.path().join(format!("{mode}.db"));
        let bare = Process::bare(&["create", mode, &bare_file.display().to_string()]);
        compare(&Comparison {
            what: "POST event, 10 shifts, key, SQLite",
            limit,
            least,
            ours: sqlite.create(),
            theirs: Load::post(bare.port, "/", None, &site::event_body()),
        });
    }
}

fn compare(comparison: &Comparison<'_>) {
    let (mut ours, mut theirs) = (vec![], vec![]);
    // One round that is not counted.
    for round in 0..=ROUNDS {
        let figures = (
            load::in_a_process(&comparison.ours, CONNECTIONS, ROUND),
            load::in_a_process(&comparison.theirs, CONNECTIONS, ROUND),
        );
        if round > 0 {
            ours.push(figures.0);
            theirs.push(figures.1);
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let ratio = ours.per_second / theirs.per_second;
    let mark = if ratio >= comparison.least { ' ' } else { '!' };
    println!(
        "{:<34} {:<28} {:>9.0} {:>9.0} {ratio:>6.2} {:>6.2} {mark} {:>8.2} {:>7.2} {:>7.2}",
        comparison.what,
        comparison.limit,
        ours.per_second,
        theirs.per_second,
        comparison.least,
        ours.p50_ms,
        ours.p99_ms,
        ours.p999_ms,
    );
}

fn median(mut rounds: Vec<Figures>) -> Figures {
    rounds.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    rounds.swap_remove(rounds.len() / 2)
}
