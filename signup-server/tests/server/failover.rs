//! Failover: the PostgreSQL primary is killed under load, its synchronous standby is promoted, and the address of the primary leads to
//! the standby. No acknowledged write is lost or duplicated, and the server recovers by itself.
//!
//! `cargo test -p signup-server --test server failover -- --nocapture` prints the figures.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signup_store_sql::test_cluster::Cluster;
use tokio::net::{TcpListener, TcpStream};

use crate::harness::Server;
use crate::wait::wait_until;

/// The acknowledged creates by idempotency key: the time of the acknowledgement and the id of the event.
type Acknowledged = HashMap<String, (Instant, String)>;

/// The time that a create may take, with all its retries, until it is acknowledged.
const RETRY_DEADLINE: Duration = Duration::from_secs(60);

/// Creates events until `stop` is set, and retries each create with its key until it is acknowledged. Returns the
/// acknowledged creates and the number of 503s. Panics if a create is not acknowledged within [`RETRY_DEADLINE`].
async fn write(url: String, token: String, writer: usize, stop: Arc<AtomicBool>) -> (Acknowledged, usize) {
    let client = reqwest::Client::new();
    let (mut acknowledged, mut failed) = (HashMap::new(), 0);
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let key = format!("{writer}-{number}");
        let body = json!({"title": key, "start_date": "2027-06-05", "timezone": "UTC",
                          "shifts": [{"title": "A", "capacity": 3}]});
        let since = Instant::now();
        loop {
            let request = client.post(format!("{url}/v1/events")).bearer_auth(&token);
            let response = request.header("Idempotency-Key", &key).json(&body).send().await.unwrap();
            if response.status() == 201 {
                let body: Value = response.json().await.unwrap();
                let id = body["data"]["id"].as_str().unwrap().to_owned();
                acknowledged.insert(key, (Instant::now(), id));
                break;
            }
            assert_eq!(response.status(), 503, "{}", response.text().await.unwrap());
            assert!(since.elapsed() < RETRY_DEADLINE, "{key} was not acknowledged within {RETRY_DEADLINE:?}");
            failed += 1;
            // The pause is that of a client between two attempts.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    (acknowledged, failed)
}

/// Starts a proxy, which leads each new connection to the port in `target`. Returns its own port.
async fn proxy(target: Arc<AtomicU16>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let target = target.load(Ordering::Relaxed);
            tokio::spawn(async move {
                if let Ok(mut server) = TcpStream::connect(("127.0.0.1", target)).await {
                    drop(tokio::io::copy_bidirectional(&mut client, &mut server).await);
                }
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failover_loses_nothing_acknowledged_and_duplicates_nothing() {
    let Some(primary) = Cluster::start(&["-c", "synchronous_standby_names=*"]) else { return };
    // Without a connected standby, a commit on the primary would never return.
    let standby = primary.standby(&["-c", "synchronous_standby_names="]);
    let connected = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
    wait_until(Duration::from_secs(30), async || {
        let is_connected = primary.sql("postgres", connected) == "1";
        is_connected.then_some(()).ok_or_else(|| "the synchronous standby did not connect".to_owned())
    })
    .await;
    primary.sql("postgres", "CREATE DATABASE signup");
    let target = Arc::new(AtomicU16::new(primary.port()));
    let url = format!("postgres://postgres@127.0.0.1:{}/signup", proxy(Arc::clone(&target)).await);
    let arguments = ["--database-connect-timeout-s", "1", "--database-statement-timeout-s", "2"];
    let mut server = Server::start_on(&url, &arguments);
    server.command("organization create --name Starter --plan pro");
    let token = server.command("token create --organization starter --name t");
    token["token"].as_str().unwrap().clone_into(&mut server.token);

    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            tokio::spawn(write(server.url.clone(), server.token.clone(), writer, Arc::clone(&stop)))
        })
        .collect();
    // The fixed waits are deliberate: the test writes before, during and after the failover.
    tokio::time::sleep(Duration::from_secs(2)).await;
    primary.kill();
    let killed = Instant::now();
    // Stands for the time that a failover tool takes to detect the failure.
    tokio::time::sleep(Duration::from_secs(1)).await;
    standby.promote();
    target.store(standby.port(), Ordering::Relaxed);
    let promoted = Instant::now();
    // The time after the failover, in which the writers use the new primary.
    tokio::time::sleep(Duration::from_secs(4)).await;
    stop.store(true, Ordering::Relaxed);
    let (mut acknowledged, mut failed) = (Acknowledged::new(), 0);
    for writer in writers {
        let (more, failures) = writer.await.unwrap();
        acknowledged.extend(more);
        failed += failures;
    }

    let mut stored: HashMap<String, Vec<String>> = HashMap::new();
    let mut path = "/v1/events?per_page=100".to_owned();
    loop {
        let page = server.get(&path).await.json();
        for event in page["data"].as_array().unwrap() {
            let text = |name: &str| event[name].as_str().unwrap().to_owned();
            stored.entry(text("title")).or_default().push(text("id"));
        }
        match page["links"]["next"].as_str() {
            Some(next) => path = next.strip_prefix(&server.url).unwrap().to_owned(),
            None => break,
        }
    }
    let is_lost = |(key, (_, id)): &(&String, &(Instant, String))| {
        !stored.get(*key).is_some_and(|ids| ids.contains(id))
    };
    let lost = acknowledged.iter().filter(is_lost).count();
    let duplicated = stored.values().filter(|ids| ids.len() > 1).count();
    let before = acknowledged.values().filter(|(at, _)| *at <= killed).count();
    let back = acknowledged.values().map(|(at, _)| *at).filter(|at| *at > promoted).min();
    let back = back.expect("the server recovered by itself");
    println!(
        "failover: {} acknowledged ({before} before the kill), {failed} answered 503, {lost} lost, {duplicated} duplicated; \
         {:.1} s without service, of which {:.1} s after the promotion",
        acknowledged.len(),
        back.duration_since(killed).as_secs_f64(),
        back.duration_since(promoted).as_secs_f64(),
    );
    assert!(
        before > 0 && acknowledged.len() > before,
        "writes were acknowledged before and after the failover"
    );
    assert_eq!((lost, duplicated), (0, 0));
}
