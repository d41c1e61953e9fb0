//! One server serves one SQLite file.
//!
//! The mark is an advisory lock of the operating system on a file beside the database, so it goes with the process,
//! however that ends; a lock file that is left behind means nothing. It is never the database itself that is locked:
//! closing any descriptor of that file would drop the locks that SQLite holds on it.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::sql::error::OpenError;

/// Held by the server that serves a database. Dropping it gives the database free.
#[derive(Debug)]
pub struct ServingLock(#[expect(dead_code, reason = "the lock lasts as long as the file is open")] File);

impl ServingLock {
    /// Marks the database at `path` as served by this process; a database that is not there yet is made, empty. Two paths
    /// to one file meet the same mark. Programs that merely write a record now and then need no mark.
    ///
    /// # Errors
    /// [`OpenError::Served`] if another process, or another part of this one, serves it; [`OpenError::Path`] if there can
    /// be no such file; [`OpenError::Lock`] if the mark cannot be made.
    pub fn take(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let failed = |source| OpenError::Path { path: path.display().to_string(), source };
        let lock_path = lock_path(path).map_err(failed)?;
        let failed = |source| OpenError::Lock { path: lock_path.display().to_string(), source };
        let file =
            File::options().create(true).truncate(false).write(true).open(&lock_path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(OpenError::Served { path: path.display().to_string() }),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

/// The one lock file of the database, by whichever path it is reached.
fn lock_path(path: &Path) -> io::Result<PathBuf> {
    let real = match path.canonicalize() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Only what is there has one real path, even if a link to it was there before. An empty file is an empty
            // database; and nobody holds a lock on a file that was not there.
            drop(File::options().create(true).truncate(false).write(true).open(path)?);
            path.canonicalize()
        }
        found => found,
    };
    let mut lock_path = OsString::from(real?);
    lock_path.push("-lock");
    Ok(lock_path.into())
}
