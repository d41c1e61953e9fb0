//! Creates and patches: against programs that commit for each request, that commit whole batches, and that send one
//! statement for each create. All of them wait for the disk before they answer.

use signup_benches::Asked;
use signup_store_sql::throwaway::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::load::Load;
use crate::process::Process;
use crate::request::Request;
use crate::site::Site;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    let create = "POST event, 10 shifts, key, SQLite";
    let patch = "PATCH slot, SQLite";
    if bench.wants(&[create, patch]) {
        let site = Site::on_sqlite();
        let mut processes = vec![];
        bench.compare(create, By::Rate, || {
            let each = limit(&mut processes, CREATED, "a commit for each request", 3.0, &["create", "each"]);
            let batch =
                limit(&mut processes, CREATED, "whole batches, one hand-off", 0.6, &["create", "batch"]);
            (site.load(vec![site.create()]), vec![each, batch])
        });
        bench.compare(patch, By::Rate, || {
            let each = limit(&mut processes, PATCHED, "a commit for each request", 3.0, &["patch", "each"]);
            (site.load(site.slots.iter().map(|slot| site.patch(slot)).collect()), vec![each])
        });
    }
    let create = "POST event, 10 shifts, key, PostgreSQL";
    if let Some(cluster) = cluster
        && bench.wants(&[create])
    {
        let site = Site::on_postgres(cluster);
        let url = cluster.empty_database();
        let mut processes = vec![];
        bench.compare(create, By::Rate, || {
            let cte =
                limit(&mut processes, CREATED, "one CTE for each create", 0.8, &["create", "cte", &url]);
            (site.load(vec![site.create()]), vec![cte])
        });
    }
}

/// Method and status of the requests that bare programs take.
type Wire = (&'static str, u16);
const CREATED: Wire = ("POST", 201);
const PATCHED: Wire = ("PATCH", 200);

fn limit<'a>(
    processes: &mut Vec<Process>,
    (method, status): Wire,
    what: &'a str,
    least: f64,
    arguments: &[&str],
) -> Limit<'a> {
    let bare = Process::bare(arguments);
    let load = Load::new(bare.port, vec![Request::json(method, "/", "{}").with_status(status)]);
    processes.push(bare);
    Limit { what, asked: Some(Asked::AtLeast(least)), load }
}
