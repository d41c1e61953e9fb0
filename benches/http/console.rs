//! The organizer's pages, beside the list of events over the API, and the time of a sign-in form for known and unknown addresses.

use std::time::Instant;

use signup_benches::{Goal, Line, Unit, median};
use signup_store_sql::test_cluster::Cluster;

use crate::compare::{Bench, By, Limit};
use crate::request::{Request, split_mix};
use crate::site::Site;

/// The events of the home page.
const EVENTS: usize = 1000;
/// The shifts and the sign-ups of the large event.
const SHIFTS: u32 = 200;
const SIGNUPS: u64 = 10_000;
/// The people that can sign in. Each is asked for 20 codes, fewer than an hour allows.
const PEOPLE: usize = 100;
/// The requests for each kind of address.
const REQUESTS: usize = 2000;
const SEED: u64 = 20_990_606;
/// Equal times are farther apart than this only once in a thousand runs.
const SIGNIFICANT_Z: f64 = 3.29;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    pages(bench, "SQLite", || Site::on_sqlite_with(EVENTS));
    sign_in(bench, "SQLite", Site::on_sqlite);
    if let Some(cluster) = cluster {
        pages(bench, "PostgreSQL", || Site::on_postgres_with(cluster, EVENTS));
        sign_in(bench, "PostgreSQL", || Site::on_postgres(cluster));
    }
}

/// Compares each page with a page of 100 events over the API. One connection sends the requests, as one browser would.
fn pages(bench: &mut Bench, engine: &str, site: impl FnOnce() -> Site) {
    let pages = [
        ("home, 1,000 events", ""),
        ("an event, 200 shifts", "events/{event}"),
        ("sign-ups of an event, 10,000", "events/{event}/signups"),
        ("a search in 10,000 sign-ups", "events/{event}/signups?q=ada00000"),
    ];
    let works = pages.map(|(page, path)| (format!("GET console, {page}, {engine}"), path));
    if !bench.wants(&works.each_ref().map(|(work, _)| work.as_str())) {
        return;
    }
    let site = site();
    let event = site.publish_with(SHIFTS, 1_000_000);
    let sign_ups = event.slots.iter().map(|slot| event.sign_up(slot)).collect();
    drop(site.load(sign_ups).for_answers(SIGNUPS));
    let cookie = site.member("ada@example.org", "owner");
    for (work, path) in &works {
        bench.compare(work, By::Rate, || {
            let path = format!("/console/starter/{}", path.replace("{event}", &event.id));
            let page = site.load(vec![Request::get(&path).with_header("cookie", &cookie)]);
            let list = site.load(vec![site.get("/v1/events?per_page=100")]).with_connections(1);
            let limit = Limit::new("list of 100 events over the API", None, list);
            (page.with_connections(1), vec![limit])
        });
    }
}

/// Asks for codes for addresses of members and for other addresses, in a random order, one request after the other. If the times of the
/// two groups differed by more than chance, a client could learn which addresses belong to members.
fn sign_in(bench: &mut Bench, engine: &str, site: impl FnOnce() -> Site) {
    let medians = format!("POST sign-in, address of a member, {engine}");
    let difference = format!("POST sign-in, difference of the addresses, {engine}");
    if !bench.wants(&[&medians, &difference]) {
        return;
    }
    let site = site();
    for number in 0..PEOPLE {
        drop(site.member(&format!("member{number}@example.org"), "organizer"));
    }
    let requests = ["member", "nobody"].map(|name| {
        let request = |number| {
            let body = format!("email={name}{}%40example.org", number % PEOPLE);
            Request::own_form("/sign-in", &body)
        };
        (0..REQUESTS).map(request).collect::<Vec<_>>()
    });
    let mut order: Vec<_> =
        requests.iter().enumerate().flat_map(|(kind, all)| all.iter().map(move |one| (kind, one))).collect();
    let random: Vec<_> = split_mix(SEED).take(order.len()).collect();
    let mut random = random.into_iter();
    order.sort_by_cached_key(|_| random.next());
    let mut times: [Vec<f64>; 2] = Default::default();
    for (kind, request) in order {
        let began = Instant::now();
        drop(request.send(site.process.port));
        times[kind].push(began.elapsed().as_secs_f64() * 1e6);
    }
    let [ours, theirs] = times.each_ref().map(|times| median(times.clone(), |time| *time));
    let z = mann_whitney_z(&times).abs();
    let line = |work, limit: &str, unit, ours, theirs, goal| Line {
        work,
        limit: limit.to_owned(),
        unit,
        ours,
        theirs: Some(theirs),
        goal,
        latencies: None,
    };
    bench.add(line(medians, "another address", Unit::Microseconds, ours, theirs, None));
    let goal = Some(Goal::AtMost(1.0));
    bench.add(line(difference, "chance", Unit::StandardDeviations, z, SIGNIFICANT_Z, goal));
}

/// Returns the z-value of the Mann-Whitney test: the difference of the rank sum of the first sample from its mean for equal samples,
/// in standard deviations. The value does not depend on the distribution of the times
/// (<https://en.wikipedia.org/wiki/Mann%E2%80%93Whitney_U_test>).
#[expect(clippy::cast_precision_loss, reason = "figures to print")]
fn mann_whitney_z([first, second]: &[Vec<f64>; 2]) -> f64 {
    let mut all: Vec<_> =
        first.iter().map(|time| (*time, 1.0)).chain(second.iter().map(|time| (*time, 0.0))).collect();
    all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let ranks: f64 = (1..).zip(&all).map(|(rank, (_, is_first))| f64::from(rank) * is_first).sum();
    let [n, m] = [first.len() as f64, second.len() as f64];
    let u = ranks - n * (n + 1.0) / 2.0;
    (u - n * m / 2.0) / (n * m * (n + m + 1.0) / 12.0).sqrt()
}
