//! Contention: many sign-ups for one shift, and reads beside writes.

use signup_benches::Goal;
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, Limit, sides};
use crate::site::Site;

/// The events over whose ten shifts each the limit spreads its sign-ups.
const PUBLIC_EVENTS: usize = 1000;
/// The number of connections that read.
const READERS: usize = 16;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    sign_ups(bench, "sign-ups on one shift, SQLite", Site::on_sqlite);
    if let Some(cluster) = cluster {
        sign_ups(bench, "sign-ups on one shift, PostgreSQL", || Site::on_postgres(cluster));
    }
    reads_while_others_write(bench, "SQLite", Site::on_sqlite);
    if let Some(cluster) = cluster {
        reads_while_others_write(bench, "PostgreSQL", || Site::on_postgres(cluster));
    }
}

fn sign_ups(bench: &mut Bench, work: &str, site: impl Fn() -> Site) {
    if !bench.wants(&[work]) {
        return;
    }
    let site = site();
    bench.compare(work, By::Rate, || {
        let events: Vec<_> = (0..PUBLIC_EVENTS).map(|_| site.publish(1_000_000)).collect();
        let one = vec![events[0].sign_up(&events[0].slots[0])];
        let many = events.iter().flat_map(|event| event.slots.iter().map(|slot| event.sign_up(slot)));
        let many = site.load(many.collect());
        (
            site.load(one),
            vec![Limit::new("sign-ups spread over 10,000 shifts", Some(Goal::AtLeast(0.7)), many)],
        )
    });
}

/// Makes two lines of the same rounds. On SQLite the limit is answered from the store's cache. Beside the creates, each
/// commit empties the cache.
fn reads_while_others_write(bench: &mut Bench, engine: &str, site: impl Fn() -> Site) {
    let p99 = format!("p99 of reads, 64 create, {engine}");
    let rate = format!("GET slots and list, 64 create, {engine}");
    if !bench.wants(&[&p99, &rate]) {
        return;
    }
    let site = site();
    let reads = site
        .load(vec![site.get(&Site::slots_path(&site.event)), site.get(Site::LIST)])
        .with_connections(READERS);
    let among_creates = reads.clone().beside(site.load(vec![site.create()]));
    let [ours, limit] = sides([among_creates, reads]);
    let what = "the same without the creates";
    bench.add(ours.beside(&limit, &p99, By::P99, what, Some(Goal::AtMost(4.0))));
    bench.add(ours.beside(&limit, &rate, By::Rate, what, None));
}
