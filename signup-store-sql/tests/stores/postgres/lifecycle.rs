//! PostgreSQL: the locks of events.

use signup_core::conformance::records::{self, are_empty, at, closed, gate_unchanged, next, stored};
use signup_core::{
    CancelledBy, ChangeSet, CommitError, Event, RecordKey, Refusal, Shift, SignupQuery, Store,
};
use signup_store_sql::PostgresOptions;
use signup_store_sql::test_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::stores_on;
use super::waits::{begin, busy_shift, sign_up, until_waiting};
use crate::records::insert;

async fn event_of(store: &dyn Store, shift: &Shift) -> Event {
    store.get(RecordKey::Event(shift.organization, shift.event)).await.unwrap().unwrap()
}

/// A sign-up for a shift whose event has the gate that was read.
fn sign_up_at_gate(number: u32, shift: &Shift, event: &Event) -> ChangeSet {
    let mut change = sign_up(number, shift);
    change.requires.insert(0, gate_unchanged(event));
    change
}

#[tokio::test]
async fn a_closing_cancels_the_sign_ups_that_it_waited_for() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let store = stores_on(&url, 1, &PostgresOptions::default()).await.remove(0);
    let shift = busy_shift(&store, 9).await;
    store.commit(sign_up(100, &shift)).await.unwrap();
    let mut other = PgConnection::connect(&url).await.unwrap();
    let columns = "organization_id, event_id, shift_id, told, name, search_key, email, answers, status, version, created_at, \
         repeated_at";
    let insert = format!(
        "BEGIN; UPDATE shifts SET filled = filled + 1; INSERT INTO signups (id, email_key, {columns}) \
         SELECT gen_random_uuid(), 'other', {columns} FROM signups"
    );
    other.execute(AssertSqlSafe(insert)).await.unwrap();
    let by = CancelledBy::EventCancellation;
    let mut close = ChangeSet::default();
    close.replace(shift.clone(), closed(&shift, at(9), by));
    let mut commits = [Box::pin(store.commit(close))];
    begin(&mut commits);
    let [commit] = commits;
    let (committed, ()) = tokio::join!(commit, async {
        until_waiting(&url, 1).await;
        other.execute("COMMIT").await.unwrap();
    });
    committed.unwrap();
    let query = SignupQuery::new().of_shift(shift.id).cancelled_by(by);
    assert_eq!(store.signups(shift.organization, &query).await.unwrap().items.len(), 2);
    assert_eq!(stored(&store, &shift).await.unwrap().occupancy.filled, 0);
}

/// Two sign-ups for different shifts share the lock of the gate of their event. A change of the event waits for both, and a sign-up that
/// comes later waits for the change.
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

/// A commit that requires that shifts are empty locks the gate of their event and not the shifts.
#[tokio::test]
async fn a_check_for_empty_shifts_finds_the_sign_up_that_it_waited_for() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let [first, second] = &stores_on(&url, 2, &PostgresOptions::default()).await[..] else {
        panic!("two stores")
    };
    let shift = busy_shift(first, 9).await;
    let event = event_of(first, &shift).await;
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    stranger.execute("BEGIN; SELECT 1 FROM shifts FOR UPDATE").await.unwrap();
    let mut stuck = [Box::pin(first.commit(sign_up_at_gate(100, &shift, &event)))];
    begin(&mut stuck);
    until_waiting(&url, 1).await;
    let requires = vec![are_empty(&event, &[shift.id])];
    let another = insert([records::organization(99)]);
    let mut check = [Box::pin(second.commit(ChangeSet { requires, ..another }))];
    begin(&mut check);
    until_waiting(&url, 2).await;
    stranger.execute("COMMIT").await.unwrap();
    let ([stuck], [check]) = (stuck, check);
    let (stuck, check) = tokio::join!(stuck, check);
    stuck.unwrap();
    assert!(matches!(check, Err(CommitError::Refused(Refusal::NotBelow { .. }))), "{check:?}");
}
