//! The one writer: many change sets in one commit, and each for itself.

use std::time::Duration;

use futures_util::future::{FutureExt as _, join_all};
use signup_core::{ChangeSet, CommitError, Refusal, Requirement, Store, Write};
use signup_store_sql::SqliteStore;

use crate::records::sqlite::stranger;
use crate::records::{
    Database, Engine, at, event, organization, receipt, receipt_key, shift, signup, with, writes,
};

fn new_organization(number: u32) -> ChangeSet {
    writes([Write::InsertOrganization(organization(number))])
}

/// A draft of the first organization. Drafts do not conflict.
fn new_draft(number: u32) -> ChangeSet {
    let event = with(event(number, "2027-06-05"), |event| event.is_published = false);
    writes([Write::InsertEvent { event: Box::new(event), location_data: None }])
}

async fn drafts(store: &SqliteStore, numbers: std::ops::Range<u32>) -> usize {
    let found = join_all(numbers.map(async |number| {
        let event = event(number, "2027-06-05");
        store.event(event.organization, event.id).await.unwrap()
    }));
    found.await.iter().flatten().count()
}

#[tokio::test]
async fn change_sets_that_come_at_once_share_a_commit() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let store = database.sqlite_store();
    let before = store.commits();
    let answers = join_all((100..300).map(|number| store.commit(new_draft(number)))).await;
    assert!(answers.iter().all(Result::is_ok));
    let commits = store.commits() - before;
    assert!((1..=20).contains(&commits), "{commits} commits for 200 change sets");
    assert_eq!(drafts(store, 100..300).await, 200);
}

#[tokio::test]
async fn a_change_set_that_fails_leaves_its_neighbours_and_no_trace() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let store = database.sqlite_store();
    // The last of its writes breaks a constraint: a slug that is taken, with no requirement to notice it.
    let failing = writes([
        Write::InsertOrganization(organization(700)),
        Write::InsertReceipt(Box::new(receipt("of-the-failing-one", &records.event))),
        Write::InsertOrganization(organization(1)),
    ]);
    let neighbours = (100..110).map(new_draft);
    let changes = neighbours.clone().take(5).chain([failing]).chain(neighbours.skip(5));
    let answers = join_all(changes.map(|change| store.commit(change))).await;
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(matches!(answer, Err(CommitError::Failed(_))), number == 5, "{number}: {answer:?}");
    }
    assert_eq!(drafts(store, 100..110).await, 10);
    assert_eq!(store.organizations(None, 1000).await.unwrap().len(), 1);
    assert_eq!(store.receipt(&receipt_key("of-the-failing-one"), at(0)).await.unwrap(), None);
}

#[tokio::test]
async fn a_refusal_among_others_is_its_own() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let store = database.sqlite_store();
    let refused = ChangeSet {
        requires: vec![
            Requirement::OrganizationSlugFree("free".to_owned()),
            Requirement::OrganizationSlugFree("organization-1".to_owned()),
            Requirement::NoOrganization,
        ],
        writes: new_organization(700).writes,
    };
    let changes = [new_organization(100), refused, new_organization(101)];
    let answers = join_all(changes.into_iter().map(|change| store.commit(change))).await;
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert!(
        matches!(&answers[1], Err(CommitError::Refused(Refusal::SlugTaken))),
        "the first that does not hold"
    );
    assert_eq!(store.organizations(None, 1000).await.unwrap().len(), 3);
}

/// A refused change set or a failing one changes the answer of no other.
#[tokio::test]
async fn among_change_sets_that_are_alike_each_has_its_own_answer() {
    for failing in [None, Some(120)] {
        let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
        let store = database.sqlite_store();
        let is_refused = |number: u32| number.is_multiple_of(3) && failing != Some(number);
        let change = |number| {
            let slug = if is_refused(number) { records.event.slug.clone() } else { format!("free-{number}") };
            let mut new = new_draft(number);
            new.requires.push(Requirement::EventSlugFree(slug));
            if failing == Some(number)
                && let Write::InsertEvent { event, .. } = &mut new.writes[0]
            {
                // An id that another event has is refused by the database, and not by a requirement.
                event.id = records.event.id;
            }
            new
        };
        let answers = join_all((100..140).map(|number| store.commit(change(number)))).await;
        for (number, answer) in (100..).zip(&answers) {
            let is_right = match answer {
                Ok(()) => !is_refused(number) && failing != Some(number),
                Err(CommitError::Refused(Refusal::SlugTaken)) => is_refused(number),
                Err(_) => failing == Some(number),
            };
            assert!(is_right, "{number}: {answer:?}");
        }
        let committed = answers.iter().filter(|answer| answer.is_ok()).count();
        assert_eq!(drafts(store, 100..140).await, committed);
    }
}

