//! PostgreSQL: servers that restart, refuse connections, or stop answering.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use signup_core::conformance::records::{at, stored};
use signup_core::{CommitError, RateKey, RequestCounter as _, Store as _};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::waits::{begin, busy_shift, locking, sign_up, transactions, until_waiting};
use crate::records::{insert, organization};
use crate::wait::wait_until;

/// A trigger stands for the full disk: it refuses each new row as the server does.
#[tokio::test]
async fn a_store_is_not_ready_after_a_write_to_a_full_disk_until_a_write_succeeds() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_database();
    let urls = [url.parse().unwrap()];
    let store = PostgresStore::open(&urls, PostgresOptions::default()).await.unwrap();
    let mut operator = PgConnection::connect(&url).await.unwrap();
    let full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$; \
         CREATE TRIGGER full_disk BEFORE INSERT ON organizations EXECUTE FUNCTION full_disk(); \
         CREATE TRIGGER full_disk BEFORE INSERT ON meta EXECUTE FUNCTION full_disk()";
    operator.execute(full).await.unwrap();
    store.check().await.unwrap();
    let CommitError::Failed(error) = store.commit(insert([organization(1)])).await.unwrap_err() else {
        panic!("nothing refuses it");
    };
    assert!(error.is_unavailable(), "{error:?}");
    assert!(store.check().await.unwrap_err().is_unavailable());
    operator.execute("DROP FUNCTION full_disk CASCADE").await.unwrap();
    store.check().await.unwrap();
    assert_eq!(
        operator.fetch_all("SELECT 1 FROM meta WHERE name = 'try'").await.unwrap().len(),
        0,
        "the try leaves nothing"
    );
}

/// What an operator has removed is unavailable, and not an error of the service.
#[tokio::test]
async fn a_database_that_was_dropped_or_replaced_by_an_empty_one_is_unavailable() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_database();
    let urls = [url.parse().unwrap()];
    let store = PostgresStore::open(&urls, PostgresOptions::default()).await.unwrap();
    let (server, name) = url.rsplit_once('/').unwrap();
    let mut operator = PgConnection::connect(&format!("{server}/postgres")).await.unwrap();
    for step in [format!("DROP DATABASE {name} WITH (FORCE)"), format!("CREATE DATABASE {name}")] {
        operator.execute(sqlx::AssertSqlSafe(step.clone())).await.unwrap();
        for _ in 0..20 {
            let read = store.organizations(None, 1).await.unwrap_err();
            assert!(read.is_unavailable(), "{step}: {read:?}");
            let CommitError::Failed(error) = store.commit(insert([organization(1)])).await.unwrap_err()
            else {
                panic!("{step}: nothing refuses it");
            };
            assert!(error.is_unavailable(), "{step}: {error:?}");
        }
        assert!(store.check().await.unwrap_err().is_unavailable(), "{step}");
    }
}

/// A proxy in front of a server. A test can slow it down or silence it.
struct Proxy {
    port: u16,
    state: watch::Sender<u8>,
    listening: JoinHandle<()>,
}

const OPEN: u8 = 0;
/// The proxy delays each chunk of data.
const SLOW: u8 = 1;
/// The proxy forwards nothing, and closes no connection.
const SILENT: u8 = 2;

impl Proxy {
    async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().port();
        let state = watch::Sender::new(OPEN);
        let listening = tokio::spawn({
            let state = state.clone();
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::spawn(carry(from_client, to_server, state.subscribe()));
                    tokio::spawn(carry(from_server, to_client, state.subscribe()));
                }
            }
        });
        Self { port: here, state, listening }
    }

    /// Refuses new connections, and keeps the open ones.
    async fn refuse(&mut self) {
        self.listening.abort();
        assert!((&mut self.listening).await.is_err());
    }

    fn set(&self, state: u8) {
        self.state.send_replace(state);
    }

    fn url(&self, database_url: &str) -> String {
        let (_, database) = database_url.rsplit_once('/').unwrap();
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }
}

async fn carry(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    mut state: watch::Receiver<u8>,
) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if *state.borrow() == SLOW {
            // The delay is deliberate: it stands for a slow network.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        until_not_silent(&mut state).await;
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
    // The end of the connection does not get through, either.
    until_not_silent(&mut state).await;
}

