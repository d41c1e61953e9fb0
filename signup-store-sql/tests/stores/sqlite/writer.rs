//! The writer: a change set that fails beside others, a write of another process, and the end of the writer.

use std::time::Duration;

use futures_util::future::join_all;
use signup_core::conformance::records::{has_room, stored};
use signup_core::{ChangeSet, CommitError, Record, Refusal, Requirement, Store, Timestamp, Total};
use signup_store_sql::SqliteStore;

use crate::records::{
    Database, Engine, event, insert, organization, organizations, receipt, signup, stranger, with,
};
use crate::wait::wait_until;

/// A draft of the first organization. Drafts do not conflict.
fn new_draft(number: u32) -> ChangeSet {
    let event = with(event(number, "2027-06-05"), |event| event.is_published = false);
    insert([event])
}

async fn drafts(store: &SqliteStore, numbers: std::ops::Range<u32>) -> usize {
    let found = join_all(numbers.map(async |number| stored(store, &event(number, "2027-06-05")).await));
    found.await.iter().flatten().count()
}

#[tokio::test]
async fn a_change_set_that_fails_leaves_its_neighbours_and_no_trace() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let store = database.sqlite_store();
    // The last write breaks a constraint of the table: the slug is taken, and no requirement checks the slug.
    let receipt = receipt("of-the-failing-one", &records.event);
    let same_slug = with(organization(701), |new| new.slug.clone_from(&records.organization.slug));
    let failing: [Record; 3] = [organization(700).into(), receipt.clone().into(), same_slug.into()];
    let failing = insert(failing);
    let neighbours = (100..110).map(new_draft);
    let changes = neighbours.clone().take(5).chain([failing]).chain(neighbours.skip(5));
    let answers = join_all(changes.map(|change| store.commit(change))).await;
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(matches!(answer, Err(CommitError::Failed(_))), number == 5, "{number}: {answer:?}");
    }
    assert_eq!(drafts(store, 100..110).await, 10);
    assert_eq!(organizations(store).await.unwrap().len(), 1);
    assert_eq!(stored(store, &receipt).await, None);
}

#[tokio::test]
async fn a_commit_waits_for_the_write_of_another_process_and_sees_it() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let mut stranger = stranger(&database.path()).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut stranger).await.unwrap();
    sqlx::query("UPDATE shifts SET filled = capacity").execute(&mut stranger).await.unwrap();
    let shift = &records.shifts[1];
    let change =
        ChangeSet { requires: vec![has_room(shift)], ..insert([signup(100, shift, "bob@example.org")]) };
    let waiting = tokio::spawn({
        let store = database.sqlite_store().clone();
        async move { store.commit(change).await }
    });
    // No condition shows that the commit waits, so the test waits for a time.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiting.is_finished(), "the other process has not committed yet");
    sqlx::query("COMMIT").execute(&mut stranger).await.unwrap();
    let answer = waiting.await.unwrap();
    assert!(matches!(answer, Err(CommitError::Refused(Refusal::NotBelow { .. }))), "{answer:?}");
    assert_eq!(stored(&*database.store, shift).await.unwrap().occupancy.filled, 3);
}

/// A change set without writes only reads, so the lock of another process does not delay it.
#[tokio::test]
async fn requirements_alone_are_checked_beside_the_write_of_another_process() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let mut stranger = stranger(&database.path()).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut stranger).await.unwrap();
    let total = Total::ActiveEvents(records.organization.id);
    let check = |bound| {
        let requires = vec![Requirement::Below { total: total.clone(), bound, now: Timestamp::UNIX_EPOCH }];
        database.store.commit(ChangeSet { requires, writes: vec![] })
    };
    // Shorter than the timeout of a write that waits for the lock.
    let limit = Duration::from_secs(5);
    let refused = tokio::time::timeout(limit, check(0)).await.unwrap();
    let Err(CommitError::Refused(Refusal::NotBelow { count, .. })) = refused else { panic!("{refused:?}") };
    let held = tokio::time::timeout(limit, check(count + 1)).await.unwrap();
    assert!(held.is_ok(), "{held:?}");
}

/// Looks at the open files of this process, which only Linux lists in a folder.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_store_ends_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("signup.db");
    // The journal does not show the end of the writer: it stays if a read-only connection is the last to close.
    let is_open = || {
        let files = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|file| file == path)
    };
    let store = SqliteStore::open(&path).await.unwrap();
    store.commit(insert([organization(1)])).await.unwrap();
    assert!(is_open());
    drop(store);
    let is_closed = async || {
        if is_open() { Err("a connection to the database was not closed".to_owned()) } else { Ok(()) }
    };
    wait_until(is_closed).await;
}
