//! The files of an open database, and whether each is still at its path.
//!
//! A process can still write to an open file after its path was removed or leads to another file. Such writes succeed, and are lost
//! when the process ends. So the store compares the files with those at their paths before each transaction, and once more before
//! it acknowledges a commit. For reads, the poll of the version does so every 250 ms. While another file, or none, is at a path,
//! operations fail. They succeed again once the files are back.
//!
//! **Limit:** a file that another program writes over stays the same file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use signup_core::StoreError;

/// The files of a database that were opened: the database, its write-ahead log, and the index of the log. A process that opens the
/// database after the log or the index was deleted creates another, and does not see the commits of this process.
#[derive(Debug)]
pub(super) struct OpenedFiles {
    /// The database first.
    files: Vec<(PathBuf, FileId)>,
    /// Whether the last check failed, so that each loss is logged once.
    is_away: AtomicBool,
}

impl OpenedFiles {
    /// Notes the database at `path`. Call this before the first connection is opened.
    pub(super) fn database(path: &Path) -> io::Result<Self> {
        Ok(Self { files: vec![(path.to_owned(), file_id(path)?)], is_away: AtomicBool::new(false) })
    }

    /// Notes the log and its index, too. Call this after the last connection is opened.
    ///
    /// # Errors
    /// Fails if a file is missing, or the database was replaced since it was noted: the connections may have opened different
    /// files.
    pub(super) fn with_log(mut self) -> io::Result<Self> {
        let [(path, opened), ..] = &*self.files else { return Ok(self) };
        if file_id(path)? != *opened {
            return Err(io::Error::other("another file has replaced it while it was being opened"));
        }
        // SQLite creates these beside the file that a symbolic link leads to.
        let target = path.canonicalize()?;
        for suffix in ["-wal", "-shm"] {
            let mut path = target.clone().into_os_string();
            path.push(suffix);
            let path = PathBuf::from(path);
            let id = file_id(&path)?;
            self.files.push((path, id));
        }
        Ok(self)
    }

    /// Checks that each file is at its path. Costs three calls of the operating system, a microsecond each.
    ///
    /// # Errors
    /// Returns `Unavailable` if another file, or none, is at a path. Logs the first of several errors, and the first success after
    /// them.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let is_away = |(path, opened): &(PathBuf, FileId)| file_id(path).ok().as_ref() != Some(opened);
        match self.files.iter().enumerate().find(|(_, file)| is_away(file)) {
            Some((number, (path, _))) => {
                let error = format!("the file {} was deleted, moved away or replaced", path.display());
                if !self.is_away.swap(true, Ordering::AcqRel) {
                    let what_to_do = if number == 0 {
                        "a deleted file can be copied from /proc/PID/fd only while the server runs; to use another file, stop the \
                         server, put the file there, delete the -wal and -shm beside it, and start the server"
                    } else {
                        "if it was deleted, stop the server with SIGTERM, which writes everything to the database, and start it again"
                    };
                    tracing::error!(
                        "{error}: nothing is read or written until it is back, and no management command may run; {what_to_do}"
                    );
                }
                Err(StoreError::unavailable("looking for the files of the database", error))
            }
            None => {
                if self.is_away.load(Ordering::Acquire) && self.is_away.swap(false, Ordering::AcqRel) {
                    tracing::info!("the files of the database are back");
                }
                Ok(())
            }
        }
    }
}

/// Identifies a file independently of its path: the device and the number of the inode.
#[cfg(unix)]
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = path.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Other systems do not allow the deletion of an open file.
#[cfg(not(unix))]
type FileId = ();

#[cfg(not(unix))]
fn file_id(path: &Path) -> io::Result<FileId> {
    path.metadata().map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_replaced_while_it_is_being_opened_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let paths =
            ["signup.db", "signup.db-wal", "signup.db-shm", "other.db"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| std::fs::write(path, "").unwrap());
        let [path, .., other] = &paths;
        OpenedFiles::database(path).unwrap().with_log().unwrap().check().unwrap();
        let opened = OpenedFiles::database(path).unwrap();
        std::fs::rename(other, path).unwrap();
        let error = opened.with_log().unwrap_err();
        assert!(error.to_string().contains("replaced"), "{error}");
    }
}