/// Waits until the proxy is no longer silent. A proxy that was dropped keeps its last state.
async fn until_not_silent(state: &mut watch::Receiver<u8>) {
    if state.wait_for(|state| *state != SILENT).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn options() -> PostgresOptions {
    PostgresOptions { connect_timeout: Duration::from_millis(500), ..PostgresOptions::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_works_again_after_its_server_restarts() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let options =
        PostgresOptions { connect_timeout: Duration::from_millis(500), ..PostgresOptions::default() };
    let store = PostgresStore::open(&[cluster.empty_database().parse().unwrap()], options).await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
    cluster
        .restart(async {
            let error = store.organizations(None, 9).await.unwrap_err();
            assert!(error.is_unavailable(), "{error:?}");
            assert!(store.check().await.unwrap_err().is_unavailable());
        })
        .await;
    wait_until(async || store.check().await.map_err(|error| format!("the store did not recover: {error}")))
        .await;
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn opening_a_standby_alone_fails() {
    let Some(primary) = Cluster::start(&[]) else { return };
    let standby = primary.standby(&[]);
    let options = PostgresOptions::default();
    let error =
        PostgresStore::open(&[standby.url("postgres").parse().unwrap()], options.clone()).await.unwrap_err();
    assert!(error.to_string().contains("standby"), "{error}");
    let urls = [standby.url("postgres"), primary.url("postgres")].map(|url| url.parse().unwrap());
    let store = PostgresStore::open(&urls, options).await.unwrap();
    store.check().await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
}

/// No connection is open, and many requests come at once: an attempt to connect does not count as a connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_without_a_connection_connects_to_a_server_that_accepts_one() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let mut proxy = Proxy::to(cluster.port()).await;
    let urls = [proxy.url(&url), url].map(|url| url.parse().unwrap());
    let store = PostgresStore::open(&urls, options()).await.unwrap();
    proxy.refuse().await;
    let begin = Instant::now();
    let callers = (0..100).map(|number| {
        let store = &store;
        async move {
            // Time is meant: they come one after the other, so that there is never a moment without an attempt.
            tokio::time::sleep(Duration::from_millis(number * 5)).await;
            while store.organizations(None, 9).await.is_err() {
                assert!(begin.elapsed() < Duration::from_secs(5), "no other server was taken");
            }
        }
    });
    join_all(callers).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_closes_while_its_server_is_silent() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let proxy = Proxy::to(cluster.port()).await;
    let store = PostgresStore::open(&[proxy.url(&url).parse().unwrap()], options()).await.unwrap();
    join_all((0..8).map(|_| store.organizations(None, 9))).await;
    let under_way = tokio::spawn({
        let store = store.clone();
        async move { store.organizations(None, 9).await }
    });
    proxy.set(SILENT);
    let closed = tokio::time::timeout(Duration::from_secs(5), store.close()).await;
    assert!(closed.is_ok(), "it waits for a server that says nothing");
    under_way.abort();
}

/// One connection has more work than it can do, so most requests are refused. The store is ready nevertheless.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overloaded_store_is_ready() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let proxy = Proxy::to(cluster.port()).await;
    proxy.set(SLOW);
    let options = PostgresOptions { connections: 1, connect_timeout: Duration::from_secs(1), ..options() };
    let store = PostgresStore::open(&[proxy.url(&url).parse().unwrap()], options).await.unwrap();
    let (work, commits, checks) = tokio::join!(
        join_all((0..50).map(|_| store.organizations(None, 9))),
        join_all((0..50).map(|number| store.commit(insert([organization(number)])))),
        join_all((0..50).map(|_| store.check())),
    );
    assert!(work.iter().any(Result::is_err), "one connection is enough for all");
    // After a commit that failed, each check tries to write.
    assert!(commits.iter().any(Result::is_err), "one connection is enough for all");
    let checks = [checks, join_all((0..5).map(|_| store.check())).await].concat();
    let unready: Vec<_> = checks.into_iter().filter_map(Result::err).collect();
    assert!(unready.is_empty(), "{unready:?}");
}

/// The statements together take longer than one statement may, and none of them hangs.
#[tokio::test]
async fn a_large_transaction_over_a_slow_network_keeps_its_connection() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let proxy = Proxy::to(cluster.port()).await;
    let options = PostgresOptions {
        connect_timeout: Duration::from_secs(20),
        statement_timeout: Duration::from_millis(500),
        ..PostgresOptions::default()
    };
    let store = PostgresStore::open(&[proxy.url(&url).parse().unwrap()], options).await.unwrap();
    let shift = busy_shift(&store, 65).await;
    proxy.set(SLOW);
    let mut commits: Vec<_> = (100..165).map(|number| store.commit(sign_up(number, &shift))).collect();
    begin(&mut commits);
    for answer in join_all(commits).await {
        answer.unwrap();
    }
    let mut watcher = PgConnection::connect(&url).await.unwrap();
    assert_eq!(transactions(&mut watcher).await, [1, 64]);
}

