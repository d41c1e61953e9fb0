//! One server serves one file.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use signup_store_sql::{OpenError, ServingLock, SqliteStore};

const HELD: &str = "SIGNUP_TEST_LOCK";

#[track_caller]
fn assert_served(path: &Path) {
    let error = ServingLock::take(path).unwrap_err();
    assert!(matches!(error, OpenError::Served { .. }), "{error:?}");
    assert!(!error.to_string().contains('\n'), "one line");
}

#[test]
fn a_second_server_on_the_same_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let lock = ServingLock::take(&path).unwrap();
    assert_served(&path);
    drop(lock);
    drop(ServingLock::take(&path).unwrap());
}

#[test]
fn every_path_to_a_file_meets_the_same_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let link = folder.path().join("link.db");
    // The link is there before the file that it leads to.
    symlink(&path, &link).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let _lock = ServingLock::take(&link).unwrap();
    for other in [&path, &link, &folder.path().join("sub/../signup.db")] {
        assert_served(other);
    }
}

#[tokio::test]
async fn who_does_not_serve_works_beside_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let _lock = ServingLock::take(&path).unwrap();
    let server = SqliteStore::open(&path).await.unwrap();
    let command = SqliteStore::open(&path).await.unwrap();
    command.close().await;
    server.close().await;
}

#[test]
fn the_lock_of_a_killed_server_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("signup.db");
    let mut server = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sqlite::lock::hold_until_killed", "--ignored", "--nocapture"])
        .env(HELD, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap().contains("held")), "the server takes the lock");
    assert_served(&path);
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(folder.path().join("signup.db-lock").exists(), "the file is left behind");
    drop(ServingLock::take(&path).unwrap());
}

/// The other process of the test above.
#[test]
#[ignore = "waits to be killed"]
fn hold_until_killed() {
    let Some(path) = std::env::var_os(HELD) else { return };
    let _lock = ServingLock::take(Path::new(&path)).unwrap();
    println!("held");
    // Bounds the life of this process, which the test kills.
    std::thread::sleep(std::time::Duration::from_secs(60));
}
