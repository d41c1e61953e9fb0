//! PostgreSQL: locks that commits wait for, and what the commits see after the wait.

use std::net::Ipv4Addr;
use std::sync::Arc;

use futures_util::future::join_all;
use rstest::rstest;
use signup_core::conformance::records::{self, absent, at, stored, try_commit, unchanged};
use signup_core::{
    Capacity, ChangeSet, CommitError, Occupancy, OrganizationId, RateKey, Record, Refusal,
    RequestCounter as _, Requirement, Store, Total, Unique,
};
use signup_store_sql::PostgresOptions;
use signup_store_sql::test_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::stores_on;
use super::waits::{begin, busy_shift, locking, open, patient, sign_up};
use crate::records::{
    Database, Engine, ORGANIZATION, event, insert, organization, receipt, shift, signup, with,
};
use crate::wait::wait_until;

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
        (0..60).map(|n| stores[n % 3].count_request(RateKey::address(Ipv4Addr::LOCALHOST.into()), at(0)));
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
    stranger.execute("BEGIN; SELECT 1 FROM shifts FOR UPDATE").await.unwrap();

    let (first, shift) = (&records.event, &records.shifts[0]);
    let new = event(11, "2027-03-15");
    let requires = vec![unchanged(first), unchanged(shift)];
    let change = ChangeSet { requires, ..insert([new.clone()]) };
    let store = Arc::clone(&database.store);
    let commit = tokio::spawn(async move { store.commit(change).await });
    super::waits::until_waiting(&url, 1).await;
    // The commit holds the event and waits for the shift; it has waited longer, so it is the one that is undone.
    stranger.execute("SELECT 1 FROM events FOR UPDATE; COMMIT").await.unwrap();
    commit.await.unwrap().unwrap();
    assert!(stored(&*database.store, &new).await.is_some());
}

/// The first commit waits for no other, and each later commit is refused. The database would end a deadlock only after a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_first_organizations_is_created_without_a_deadlock() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let stores = stores_on(&url, 4, &PostgresOptions::default()).await;
    let tries = (0..40_u32).map(|number| {
        let store = &stores[number as usize % 4];
        async move {
            let none = Requirement::Below { total: Total::Organizations, bound: 1, now: at(0) };
            try_commit(store, ChangeSet { requires: vec![none], ..insert([organization(number)]) }).await
        }
    });
    let results = join_all(tries).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let refused = Refusal::NotBelow { total: Total::Organizations, count: 1 };
    assert!(results.iter().flat_map(|result| result.as_ref().err()).all(|refusal| *refusal == refused));
    for store in stores {
        store.close().await;
    }
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(cluster.sql(url.rsplit('/').next().unwrap(), deadlocks), "0");
}

/// A commit acquires its locks in one order, whatever the order of its requirements is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requirements_in_different_orders_cause_no_deadlock() {
    let Some((database, records)) = Database::filled(Engine::Postgres).await else { return };
    let url = database.path().display().to_string();
    let stores = stores_on(&url, 2, &PostgresOptions::default()).await;
    let (organization, shift) = (records.organization.id, &records.shifts[0]);
    let tries = (0..200_u32).map(|number| {
        let mut requires = vec![unchanged(shift), active_events_below(organization, 1000)];
        if number % 2 == 1 {
            requires.reverse();
        }
        let change = ChangeSet { requires, ..insert([event(100 + number, "2027-03-15")]) };
        try_commit(&stores[number as usize % 2], change)
    });
    assert!(join_all(tries).await.iter().all(Result::is_ok));
    for store in stores {
        store.close().await;
    }
    let deadlocks = "SELECT 1 FROM pg_stat_database WHERE datname = current_database() AND deadlocks > 0";
    assert_eq!(database.run(deadlocks).await.unwrap(), 0);
}

/// The cost does not depend on the number of events that are over.
#[tokio::test]
async fn a_count_of_active_events_reads_no_event_that_is_over() {
    let Some((database, records)) = Database::filled(Engine::Postgres).await else { return };
    let columns = "title, description, is_virtual, start_date, timezone, version, gate, created_at, updated_at, \
         organization_id";
    database
        .run(&format!(
            "INSERT INTO events (id, slug, is_published, starts_at, ends_at, {columns}) \
             SELECT gen_random_uuid(), 'slug-' || n, TRUE, n, n + 1, {columns} \
             FROM events, generate_series(1, 50000) n"
        ))
        .await
        .unwrap();
    database.run("ANALYZE events").await.unwrap();
    let read = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'events'";
    let url = database.path().display().to_string();
    let stores = stores_on(&url, 1, &PostgresOptions::default()).await;
    let total = Total::ActiveEvents(records.organization.id);
    let requires = || vec![Requirement::Below { total: total.clone(), bound: 10, now: at(1_000_000) }];
    let mut watcher = PgConnection::connect(&url).await.unwrap();
    let before: i64 = sqlx::query_scalar(read).fetch_one(&mut watcher).await.unwrap();
    // As often as it takes until a plan for any values would be made without being told to.
    for _ in 0..10 {
        records::check(&stores[0], requires()).await.unwrap();
    }
    stores[0].close().await;
    let after = wait_until(async || {
        watcher.execute("SELECT pg_stat_clear_snapshot()").await.unwrap();
        let after: i64 = sqlx::query_scalar(read).fetch_one(&mut watcher).await.unwrap();
        if after > before { Ok(after) } else { Err("the rows that were read were not counted".to_owned()) }
    })
    .await;
    assert!((1..1000).contains(&(after - before)), "{} rows were read", after - before);
}

