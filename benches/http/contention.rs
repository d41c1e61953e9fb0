//! What happens when many want the same: places on one shift, and reads while others write.

use signup_benches::Asked;
use signup_store_sql::throwaway::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::site::Site;

/// Events of ten shifts each that sign-ups are spread over.
const PUBLIC_EVENTS: usize = 1000;
/// Connections that read.
const READERS: usize = 16;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    sign_ups(bench, "sign-ups on one shift, SQLite", Site::on_sqlite);
    if let Some(cluster) = cluster {
        sign_ups(bench, "sign-ups on one shift, PostgreSQL", || Site::on_postgres(cluster));
    }
    reads_while_others_write(bench, "p99 of reads, 64 create, SQLite", Site::on_sqlite);
    if let Some(cluster) = cluster {
        reads_while_others_write(bench, "p99 of reads, 64 create, PostgreSQL", || Site::on_postgres(cluster));
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
        (site.load(one), vec![Limit::new("10,000 shifts", Asked::AtLeast(0.7), many)])
    });
}

fn reads_while_others_write(bench: &mut Bench, work: &str, site: impl Fn() -> Site) {
    if !bench.wants(&[work]) {
        return;
    }
    let site = site();
    bench.compare(work, By::P99, || {
        let reads = vec![site.get(&site.slots_path), site.get(Site::LIST)];
        let reads = site.load(reads).with_connections(READERS);
        let ours = reads.clone().beside(site.load(vec![site.create()]));
        (ours, vec![Limit::new("nobody writes", Asked::AtMost(4.0), reads)])
    });
}
