//! PostgreSQL: locks that commits wait for, and what the commits see after the wait.

use std::net::Ipv4Addr;
use std::sync::Arc;

use futures_util::future::join_all;
use rstest::rstest;
use signup_core::conformance::records::{
    self, absent, at, gate_unchanged, next, stored, try_commit, unchanged,
};
use signup_core::{
    ChangeSet, Event, OrganizationId, RateKey, Record, RecordKey, Refusal, RequestCounter as _, Requirement,
    Shift, Store, Total, Unique,
};
use signup_store_sql::PostgresOptions;
use signup_store_sql::test_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::stores_on;
use super::waits::{begin, busy_shift, locking, open, patient, sign_up, until_waiting};
use crate::records::{Database, Engine, ORGANIZATION, event, insert, organization, receipt};

/// Returns the requirement that the organization has fewer active events than the bound.
fn active_events_below(organization: OrganizationId, bound: u32) -> Requirement {
    Requirement::Below { total: Total::ActiveEvents(organization), bound, now: at(0) }
}

/// Three processes use keys, create events and sign volunteers up at the same time. No commit fails because of a deadlock. That
/// also holds if the default isolation level of the database hides changes that a commit has waited for.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contending_commits_wait_and_none_fails(
    #[values("read committed", "repeatable read", "serializable")] isolation: &str,
    #[values(false, true)] pgbouncer: bool,
) {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let database = url.rsplit('/').next().unwrap();
    cluster.sql(
        "postgres",
        &format!("ALTER DATABASE {database} SET default_transaction_isolation = '{isolation}'"),
    );
    let stores = stores_on(&url, 3, &PostgresOptions { pgbouncer, ..PostgresOptions::default() }).await;
    let counts =
        (0..60).map(|n| stores[n % 3].count_requests(RateKey::address(Ipv4Addr::LOCALHOST.into()), 1, at(0)));
    assert!(join_all(counts).await.iter().all(Result::is_ok));
    let stores: Vec<Arc<dyn Store>> =
        stores.into_iter().map(|store| Arc::new(store) as Arc<dyn Store>).collect();
    stores[0].commit(insert([organization(1)])).await.unwrap();
    let tasks: Vec<_> = (0..100_u32)
        .map(|number| {
            let store = Arc::clone(&stores[number as usize % 3]);
            tokio::spawn(async move {
                let event = event(100 + number, "2027-03-14");
                let receipt = receipt(&format!("key-{}", number % 20), &event);
                let requires = vec![
                    absent(Unique::Receipt(receipt.key.clone())),
                    absent(Unique::EventSlug(event.slug.clone())),
                    active_events_below(event.organization, 15),
                ];
                let new: [Record; 2] = [event.into(), receipt.into()];
                try_commit(&*store, ChangeSet { requires, ..insert(new) }).await
            })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        made += usize::from(task.await.unwrap().is_ok());
    }
    assert_eq!(made, 15);
}

/// Another program locks in another order than the library. The database ends the deadlock and undoes the commit, which is then
/// tried again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_undone_for_a_deadlock_is_tried_again() {
    let Some((database, records)) = Database::filled(Engine::Postgres).await else { return };
    let url = database.path().display().to_string();
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    let (first, shift) = (&records.event, &records.shifts[0]);
    for number in 11..31 {
        stranger.execute("BEGIN; SELECT 1 FROM shifts FOR UPDATE").await.unwrap();
        let new = event(number, "2027-03-15");
        let requires = vec![unchanged(first), unchanged(shift)];
        let change = ChangeSet { requires, ..insert([new.clone()]) };
        let store = Arc::clone(&database.store);
        let commit = tokio::spawn(async move { store.commit(change).await });
        until_waiting(&url, 1).await;
        // The commit holds the event and waits for the shift. Each waits for a second, looks for a deadlock, and is then undone:
        // the commit, unless this statement comes later than that.
        let is_commit_undone = stranger.execute("SELECT 1 FROM events FOR UPDATE; COMMIT").await.is_ok();
        if !is_commit_undone {
            stranger.execute("ROLLBACK").await.unwrap();
        }
        commit.await.unwrap().unwrap();
        assert!(stored(&*database.store, &new).await.is_some());
        if is_commit_undone {
            return;
        }
    }
    panic!("the commit was never undone");
}

