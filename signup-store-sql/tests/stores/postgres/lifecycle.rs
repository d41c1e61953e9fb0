//! PostgreSQL: the locks of events, and servers of earlier versions beside this one.

use rstest::rstest;
use signup_core::conformance::records;
use signup_core::{
    CancelledBy, ChangeSet, CommitError, Event, EventId, OrganizationId, Refusal, Requirement, Shift,
    SignupScope, Store as _, Write,
};
use signup_store_sql::PostgresOptions;
use signup_store_sql::test_cluster::Cluster;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};

use super::stores_on;
use super::waits::{begin, busy_shift, sign_up, until_waiting};
use crate::records::Engine::Postgres;
use crate::records::{Database, at, signup, with, writes};

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

/// A rolling upgrade: a server of the version before keeps its sessions and the functions that it has compiled. It counts no
/// events that are cancelled or deleted, and finds no room there.
#[tokio::test]
async fn a_session_of_the_version_before_goes_on_after_the_lifecycle_migration() {
    let Some((database, records)) = Database::version(Postgres, 6).await else { return };
    let mut old = PgConnection::connect(database.path().to_str().unwrap()).await.unwrap();
    old.execute("SET plan_cache_mode = force_generic_plan; UPDATE events SET is_published = TRUE")
        .await
        .unwrap();
    let (owner, shift) = (records.organization.id, records.shifts[0].id);
    let answers = async |old: &mut PgConnection| {
        let mut answers = vec![];
        for sql in [
            format!(
                "SELECT CAST(id AS TEXT) FROM locked_signups_of_address('{owner}', '{shift}', 'ada@example.org')"
            ),
            format!(
                "SELECT name FROM locked_signups_of_addresses('{owner}', '{shift}', '{{ada@example.org}}')"
            ),
            format!("SELECT CAST(locked_room('{owner}', '{shift}') AS TEXT)"),
            format!("SELECT CAST(locked_active_events('{owner}', 0) AS TEXT)"),
            format!(
                "SELECT email FROM (SELECT * FROM signups WHERE organization_id = '{owner}') u ORDER BY email"
            ),
        ] {
            let rows = old.fetch_all(sqlx::query(AssertSqlSafe(sql))).await.unwrap();
            answers.extend(rows.iter().map(|row| row.get::<String, _>(0)));
        }
        answers
    };
    let id = records.signup.id.to_string();
    let before = [&*id, "Ada", "4", "1", "Ada@example.org"];
    assert_eq!(answers(&mut old).await, before);
    let store = database.open().await.unwrap();
    assert_eq!(answers(&mut old).await, before);
    let other = signup(31, &records.shifts[0], "bob@example.org");
    store.commit(writes([Write::InsertSignup(Box::new(other.clone()))])).await.unwrap();
    let cancel = format!("UPDATE signups SET status = 'cancelled', cancelled_at = 7 WHERE id = '{id}'");
    old.execute(AssertSqlSafe(cancel)).await.unwrap();
    let cancelled = store.signup(owner, records.signup.id).await.unwrap().unwrap();
    assert_eq!(cancelled.cancelled_by, Some(CancelledBy::Volunteer));
    let event = EventId::new(records.event.id.uuid());
    store.commit(writes([Write::DeleteEvent { organization: owner, event, at: at(1) }])).await.unwrap();
    assert_eq!(answers(&mut old).await, ["0", "0", "Ada@example.org", "bob@example.org"]);
    let found: Option<OrganizationId> = store.event_owner(event).await.unwrap();
    assert_eq!(found, Some(owner));
}

/// A shift that this version closes keeps its count, so a server of the version before can still cancel a sign-up. The sign-up
/// keeps the cause of the closing.
#[tokio::test]
async fn a_session_of_the_version_before_cancels_a_sign_up_for_a_closed_shift() {
    let Some((database, records)) = Database::version(Postgres, 6).await else { return };
    let store = database.open().await.unwrap();
    store.commit(writes([close(&records.shifts[0])])).await.unwrap();
    let (owner, shift, id) = (records.organization.id, records.shifts[0].id, records.signup.id);
    let closed = store.signup(owner, id).await.unwrap().unwrap();
    assert_eq!(closed.cancelled_by, Some(CancelledBy::EventCancellation));
    let mut old = PgConnection::connect(database.path().to_str().unwrap()).await.unwrap();
    let cancel = format!(
        "UPDATE signups SET status = 'cancelled', cancelled_at = 2000000000 WHERE id = '{id}'; \
         UPDATE shifts SET filled = filled - 1 WHERE id = '{shift}'"
    );
    old.execute(AssertSqlSafe(cancel)).await.unwrap();
    assert_eq!(store.shift(owner, shift).await.unwrap().unwrap().occupancy.filled, 0);
    assert_eq!(store.confirmed_signups(owner, shift, None, 9).await.unwrap(), []);
    assert_eq!(store.signup(owner, id).await.unwrap().unwrap(), closed);
}

