//! The shifts of an event, and a page of the list: against the same bytes from memory, and against the same rows from the
//! same database.

use signup_benches::Asked;
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, Limit};
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
            vec![same_bytes(0.25, body), same_rows(0.9, &[&database, rows].concat())]
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
            let [typed, counted] = same_rows_typed(0.8, &arguments);
            vec![same_rows(0.8, &arguments), typed, counted]
        });
    }
}

fn same_bytes(least: f64, body: &str) -> Limit<'static> {
    let asked = Some(Asked::AtLeast(least));
    Limit::bare("warp, the same bytes", asked, &["fixed", body], Request::get("/"))
}

/// What the database makes one JSON of.
fn same_rows(least: f64, arguments: &[&str]) -> Limit<'static> {
    let arguments = [&["read"], arguments].concat();
    let asked = Some(Asked::AtLeast(least));
    Limit::bare("warp + sqlx, the same rows as one", asked, &arguments, Request::get("/"))
}

/// The rows as the server reads them, which costs the database less. The server also counts each request in PostgreSQL, for all
/// processes together: the last limit shows what that costs by itself.
fn same_rows_typed(least: f64, arguments: &[&str]) -> [Limit<'static>; 2] {
    let bare = |what, asked, how| Limit::bare(what, asked, &[&[how], arguments].concat(), Request::get("/"));
    [
        bare("the same rows with types", Some(Asked::AtLeast(least)), "read rows"),
        bare("that, each request counted", None, "count and read rows"),
    ]
}

/// Both reads, beside the limits for what the server answers and the rows that it is made of.
fn pages(
    bench: &mut Bench,
    works: [&str; 2],
    site: &Site,
    limits: impl Fn(&str, &[&str]) -> Vec<Limit<'static>>,
) {
    for (work, path, rows) in [(works[0], site.slots_path.as_str(), "slots"), (works[1], Site::LIST, "list")]
    {
        bench.compare(work, By::Rate, || {
            let limits = limits(&site.body(path), &[rows, &site.organization, &site.event]);
            (site.load(vec![site.get(path)]), limits)
        });
    }
}
