//! Creates and patches.
//!
//! The limits commit for each request, commit batches, or run one statement for each create. Each program waits for the
//! disk before it answers.

use signup_benches::Goal;
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::request::Request;
use crate::site::Site;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    sqlite(bench);
    if let Some(cluster) = cluster {
        postgres(bench, cluster);
    }
}

fn sqlite(bench: &mut Bench) {
    let create = "POST event, 10 shifts, key, SQLite";
    let patch = "PATCH slot, SQLite";
    if !bench.wants(&[create, patch]) {
        return;
    }
    let site = Site::on_sqlite();
    bench.compare(create, By::Rate, || {
        let each = limit("a commit for each request", 3.0, &["create", "each"], creating());
        let batches = limit("batches, one writer connection", 0.6, &["create", "batches"], creating());
        (site.load(vec![site.create()]), vec![each, batches])
    });
    bench.compare(patch, By::Rate, || {
        let each = limit("a commit for each request", 3.0, &["patch", "each"], patching());
        (site.load(site.slots.iter().map(|slot| site.patch(slot)).collect()), vec![each])
    });
}

fn postgres(bench: &mut Bench, cluster: &Cluster) {
    let create = "POST event, 10 shifts, key, PostgreSQL";
    let one_connection = "POST event, key, one connection, PostgreSQL";
    if !bench.wants(&[create, one_connection]) {
        return;
    }
    let site = Site::on_postgres(cluster);
    // Each bare program has a database of its own.
    let each = || {
        limit("a statement for each request", 0.8, &["create", "cte", &cluster.empty_database()], creating())
    };
    bench.compare(create, By::Rate, || {
        let url = cluster.empty_database();
        let batches = limit("batches, two writer connections", 0.5, &["create", "batches", &url], creating());
        (site.load(vec![site.create()]), vec![each(), batches])
    });
    bench.compare(one_connection, By::Rate, || {
        let ours = site.load(vec![site.create()]).with_connections(1);
        (ours, vec![each().with_connections(1)])
    });
}

fn limit<'a>(what: &'a str, goal: f64, arguments: &[&str], request: Request) -> Limit<'a> {
    Limit::bare(what, Some(Goal::AtLeast(goal)), arguments, vec![request])
}

/// The request of a create. The bare programs ignore its body and write a fixed event.
fn creating() -> Request {
    Request::json("POST", "/", "{}").with_status(201)
}

/// The request of a patch. The bare program ignores its body and writes a fixed title.
fn patching() -> Request {
    Request::json("PATCH", "/", "{}")
}