/// Returns the number of other sessions of the database.
async fn others(watcher: &mut PgConnection) -> i64 {
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    sqlx::query_scalar(others).fetch_one(watcher).await.unwrap()
}

/// The address of a new sign-up is looked up without a read of the other sign-ups for the shift. A plan that a connection has made for
/// a small table is made again when the table has new statistics.
#[rstest]
#[tokio::test]
async fn a_sign_up_costs_the_same_however_full_the_shift_is(#[values(false, true)] was_small: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let options = PostgresOptions { connections: 1, ..PostgresOptions::default() };
    let store = stores_on(&url, 1, &options).await.remove(0);
    let shift = busy_shift(&store, 1_000_000).await;
    store.commit(sign_up(1, &shift)).await.unwrap();
    let mut watcher = PgConnection::connect(&url).await.unwrap();
    if was_small {
        watcher.execute("ANALYZE").await.unwrap();
        // As often as it takes until a plan for any values is kept.
        for number in 2..12 {
            store.commit(sign_up(number, &shift)).await.unwrap();
        }
    }
    let columns = "organization_id, event_id, shift_id, told, name, search_key, answers, status, version, created_at, repeated_at";
    let full = format!(
        "INSERT INTO signups (id, email, email_key, {columns}) \
         SELECT gen_random_uuid(), 'a@b', 'full-' || n, {columns} \
         FROM (SELECT * FROM signups LIMIT 1) s, generate_series(1, 10000) n"
    );
    watcher.execute(AssertSqlSafe(full)).await.unwrap();
    watcher.execute("ANALYZE").await.unwrap();
    for number in 1000..1020 {
        store.commit(sign_up(number, &shift)).await.unwrap();
    }
    store.close().await;
    // What a session has counted is there for others when it has ended.
    wait_until(async || match others(&mut watcher).await {
        0 => Ok(()),
        left => Err(format!("{left} sessions of the store did not end")),
    })
    .await;
    let read = "SELECT CAST(seq_tup_read + idx_tup_fetch AS bigint) FROM pg_stat_user_tables WHERE relname = 'signups'";
    let read: i64 = sqlx::query_scalar(read).fetch_one(&mut watcher).await.unwrap();
    assert!(read < 2000, "{read} rows were read");
}

/// A unique value that no requirement is about fails its own change set after a few attempts.
#[tokio::test]
async fn a_sign_up_that_fails_or_is_refused_affects_no_other() {
    const PLACES: u32 = 20;
    // The link of `Records`.
    const TAKEN: u32 = 31;
    let Some((database, _)) = Database::filled(Engine::Postgres).await else { return };
    let event = event(11, "2027-06-05");
    let occupancy = Occupancy::empty(Capacity::new(PLACES).unwrap());
    let shift = with(shift(60, &event, 0), |shift| shift.occupancy = occupancy);
    let new: [Record; 2] = [event.clone().into(), shift.clone().into()];
    database.store.commit(insert(new)).await.unwrap();
    let change = |number: u32| {
        let new = signup(number, &shift, &format!("volunteer-{number}@example.org"));
        let mut change = records::sign_up(&shift, &new);
        // The secret of one is another's already, which no requirement notices.
        change.insert(records::link(&new, if number == 107 { TAKEN } else { number }));
        change
    };
    let answers = join_all((100..140).map(|number| database.store.commit(change(number)))).await;
    let (mut taken, mut full, mut failed) = (0, 0, 0);
    for answer in answers {
        match answer {
            Ok(()) => taken += 1,
            Err(CommitError::Refused(Refusal::NotBelow { .. })) => full += 1,
            Err(CommitError::Failed(_)) => failed += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((taken, full, failed), (PLACES, 19, 1));
    let shifts = database.store.shifts(shift.organization, event.id).await.unwrap().unwrap();
    assert_eq!(shifts[0].occupancy.filled, PLACES);
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

/// A commit locks the row of each record whose version it requires. So it waits for a purge that removes the row, and a purge skips a
/// row that a commit has checked.
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
        super::waits::until_waiting(&url, 1).await;
        stranger.execute("COMMIT").await.unwrap();
        assert_eq!(commit.await.unwrap(), Err(Refusal::Changed(record.entity().key())), "{table}");
    }
}
