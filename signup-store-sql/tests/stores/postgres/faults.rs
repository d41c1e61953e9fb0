//! PostgreSQL: servers that restart, refuse connections, or stop answering.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rstest::rstest;
use signup_core::conformance::records::{self, at, stored};
use signup_core::{ChangeSet, CommitError, RateKey, Refusal, RequestCounter as _, Requirement, Store as _};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::waits::{begin, busy_shift, locking, sign_up, until_idle, until_waiting};
use crate::records::{event, insert, organization, organizations};
use crate::wait::wait_until;

/// A trigger stands for the full disk: it refuses each new row as the server does.
#[tokio::test]
async fn a_store_is_not_ready_after_a_write_to_a_full_disk_until_a_write_succeeds() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.empty_database();
    let store = PostgresStore::open(&url.parse().unwrap(), PostgresOptions::default()).await.unwrap();
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
    let store = PostgresStore::open(&url.parse().unwrap(), PostgresOptions::default()).await.unwrap();
    let (server, name) = url.rsplit_once('/').unwrap();
    let mut operator = PgConnection::connect(&format!("{server}/postgres")).await.unwrap();
    for step in [format!("DROP DATABASE {name} WITH (FORCE)"), format!("CREATE DATABASE {name}")] {
        operator.execute(sqlx::AssertSqlSafe(step.clone())).await.unwrap();
        for _ in 0..20 {
            let read = organizations(&store).await.unwrap_err();
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

/// A trigger stands for the database: it ends one attempt after the other with these states. Three deadlocks do not
/// count as attempts for a unique value, of which there are three.
#[rstest]
#[case(&["25P03"])]
#[case(&["25P04"])]
#[case(&["57P05"])]
#[case(&["40P01", "40P01", "40P01", "23505", "23505"])]
#[tokio::test]
async fn a_commit_is_tried_again_after_a_lost_session_a_deadlock_and_a_unique_violation(
    #[case] states: &[&str],
) {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let store = PostgresStore::open(&url.parse().unwrap(), PostgresOptions::default()).await.unwrap();
    let mut operator = PgConnection::connect(&url).await.unwrap();
    // A number of a sequence stays used after a rollback.
    let failing = format!(
        "CREATE SEQUENCE attempts; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ \
         DECLARE state text := (CAST('{{{}}}' AS text[]))[nextval('attempts')]; \
         BEGIN IF state IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = state; END IF; RETURN NEW; END $$; \
         CREATE TRIGGER fail BEFORE INSERT ON organizations FOR EACH ROW EXECUTE FUNCTION fail()",
        states.join(",")
    );
    operator.execute(sqlx::AssertSqlSafe(failing)).await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
    assert_eq!(organizations(&store).await.unwrap(), [organization(1)]);
}

/// The network carries neither the ROLLBACK nor anything after it.
#[tokio::test]
async fn a_refusal_whose_rollback_is_not_answered_is_returned() {
    let statement_timeout = Duration::from_millis(300);
    let options = PostgresOptions { connections: 1, statement_timeout, ..options() };
    let Some(Proxied { proxy, store, .. }) = Proxied::open(options).await else { return };
    proxy.set(SILENT_AT_ROLLBACK);
    let requires = Vec::from_iter(Requirement::unchanged(&organization(1)));
    let refused = store.commit(ChangeSet { requires, ..insert([organization(2)]) });
    let refused = tokio::time::timeout(Duration::from_secs(20), refused).await.unwrap();
    assert!(matches!(refused, Err(CommitError::Refused(Refusal::Changed(_)))), "{refused:?}");
    proxy.reconnect();
    organizations(&store).await.unwrap();
}

/// A proxy in front of a server. A test can slow it down, silence it, or move it to another server.
struct Proxy {
    port: u16,
    target: Arc<Mutex<Target>>,
}

/// The server of new connections, and the state of those that are open.
struct Target {
    port: u16,
    state: watch::Sender<u8>,
}

const OPEN: u8 = 0;
/// The proxy delays each chunk of data.
const SLOW: u8 = 1;
/// The proxy forwards nothing, and closes no connection.
const SILENT: u8 = 2;
/// The proxy is silent from the next ROLLBACK on.
const SILENT_AT_ROLLBACK: u8 = 3;

impl Proxy {
    async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().port();
        let target = Arc::new(Mutex::new(Target { port, state: watch::Sender::new(OPEN) }));
        tokio::spawn({
            let target = Arc::clone(&target);
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    let (port, state) = {
                        let target = target.lock().unwrap();
                        (target.port, target.state.clone())
                    };
                    let server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
                    let (from_client, to_client) = client.into_split();
                    let (from_server, to_server) = server.into_split();
                    tokio::spawn(carry(from_client, to_server, state.clone()));
                    tokio::spawn(carry(from_server, to_client, state));
                }
            }
        });
        Self { port: here, target }
    }

    /// Silences the open connections, and leads new ones to another server.
    fn move_to(&self, port: u16) {
        self.set(SILENT);
        *self.target.lock().unwrap() = Target { port, state: watch::Sender::new(OPEN) };
    }

    /// Silences the open connections, and opens the way for new ones.
    fn reconnect(&self) {
        let port = self.target.lock().unwrap().port;
        self.move_to(port);
    }

    fn set(&self, state: u8) {
        self.target.lock().unwrap().state.send_replace(state);
    }

    fn url(&self, database_url: &str) -> String {
        let (_, database) = database_url.rsplit_once('/').unwrap();
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }
}

