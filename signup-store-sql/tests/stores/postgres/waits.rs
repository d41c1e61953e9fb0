//! PostgreSQL: commits that wait for locks, how long they wait, and what goes on meanwhile.

use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rstest::rstest;
use signup_core::conformance::records::{self, at, recipient};
use signup_core::{
    Capacity, ChangeSet, CommitError, Deleted, Occupancy, OrganizationId, Record, RecordKey, Refusal,
    Requirement, Shift, Store, StoreError, Total,
};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use tokio::task::JoinHandle;

use super::stores_on;
use crate::records::{ORGANIZATION, event, insert, organization, organizations, shift, signup, uuid, with};
use crate::wait::wait_until;

/// Polls each future once. Each must then wait.
pub(crate) fn begin<F: Future + Unpin>(futures: &mut [F]) {
    let mut context = Context::from_waker(Waker::noop());
    for future in futures {
        assert!(Pin::new(future).poll(&mut context).is_pending());
    }
}

/// Returns the number of statements on the database that wait for a lock.
async fn waiting(watcher: &mut PgConnection) -> i64 {
    let waiting = "SELECT count(*) FROM pg_stat_activity \
         WHERE datname = current_database() AND wait_event_type = 'Lock'";
    sqlx::query_scalar(waiting).fetch_one(watcher).await.unwrap()
}

/// Returns when this number of statements wait for locks.
pub(crate) async fn until_waiting(url: &str, number: i64) {
    let mut watcher = PgConnection::connect(url).await.unwrap();
    wait_until(async || {
        let waiting = waiting(&mut watcher).await;
        if waiting == number { Ok(()) } else { Err(format!("{waiting} statements wait, and not {number}")) }
    })
    .await;
}

/// Creates a shift with this number of places in an empty database.
pub(crate) async fn busy_shift(store: &dyn Store, places: u32) -> Shift {
    let event = event(11, "2027-06-05");
    let occupancy = Occupancy::empty(Capacity::new(places).unwrap());
    let shift = with(shift(60, &event, 0), |shift| shift.occupancy = occupancy);
    let new: [Record; 3] = [organization(ORGANIZATION).into(), event.into(), shift.clone().into()];
    store.commit(insert(new)).await.unwrap();
    shift
}

/// Returns the change set of another sign-up for the shift, as the service decides it.
pub(crate) fn sign_up(number: u32, shift: &Shift) -> ChangeSet {
    let new = signup(number, shift, &format!("volunteer-{number}@example.org"));
    let mut change = records::sign_up(shift, &new);
    change.insert(recipient(&new, 1000 + number));
    change
}

/// Returns options with timeouts that no test reaches.
pub(crate) fn patient() -> PostgresOptions {
    let minute = Duration::from_secs(60);
    PostgresOptions { connect_timeout: minute, statement_timeout: minute, ..PostgresOptions::default() }
}

fn impatient() -> PostgresOptions {
    PostgresOptions {
        connect_timeout: Duration::from_millis(300),
        statement_timeout: Duration::from_millis(500),
        ..PostgresOptions::default()
    }
}

pub(crate) async fn open(options: &PostgresOptions) -> Option<(PostgresStore, String)> {
    let url = Cluster::shared()?.database().await;
    Some((stores_on(&url, 1, options).await.remove(0), url))
}

/// Locks these rows until the connection commits or is dropped.
pub(crate) async fn locking(url: &str, rows: &str) -> PgConnection {
    let mut stranger = PgConnection::connect(url).await.unwrap();
    let lock = format!("BEGIN; SELECT 1 FROM {rows} FOR UPDATE");
    stranger.execute(AssertSqlSafe(lock)).await.unwrap();
    stranger
}

/// Commits change sets, each with a number of its own, until one succeeds.
async fn until_committed(store: &PostgresStore, change: impl Fn(u32) -> ChangeSet) {
    let mut number = 500;
    while let Err(error) = store.commit(change(number)).await {
        number += 1;
        assert!(number < 550, "{error:?}");
    }
}

