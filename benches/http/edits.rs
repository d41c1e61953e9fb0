//! Edits of events. The limit is the server's own patch of a shift, on the same site.

use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, sides};
use crate::request::Request;
use crate::site::{Engine, Site, vacuum};

/// The events that are edited: a hundred for each connection. So no two connections edit an event at the same time, which
/// would make one of them retry.
const EVENTS: usize = 6400;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    edits(bench, "SQLite", || {
        let site = Site::on_sqlite();
        site.fill(EVENTS);
        site
    });
    if let Some(cluster) = cluster {
        edits(bench, "PostgreSQL", || {
            let url = cluster.empty_database();
            let site = Site::start(&Engine::Postgres(&url));
            site.fill(EVENTS);
            vacuum(&url);
            site
        });
    }
}

/// Makes two lines of the same rounds.
fn edits(bench: &mut Bench, engine: &str, site: impl FnOnce() -> Site) {
    let patch = format!("PATCH event, {engine}");
    let publish = format!("POST publish and unpublish, {engine}");
    if !bench.wants(&[&patch, &publish]) {
        return;
    }
    let site = site();
    let events = site.events();
    // A connection sends both requests of a pair before the next pair. So it unpublishes the event that it has published, and
    // each request changes something. The other loads also send pairs, so that the three are comparable.
    let pairs = |pair: &dyn Fn(&String) -> [Request; 2]| site.load(events.iter().flat_map(pair).collect());
    let [patches, publishes, limit] = sides([
        pairs(&|event| [site.patch_event(event), site.patch_event(event)]),
        pairs(&|event| [site.post(event, "publish"), site.post(event, "unpublish")]),
        pairs(&|event| {
            let slot = site.first_slot(event);
            [site.patch(&slot), site.patch(&slot)]
        }),
    ]);
    bench.add(patches.beside(&limit, &patch, By::Rate, "PATCH slot", None));
    bench.add(publishes.beside(&limit, &publish, By::Rate, "PATCH slot", None));
}
