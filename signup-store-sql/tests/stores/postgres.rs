//! PostgreSQL alone: windows that processes share, and purges.

mod faults;
mod lifecycle;
mod locks;
mod open;
mod overlaps;
mod waits;

use futures_util::future::join_all;
use signup_core::conformance::records::at;
use signup_core::{CallerId, OrganizationId, Purge, RateKey, RequestCounter as _, Store as _};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::records::{Database, Engine, event, insert, organization, receipt, uuid, with};
use waits::{begin, until_waiting};

async fn stores(number: usize) -> Option<Vec<PostgresStore>> {
    let url = Cluster::shared()?.database().await;
    Some(stores_on(&url, number, &PostgresOptions::default()).await)
}

/// So many stores on one database, each with connections of its own, as processes have.
pub(crate) async fn stores_on(url: &str, number: usize, options: &PostgresOptions) -> Vec<PostgresStore> {
    let url = url.parse().unwrap();
    let mut stores = vec![];
    for _ in 0..number {
        stores.push(PostgresStore::open(&url, options.clone()).await.unwrap());
    }
    stores
}

fn token(number: u32) -> RateKey {
    RateKey::Caller(OrganizationId::new(uuid(1)), CallerId::new(uuid(number)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_counted_once_each_whichever_process_counts_them() {
    let Some(stores) = stores(3).await else { return };
    let counts = (0..150).map(|n| stores[n % 3].count_request(token(2), at(0)));
    let windows: Vec<_> = join_all(counts).await.into_iter().map(|window| window.unwrap()).collect();
    assert!(windows.iter().all(|window| window.opened_at == at(0)));
    let mut numbers: Vec<_> = windows.iter().map(|window| window.requests).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=150).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_window_opens_anew_after_a_minute_and_is_each_callers_own() {
    let Some(stores) = stores(1).await else { return };
    let count = async |caller, second| {
        let window = stores[0].count_request(caller, at(second)).await.unwrap();
        (window.opened_at, window.requests)
    };
    assert_eq!(count(token(2), 10).await, (at(10), 1));
    assert_eq!(count(token(2), 69).await, (at(10), 2));
    assert_eq!(count(token(3), 69).await, (at(69), 1), "another token");
    assert_eq!(count(RateKey::address("192.0.2.1".parse().unwrap()), 69).await, (at(69), 1), "an address");
    assert_eq!(
        count(RateKey::address("192.0.2.2".parse().unwrap()), 69).await,
        (at(69), 1),
        "another address"
    );
    assert_eq!(count(token(2), 70).await, (at(70), 1));
    assert_eq!(count(token(2), 69).await, (at(70), 2), "a clock that is a second behind shares the window");
}

/// Two callers' requests that one statement counts get each their own window and numbers.
#[tokio::test]
async fn callers_that_are_counted_together_have_windows_of_their_own() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let store = stores_on(&url, 1, &PostgresOptions::default()).await.remove(0);
    assert_eq!(store.count_request(token(2), at(10)).await.unwrap().requests, 1);
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    stranger.execute("BEGIN; SELECT 1 FROM windows FOR UPDATE").await.unwrap();
    let mut first = [store.count_request(token(2), at(10))];
    begin(&mut first);
    until_waiting(&url, 1).await;
    // While that statement waits for the row, these gather.
    let callers = [token(3), token(2), token(3), token(3), token(2)];
    let mut later: Vec<_> = callers.into_iter().map(|caller| store.count_request(caller, at(20))).collect();
    begin(&mut later);
    stranger.execute("COMMIT").await.unwrap();
    let [first] = first;
    assert_eq!(first.await.unwrap().requests, 2);
    let windows: Vec<_> = join_all(later).await.into_iter().map(|window| window.unwrap()).collect();
    let numbers: Vec<_> = windows.iter().map(|window| window.requests).collect();
    assert_eq!(numbers, [1, 3, 2, 3, 4]);
    let openings: Vec<_> = windows.iter().map(|window| window.opened_at).collect();
    assert_eq!(openings, [at(20), at(10), at(20), at(20), at(10)]);
    let statements = "SELECT count(DISTINCT CAST(xmin AS TEXT)) FROM windows";
    let statements: i64 = sqlx::query_scalar(statements).fetch_one(&mut stranger).await.unwrap();
    assert_eq!(statements, 1, "one statement has counted both last");
}

#[tokio::test]
async fn windows_that_are_over_are_purged_in_small_batches() {
    let Some(stores) = stores(1).await else { return };
    for number in 0..5 {
        stores[0].count_request(token(number), at(i64::from(number))).await.unwrap();
    }
    assert_eq!(stores[0].purge_windows(at(59), 2).await.unwrap(), 0, "all are open");
    assert_eq!(stores[0].purge_windows(at(63), 2).await.unwrap(), 2);
    assert_eq!(stores[0].purge_windows(at(63), 3).await.unwrap(), 2);
    assert_eq!(stores[0].count_request(token(4), at(63)).await.unwrap().requests, 2, "it is open");
}

/// A transaction that touches unlogged tables only waits for no disk.
#[tokio::test]
async fn windows_are_kept_without_a_journal() {
    let Some((database, _)) = Database::filled(Engine::Postgres).await else { return };
    let unlogged = "SELECT 1 FROM pg_class WHERE relname = 'windows' AND relpersistence = 'u'";
    assert_eq!(database.run(unlogged).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_purge_at_once_share_the_work() {
    let Some(stores) = stores(4).await else { return };
    stores[0].commit(insert([organization(1)])).await.unwrap();
    let event = event(10, "2027-03-14");
    for number in 0..100 {
        let expired = with(receipt(&format!("key-{number}"), &event), |receipt| receipt.expires_at = at(1));
        stores[0].commit(insert([expired])).await.unwrap();
    }
    let purges = (0..20).map(|n| stores[n % 4].purge(Purge::Expired(at(1)), 7));
    let purged: u64 = join_all(purges).await.into_iter().map(Result::unwrap).sum();
    // A purge skips the rows that another purge is removing, and takes the next ones.
    assert_eq!(purged + stores[0].purge(Purge::Expired(at(1)), 100).await.unwrap(), 100);
}
