//! A cached read is never older than the last acknowledged commit of its store, and misses commits of others for at most a
//! second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use signup_core::conformance::records::{put, stored, write};
use signup_core::{ScheduledShift, Shift, Store};

use crate::records::{Database, Engine, Records, with};

/// Returns the version of the shift in each cached read that lists the shift.
async fn versions(store: &dyn Store, records: &Records, shift: &Shift) -> [u32; 2] {
    let of = |shifts: Vec<ScheduledShift>| shifts.iter().find(|found| found.id == shift.id).unwrap().version;
    let listed = store.shifts(shift.organization, shift.event).await.unwrap().unwrap();
    let full = store.event_by_slug(&records.event.slug).await.unwrap().unwrap();
    [of(listed), of(full.shifts)]
}

/// Returns the shift at the version before `version`, and at `version`.
fn versions_of(shift: &Shift, version: u32) -> [Shift; 2] {
    [version - 1, version].map(|version| with(shift.clone(), |shift| shift.version = version))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_read_after_an_acknowledged_write_sees_the_state_before_it() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let (store, records, is_done) =
        (Arc::clone(&database.store), Arc::new(records), Arc::new(AtomicBool::new(false)));
    let acknowledged = Arc::new([AtomicU32::new(1), AtomicU32::new(1)]);
    // The readers fill the cache all the time.
    let readers = (0..3).map(|_| {
        let (store, records, is_done) = (Arc::clone(&store), Arc::clone(&records), Arc::clone(&is_done));
        let acknowledged = Arc::clone(&acknowledged);
        tokio::spawn(async move {
            while !is_done.load(Ordering::Relaxed) {
                for (shift, acknowledged) in records.shifts.iter().zip(&*acknowledged) {
                    let least = acknowledged.load(Ordering::SeqCst);
                    let seen = versions(&*store, &records, shift).await;
                    assert!(seen.iter().all(|seen| *seen >= least), "{seen:?} after {least}");
                }
            }
        })
    });
    let readers: Vec<_> = readers.collect();
    let writers = (0..2).map(|number| {
        let (store, records) = (Arc::clone(&store), Arc::clone(&records));
        let acknowledged = Arc::clone(&acknowledged);
        tokio::spawn(async move {
            let shift = &records.shifts[number];
            for version in 2..=300 {
                let [before, after] = versions_of(shift, version);
                write(&*store, vec![put(before, after)]).await;
                acknowledged[number].store(version, Ordering::SeqCst);
                assert_eq!(versions(&*store, &records, shift).await, [version; 2]);
            }
        })
    });
    for writer in join_all(writers).await {
        writer.unwrap();
    }
    is_done.store(true, Ordering::Relaxed);
    for reader in join_all(readers).await {
        reader.unwrap();
    }
}

/// The second store has connections of its own, like a management command. The first store is idle meanwhile.
#[tokio::test]
async fn a_commit_of_another_store_is_seen_after_a_second() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let (store, other) = (&*database.store, database.open().await.unwrap());
    let shift = &records.shifts[0];
    for version in 2..=3 {
        assert_eq!(versions(store, &records, shift).await, [version - 1; 2]);
        assert!(stored(store, &records.organization).await.is_some());
        let [before, after] = versions_of(shift, version);
        write(&*other, vec![put(before, after)]).await;
        let renamed = format!("Name {version}");
        database.run(&format!("UPDATE organizations SET name = '{renamed}'")).await.unwrap();
        // A second is the promise.
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(versions(store, &records, shift).await, [version; 2]);
        assert_eq!(stored(store, &records.organization).await.unwrap().name.as_str(), renamed);
    }
}
