//! Resident memory of the server: idle, after 100,000 mixed requests, and with 1,000 open connections.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::AtomicU64;

use signup_benches::{Goal, Line, Unit};

use crate::compare::Bench;
use crate::request::{Request, connect};
use crate::site::Site;

const REQUESTS: u64 = 100_000;
const OPEN_CONNECTIONS: usize = 1000;
/// The goal for the memory after all requests.
const MAX_MB: f64 = 60.0;

pub(crate) fn measure(bench: &mut Bench) {
    let [idle, after, open] =
        ["memory, idle", "memory, after 100,000 mixed requests", "memory, 1,000 connections open"];
    if !bench.wants(&[idle, after, open]) {
        return;
    }
    let site = Site::on_sqlite();
    let resident = |work: &str| Line {
        work: work.to_owned(),
        limit: String::new(),
        unit: Unit::Megabytes,
        ours: site.process.resident_mb(),
        theirs: None,
        goal: None,
        latencies: None,
    };
    bench.add(resident(idle));
    let figures = site.load(mixed(&site)).for_answers(REQUESTS);
    bench.add(Line {
        limit: "the goal".to_owned(),
        theirs: Some(MAX_MB),
        goal: Some(Goal::AtMost(1.0)),
        latencies: Some(figures.times.latencies()),
        ..resident(after)
    });
    let connections: Vec<_> = (0..OPEN_CONNECTIONS).map(|_| keep_open(&site)).collect();
    bench.add(resident(open));
    drop(connections);
}

/// Returns requests of several kinds, some of which the server refuses.
fn mixed(site: &Site) -> Vec<Request> {
    let nowhere = "/v1/events/00000000-0000-7000-8000-000000000000/slots";
    let mut requests = vec![];
    for slot in &site.slots {
        requests.extend([
            site.get(Site::LIST),
            site.get(&Site::slots_path(&site.event)),
            site.create(),
            site.get("/v1/events?per_page=100"),
            site.patch(slot),
            site.get("/v1/team"),
            site.duplicate(),
            site.get(nowhere).with_status(404),
            site.get("/v1/events?per_page=0").with_status(422),
            site.get(&Site::slots_path(&site.event)),
        ]);
    }
    requests
}

/// Opens a connection, waits for one answer, and leaves the connection open.
fn keep_open(site: &Site) -> TcpStream {
    let mut stream = connect(site.process.port);
    let mut request = vec![];
    site.get("/v1/team").write_to(&mut request, &AtomicU64::default());
    stream.write_all(&request).unwrap();
    // A short answer arrives in one read.
    let read = stream.read(&mut [0; 4096]).unwrap();
    assert!(read > 0, "the server closed a connection");
    stream
}
