//! The lock by which one server at a time serves an SQLite file.
//!
//! The lock is an advisory lock of the operating system on a file beside the database. The system releases the lock when the
//! process ends, so a lock file that is left behind has no effect. The database file itself is never locked here: closing any
//! descriptor of that file would drop the locks that SQLite holds on the file.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::file::{create_if_missing, private_file};
use crate::sql::error::OpenError;

/// The right of this process to serve a database. A drop releases the right.
#[derive(Debug)]
pub struct ServingLock(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

impl ServingLock {
    /// Takes the lock of the database at `path`. Creates an empty database file if none exists.
    ///
    /// Two paths to one file have the same lock. A program that only writes a record now and then needs no lock.
    ///
    /// # Errors
    /// Returns [`OpenError::Served`] if another process, or another part of this one, holds the lock, [`OpenError::Folder`] or
    /// [`OpenError::Path`] if the file cannot exist, and [`OpenError::Lock`] if the lock file cannot be opened or locked.
    pub fn take(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let failed = |source| OpenError::Path { path: path.display().to_string(), source };
        // Only a file that exists has a canonical path.
        create_if_missing(path)?;
        let lock_path = lock_path(path).map_err(failed)?;
        let failed = |source| OpenError::Lock { path: lock_path.display().to_string(), source };
        let file = private_file().open(&lock_path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(OpenError::Served { path: path.display().to_string() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

/// Returns the path of the lock file. All paths to one database have the same lock file.
fn lock_path(path: &Path) -> io::Result<PathBuf> {
    let mut lock_path = OsString::from(path.canonicalize()?);
    lock_path.push("-lock");
    Ok(lock_path.into())
}