/// More sign-ups wait than there are connections.
#[tokio::test]
async fn sign_ups_that_wait_for_a_shift_delay_no_other_organization() {
    let Some((store, url)) = open(&patient()).await else { return };
    let shift = busy_shift(&store, 1000).await;
    let mut stranger = locking(&url, "shifts").await;
    let mut held_up: Vec<_> = (100..600).map(|number| store.commit(sign_up(number, &shift))).collect();
    begin(&mut held_up);
    let other = insert([organization(ORGANIZATION + 1)]);
    let mut held_up = join_all(held_up);
    tokio::select! {
        answer = store.commit(other) => answer.unwrap(),
        answers = &mut held_up => panic!("the shift is locked: {answers:?}"),
    }
    stranger.execute("COMMIT").await.unwrap();
    assert!(held_up.await.iter().all(Result::is_ok));
}

/// A commit locks the row of each record whose version it requires. So it waits for a purge that removes the row, and a purge skips
/// a row that a commit has checked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_waits_for_a_purge_that_removes_what_it_requires() {
    let Some((store, url)) = open(&patient()).await else { return };
    let store: Arc<dyn Store> = Arc::new(store);
    let (person, code) = (records::person(1), records::sign_in_code(1));
    let sign_in = records::sign_in(&person, 1);
    let new: [Record; 3] = [person.into(), code.clone().into(), sign_in.into()];
    store.commit(insert(new)).await.unwrap();
    let records = [("sign_in_codes", Record::from(code)), ("sign_ins", sign_in.into())];
    for ((table, record), number) in records.into_iter().zip(2..) {
        let requires = Vec::from_iter(Requirement::unchanged(record.entity()));
        let change = ChangeSet { requires, ..insert([records::person(number)]) };
        let mut stranger = PgConnection::connect(&url).await.unwrap();
        stranger.execute(AssertSqlSafe(format!("BEGIN; DELETE FROM {table}"))).await.unwrap();
        let store = Arc::clone(&store);
        let commit = tokio::spawn(async move { try_commit(&*store, change).await });
        until_waiting(&url, 1).await;
        stranger.execute("COMMIT").await.unwrap();
        assert_eq!(commit.await.unwrap(), Err(Refusal::Changed(record.entity().key())), "{table}");
    }
}

async fn event_of(store: &dyn Store, shift: &Shift) -> Event {
    store.get(RecordKey::Event(shift.organization, shift.event)).await.unwrap().unwrap()
}

/// A sign-up for a shift whose event has the gate that was read.
fn sign_up_at_gate(number: u32, shift: &Shift, event: &Event) -> ChangeSet {
    let mut change = sign_up(number, shift);
    change.requires.insert(0, gate_unchanged(event));
    change
}

/// Two sign-ups for different shifts share the lock of the gate of their event. A change of the event waits for both, and a sign-up
/// that comes later waits for the change.
#[tokio::test]
async fn sign_ups_share_the_gate_of_their_event_and_changes_of_the_gate_have_their_turn() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let [first, second, third, fourth] = &stores_on(&url, 4, &PostgresOptions::default()).await[..] else {
        panic!("four stores")
    };
    let shift = busy_shift(first, 9).await;
    let event = event_of(first, &shift).await;
    let another = records::shift(&event, 61, 9);
    first.commit(insert([another.clone()])).await.unwrap();
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    let lock = format!("BEGIN; SELECT 1 FROM shifts WHERE id = '{}' FOR UPDATE", shift.id);
    stranger.execute(AssertSqlSafe(lock)).await.unwrap();
    let mut stuck = [Box::pin(first.commit(sign_up_at_gate(100, &shift, &event)))];
    begin(&mut stuck);
    until_waiting(&url, 1).await;
    second.commit(sign_up_at_gate(101, &another, &event)).await.unwrap();
    let mut update = ChangeSet::default();
    update.replace(event.clone(), next(&event));
    let mut update = [Box::pin(third.commit(update))];
    begin(&mut update);
    until_waiting(&url, 2).await;
    let mut late = [Box::pin(fourth.commit(sign_up_at_gate(102, &another, &event)))];
    begin(&mut late);
    until_waiting(&url, 3).await;
    stranger.execute("COMMIT").await.unwrap();
    let ([stuck], [update], [late]) = (stuck, update, late);
    let (stuck, update, late) = tokio::join!(stuck, update, late);
    stuck.unwrap();
    update.unwrap();
    assert!(late.is_err(), "the event has another gate by then");
}
