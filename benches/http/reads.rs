//! The shifts of an event, and a page of the list: against the same bytes from memory, and against the same rows from the
//! same database.

use signup_benches::Asked;
use signup_store_sql::throwaway::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::load::Load;
use crate::process::Process;
use crate::request::Request;
use crate::site::{Engine, Site};

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    let memory = ["GET slots (10), memory", "GET list (25), memory"];
    if bench.wants(&memory) {
        let site = Site::start(&Engine::Memory);
        pages(bench, memory, &site, |body, _| vec![same_bytes(0.5, body)]);
    }
    let sqlite = ["GET slots (10), SQLite", "GET list (25), SQLite"];
    if bench.wants(&sqlite) {
        let site = Site::on_sqlite();
        let file = site.file();
        let database = ["sqlite", file.to_str().unwrap()];
        pages(bench, sqlite, &site, |body, rows| {
            vec![same_bytes(0.25, body), same_rows(Some(0.9), "read", &[&database, rows].concat())]
        });
    }
    let postgres = ["GET slots (10), PostgreSQL", "GET list (25), PostgreSQL"];
    if let Some(cluster) = cluster
        && bench.wants(&postgres)
    {
        let url = cluster.empty_database();
        let site = Site::start(&Engine::Postgres(&url));
        pages(bench, postgres, &site, |_, rows| {
            let arguments = [&["postgres", &url], rows].concat();
            vec![same_rows(Some(0.8), "read", &arguments), same_rows(None, "count and read", &arguments)]
        });
    }
}

/// A limit that is still to be made: what it is, the least that is asked, and the arguments of its program.
type Plan = (&'static str, Option<f64>, Vec<String>);

fn same_bytes(least: f64, body: &str) -> Plan {
    ("warp, the same bytes", Some(least), vec!["fixed".to_owned(), body.to_owned()])
}

fn same_rows(least: Option<f64>, mode: &str, arguments: &[&str]) -> Plan {
    let what =
        if mode == "read" { "warp + sqlx, the same rows as one" } else { "the same, each request counted" };
    let arguments = [mode].iter().chain(arguments).map(|argument| (*argument).to_owned()).collect();
    (what, least, arguments)
}

/// Both reads beside the limits that follow from what the server answers and from which rows that is made.
fn pages(bench: &mut Bench, works: [&str; 2], site: &Site, limits: impl Fn(&str, &[&str]) -> Vec<Plan>) {
    for (work, path, rows) in [(works[0], site.slots_path.as_str(), "slots"), (works[1], Site::LIST, "list")]
    {
        let mut processes = vec![];
        bench.compare(work, By::Rate, || {
            let plans = limits(&site.body(path), &[rows, &site.organization, &site.event]);
            let limits = plans.into_iter().map(|(what, least, arguments)| {
                let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
                let bare = Process::bare(&arguments);
                let load = Load::new(bare.port, vec![Request::get("/")]);
                processes.push(bare);
                Limit { what, asked: least.map(Asked::AtLeast), load }
            });
            (site.load(vec![site.get(path)]), limits.collect())
        });
    }
}
