//! Benchmark of the server over HTTP: `cargo bench -p signup-benches --bench http`.
//!
//! With `-- TEXT` at the end, only the lines run whose names contain `TEXT`.
//!
//! Most lines compare the server with a bare program, which does the least work for the same answer: a warp server that
//! returns the same bytes, or one that runs equivalent statements. Server, bare program and load generator are separate
//! processes. The server runs with all its features; only the limits of the plans are raised.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod bare;
mod compare;
mod console;
mod contention;
mod edits;
mod load;
mod memory;
mod process;
mod reads;
mod request;
mod site;
mod times;
mod webhooks;
mod writes;

use compare::Bench;
use signup_store_sql::test_cluster::Cluster;

/// The server's allocator, so that the bare programs have the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("load") => load::run(),
        Some("bare") => bare::run(&arguments.collect::<Vec<_>>()),
        // Cargo adds flags.
        _ => measure(std::env::args().skip(1).find(|argument| !argument.starts_with("--"))),
    }
}

fn measure(filter: Option<String>) {
    site::build();
    // Commits wait for the disk. By default a test cluster does not sync.
    let cluster = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]);
    let mut bench = Bench::new(filter);
    reads::measure(&mut bench, cluster.as_ref());
    writes::measure(&mut bench, cluster.as_ref());
    edits::measure(&mut bench, cluster.as_ref());
    contention::measure(&mut bench, cluster.as_ref());
    webhooks::measure(&mut bench, cluster.as_ref());
    console::measure(&mut bench, cluster.as_ref());
    memory::measure(&mut bench);
    bench.end();
}