#[tokio::test]
async fn a_refusal_carries_the_fact_that_was_found() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let organization = records.organization.id;
    let shift = records.shifts[0].id;
    let email = signup_core::EmailAddress::new("ADA@EXAMPLE.ORG").unwrap();
    for (requirement, fact) in [
        (
            Requirement::NoReceipt { key: receipt_key("key"), now: at(0) },
            Refusal::Receipt(Box::new(records.receipt.clone())),
        ),
        (
            Requirement::ActiveEventsBelow { organization, limit: 1, now: at(0) },
            Refusal::ActiveEvents { count: 1 },
        ),
        (
            Requirement::AddressNotOnShift { organization, shift, email },
            Refusal::AddressOnShift(Box::new(records.signup.clone())),
        ),
    ] {
        let change = ChangeSet { requires: vec![requirement], writes: vec![] };
        match database.store.commit(change).await {
            Err(CommitError::Refused(found)) => assert_eq!(found, fact),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn the_last_places_go_to_as_many_as_there_are() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let shift = &records.shifts[1];
    let changes = (0..20_u32).map(|number| ChangeSet {
        requires: vec![Requirement::ShiftHasRoom { organization: shift.organization, shift: shift.id }],
        writes: vec![Write::InsertSignup(Box::new(signup(
            100 + number,
            shift,
            &format!("{number}@example.org"),
        )))],
    });
    let answers = join_all(changes.map(|change| database.store.commit(change))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    let stored = database.store.shift(shift.organization, shift.id).await.unwrap().unwrap();
    assert_eq!(stored.occupancy.filled, 3);
}

#[tokio::test]
async fn a_caller_who_goes_away_undoes_nothing() {
    let database = Database::new(Engine::Sqlite).await.unwrap();
    let store = database.sqlite_store();
    let mut commit = Box::pin(store.commit(new_organization(1)));
    assert!((&mut commit).now_or_never().is_none(), "it waits for its batch");
    // The batch begins.
    tokio::task::yield_now().await;
    drop(commit);
    store.commit(new_organization(2)).await.unwrap();
    assert_eq!(store.organizations(None, 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn what_another_process_wrote_is_seen_and_waited_for() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let mut stranger = stranger(&database.path()).await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut stranger).await.unwrap();
    sqlx::query("UPDATE shifts SET filled = capacity").execute(&mut stranger).await.unwrap();
    let shift = &records.shifts[1];
    let change = ChangeSet {
        requires: vec![Requirement::ShiftHasRoom { organization: shift.organization, shift: shift.id }],
        writes: vec![Write::InsertSignup(Box::new(signup(100, shift, "bob@example.org")))],
    };
    let waiting = tokio::spawn({
        let store = database.sqlite_store().clone();
        async move { store.commit(change).await }
    });
    // Time is meant: that it waits can only be seen by waiting.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!waiting.is_finished(), "the other process has not decided yet");
    sqlx::query("COMMIT").execute(&mut stranger).await.unwrap();
    let answer = waiting.await.unwrap();
    assert!(matches!(answer, Err(CommitError::Refused(Refusal::ShiftFull))), "{answer:?}");
    let read = database.store.shift(shift.organization, shift.id).await.unwrap().unwrap();
    assert_eq!(read.occupancy.filled, 3);
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
    store.commit(new_organization(1)).await.unwrap();
    assert!(is_open());
    drop(store);
    for _ in 0..500 {
        if !is_open() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a connection to the database is still open");
}

#[tokio::test]
async fn an_expired_receipt_gives_way() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let expired = records.receipt.expires_at;
    let other = event(11, "2028-01-01");
    let renewed =
        with(receipt("key", &other), |receipt| receipt.expires_at = expired + signup_core::Receipt::LIFE);
    let change = ChangeSet {
        requires: vec![Requirement::NoReceipt { key: receipt_key("key"), now: expired }],
        writes: vec![Write::InsertReceipt(Box::new(renewed.clone()))],
    };
    database.store.commit(change).await.unwrap();
    assert_eq!(database.store.receipt(&receipt_key("key"), expired).await.unwrap(), Some(renewed));
}

#[tokio::test]
async fn receipts_are_purged_a_few_at_a_time() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let more = (0..5)
        .map(|number| Write::InsertReceipt(Box::new(receipt(&format!("key-{number}"), &records.event))));
    database.store.commit(writes(more)).await.unwrap();
    let end = records.receipt.expires_at;
    assert_eq!(database.store.purge_receipts(at(0), 10).await.unwrap(), 0);
    assert_eq!(database.store.purge_receipts(end, 4).await.unwrap(), 4);
    assert_eq!(database.store.purge_receipts(end, 4).await.unwrap(), 2);
}

#[tokio::test]
async fn a_change_set_of_five_hundred_shifts_is_stored_whole() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let event = event(11, "2028-01-01");
    let shifts: Vec<_> = (0..500_u32).map(|n| shift(1000 + n, &event, n)).collect();
    let change = writes([
        Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
        Write::InsertShifts(shifts.clone()),
    ]);
    database.store.commit(change).await.unwrap();
    assert_eq!(database.store.shifts(event.organization, event.id).await.unwrap(), Some(shifts));
}
