//! PostgreSQL: the locks of events.

use signup_core::conformance::records::{self, gate_unchanged, next};
use signup_core::{ChangeSet, Event, RecordKey, Shift, Store};
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