/// Servers of the version before check the room at the commit, and not the event.
#[tokio::test]
async fn a_session_of_the_version_before_finds_no_room_on_an_unpublished_event() {
    let Some((database, records)) = Database::version(Postgres, 6).await else { return };
    let _store = database.open().await.unwrap();
    let (owner, shift) = (records.organization.id, records.shifts[0].id);
    let room = format!("SELECT CAST(locked_room('{owner}', '{shift}') AS TEXT)");
    let mut old = PgConnection::connect(database.path().to_str().unwrap()).await.unwrap();
    for (is_published, expected) in [("TRUE", "4"), ("FALSE", "0")] {
        let publish = format!("UPDATE events SET is_published = {is_published}");
        old.execute(AssertSqlSafe(publish)).await.unwrap();
        let found: String = old.fetch_one(sqlx::query(AssertSqlSafe(room.clone()))).await.unwrap().get(0);
        assert_eq!(found, expected, "is_published = {is_published}");
    }
}

fn is_empty(shift: &Shift) -> Requirement {
    let Shift { organization, event, id, .. } = *shift;
    Requirement::ShiftsAreEmpty { organization, event, shifts: vec![id] }
}

/// Sign-ups of earlier versions lock the shift. The functions that they call also lock the event.
#[rstest]
#[case::with_acquire_locks(
    "acquire_locks(ARRAY['shift'], ARRAY[$1::uuid], ARRAY[$2::uuid], ARRAY[NULL]::text[], 0)"
)]
#[case::with_locked_signups_of_addresses(
    "locked_signups_of_addresses($1::uuid, $2::uuid, ARRAY['ada@example.org'])"
)]
#[tokio::test]
async fn an_edit_waits_for_a_sign_up_of_an_earlier_version_and_finds_it(#[case] function: &str) {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let store = stores_on(&url, 1, &PostgresOptions::default()).await.remove(0);
    let shift = busy_shift(&store, 9).await;
    let mut old = PgConnection::connect(&url).await.unwrap();
    let mut old = old.begin().await.unwrap();
    let lock = sqlx::query(AssertSqlSafe(format!("SELECT 1 FROM {function}")));
    let lock = lock.bind(shift.organization.to_string()).bind(shift.id.to_string());
    lock.execute(&mut *old).await.unwrap();
    let requires = vec![is_empty(&shift)];
    let mut commits = [Box::pin(store.commit(ChangeSet { requires, writes: vec![] }))];
    begin(&mut commits);
    let [commit] = commits;
    let (committed, ()) = tokio::join!(commit, async {
        until_waiting(&url, 1).await;
        old.execute("UPDATE shifts SET filled = filled + 1").await.unwrap();
        old.commit().await.unwrap();
    });
    assert!(
        matches!(committed, Err(CommitError::Refused(Refusal::ShiftHasSignups))),
        "the check finds the sign-up: {committed:?}"
    );
}

/// The edit holds the event and waits for a slug. It locks the organization last. The earlier version must wait for the event
/// before it locks the organization.
#[tokio::test]
async fn locks_of_an_earlier_version_and_an_edit_make_no_deadlock() {
    let Some(cluster) = Cluster::shared() else { return };
    let url = cluster.database().await;
    let store = stores_on(&url, 1, &PostgresOptions::default()).await.remove(0);
    let shift = busy_shift(&store, 9).await;
    let organization = shift.organization;
    let mut stranger = PgConnection::connect(&url).await.unwrap();
    let mut old = PgConnection::connect(&url).await.unwrap();
    let lock = "BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('event held', 0))";
    stranger.execute(lock).await.unwrap();
    let requires = vec![
        is_empty(&shift),
        Requirement::EventSlugFree("held".to_owned()),
        Requirement::ActiveEventsBelow { organization, limit: 9, now: at(0) },
    ];
    let mut commits = [Box::pin(store.commit(ChangeSet { requires, writes: vec![] }))];
    begin(&mut commits);
    let [commit] = commits;
    until_waiting(&url, 1).await;
    let acquire = "SELECT 1 FROM acquire_locks(ARRAY['organization', 'shift'], ARRAY[NULL, $1]::uuid[], \
         ARRAY[$1, $2]::uuid[], ARRAY[NULL, NULL]::text[], 0)";
    let acquire = sqlx::query(acquire).bind(organization.to_string()).bind(shift.id.to_string());
    let (committed, acquired, ()) = tokio::join!(commit, acquire.execute(&mut old), async {
        until_waiting(&url, 2).await;
        stranger.execute("COMMIT").await.unwrap();
    });
    committed.unwrap();
    acquired.unwrap();
    // Sessions report their deadlocks at the latest when they end.
    store.close().await;
    old.close().await.unwrap();
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(cluster.sql(url.rsplit('/').next().unwrap(), deadlocks), "0");
}
