//! PostgreSQL alone: windows that processes share, purges, contention, and a server that comes and goes.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use signup_core::conformance::records::{at, try_write};
use signup_core::{Caller, ChangeSet, OrganizationId, Receipt, Requirement, Store, TokenId, Write};
use signup_store_sql::throwaway::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::records::{Database, Engine, event, organization, receipt, receipt_key, uuid, writes};

/// So many stores on one new database, each with connections of its own, as processes have.
async fn stores(number: usize) -> Option<Vec<PostgresStore>> {
    let url = Cluster::shared()?.database().await.parse().unwrap();
    let mut stores = vec![];
    for _ in 0..number {
        stores
            .push(PostgresStore::open(std::slice::from_ref(&url), PostgresOptions::default()).await.unwrap());
    }
    Some(stores)
}

fn token(number: u32) -> Caller {
    Caller::Token(OrganizationId::new(uuid(1)), TokenId::new(uuid(number)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_counted_once_each_whichever_process_counts_them() {
    let Some(stores) = stores(3).await else { return };
    let counts = (0..150).map(|n| stores[n % 3].count_request(token(2), at(0)));
    let windows: Vec<_> = join_all(counts).await.into_iter().map(|window| window.unwrap().unwrap()).collect();
    assert!(windows.iter().all(|window| window.opened_at == at(0)));
    let mut numbers: Vec<_> = windows.iter().map(|window| window.requests).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=150).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_window_opens_anew_after_a_minute_and_is_each_callers_own() {
    let Some(stores) = stores(1).await else { return };
    let count = async |caller, second| {
        let window = stores[0].count_request(caller, at(second)).await.unwrap().unwrap();
        (window.opened_at, window.requests)
    };
    assert_eq!(count(token(2), 10).await, (at(10), 1));
    assert_eq!(count(token(2), 69).await, (at(10), 2));
    assert_eq!(count(token(3), 69).await, (at(69), 1), "another token");
    assert_eq!(count(Caller::at("192.0.2.1".parse().unwrap()), 69).await, (at(69), 1), "an address");
    assert_eq!(count(Caller::at("192.0.2.2".parse().unwrap()), 69).await, (at(69), 1), "another address");
    assert_eq!(count(token(2), 70).await, (at(70), 1));
    assert_eq!(count(token(2), 69).await, (at(70), 2), "a clock that is a second behind shares the window");
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
    assert_eq!(stores[0].count_request(token(4), at(63)).await.unwrap().unwrap().requests, 2, "it is open");
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
    let owner = Write::InsertOrganization(organization(1));
    stores[0].commit(writes([owner])).await.unwrap();
    let event = event(10, "2027-03-14");
    for number in 0..100 {
        let expired = Receipt { expires_at: at(1), ..receipt(&format!("key-{number}"), &event) };
        stores[0].commit(writes([Write::InsertReceipt(Box::new(expired))])).await.unwrap();
    }
    let purges = (0..20).map(|n| stores[n % 4].purge_receipts(at(1), 7));
    let purged: u64 = join_all(purges).await.into_iter().map(Result::unwrap).sum();
    // Who finds that others are at the first of them takes the next.
    assert_eq!(purged + stores[0].purge_receipts(at(1), 100).await.unwrap(), 100);
}

/// Keys are used, events created and people signed up through three processes at once: whatever waits for whatever, nobody
/// is told of a deadlock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_contends_waits_and_nobody_fails() {
    let Some(stores) = stores(3).await else { return };
    let stores: Vec<Arc<dyn Store>> =
        stores.into_iter().map(|store| Arc::new(store) as Arc<dyn Store>).collect();
    let owner = Write::InsertOrganization(organization(1));
    stores[0].commit(writes([owner])).await.unwrap();
    let tasks: Vec<_> = (0..300_u32)
        .map(|number| {
            let store = Arc::clone(&stores[number as usize % 3]);
            tokio::spawn(async move {
                let event = event(100 + number, "2027-03-14");
                let key = receipt_key(&format!("key-{}", number % 20));
                let requires = vec![
                    Requirement::NoReceipt { key: key.clone(), now: at(0) },
                    Requirement::EventSlugFree(event.slug.clone()),
                    Requirement::ActiveEventsBelow {
                        organization: event.organization,
                        limit: 15,
                        now: at(0),
                    },
                ];
                let receipt = receipt(&format!("key-{}", number % 20), &event);
                let writes =
                    vec![Write::InsertEvent(Box::new(event)), Write::InsertReceipt(Box::new(receipt))];
                try_write(&*store, requires, writes).await
            })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        made += usize::from(task.await.unwrap().is_ok());
    }
    assert_eq!(made, 15);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_goes_on_after_its_server_was_started_again() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let options =
        PostgresOptions { connect_timeout: Duration::from_millis(500), ..PostgresOptions::default() };
    let store = PostgresStore::open(&[cluster.empty_database().parse().unwrap()], options).await.unwrap();
    store.commit(writes([Write::InsertOrganization(organization(1))])).await.unwrap();
    cluster
        .restart(async {
            let error = store.organizations(None, 9).await.unwrap_err();
            assert!(error.is_unavailable(), "{error:?}");
            assert!(store.check().await.unwrap_err().is_unavailable());
        })
        .await;
    let mut tries = 0;
    while store.check().await.is_err() {
        tries += 1;
        assert!(tries < 50);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_standby_is_no_database_to_open() {
    let Some(primary) = Cluster::start(&[]) else { return };
    let standby = primary.standby(&[]);
    let options = PostgresOptions::default();
    let error =
        PostgresStore::open(&[standby.url("postgres").parse().unwrap()], options.clone()).await.unwrap_err();
    assert!(error.to_string().contains("standby"), "{error}");
    let urls = [standby.url("postgres"), primary.url("postgres")].map(|url| url.parse().unwrap());
    let store = PostgresStore::open(&urls, options).await.unwrap();
    store.check().await.unwrap();
    store.commit(writes([Write::InsertOrganization(organization(1))])).await.unwrap();
}

/// Somebody who locks in another order than the library: the database ends the deadlock by undoing the commit, which is
/// then tried again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_undone_for_a_deadlock_is_tried_again() {
    let Some((database, records)) = Database::filled(Engine::Postgres).await else { return };
    let url = database.path().display().to_string();
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    stranger.execute("BEGIN; SELECT 1 FROM shifts FOR UPDATE").await.unwrap();

    let (organization, shift) = (records.organization.id, &records.shifts[0]);
    let change = ChangeSet {
        requires: vec![
            Requirement::ActiveEventsBelow { organization, limit: 10, now: at(0) },
            Requirement::ShiftAtVersion { organization, shift: shift.id, version: shift.version },
        ],
        writes: vec![Write::InsertEvent(Box::new(event(11, "2027-03-15")))],
    };
    let store = Arc::clone(&database.store);
    let commit = tokio::spawn(async move { store.commit(change).await });
    let mut watcher = PgConnection::connect(&url).await.unwrap();
    let waits =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while watcher.fetch_optional(waits).await.unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The commit holds the organization and waits for the shift; it has waited longer, so it is the one that is undone.
    stranger.execute("SELECT 1 FROM organizations FOR UPDATE; COMMIT").await.unwrap();
    commit.await.unwrap().unwrap();
    assert!(database.store.event(organization, event(11, "2027-03-15").id).await.unwrap().is_some());
}