#[tokio::test]
async fn a_commit_that_hangs_on_replaced_connections_does_not_block_later_commits() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let (proxy, other) = (Proxy::to(cluster.port()).await, Proxy::to(cluster.port()).await);
    let urls = [proxy.url(&url), other.url(&url)].map(|url| url.parse().unwrap());
    // It hangs until the test is over.
    let statement_timeout = Duration::from_secs(60);
    let options = PostgresOptions { connections: 1, statement_timeout, ..options() };
    other.set(SILENT);
    let store = PostgresStore::open(&urls, options).await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
    let until = async |expected| {
        wait_until(async || match store.connections() {
            found if found == expected => Ok(()),
            found => Err(format!("{found:?} connections did not become {expected:?}")),
        })
        .await;
    };
    until((1, 0)).await;
    proxy.set(SILENT);
    other.set(OPEN);
    let hanging = tokio::spawn({
        let store = store.clone();
        async move { store.commit(insert([organization(2)])).await }
    });
    until((1, 1)).await;
    let begin = Instant::now();
    while store.organizations(None, 9).await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the other proxy was not taken");
    }
    store.commit(insert([organization(3)])).await.unwrap();
    assert!(!hanging.is_finished());
    hanging.abort();
}

/// The process never gets the answer to its statement, so it sends no COMMIT.
#[tokio::test]
async fn a_silent_process_behind_pgbouncer_loses_its_locks() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let proxy = Proxy::to(cluster.port()).await;
    let options = PostgresOptions { pgbouncer: true, statement_timeout: Duration::from_secs(3), ..options() };
    let store = PostgresStore::open(&[proxy.url(&url).parse().unwrap()], options).await.unwrap();
    let shift = busy_shift(&store, 9).await;
    let mut stranger = locking(&url, "shifts").await;
    let silent = tokio::spawn({
        let (store, shift) = (store.clone(), shift.clone());
        async move { store.commit(sign_up(100, &shift)).await }
    });
    until_waiting(&url, 1).await;
    proxy.set(SILENT);
    stranger.execute("COMMIT").await.unwrap();
    let other = PostgresStore::open(&[url.parse().unwrap()], PostgresOptions::default()).await.unwrap();
    other.commit(sign_up(101, &shift)).await.unwrap();
    silent.await.unwrap().unwrap_err();
    let filled = stored(&other, &shift).await.unwrap().occupancy.filled;
    assert_eq!(filled, 1, "the silent transaction was rolled back");
}

/// All waiting requests share one wait for the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_cannot_be_counted_fail_together() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let proxy = Proxy::to(cluster.port()).await;
    let statement_timeout = Duration::from_millis(500);
    let options = PostgresOptions { statement_timeout, ..options() };
    let store = PostgresStore::open(&[proxy.url(&url).parse().unwrap()], options).await.unwrap();
    let caller = RateKey::address("192.0.2.1".parse().unwrap());
    store.count_request(caller, at(0)).await.unwrap();
    proxy.set(SILENT);
    let begin = Instant::now();
    // One batch after the other they would wait 10 seconds.
    let counts = (0..4000).map(|_| store.count_request(caller, at(0)));
    for count in join_all(counts).await {
        let error = count.unwrap_err();
        assert!(error.is_unavailable(), "{error:?}");
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
