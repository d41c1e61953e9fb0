//! Edits of events. The limit is the server's own patch of a shift, on the same site.

use signup_benches::Goal;
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, sides};
use crate::load::CONNECTIONS;
use crate::request::Request;
use crate::site::Site;

/// The events that are edited: a hundred for each connection. So no two connections edit an event at the same time, which
/// would make one of them wait.
const EVENTS: usize = 6400;

/// The minimum rate with one connection, as a ratio to patches of a shift: an edit costs at most 1.3 patches of a shift. With
/// many connections there is no goal, because requests that share a commit hide the cost of one edit.
const GOAL: Goal = Goal::AtLeast(0.77);

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    edits(bench, "SQLite", || Site::on_sqlite_with(EVENTS));
    if let Some(cluster) = cluster {
        edits(bench, "PostgreSQL", || Site::on_postgres_with(cluster, EVENTS));
    }
}

/// Makes two lines of the same rounds, with many connections and with one.
fn edits(bench: &mut Bench, engine: &str, site: impl FnOnce() -> Site) {
    let patch = |prefix| format!("PATCH event, {prefix}{engine}");
    let publish = |prefix| format!("POST publish and unpublish, {prefix}{engine}");
    let (many, one) = ("", "one connection, ");
    if !bench.wants(&[&patch(many), &publish(many), &patch(one), &publish(one)]) {
        return;
    }
    let site = site();
    let events = site.events();
    // A connection sends both requests of a pair before the next pair. So it unpublishes the event that it has published, and
    // each request changes something. The other loads also send pairs, so that the three are comparable.
    let pairs = |pair: &dyn Fn(&String) -> [Request; 2]| site.load(events.iter().flat_map(pair).collect());
    let loads = [
        pairs(&|event| [site.patch_event(event), site.patch_event(event)]),
        pairs(&|event| [site.post(event, "publish"), site.post(event, "unpublish")]),
        pairs(&|event| {
            let slot = site.first_slot(event);
            [site.patch(&slot), site.patch(&slot)]
        }),
    ];
    for (prefix, connections, goal) in [(many, CONNECTIONS, None), (one, 1, Some(GOAL))] {
        let loads = loads.clone().map(|load| load.with_connections(connections));
        let [patches, publishes, limit] = sides(loads);
        bench.add(patches.beside(&limit, &patch(prefix), By::Rate, "PATCH slot", goal));
        bench.add(publishes.beside(&limit, &publish(prefix), By::Rate, "PATCH slot", goal));
    }
}