/// Each sign-up gets an answer. While they wait for the shift, one of them has a connection.
#[rstest]
#[tokio::test]
async fn sign_ups_that_wait_for_a_shift_hold_one_connection(#[values(false, true)] pgbouncer: bool) {
    let options = PostgresOptions { pgbouncer, ..patient() };
    let Some((store, url)) = open(&options).await else { return };
    let shift = busy_shift(&store, 150).await;
    let mut stranger = locking(&url, "shifts").await;
    let mut commits: Vec<_> = (100..300).map(|number| store.commit(sign_up(number, &shift))).collect();
    begin(&mut commits);
    until_waiting(&url, 1).await;
    assert_eq!(store.connections().1, 1);
    stranger.execute("COMMIT").await.unwrap();
    let (mut taken, mut full) = (0, 0);
    for answer in join_all(commits).await {
        match answer {
            Ok(()) => taken += 1,
            Err(CommitError::Refused(Refusal::NotBelow { .. })) => full += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((taken, full), (150, 50));
    let shifts = store.shifts(shift.organization, shift.event).await.unwrap().unwrap();
    assert_eq!(shifts[0].occupancy.filled, 150);
}

/// The commits behind a commit that hangs have one deadline, and do not each wait for the statement timeout.
#[tokio::test]
async fn commits_behind_a_locked_shift_fail_in_bounded_time() {
    let Some((store, url)) = open(&impatient()).await else { return };
    let shift = busy_shift(&store, 1000).await;
    let mut stranger = locking(&url, "shifts").await;
    let before = Instant::now();
    let mut commits: Vec<_> = (100..300).map(|number| store.commit(sign_up(number, &shift))).collect();
    begin(&mut commits);
    for answer in join_all(commits).await {
        let Err(CommitError::Failed(error)) = answer else { panic!("{answer:?}") };
        assert!(error.is_unavailable(), "{error:?}");
    }
    // One by one it would be more than half a minute.
    assert!(before.elapsed() < Duration::from_secs(10), "{:?}", before.elapsed());
    stranger.execute("COMMIT").await.unwrap();
    until_committed(&store, |number| sign_up(number, &shift)).await;
}

/// The second organization of [`hanging`].
const OTHER_ORGANIZATION: u32 = ORGANIZATION + 1;

/// Returns a change set that needs the lock of an organization. Odd numbers need that of the other organization.
fn new_event(number: u32) -> ChangeSet {
    let owner = if number.is_multiple_of(2) { ORGANIZATION } else { OTHER_ORGANIZATION };
    let organization = OrganizationId::new(uuid(owner));
    let event = with(event(number, "2027-03-15"), |event| event.organization = organization);
    let total = Total::ActiveEvents(organization);
    let requires = vec![Requirement::Below { total, bound: 1000, now: at(0) }];
    ChangeSet { requires, ..insert([event]) }
}

/// Starts the commits of these numbers at the same time.
fn hanging(
    store: &PostgresStore,
    numbers: impl Iterator<Item = u32>,
) -> Vec<JoinHandle<Result<(), CommitError>>> {
    let commit = |number| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(new_event(100 + number)).await })
    };
    numbers.map(commit).collect()
}

