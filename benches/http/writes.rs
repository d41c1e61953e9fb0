//! Creates and patches: against programs that commit for each request, that commit whole batches, and that send one
//! statement for each create. All of them wait for the disk before they answer.

use signup_benches::Asked;
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::request::Request;
use crate::site::Site;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    let create = "POST event, 10 shifts, key, SQLite";
    let patch = "PATCH slot, SQLite";
    if bench.wants(&[create, patch]) {
        let site = Site::on_sqlite();
        bench.compare(create, By::Rate, || {
            let each = limit("a commit for each request", 3.0, &["create", "each"], creating());
            let batches = limit("whole batches, one hand-off", 0.6, &["create", "batches"], creating());
            (site.load(vec![site.create()]), vec![each, batches])
        });
        bench.compare(patch, By::Rate, || {
            let each = limit("a commit for each request", 3.0, &["patch", "each"], patching());
            (site.load(site.slots.iter().map(|slot| site.patch(slot)).collect()), vec![each])
        });
    }
    let create = "POST event, 10 shifts, key, PostgreSQL";
    if let Some(cluster) = cluster
        && bench.wants(&[create])
    {
        let site = Site::on_postgres(cluster);
        let url = cluster.empty_database();
        bench.compare(create, By::Rate, || {
            let cte = limit("one CTE for each create", 0.8, &["create", "cte", &url], creating());
            (site.load(vec![site.create()]), vec![cte])
        });
    }
}

fn limit<'a>(what: &'a str, least: f64, arguments: &[&str], request: Request) -> Limit<'a> {
    Limit::bare(what, Some(Asked::AtLeast(least)), arguments, request)
}

/// What bare programs create and patch stands in them.
fn creating() -> Request {
    Request::json("POST", "/", "{}").with_status(201)
}

fn patching() -> Request {
    Request::json("PATCH", "/", "{}")
}
