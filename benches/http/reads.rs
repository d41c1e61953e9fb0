//! The shifts of an event, and a page of the list: against the same bytes from memory, and against the same rows from the
//! same database.

use signup_benches::Asked;
use signup_store_sql::throwaway::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::load::Load;
use crate::process::Process;
use crate::request::Request;
use crate::site::{Engine, Site};

/// The least that is asked: of the same bytes, and of the same rows.
struct Least {
    of_bytes: Option<f64>,
    of_rows: Option<f64>,
}

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    let memory = ["GET slots (10), memory", "GET list (25), memory"];
    if bench.wants(&memory) {
        let site = Site::start(&Engine::Memory);
        pages(bench, memory, &site, &[], &Least { of_bytes: Some(0.5), of_rows: None });
    }
    let sqlite = ["GET slots (10), SQLite", "GET list (25), SQLite"];
    if bench.wants(&sqlite) {
        let site = Site::on_sqlite();
        let file = site.file();
        let least = Least { of_bytes: Some(0.25), of_rows: Some(0.9) };
        pages(bench, sqlite, &site, &["sqlite", file.to_str().unwrap()], &least);
    }
    let postgres = ["GET slots (10), PostgreSQL", "GET list (25), PostgreSQL"];
    if let Some(cluster) = cluster
        && bench.wants(&postgres)
    {
        let url = cluster.empty_database();
        let site = Site::start(&Engine::Postgres(&url));
        let least = Least { of_bytes: None, of_rows: Some(0.8) };
        pages(bench, postgres, &site, &["postgres", &url], &least);
    }
}

fn pages(bench: &mut Bench, works: [&str; 2], site: &Site, database: &[&str], least: &Least) {
    for (work, path, rows) in [(works[0], site.slots_path.as_str(), "slots"), (works[1], Site::LIST, "list")]
    {
        let mut processes = vec![];
        bench.compare(work, By::Rate, || {
            let mut limits = vec![];
            let mut limit = |what, least: Option<f64>, arguments: &[&str]| {
                let Some(least) = least else { return };
                let bare = Process::bare(arguments);
                let load = Load::new(bare.port, vec![Request::get("/")]);
                limits.push(Limit { what, asked: Asked::AtLeast(least), load });
                processes.push(bare);
            };
            limit("warp, the same bytes", least.of_bytes, &["fixed", &site.body(path)]);
            let ids = [rows, site.organization.as_str(), site.event.as_str()];
            limit("warp + sqlx, the same rows as one", least.of_rows, &[&["read"], database, &ids].concat());
            (site.load(vec![site.get(path)]), limits)
        });
    }
}
