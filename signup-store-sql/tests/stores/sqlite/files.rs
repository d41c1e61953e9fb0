//! The files of an open database: deleted, replaced or moved away under a running process.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rstest::rstest;
use signup_core::{CommitError, Deleted, Entity as _, Store, StoreError};
use signup_store_sql::SqliteStore;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::records::{insert, organization, organizations};
use crate::wait::wait_until;

/// What happens to the files of a database. Only the last one can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Deleted,
    Replaced,
    LogDeleted,
    IndexDeleted,
    FolderDeleted,
    MovedAway,
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

impl Loss {
    fn happen(self, path: &Path) {
        match self {
            Self::Deleted => std::fs::remove_file(path).unwrap(),
            Self::Replaced => {
                std::fs::copy(path, beside(path, "-copy")).unwrap();
                std::fs::rename(beside(path, "-copy"), path).unwrap();
            }
            Self::LogDeleted => std::fs::remove_file(beside(path, "-wal")).unwrap(),
            Self::IndexDeleted => std::fs::remove_file(beside(path, "-shm")).unwrap(),
            Self::FolderDeleted => std::fs::remove_dir_all(path.parent().unwrap()).unwrap(),
            Self::MovedAway => std::fs::rename(path, beside(path, "-away")).unwrap(),
        }
    }
}

async fn commit(store: &SqliteStore, number: u32) -> Result<(), StoreError> {
    match store.commit(insert([organization(number)])).await {
        Err(CommitError::Failed(error)) => Err(error),
        committed => {
            committed.unwrap();
            Ok(())
        }
    }
}

/// Four tasks commit as fast as they can. A commit that begins after the loss must not be acknowledged, because it would be lost.
/// Reads fail, too, also those that the cache answers.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_acknowledged_or_read_after_the_loss_of_a_file(
    #[values(
        Loss::Deleted,
        Loss::Replaced,
        Loss::LogDeleted,
        Loss::IndexDeleted,
        Loss::FolderDeleted,
        Loss::MovedAway
    )]
    loss: Loss,
    #[values(false, true)] by_link: bool,
) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let path = folder.path().join("data/signup.db");
    let opened = if by_link { folder.path().join("link.db") } else { path.clone() };
    if by_link {
        std::fs::write(&path, "").unwrap();
        std::os::unix::fs::symlink(&path, &opened).unwrap();
    }
    let store = Arc::new(SqliteStore::open(&opened).await.unwrap());
    let first = organization(0).key();
    let numbers = Arc::new(AtomicU32::new(0));
    let committers: Vec<_> = (0..4)
        .map(|_| {
            let (store, numbers) = (Arc::clone(&store), Arc::clone(&numbers));
            tokio::spawn(async move {
                let (mut acknowledged, mut since) = (vec![], None);
                // Goes on for a while after the first failure.
                while since.is_none_or(|since: Instant| since.elapsed() < Duration::from_millis(200)) {
                    let begin = Instant::now();
                    match commit(&store, numbers.fetch_add(1, Ordering::Relaxed)).await {
                        Ok(()) => acknowledged.push(begin),
                        Err(error) => {
                            assert!(error.is_unavailable(), "{error:?}");
                            since.get_or_insert(begin);
                        }
                    }
                }
                (acknowledged, since)
            })
        })
        .collect();
    let some_committed = async || {
        let committed = numbers.load(Ordering::Relaxed);
        if committed > 100 { Ok(()) } else { Err(format!("only {committed} commits")) }
    };
    wait_until(some_committed).await;
    assert!(store.record(&first, Deleted::Excluded).await.unwrap().is_some());
    loss.happen(&path);
    let lost_at = Instant::now();
    let reads_fail = async || match organizations(&*store).await {
        Err(error) if error.is_unavailable() => Ok(()),
        other => Err(format!("{other:?}")),
    };
    wait_until(reads_fail).await;
    let cached_reads_fail = async || match store.record(&first, Deleted::Excluded).await {
        Err(error) if error.is_unavailable() => Ok(lost_at.elapsed()),
        other => Err(format!("{other:?}")),
    };
    let noticed_after = wait_until(cached_reads_fail).await;
    assert!(noticed_after < Duration::from_secs(3), "{noticed_after:?}");
    assert!(store.check().await.unwrap_err().is_unavailable());
    for committer in committers {
        let (acknowledged, failed_at) = committer.await.unwrap();
        assert!(acknowledged.iter().all(|begin| *begin < lost_at), "acknowledged, and lost");
        assert!(failed_at.is_some_and(|at| at < lost_at + Duration::from_secs(3)));
    }
    if loss == Loss::MovedAway {
        std::fs::rename(beside(&path, "-away"), &path).unwrap();
        store.check().await.unwrap();
        commit(&store, u32::MAX).await.unwrap();
        assert!(organizations(&*store).await.is_ok(), "the file is back");
    }
}

/// Follows what the log and the documentation say. The log of the lost file would otherwise be read as that of the other file.
#[tokio::test]
async fn another_file_can_be_used_after_the_old_log_was_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (path, backup) = (folder.path().join("signup.db"), folder.path().join("backup.db"));
    let prepared = SqliteStore::open(&backup).await.unwrap();
    commit(&prepared, 1).await.unwrap();
    prepared.close().await;
    let store = SqliteStore::open(&path).await.unwrap();
    for number in 2..50 {
        commit(&store, number).await.unwrap();
    }
    std::fs::rename(&backup, &path).unwrap();
    assert!(store.check().await.unwrap_err().is_unavailable());
    store.close().await;
    for suffix in ["-wal", "-shm"] {
        if let Err(error) = std::fs::remove_file(beside(&path, suffix)) {
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
        }
    }
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(organizations(&store).await.unwrap().len(), 1, "what the other file has");
    commit(&store, 2).await.unwrap();
    store.close().await;
    assert_eq!(integrity(&path).await, "ok");
}

/// The process still has the log open, and copies it into the database at its end.
#[rstest]
#[tokio::test]
async fn a_clean_end_saves_what_only_a_deleted_log_has(
    #[values(Loss::LogDeleted, Loss::IndexDeleted)] loss: Loss,
) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let store = SqliteStore::open(&path).await.unwrap();
    for number in 0..50 {
        commit(&store, number).await.unwrap();
    }
    loss.happen(&path);
    assert!(store.check().await.unwrap_err().is_unavailable());
    store.close().await;
    assert_eq!(integrity(&path).await, "ok");
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(organizations(&store).await.unwrap().len(), 50);
}

async fn integrity(path: &Path) -> String {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = options.connect().await.unwrap();
    sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut connection).await.unwrap()
}

/// The new file has a log of its own, which the process with the old one must not remove at its end.
#[tokio::test]
async fn the_end_of_a_process_leaves_the_files_that_have_replaced_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let old = SqliteStore::open(&path).await.unwrap();
    commit(&old, 1).await.unwrap();
    for suffix in ["", "-wal", "-shm"] {
        std::fs::remove_file(beside(&path, suffix)).unwrap();
    }
    let new = SqliteStore::open(&path).await.unwrap();
    commit(&new, 2).await.unwrap();
    old.close().await;
    commit(&new, 3).await.unwrap();
    assert_eq!(organizations(&new).await.unwrap().len(), 2);
}
