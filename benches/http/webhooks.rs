//! Webhooks: the age of deliveries to a good receiver beside bad ones, and what webhooks cost the writes.

use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use signup_benches::{Goal, Line, Unit};
use signup_store_sql::test_cluster::Cluster;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};
use warp::Filter as _;
use warp::http::StatusCode;

use crate::compare::{Bench, By, sides};
use crate::load::{CONNECTIONS, read_answer};
use crate::request::{PATIENCE, Request};
use crate::site::Site;
use crate::times::Times;

/// The length of the load whose deliveries are measured.
const LOAD: Duration = Duration::from_secs(30);
/// The connections that write. Each writes ten times a second, so together they make a hundred activities a second.
const WRITERS: u64 = 10;
const WRITE_PERIOD: Duration = Duration::from_millis(100);
/// How long the slow receiver takes to answer.
const SLOW: Duration = Duration::from_secs(10);
/// The goal for the age of the oldest delivery, in milliseconds.
const MAX_AGE_MS: f64 = 2000.0;
/// The webhooks of the lines that compare writes: the maximum of an organization.
const WEBHOOKS: usize = 16;
/// The events that are published and unpublished: a hundred for each connection, as in the lines on edits.
const EVENTS: usize = 6400;

pub(crate) fn measure(bench: &mut Bench, cluster: Option<&Cluster>) {
    ages(bench, "SQLite", Site::on_sqlite);
    if let Some(cluster) = cluster {
        ages(bench, "PostgreSQL", || Site::on_postgres(cluster));
    }
    writes(bench, "SQLite", || Site::on_sqlite_with(EVENTS));
    if let Some(cluster) = cluster {
        writes(bench, "PostgreSQL", || Site::on_postgres_with(cluster, EVENTS));
    }
}

/// Measures from the answer of a write to the arrival of its delivery. The three bad receivers get the same deliveries.
fn ages(bench: &mut Bench, engine: &str, site: impl FnOnce() -> Site) {
    let work = format!("oldest webhook delivery beside 3 bad receivers, {engine}");
    if !bench.wants(&[&work]) {
        return;
    }
    let site = site();
    let runtime = Runtime::new().unwrap();
    let (answered, arrived) = runtime.block_on(load_of_deliveries(&site));
    let mut ages = Times::none();
    for (event, answered) in &answered {
        let arrived = arrived.get(event).unwrap_or_else(|| panic!("event {event} did not arrive"));
        // A delivery can arrive before the answer.
        ages.record(arrived.saturating_duration_since(*answered));
    }
    bench.add(Line {
        work,
        limit: "the goal".to_owned(),
        unit: Unit::Milliseconds,
        ours: ages.milliseconds(1.0),
        theirs: Some(MAX_AGE_MS),
        goal: Some(Goal::AtMost(1.0)),
        latencies: Some(ages.latencies()),
    });
}

/// An instant for each event, by the event's id.
type Instants = HashMap<String, Instant>;

/// Creates events for the length of the load, and waits for their deliveries. Returns when each create was answered, and when
/// each delivery arrived at the good receiver.
async fn load_of_deliveries(site: &Site) -> (Instants, Instants) {
    let arrived = Arc::<Mutex<Instants>>::default();
    let store = Arc::clone(&arrived);
    let good = receiver(move |body| {
        let message: Value = serde_json::from_slice(&body).unwrap();
        let event = message["data"]["event_id"].as_str().unwrap().to_owned();
        store.lock().unwrap().entry(event).or_insert_with(Instant::now);
        std::future::ready(())
    });
    let slow = receiver(|_| sleep(SLOW));
    for port in [dead_port().await, silent_port().await, slow.await, good.await] {
        site.webhook(port, "event.created");
    }
    // These numbers are below the numbers of any round, and above those of single requests.
    let numbers = Arc::new(AtomicU64::new(500_000));
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (create, port, numbers) = (site.create(), site.process.port, Arc::clone(&numbers));
        writers.spawn(async move {
            sleep(WRITE_PERIOD * u32::try_from(writer).unwrap() / u32::try_from(WRITERS).unwrap()).await;
            write_until(Instant::now() + LOAD, &create, port, &numbers).await
        });
    }
    let answered: Instants = writers.join_all().await.into_iter().flatten().collect();
    let end = Instant::now() + PATIENCE;
    while arrived.lock().unwrap().len() < answered.len() && Instant::now() < end {
        sleep(Duration::from_millis(20)).await;
    }
    let arrived = arrived.lock().unwrap().clone();
    (answered, arrived)
}

