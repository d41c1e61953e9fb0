//! A PostgreSQL database that is down, busy or slow: the server answers 503 in bounded time, and recovers when the
//! database does.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use signup_store_sql::test_cluster::Cluster;

use crate::harness::{Answer, Server, event};
use crate::pages::{Page, assert_is_secured, published};
use crate::wait::wait_until;

/// Starts a server on a new cluster. Returns `None` if PostgreSQL is not installed.
fn server(arguments: &[&str]) -> Option<(Cluster, Server)> {
    let cluster = Cluster::start(&[])?;
    let database = cluster.empty_database();
    let mut server = Server::start_on(&database, arguments);
    server.command("organization create --name Starter --plan pro");
    let token = server.command("token create --organization starter --name t");
    token["token"].as_str().unwrap().clone_into(&mut server.token);
    Some((cluster, server))
}

fn assert_unavailable(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 503, "{what}: {}", answer.text);
    assert_eq!(answer.header("retry-after"), Some("1"), "{what}");
    assert!(
        answer.json()["message"].as_str().unwrap().starts_with("The service is temporarily unavailable"),
        "{what}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_answers_503_while_its_database_is_down_and_recovers() {
    let Some((cluster, server)) = server(&["--database-connect-timeout-s", "1"]) else { return };
    let before = server.send_keyed("POST", "/v1/events", "before", &event()).await;
    assert_eq!(before.status, 201);
    cluster
        .restart(async {
            let since = Instant::now();
            assert_unavailable(&server.get("/v1/events").await, "a read");
            let write = server.send_keyed("POST", "/v1/events", "during", &event()).await;
            assert_unavailable(&write, "a write");
            assert_unavailable(
                &server.get_without_token("/v1/team").await,
                "a request that has to be counted",
            );
            assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
            assert_eq!(server.get_without_token("/health/live").await.status, 200);
            let ready = server.get_without_token("/health/ready").await;
            assert_eq!((ready.status, ready.header("retry-after")), (503, Some("1")));
            assert_eq!(
                server.get_without_token("/openapi.json").await.status,
                200,
                "the document needs no database"
            );
        })
        .await;
    wait_until(Duration::from_secs(10), async || {
        let events = server.get("/v1/events").await.status;
        let ready = server.get_without_token("/health/ready").await.status;
        let is_back = (events, ready) == (200, 200);
        is_back.then_some(()).ok_or_else(|| format!("the server did not recover ({events}, {ready})"))
    })
    .await;
    let again = server.send_keyed("POST", "/v1/events", "before", &event()).await;
    assert!(again.is_replay() && again.text == before.text, "the acknowledged write is stored");
    assert_eq!(server.send_keyed("POST", "/v1/events", "during", &event()).await.status, 201);
}

/// Pages answer as the API does, but in HTML.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_answer_503_while_the_database_is_down() {
    let Some((cluster, server)) = server(&["--database-connect-timeout-s", "5"]) else { return };
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    let signup = format!("/signups/{}", "A".repeat(43));
    cluster
        .restart(async {
            let sign_up = page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
            assert!(
                sign_up.text.contains("name=\"email\" value=\"ada@example.org\""),
                "what was typed is kept"
            );
            for answer in [
                page.get(&server).await,
                sign_up,
                server.browse("GET", &format!("{signup}/calendar.ics"), None).await,
                server.browse("GET", &signup, None).await,
                server.browse("POST", &format!("{signup}/cancel"), None).await,
            ] {
                assert_eq!(
                    (answer.status, answer.header("retry-after")),
                    (503, Some("1")),
                    "{}",
                    answer.text
                );
                assert_is_secured(&answer);
                for internal in ["sql", "postgres", "connect"] {
                    assert!(!answer.text.to_lowercase().contains(internal), "{internal} in {}", answer.text);
                }
            }
        })
        .await;
}

/// Holds an exclusive lock of a table until it is dropped.
struct Lock(Child);

impl Lock {
    fn hold(cluster: &Cluster, table: &str) -> Self {
        let mut psql = Command::new("psql")
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &cluster.port().to_string(),
                "-U",
                "postgres",
                "-d",
                "database_0",
            ])
            .args(["-X", "-q", "-t", "-A"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        writeln!(psql.stdin.as_mut().unwrap(), "BEGIN; LOCK TABLE {table}; SELECT 'locked';").unwrap();
        let mut line = String::new();
        BufReader::new(psql.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "locked\n");
        Self(psql)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Without input, psql exits, and its transaction ends.
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

/// Waits until a query for a count returns another value than 0. Panics with `missing` after 10 seconds.
async fn wait_for_nonzero(cluster: &Cluster, database: &str, count: &str, missing: &str) {
    wait_until(Duration::from_secs(10), async || {
        let is_nonzero = cluster.sql(database, count) != "0";
        is_nonzero.then_some(()).ok_or_else(|| missing.to_owned())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_gets_no_connection_in_time_is_answered_503() {
    let arguments = ["--database-connections", "1", "--database-connect-timeout-s", "1"];
    let Some((cluster, server)) = server(&arguments) else { return };
    assert_eq!(server.get("/v1/events").await.status, 200);
    let lock = Lock::hold(&cluster, "events");
    let (slow, refused) = tokio::join!(server.get("/v1/events"), async {
        let waits =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'database_0' AND wait_event_type = 'Lock'";
        // Once a statement waits for the lock, the only connection is in use.
        wait_for_nonzero(&cluster, "postgres", waits, "no statement waited for the lock").await;
        let refused = server.get("/v1/team").await;
        drop(lock);
        refused
    });
    assert_unavailable(&refused, "the second request");
    assert_eq!(slow.status, 200, "the first request waited for the lock and got it");
    assert_eq!(server.get("/v1/team").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_cannot_be_counted_is_answered_503_and_told_when_its_token_expires() {
    let Some((cluster, mut server)) = server(&["--database-statement-timeout-s", "1"]) else { return };
    let create =
        ["token", "create", "--organization", "starter", "--name", "short", "--expires-in-days", "30"];
    server.manage(&create)["token"].as_str().unwrap().clone_into(&mut server.token);
    let before = server.get("/v1/events").await;
    let _lock = Lock::hold(&cluster, "windows");
    let refused = server.get("/v1/events").await;
    assert_unavailable(&refused, "the read");
    assert_eq!(refused.header("x-ratelimit-remaining"), Some("0"));
    let expires = refused.header("token-expires");
    assert!(expires.is_some() && expires == before.header("token-expires"), "{:?}", refused.headers);
}
