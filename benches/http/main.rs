//! Benchmark of the server over HTTP: `cargo bench -p signup-benches --bench http`.
//!
//! Builds the server and measures it. With two programs, `-- OLD NEW`, compares these instead, in alternating bursts. A last
//! argument selects the loads whose names contain it, `mails`, `weight`, `secrecy` and `waitlist`. `BURSTS` is the number of bursts
//! of each load, and `REQUESTS` the number of requests of `waitlist`. `ENGINE` is the only engine to measure.
//!
//! Each program runs on a database of its own, on SQLite and on a PostgreSQL server that ends with the benchmark. Servers are
//! stopped by a signal while another one is measured, so the mails that one still sends never slow the other.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod burst;
mod connection;
mod loads;
mod mails;
mod pages;
mod process;
mod request;
mod secrecy;
mod site;
mod smtp;
mod waitlist;

use std::path::{Path, PathBuf};
use std::process::Command;

use burst::Burst;
use mails::Mails;
use signup_benches::{in_turn, quantile, ratio};
use signup_store_sql::test_cluster::Cluster;
use site::{Engine, Site};
use tokio::runtime::Runtime;

/// The names of the measurements beside those of the loads.
const MAILS: &str = "mails";
const WEIGHT: &str = "weight";
const SECRECY: &str = "secrecy";
const WAITLIST: &str = "waitlist";
/// The default number of bursts of each load.
const BURSTS: usize = 10;
/// The default number of requests to shifts with waiting lists.
const REQUESTS: u64 = 20_000;

fn main() {
    // Cargo adds flags.
    let arguments: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let (programs, filter) = match arguments.as_slice() {
        [] => (vec![build()], ""),
        [filter] => (vec![build()], filter.as_str()),
        [old, new] => (vec![program(old), program(new)], ""),
        [old, new, filter] => (vec![program(old), program(new)], filter.as_str()),
        _ => panic!("expected: [OLD NEW] [part of a load's name]"),
    };
    let bursts = std::env::var("BURSTS").map_or(BURSTS, |bursts| bursts.parse().unwrap());
    let requests = std::env::var("REQUESTS").map_or(REQUESTS, |requests| requests.parse().unwrap());
    // Commits wait for the disk. By default a test cluster does not sync.
    let cluster = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]);
    let only = std::env::var("ENGINE").unwrap_or_default();
    let engines = [Engine::Sqlite].into_iter().chain(cluster.as_ref().map(Engine::Postgres));
    for engine in engines.filter(|engine| engine.name().contains(&only)) {
        measure_loads(&programs, engine, filter, bursts);
        if MAILS.contains(filter) {
            measure_mails(&programs, engine);
        }
        if WEIGHT.contains(filter) {
            programs.iter().for_each(|program| pages::measure(program, engine));
        }
        if SECRECY.contains(filter) {
            for (name, figure) in programs.iter().flat_map(|program| secrecy::measure(program, engine)) {
                println!("{:<10} {name:<42} {figure:>12.3}", engine.name());
            }
        }
        if WAITLIST.contains(filter) {
            programs.iter().for_each(|program| waitlist::measure(program, engine, requests));
        }
    }
}

fn measure_loads(programs: &[PathBuf], engine: Engine<'_>, filter: &str, bursts: usize) {
    let loads: Vec<_> = loads::ALL.into_iter().filter(|(name, _)| name.contains(filter)).collect();
    if loads.is_empty() {
        return;
    }
    println!("{}", heading(programs.len()));
    let sites: Vec<_> = programs.iter().map(|program| Site::start(program, engine)).collect();
    for (name, requests) in loads {
        let sides: Vec<_> = sites.iter().map(|site| (site, requests(site))).collect();
        let found = in_turn(bursts, &sides, |(site, requests)| site.burst(requests));
        println!("{:<10} {name:<26} {}", engine.name(), row(&found));
    }
    let memory: Vec<_> = sites.iter().map(|site| format!("{:.0} MB", site.resident_mb())).collect();
    println!("{:<10} {:<26} {}", engine.name(), "resident memory", memory.join(", "));
}

/// Measures the mails of one program after the other.
fn measure_mails(programs: &[PathBuf], engine: Engine<'_>) {
    let runtime = Runtime::new().unwrap();
    let sides: Vec<_> =
        programs.iter().map(|program| Mails::start(program, engine, &runtime).measure()).collect();
    for (number, (name, _)) in sides[0].iter().enumerate() {
        let figures: String = sides.iter().map(|side| format!("{:>12.2}", side[number].1)).collect();
        println!("{:<10} {name:<42} {figures}", engine.name());
    }
}

fn heading(programs: usize) -> String {
    let columns = ["per second", "p50 ms", "p99 ms"].map(|column| format!("{column:>12}")).concat();
    let sides = columns.repeat(programs);
    let ratio = if programs == 2 { "  NEW/OLD" } else { "" };
    format!("{:<10} {:<26} {sides}{ratio}", "engine", "load")
}

/// Returns the figures of each side: the median rate of its bursts, and the latencies of all its bursts together.
fn row(sides: &[Vec<Burst>]) -> String {
    let rates = |bursts: &[Burst]| -> Vec<f64> { bursts.iter().map(Burst::per_second).collect() };
    let mut row = String::new();
    for bursts in sides {
        let times: Vec<_> = bursts.iter().flat_map(|burst| burst.millis.iter().copied()).collect();
        let (rate, p50, p99) = (quantile(&rates(bursts), 0.5), quantile(&times, 0.5), quantile(&times, 0.99));
        row += &format!("{rate:>12.0}{p50:>12.2}{p99:>12.2}");
    }
    if let [old, new] = sides {
        let (mean, error) = ratio(&rates(new), &rates(old));
        row += &format!("  {mean:.3} ± {error:.3}");
    }
    row
}

/// Returns the path of a program. A relative path starts at the root of the repository, because Cargo runs a benchmark in the
/// folder of its package.
fn program(path: &str) -> PathBuf {
    let program = root().join(path);
    assert!(program.is_file(), "{} is not a program", program.display());
    program
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Builds the server in release mode, into this program's target folder, and returns its path.
fn build() -> PathBuf {
    // This program is in `target/release/deps`.
    let release = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "-p", "signup-server", "--manifest-path"]);
    cargo.arg(root().join("Cargo.toml")).arg("--target-dir").arg(release.parent().unwrap());
    // Cargo sets these variables for the package of this program. Build scripts that read them would run again, and half of
    // the crates would be rebuilt, now and at the next run of the benchmark.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*name);
        }
    }
    assert!(cargo.status().unwrap().success(), "the server could not be built");
    release.join("signup-server")
}
