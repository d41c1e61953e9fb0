//! PostgreSQL: the locks of events.

use signup_core::conformance::records;
use signup_core::{
    CancelledBy, ChangeSet, CommitError, Event, Refusal, Requirement, Shift, SignupScope, Store as _, Write,
};
use signup_store_sql::PostgresOptions;
use signup_store_sql::test_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use super::stores_on;
use super::waits::{begin, busy_shift, sign_up, until_waiting};
use crate::records::{at, with, writes};

fn close(shift: &Shift) -> Write {
    let (organization, shift) = (shift.organization, shift.id);
    Write::CloseShift { organization, shift, at: at(9), by: CancelledBy::EventCancellation }
}

/// A sign-up for a shift of an event of version 1.
fn sign_up_at_version(number: u32, shift: &Shift) -> ChangeSet {
    let Shift { organization, event, .. } = *shift;
    let mut change = sign_up(number, shift);
    change.requires.insert(0, Requirement::EventAtVersion { organization, event, version: 1 });
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
    let columns = "organization_id, event_id, shift_id, shift_version, name, email, answers, status, created_at, mailed_at";
    let insert = format!(
        "BEGIN; UPDATE shifts SET filled = filled + 1; INSERT INTO signups (id, email_key, secret, {columns}) \
         SELECT gen_random_uuid(), 'other', sha256('other'), {columns} FROM signups"
    );
    other.execute(AssertSqlSafe(insert)).await.unwrap();
    let mut commits = [Box::pin(store.commit(writes([close(&shift)])))];
    begin(&mut commits);
    let [commit] = commits;
    let (committed, ()) = tokio::join!(commit, async {
        until_waiting(&url, 1).await;
        other.execute("COMMIT").await.unwrap();
    });
    committed.unwrap();
    let (organization, scope) = (shift.organization, SignupScope::Shift(shift.id));
    let by = CancelledBy::EventCancellation;
    let cancelled = store.signups_cancelled_by(organization, scope, by, None, 9).await.unwrap();
    assert_eq!(cancelled.len(), 2);
    assert_eq!(store.shift(organization, shift.id).await.unwrap().unwrap().occupancy.filled, 0);
}

/// Two sign-ups for different shifts share the lock of the event. A change of the event waits for both, and a sign-up that
/// comes later waits for the change.
#[tokio::test]
async fn sign_ups_share_the_lock_of_their_event_and_changes_of_the_event_have_their_turn() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let [first, second, third, fourth] = &stores_on(&url, 4, &PostgresOptions::default()).await[..] else {
        panic!("four stores")
    };
    let shift = busy_shift(first, 9).await;
    let event = first.event(shift.organization, shift.event).await.unwrap().unwrap();
    let another = records::shift(&event, 61, 9);
    first.commit(writes([Write::InsertShifts(vec![another.clone()])])).await.unwrap();
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    let lock = format!("BEGIN; SELECT 1 FROM shifts WHERE id = '{}' FOR UPDATE", shift.id);
    stranger.execute(AssertSqlSafe(lock)).await.unwrap();
    let mut stuck = [Box::pin(first.commit(sign_up_at_version(100, &shift)))];
    begin(&mut stuck);
    until_waiting(&url, 1).await;
    second.commit(sign_up_at_version(101, &another)).await.unwrap();
    let changed = with(event, |event: &mut Event| event.version = 2);
    let update = Write::UpdateEvent { event: Box::new(changed), may_change_activity: false };
    let mut update = [Box::pin(third.commit(writes([update])))];
    begin(&mut update);
    until_waiting(&url, 2).await;
    let mut late = [Box::pin(fourth.commit(sign_up_at_version(102, &another)))];
    begin(&mut late);
    until_waiting(&url, 3).await;
    stranger.execute("COMMIT").await.unwrap();
    let ([stuck], [update], [late]) = (stuck, update, late);
    let (stuck, update, late) = tokio::join!(stuck, update, late);
    stuck.unwrap();
    update.unwrap();
    assert!(late.is_err(), "the event has another version by then");
}

/// A check that shifts are empty locks their event and not the shifts.
#[tokio::test]
async fn a_check_for_empty_shifts_finds_the_sign_up_that_it_waited_for() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let [first, second] = &stores_on(&url, 2, &PostgresOptions::default()).await[..] else {
        panic!("two stores")
    };
    let shift = busy_shift(first, 9).await;
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    stranger.execute("BEGIN; SELECT 1 FROM shifts FOR UPDATE").await.unwrap();
    let mut stuck = [Box::pin(first.commit(sign_up_at_version(100, &shift)))];
    begin(&mut stuck);
    until_waiting(&url, 1).await;
    let Shift { organization, event, id, .. } = shift;
    let requires = vec![Requirement::ShiftsAreEmpty { organization, event, shifts: vec![id] }];
    let mut check = [Box::pin(second.commit(ChangeSet { requires, writes: vec![] }))];
    begin(&mut check);
    until_waiting(&url, 2).await;
    stranger.execute("COMMIT").await.unwrap();
    let ([stuck], [check]) = (stuck, check);
    let (stuck, check) = tokio::join!(stuck, check);
    stuck.unwrap();
    assert!(matches!(check, Err(CommitError::Refused(Refusal::ShiftHasSignups))), "{check:?}");
}
