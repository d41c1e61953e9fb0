//! PostgreSQL alone: windows that processes share, and purges.

mod faults;
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

/// Two callers' requests that one statement counts get each their own window and numbers.
#[tokio::test]
async fn callers_that_are_counted_together_have_windows_of_their_own() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let store = stores_on(&url, 1, &PostgresOptions::default()).await.remove(0);
    assert_eq!(store.count_requests(token(2), 1, at(10)).await.unwrap().requests, 1);
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    stranger.execute("BEGIN; SELECT 1 FROM windows FOR UPDATE").await.unwrap();
    let mut first = [store.count_requests(token(2), 1, at(10))];
    begin(&mut first);
    until_waiting(&url, 1).await;
    // While that statement waits for the row, these gather.
    let callers = [token(3), token(2), token(3), token(3), token(2)];
    let numbers = [1, 2, 3, 1, 1].into_iter();
    let calls = callers.into_iter().zip(numbers);
    let mut later: Vec<_> =
        calls.map(|(caller, number)| store.count_requests(caller, number, at(20))).collect();
    begin(&mut later);
    stranger.execute("COMMIT").await.unwrap();
    let [first] = first;
    assert_eq!(first.await.unwrap().requests, 2);
    let windows: Vec<_> = join_all(later).await.into_iter().map(|window| window.unwrap()).collect();
    let numbers: Vec<_> = windows.iter().map(|window| window.requests).collect();
    assert_eq!(numbers, [1, 4, 4, 5, 5]);
    let openings: Vec<_> = windows.iter().map(|window| window.opened_at).collect();
    assert_eq!(openings, [at(20), at(10), at(20), at(20), at(10)]);
    let statements = "SELECT count(DISTINCT CAST(xmin AS TEXT)) FROM windows";
    let statements: i64 = sqlx::query_scalar(statements).fetch_one(&mut stranger).await.unwrap();
    assert_eq!(statements, 1, "one statement has counted both last");
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
