//! Reads: the shifts of one event, a page of the list of events, and the shifts of random events.
//!
//! The limits answer the same bytes from memory, or the same rows from the same database.

use signup_benches::Goal;
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::request::{Request, split_mix};
use crate::site::{Engine, Site, vacuum};

/// The events whose shifts are read at random. The server's caches hold fewer than a tenth of them.
const RANDOM_EVENTS: usize = 10_000;
/// The length of the random sequence of requests. Server and bare programs get the same sequence.
const RANDOM_REQUESTS: usize = 20_000;
const SEED: u64 = 20_990_605;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    memory(bench);
    sqlite(bench);
    sqlite_at_random(bench);
    if let Some(cluster) = cluster {
        postgres(bench, cluster);
        postgres_at_random(bench, cluster);
    }
}

fn memory(bench: &mut Bench) {
    let works = ["GET slots (10), memory", "GET list (25), memory"];
    if bench.wants(&works) {
        let site = Site::start(&Engine::Memory);
        pages(bench, works, &site, |body, _| vec![same_bytes(0.4, body)]);
    }
}

fn sqlite(bench: &mut Bench) {
    let works = ["GET slots (10), SQLite", "GET list (25), SQLite"];
    if bench.wants(&works) {
        let site = Site::on_sqlite();
        pages(bench, works, &site, |body, rows| vec![same_bytes(0.25, body), sqlite_limit(&site, rows)]);
    }
}

fn sqlite_at_random(bench: &mut Bench) {
    let work = "GET slots, 10,000 random events, SQLite";
    if bench.wants(&[work]) {
        let site = Site::on_sqlite();
        site.fill(RANDOM_EVENTS);
        slots_at_random(bench, work, &site, |rows| vec![sqlite_limit(&site, rows)]);
    }
}

fn postgres(bench: &mut Bench, cluster: &Cluster) {
    let works = ["GET slots (10), PostgreSQL", "GET list (25), PostgreSQL"];
    if bench.wants(&works) {
        let url = cluster.empty_database();
        let site = Site::start(&Engine::Postgres(&url));
        pages(bench, works, &site, |_, rows| postgres_limits(0.8, &url, rows));
    }
}

fn postgres_at_random(bench: &mut Bench, cluster: &Cluster) {
    let work = "GET slots, 10,000 random events, PostgreSQL";
    if bench.wants(&[work]) {
        let url = cluster.empty_database();
        let site = Site::start(&Engine::Postgres(&url));
        site.fill(RANDOM_EVENTS);
        vacuum(&url);
        slots_at_random(bench, work, &site, |rows| postgres_limits(0.9, &url, rows));
    }
}

/// The rows that a bare program reads, and the requests to the program.
struct Rows<'a> {
    name: &'static str,
    organization: &'a str,
    requests: Vec<Request>,
}

impl<'a> Rows<'a> {
    /// The shifts of each of these events in turn.
    fn slots(site: &'a Site, events: &[&str]) -> Self {
        let requests = events.iter().map(|event| Request::get(&format!("/{event}"))).collect();
        Self { name: "slots", organization: &site.organization, requests }
    }

    /// The first page of the list of events.
    fn list(site: &'a Site) -> Self {
        Self { name: "list", organization: &site.organization, requests: vec![Request::get("/")] }
    }
}

fn same_bytes(goal: f64, body: &str) -> Limit<'static> {
    let goal = Some(Goal::AtLeast(goal));
    Limit::bare("fixed bytes", goal, &["fixed", body], vec![Request::get("/")])
}

fn sqlite_limit(site: &Site, rows: &Rows<'_>) -> Limit<'static> {
    let file = site.file();
    same_rows("bare read, one JSON value", Some(0.9), ["read", "sqlite", file.to_str().unwrap()], rows)
}

/// Typed columns cost the database less than a JSON value. The server also counts each request in the database, so that
/// rate limits hold over all processes. The last limit shows the cost of the count and has no goal.
fn postgres_limits(goal: f64, url: &str, rows: &Rows<'_>) -> Vec<Limit<'static>> {
    vec![
        same_rows("bare read, one JSON value", Some(goal), ["read", "postgres", url], rows),
        same_rows("bare read, typed rows", Some(goal), ["read rows", "postgres", url], rows),
        same_rows("bare read, typed rows and a count", None, ["count and read rows", "postgres", url], rows),
    ]
}

fn same_rows(
    what: &'static str,
    goal: Option<f64>,
    [program, engine, database]: [&str; 3],
    rows: &Rows<'_>,
) -> Limit<'static> {
    let arguments = [program, engine, database, rows.name, rows.organization];
    Limit::bare(what, goal.map(Goal::AtLeast), &arguments, rows.requests.clone())
}

/// Compares the shifts of one event and the first page of the list with `limits`, which get the server's body and the rows.
fn pages(
    bench: &mut Bench,
    works: [&str; 2],
    site: &Site,
    limits: impl Fn(&str, &Rows<'_>) -> Vec<Limit<'static>>,
) {
    let [slots, list] = works;
    let slots_path = Site::slots_path(&site.event);
    for (work, path, rows) in [
        (slots, slots_path.as_str(), Rows::slots(site, &[&site.event])),
        (list, Site::LIST, Rows::list(site)),
    ] {
        bench.compare(work, By::Rate, || (site.load(vec![site.get(path)]), limits(&site.body(path), &rows)));
    }
}

/// Compares the shifts of random events with `limits`.
fn slots_at_random(
    bench: &mut Bench,
    work: &str,
    site: &Site,
    limits: impl FnOnce(&Rows<'_>) -> Vec<Limit<'static>>,
) {
    let events = site.events();
    let events: Vec<_> = split_mix(SEED)
        .take(RANDOM_REQUESTS)
        .map(|number| &*events[number as usize % events.len()])
        .collect();
    bench.compare(work, By::Rate, || {
        let requests = events.iter().map(|event| site.get(&Site::slots_path(event))).collect();
        (site.load(requests), limits(&Rows::slots(site, &events)))
    });
}