async fn carry(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    state: watch::Sender<u8>,
) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        if *state.borrow() == SLOW {
            // The delay is deliberate: it stands for a slow network.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let is_rollback = buffer[..length].windows(8).any(|text| text == b"ROLLBACK");
        if *state.borrow() == SILENT_AT_ROLLBACK && is_rollback {
            state.send_replace(SILENT);
        }
        until_not_silent(&state).await;
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
    // The end of the connection does not get through, either.
    until_not_silent(&state).await;
}

async fn until_not_silent(state: &watch::Sender<u8>) {
    // The state has a sender, so this waits.
    state.subscribe().wait_for(|state| *state != SILENT).await.unwrap();
}

/// A store that reaches a database of its own through a proxy.
struct Proxied {
    /// The database itself.
    url: String,
    proxy: Proxy,
    store: PostgresStore,
}

impl Proxied {
    async fn open(options: PostgresOptions) -> Option<Self> {
        let cluster = Cluster::shared()?;
        let url = cluster.database().await;
        let proxy = Proxy::to(cluster.port()).await;
        let store = PostgresStore::open(&proxy.url(&url).parse().unwrap(), options).await.unwrap();
        Some(Self { url, proxy, store })
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
    let store = PostgresStore::open(&cluster.empty_database().parse().unwrap(), options).await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
    cluster
        .restart(async {
            let error = organizations(&store).await.unwrap_err();
            assert!(error.is_unavailable(), "{error:?}");
            assert!(store.check().await.unwrap_err().is_unavailable());
        })
        .await;
    wait_until(async || store.check().await.map_err(|error| format!("the store did not recover: {error}")))
        .await;
    assert_eq!(organizations(&store).await.unwrap().len(), 1);
}

#[tokio::test]
async fn opening_a_standby_fails() {
    let Some(primary) = Cluster::start(&[]) else { return };
    let standby = primary.standby(&[]);
    let url = standby.url("postgres").parse().unwrap();
    let error = PostgresStore::open(&url, PostgresOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains("standby"), "{error}");
}

/// A network that no longer carries anything closes no connection. New connections lead to the standby that was promoted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_follows_a_primary_that_moves_behind_its_address() {
    let Some(primary) = Cluster::start(&[]) else { return };
    let url = primary.empty_database();
    let (_, database) = url.rsplit_once('/').unwrap();
    let proxy = Proxy::to(primary.port()).await;
    let options = PostgresOptions { statement_timeout: Duration::from_millis(500), ..options() };
    let store = PostgresStore::open(&proxy.url(&url).parse().unwrap(), options).await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
    let standby = primary.standby(&[]);
    let caught_up = "SELECT count(*) FROM organizations";
    wait_until(async || match standby.sql(database, caught_up).as_str() {
        "1" => Ok(()),
        found => Err(format!("the standby has {found} organizations")),
    })
    .await;
    // Each connection is open.
    join_all((0..8).map(|_| organizations(&store))).await;
    standby.promote();
    proxy.move_to(standby.port());
    wait_until(async || match store.commit(insert([organization(2)])).await {
        Ok(()) => Ok(()),
        Err(error) => Err(format!("the store did not recover: {error:?}")),
    })
    .await;
    wait_until(async || store.check().await.map_err(|error| error.to_string())).await;
    assert_eq!(standby.sql(database, caught_up), "2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_closes_while_its_server_is_silent() {
    let options = options();
    let Some(Proxied { proxy, store, .. }) = Proxied::open(options).await else { return };
    join_all((0..8).map(|_| organizations(&store))).await;
    let under_way = tokio::spawn({
        let store = store.clone();
        async move { organizations(&store).await }
    });
    proxy.set(SILENT);
    let closed = tokio::time::timeout(Duration::from_secs(5), store.close()).await;
    assert!(closed.is_ok(), "it waits for a server that says nothing");
    under_way.abort();
}

/// The read that is dropped waits for a network that carries nothing. New connections lead to the server again.
#[tokio::test]
async fn a_read_that_is_dropped_while_its_server_is_silent_gives_up_its_connection() {
    let statement_timeout = Duration::from_millis(300);
    let options = PostgresOptions { connections: 1, statement_timeout, ..options() };
    let Some(Proxied { proxy, store, .. }) = Proxied::open(options).await else { return };
    organizations(&store).await.unwrap();
    until_idle(&store).await;
    proxy.reconnect();
    let mut reads = [Box::pin(organizations(&store))];
    begin(&mut reads);
    drop(reads);
    wait_until(async || organizations(&store).await.map_err(|error| error.to_string())).await;
}

/// One connection has more work than it can do, so most requests are refused. The store is ready nevertheless.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overloaded_store_is_ready() {
    let options = PostgresOptions { connections: 1, connect_timeout: Duration::from_secs(1), ..options() };
    let Some(Proxied { proxy, store, .. }) = Proxied::open(options).await else { return };
    proxy.set(SLOW);
    let (work, commits, checks) = tokio::join!(
        join_all((0..50).map(|_| organizations(&store))),
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
    let options = PostgresOptions { statement_timeout: Duration::from_millis(300), ..options() };
    let Some(Proxied { proxy, store, .. }) = Proxied::open(options).await else { return };
    drop(busy_shift(&store, 65).await);
    let event = event(11, "2027-06-05");
    // Each record is of another kind than the one before, so each is a statement.
    let mut change = ChangeSet::default();
    for number in 100..120 {
        change.insert(records::shift(&event, number, 5));
        change.insert(records::question(&event, number, 0));
    }
    proxy.set(SLOW);
    let begin = Instant::now();
    store.commit(change).await.unwrap();
    assert!(begin.elapsed() > Duration::from_millis(1300), "{:?}", begin.elapsed());
}

/// The process never gets the answer to its statement, so it sends no COMMIT.
#[tokio::test]
async fn a_silent_process_behind_pgbouncer_loses_its_locks() {
    let options = PostgresOptions { pgbouncer: true, statement_timeout: Duration::from_secs(3), ..options() };
    let Some(Proxied { url, proxy, store }) = Proxied::open(options).await else { return };
    let shift = busy_shift(&store, 9).await;
    let mut stranger = locking(&url, "shifts").await;
    let silent = tokio::spawn({
        let (store, shift) = (store.clone(), shift.clone());
        async move { store.commit(sign_up(100, &shift)).await }
    });
    until_waiting(&url, 1).await;
    proxy.set(SILENT);
    stranger.execute("COMMIT").await.unwrap();
    let other = PostgresStore::open(&url.parse().unwrap(), PostgresOptions::default()).await.unwrap();
    other.commit(sign_up(101, &shift)).await.unwrap();
    silent.await.unwrap().unwrap_err();
    let filled = stored(&other, &shift).await.unwrap().occupancy.filled;
    assert_eq!(filled, 1, "the silent transaction was rolled back");
}

/// All waiting requests share one wait for the database.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_that_cannot_be_counted_fail_together() {
    let statement_timeout = Duration::from_millis(500);
    let options = PostgresOptions { statement_timeout, ..options() };
    let Some(Proxied { proxy, store, .. }) = Proxied::open(options).await else { return };
    let caller = RateKey::address("192.0.2.1".parse().unwrap());
    store.count_requests(caller, 1, at(0)).await.unwrap();
    proxy.set(SILENT);
    let begin = Instant::now();
    // One batch after the other they would wait 10 seconds.
    let counts = (0..4000).map(|_| store.count_requests(caller, 1, at(0)));
    for count in join_all(counts).await {
        let error = count.unwrap_err();
        assert!(error.is_unavailable(), "{error:?}");
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}
