//! The real server over real sockets, against what the machine can do: `cargo bench -p signup-benches --bench http`, and
//! with `-- TEXT` behind it only the lines whose work has this text.
//!
//! Each line compares the server with a bare program that does the least that the same work needs: a warp server that
//! returns the same bytes, or one that runs the same statements. Server, bare program and load generator are processes of
//! their own. Nothing of the server is switched off but the plan's limits.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod bare;
mod compare;
mod contention;
mod load;
mod memory;
mod process;
mod reads;
mod request;
mod site;
mod times;
mod writes;

use compare::Bench;
use signup_store_sql::test_cluster::Cluster;

/// Like the server's, so that limits have the same means.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("load") => load::run(),
        Some("bare") => bare::run(&arguments.collect::<Vec<_>>()),
        // Cargo adds flags of its own.
        _ => measure(std::env::args().skip(1).find(|argument| !argument.starts_with("--"))),
    }
}

fn measure(filter: Option<String>) {
    site::build();
    // Durable like a server in production. The default of a test cluster is not.
    let cluster = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]);
    let mut bench = Bench::new(filter);
    reads::measure(&mut bench, cluster.as_ref());
    writes::measure(&mut bench, cluster.as_ref());
    contention::measure(&mut bench, cluster.as_ref());
    memory::measure(&mut bench);
    bench.end();
}