/// Sends a create in each period. Returns the id of each event, and when its create was answered.
async fn write_until(
    end: Instant,
    create: &Request,
    port: u16,
    numbers: &AtomicU64,
) -> Vec<(String, Instant)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut ticks, mut answered, mut answer) = (interval(WRITE_PERIOD), vec![], vec![]);
    while Instant::now() < end {
        ticks.tick().await;
        let mut request = vec![];
        create.write_to(&mut request, numbers);
        stream.write_all(&request).await.unwrap();
        assert_eq!(read_answer(&mut stream, &mut answer).await.unwrap(), create.status);
        let at = Instant::now();
        let (_, body) = std::str::from_utf8(&answer).unwrap().split_once("\r\n\r\n").unwrap();
        let created: Value = serde_json::from_str(body).unwrap();
        answered.push((created["data"]["id"].as_str().unwrap().to_owned(), at));
    }
    answered
}

/// Starts a receiver that answers each delivery with 204 after `work`. Returns its port.
async fn receiver<F>(work: impl Fn(bytes::Bytes) -> F + Clone + Send + Sync + 'static) -> u16
where
    F: Future<Output = ()> + Send,
{
    let route = warp::body::bytes().then(move |body| {
        let work = work.clone();
        async move {
            work(body).await;
            StatusCode::NO_CONTENT
        }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(warp::serve(route).incoming(listener).run());
    port
}

/// Returns a port that refuses connections.
async fn dead_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port()
}

/// Returns a port that accepts connections, and never answers.
async fn silent_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut streams = vec![];
        while let Ok((stream, _)) = listener.accept().await {
            streams.push(stream);
        }
    });
    port
}

/// Compares writes on a site with 16 webhooks with writes on a site without any. `site` returns a new site.
///
/// The receiver never answers, so the server sends few requests during the rounds: the lines show what it costs to write the
/// deliveries in the commit of each activity. Deliveries to a good receiver would still be sent during the rounds without
/// webhooks.
fn writes(bench: &mut Bench, engine: &str, site: impl Fn() -> Site) {
    let work = |what: &str, prefix: &str| format!("{what}, {WEBHOOKS} webhooks, {prefix}{engine}");
    let whats = ["POST event", "PATCH slot", "sign-up", "POST publish and unpublish"];
    let all = [("", CONNECTIONS), ("one connection, ", 1)];
    let works = all.map(|(prefix, _)| whats.map(|what| work(what, prefix)));
    if !bench.wants(&works.as_flattened().iter().map(String::as_str).collect::<Vec<_>>()) {
        return;
    }
    let runtime = Runtime::new().unwrap();
    let port = runtime.block_on(silent_port());
    let [with, without] = [WEBHOOKS, 0].map(|webhooks| {
        let site = site();
        (0..webhooks).for_each(|_| site.webhook(port, "*"));
        site
    });
    let loads = [&with, &without].map(|site| {
        // Listed before the event with sign-ups is created, which could not be unpublished.
        let pairs = site.events();
        let pairs =
            pairs.iter().flat_map(|event| ["publish", "unpublish"].map(|action| site.post(event, action)));
        let shared = site.publish(1_000_000);
        [
            site.load(vec![site.create()]),
            site.load(site.slots.iter().map(|slot| site.patch(slot)).collect()),
            site.load(shared.slots.iter().map(|slot| shared.sign_up(slot)).collect()),
            site.load(pairs.collect()),
        ]
    });
    for ((_, connections), works) in all.into_iter().zip(works) {
        let [with, without] = loads.clone().map(|loads| loads.map(|load| load.with_connections(connections)));
        for ((work, with), without) in works.iter().zip(with).zip(without) {
            let [ours, limit] = sides([with, without]);
            bench.add(ours.beside(&limit, work, By::Rate, "without webhooks", None));
        }
    }
}
