//! The database is gone, or busy, or slow: callers are told to come again, in bounded time, and all goes on when it is back.

use std::time::{Duration, Instant};

use signup_store_sql::throwaway::Cluster;

use crate::harness::{Answer, Server, event};

/// A server on a cluster of its own.
fn server(arguments: &[&str]) -> Option<(Cluster, Server)> {
    let cluster = Cluster::start(&[])?;
    let database = cluster.empty_database();
    let mut server = Server::start_on(&database, arguments);
    server.manage(&["organization", "create", "--name", "Starter", "--plan", "pro"]);
    let token = server.manage(&["token", "create", "--organization", "starter", "--name", "t"]);
    token["token"].as_str().unwrap().clone_into(&mut server.token);
    Some((cluster, server))
}

fn assert_unavailable(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 503, "{what}: {}", answer.text);
    assert_eq!(answer.header("retry-after"), Some("1"), "{what}");
    assert!(answer.json()["message"].as_str().unwrap().starts_with("The service is unavailable"), "{what}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_database_a_server_says_503_and_goes_on_when_it_is_back() {
    let Some((cluster, server)) = server(&["--database-connect-timeout-s", "1"]) else { return };
    let before = server.send_keyed("POST", "/v1/events", "before", &event()).await;
    assert_eq!(before.status, 201);
    cluster
        .restart(async {
            let since = Instant::now();
            assert_unavailable(&server.get("/v1/events").await, "a read");
            let write = server.send_keyed("POST", "/v1/events", "during", &event()).await;
            assert_unavailable(&write, "a write");
            assert_unavailable(&server.get_without_token("/v1/team").await, "what has to be counted");
            assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
            assert_eq!(server.get_without_token("/health/live").await.status, 200);
            let ready = server.get_without_token("/health/ready").await;
            assert_eq!((ready.status, ready.header("retry-after")), (503, Some("1")));
            assert_eq!(server.get_without_token("/openapi.json").await.status, 200, "it needs no database");
        })
        .await;
    let since = Instant::now();
    while server.get("/v1/events").await.status != 200 {
        assert!(since.elapsed() < Duration::from_secs(10), "it is not back");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    while server.get_without_token("/health/ready").await.status != 200 {
        assert!(since.elapsed() < Duration::from_secs(10), "it is not ready");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let again = server.send_keyed("POST", "/v1/events", "before", &event()).await;
    assert!(again.is_replay() && again.text == before.text, "what was acknowledged is there");
    assert_eq!(server.send_keyed("POST", "/v1/events", "during", &event()).await.status, 201);
}

/// Keeps a table from everybody for some seconds.
fn lock(cluster: &Cluster, database: &str, table: &str, seconds: u32) -> std::thread::JoinHandle<()> {
    let url = cluster.url(database);
    let (port, name) = (cluster.port().to_string(), database.to_owned());
    let sql = format!("BEGIN; LOCK TABLE {table}; SELECT pg_sleep({seconds}); COMMIT");
    assert!(url.ends_with(&name));
    std::thread::spawn(move || {
        let psql = std::process::Command::new("psql")
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-d", &name, "-X", "-q", "-c", &sql])
            .output()
            .unwrap();
        assert!(psql.status.success());
    })
}

async fn until_locked(cluster: &Cluster, database: &str, table: &str) {
    let asked = format!(
        "SELECT count(*) FROM pg_locks WHERE relation = '{table}'::regclass AND mode = 'AccessExclusiveLock' AND granted"
    );
    while cluster.sql(database, &asked) == "0" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_finds_no_free_connection_is_told_to_come_again() {
    let arguments = ["--database-connections", "1", "--database-connect-timeout-s", "1"];
    let Some((cluster, server)) = server(&arguments) else { return };
    assert_eq!(server.get("/v1/events").await.status, 200);
    let lock = lock(&cluster, "database_0", "events", 4);
    until_locked(&cluster, "database_0", "events").await;
    let since = Instant::now();
    let (slow, refused) = tokio::join!(server.get("/v1/events"), async {
        let waits =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'database_0' AND wait_event_type = 'Lock'";
        // Then the one connection is taken.
        while cluster.sql("postgres", waits) == "0" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        server.get("/v1/team").await
    });
    assert_unavailable(&refused, "the second");
    assert_eq!(slow.status, 200, "the first waited for the lock, and got it");
    assert!(since.elapsed() < Duration::from_secs(8));
    lock.join().unwrap();
    assert_eq!(server.get("/v1/team").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_takes_too_long_is_given_up() {
    let Some((cluster, server)) = server(&["--database-statement-timeout-s", "1"]) else { return };
    assert_eq!(server.get("/v1/events").await.status, 200);
    let lock = lock(&cluster, "database_0", "events", 4);
    until_locked(&cluster, "database_0", "events").await;
    let since = Instant::now();
    assert_unavailable(&server.get("/v1/events").await, "the read");
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
    lock.join().unwrap();
    assert_eq!(server.get("/v1/events").await.status, 200);
}