#[rstest]
#[case(8, 2)]
#[case(3, 2)]
#[case(2, 1)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_are_answered_while_all_commits_hang(#[case] connections: u32, #[case] at_once: i64) {
    let options = PostgresOptions { connections, ..patient() };
    let Some((store, url)) = open(&options).await else { return };
    busy_shift(&store, 1).await;
    store.commit(insert([organization(OTHER_ORGANIZATION)])).await.unwrap();
    let mut stranger = locking(&url, "organizations").await;
    let mut commits = hanging(&store, (0..20).step_by(2));
    until_waiting(&url, 1).await;
    // These are for the other organization: another commit, on another connection if there are enough.
    commits.extend(hanging(&store, (1..20).step_by(2)));
    until_waiting(&url, at_once).await;
    for read in join_all((0..40).map(|_| organizations(&store))).await {
        assert_eq!(read.unwrap().len(), 2);
    }
    assert_eq!(waiting(&mut stranger).await, at_once);
    stranger.execute("COMMIT").await.unwrap();
    for commit in commits {
        commit.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_and_commits_that_hang_end_also_with_one_connection() {
    let Some((patient, url)) = open(&patient()).await else { return };
    busy_shift(&patient, 1).await;
    patient.commit(insert([organization(OTHER_ORGANIZATION)])).await.unwrap();
    let options = PostgresOptions { connections: 1, ..impatient() };
    let store = stores_on(&url, 1, &options).await.remove(0);
    let mut stranger = locking(&url, "organizations").await;
    let commits = hanging(&store, 0..10);
    until_waiting(&url, 1).await;
    let all = join_all((0..10).map(|_| organizations(&store)));
    let reads = tokio::time::timeout(Duration::from_secs(10), all).await.unwrap();
    for error in reads.into_iter().filter_map(Result::err) {
        assert!(error.is_unavailable(), "{error:?}");
    }
    let commits = tokio::time::timeout(Duration::from_secs(10), join_all(commits)).await.unwrap();
    for commit in commits {
        let Err(CommitError::Failed(error)) = commit.unwrap() else { panic!("it was locked") };
        assert!(error.is_unavailable(), "{error:?}");
    }
    stranger.execute("COMMIT").await.unwrap();
    until_committed(&store, new_event).await;
}

async fn read_organization(store: &PostgresStore) -> Result<Option<Record>, StoreError> {
    let key = RecordKey::Organization(OrganizationId::new(uuid(1)));
    store.record(&key, Deleted::Excluded).await
}

/// An open transaction would keep one of PgBouncer's few connections from all other clients.
#[tokio::test]
async fn a_read_that_is_dropped_leaves_no_transaction_open() {
    let options = PostgresOptions { pgbouncer: true, connections: 1, ..patient() };
    let Some((store, url)) = open(&options).await else { return };
    let mut watcher = PgConnection::connect(&url).await.unwrap();
    read_organization(&store).await.unwrap();
    // The last reads may have their answer before they are dropped.
    for steps in 0..6 {
        until_idle(&store).await;
        let mut reads = [Box::pin(read_organization(&store))];
        begin(&mut reads);
        let [mut read] = reads;
        for _ in 0..steps {
            // About as long as an answer of the database takes: a read is a few of them.
            tokio::time::sleep(Duration::from_millis(1)).await;
            if read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                break;
            }
        }
        drop(read);
        until_idle(&store).await;
        assert_eq!(open_transactions(&mut watcher).await, 0, "after {steps} steps");
    }
}

#[tokio::test]
async fn a_transaction_whose_settings_are_refused_is_not_left_open() {
    // Above the highest timeout of PostgreSQL.
    let statement_timeout = Duration::from_secs(u64::from(u32::MAX));
    let options = PostgresOptions { pgbouncer: true, statement_timeout, ..patient() };
    let Some((store, url)) = open(&options).await else { return };
    let mut watcher = PgConnection::connect(&url).await.unwrap();
    read_organization(&store).await.unwrap_err();
    // The database notices the end of the connection a little later.
    wait_until(async || match open_transactions(&mut watcher).await {
        0 => Ok(()),
        open => Err(format!("{open} transactions are open")),
    })
    .await;
}

/// Returns the number of transactions that wait for their client.
async fn open_transactions(watcher: &mut PgConnection) -> i64 {
    let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND state LIKE 'idle in transaction%'";
    sqlx::query_scalar(open).fetch_one(watcher).await.unwrap()
}

/// Returns when all connections are in their pool.
pub(crate) async fn until_idle(store: &PostgresStore) {
    wait_until(async || match store.connections() {
        (_, 0) => Ok(()),
        (_, used) => Err(format!("{used} connections did not return to their pool")),
    })
    .await;
}
