//! The files of an open database, and whether they are still in their place.
//!
//! A process can go on with files that were deleted, moved away or replaced. Its writes succeed, and are lost when it ends, because no
//! path leads to them. So the store looks at the paths before each read and each transaction, and once more before it reports a
//! commit. While another file or none is at a path, every operation fails. As soon as the files are back, all is well again.
//!
//! **Limit:** a file that another program writes over stays the same file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use signup_core::StoreError;

/// The files of a database that were opened: the database, its write-ahead log, and the index of the log. A process that opens the
/// database after the deletion of the log or the index creates another, and does not see the commits of this process.
#[derive(Debug)]
pub(super) struct OpenedFiles {
    files: Vec<(PathBuf, FileId)>,
    /// Whether the last look missed a file, so that each loss is logged once.
    is_away: AtomicBool,
}

impl OpenedFiles {
    /// Notes the files of the open database at `path`.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        // SQLite puts the others beside the file that a symbolic link leads to.
        let target = path.canonicalize()?;
        let beside = |suffix| {
            let mut path = target.clone().into_os_string();
            path.push(suffix);
            PathBuf::from(path)
        };
        let paths = [path.to_owned(), beside("-wal"), beside("-shm")].into_iter();
        let files = paths.map(|path| file_id(&path).map(|id| (path, id))).collect::<io::Result<_>>()?;
        Ok(Self { files, is_away: AtomicBool::new(false) })
    }

    /// Checks that the files are in their place. Costs three calls of the operating system, a microsecond each.
    ///
    /// # Errors
    /// Returns `Unavailable` if another file or none is at a path. Logs the first of several errors, and the first success after them.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let is_away = |(path, opened): &&(PathBuf, FileId)| file_id(path).ok().as_ref() != Some(opened);
        match self.files.iter().find(is_away) {
            Some((path, _)) => {
                let error = format!("the file {} was deleted, moved away or replaced", path.display());
                if !self.is_away.swap(true, Ordering::AcqRel) {
                    tracing::error!(
                        "{error}: nothing is read or written until it is back; to use the file that is there now, restart the server"
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

/// What identifies a file, whatever its path is: the device and the number of the inode.
#[cfg(unix)]
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = path.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Other systems do not let a file go that is open.
#[cfg(not(unix))]
type FileId = ();

#[cfg(not(unix))]
fn file_id(path: &Path) -> io::Result<FileId> {
    path.metadata().map(drop)
}
