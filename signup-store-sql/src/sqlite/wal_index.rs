//! The version of an SQLite database: the header of its WAL index, the file `…-shm`.
//!
//! # Why a cached value is never stale
//!
//! - **A commit changes the header before the commit returns.** The header is 48 bytes: a counter of transactions
//!   (`iChange`), the number of frames in the log (`mxFrame`), the checksum of the last frame, and the salts of the log
//!   (<https://sqlite.org/walformat.html>, 2.1). Each process that has the database open maps this one file.
//!   SQLite itself compares the header with the header of its last transaction: an equal header means that the pages in the
//!   memory of a connection are still valid.
//! - **The header is read before the value.** The cache looks at the header, and then a transaction reads the value. The
//!   value is of the version in the header, or of a later one. If a later look finds an equal header, no commit lies between
//!   the two looks. So the value is the present one.
//! - **A header that is being written is never used.** SQLite stores the header twice. A writer writes the second copy
//!   first. Equal copies are a complete header. If the copies differ, or `isInit` is 0, there is no version, and the caller
//!   reads from the database. A mixture of two headers in both copies would equal no header that a later look finds.
//! - **Other processes** change the same file. The operating system shows one content to maps and reads of a file, on a
//!   local file system, which the WAL index requires anyway (<https://sqlite.org/wal.html>).
//! - **A checkpoint** copies frames into the database file, and changes no record and no header. When the log starts again
//!   from its beginning, `mxFrame` and the salts change, so the entries are misses.
//! - **Recovery** after the crash of a process rebuilds the header from the log. `iChange` starts again at 0. The header can
//!   equal an earlier one only if the log ends with the same frame, by checksum and salts. Then the records are the same, too.
//! - **A replaced file** is noticed by its link count. The last connection to a database deletes the WAL index when it
//!   closes, and the next one creates another file. The open file then has no name: `nlink` is 0, and there is no version.
//!   The link count is read after the header, so the header was in use when it was read.
//!
//! **Invariant:** this module never closes a file that a connection may be using. By the rules of POSIX, closing any
//! descriptor of a file drops all locks of the process on the file, including the locks of SQLite
//! (<https://sqlite.org/howtocorrupt.html>, 2.2).

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::sql::cache::Version;

/// The position of `isInit` in the header, in bytes.
const IS_INIT: usize = 12;

/// An open WAL index.
#[derive(Debug)]
pub(super) struct WalIndex(Arc<File>);

impl WalIndex {
    /// Returns the version of the database at this moment. Returns `None` during a commit, and if the file is no longer the
    /// index of a database.
    ///
    /// Costs two system calls, about a hundredth of the time of a statement.
    pub(super) fn version(&self) -> Option<Version> {
        version(&self.headers()?)
    }
}

/// Returns the version in the two copies of the header. Returns `None` if the header is incomplete or was never written.
fn version(headers: &[u8; 2 * Version::BYTES]) -> Option<Version> {
    let (first, second) = headers.split_at(Version::BYTES);
    let is_complete = first == second && first[IS_INIT] != 0;
    first.try_into().ok().filter(|_| is_complete).map(Version)
}

#[cfg(unix)]
mod file {
    use std::ffi::OsString;
    use std::fs::{self, Metadata};
    use std::os::unix::fs::{FileExt as _, MetadataExt as _};
    use std::sync::{Mutex, PoisonError};

    use super::{Arc, File, Path, Version, WalIndex, io};

    impl WalIndex {
        /// Opens the WAL index of the database at `database`, which must be open and in WAL mode.
        pub(in crate::sqlite) fn open(database: &Path) -> io::Result<Self> {
            /// The open files of this process. Stores of one database share a file.
            static OPEN: Mutex<Vec<Arc<File>>> = Mutex::new(vec![]);
            // SQLite resolves links before it names the index. A file beside the link may belong to another database.
            let mut path = OsString::from(database.canonicalize()?);
            path.push("-shm");
            let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
            // No connection uses a deleted file that no store looks at.
            open.retain(|file| Arc::strong_count(file) > 1 || !is_deleted(file));
            let wanted = identity(&fs::metadata(&path)?);
            for file in &*open {
                if identity(&file.metadata()?) == wanted {
                    return Ok(Self(Arc::clone(file)));
                }
            }
            let file = Arc::new(File::open(&path)?);
            open.push(Arc::clone(&file));
            Ok(Self(file))
        }

        /// Returns both copies of the header. Returns `None` if the file is deleted or cannot be read.
        pub(super) fn headers(&self) -> Option<[u8; 2 * Version::BYTES]> {
            let mut headers = [0; 2 * Version::BYTES];
            self.0.read_exact_at(&mut headers, 0).ok()?;
            (!is_deleted(&self.0)).then_some(headers)
        }
    }

    fn identity(metadata: &Metadata) -> (u64, u64) {
        (metadata.dev(), metadata.ino())
    }

    fn is_deleted(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
    }
}

/// Other systems have no link count, so a deleted file is not noticed. There is no version, and no read is cached.
#[cfg(not(unix))]
mod file {
    use super::{Path, Version, WalIndex, io};

    impl WalIndex {
        pub(in crate::sqlite) fn open(_database: &Path) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        #[expect(clippy::unused_self, reason = "other systems read the file")]
        pub(super) fn headers(&self) -> Option<[u8; 2 * Version::BYTES]> {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records;

    use super::*;
    use crate::SqliteStore;
    use crate::sqlite::options::{connect, writer_options};

    #[tokio::test]
    async fn a_version_ends_with_a_commit_and_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let index = WalIndex::open(&path).unwrap();
        let first = index.version();
        assert!(first.is_some() && index.version() == first);
        let write = signup_core::Write::InsertOrganization(records::organization(1));
        let change = signup_core::ChangeSet { requires: vec![], writes: vec![write] };
        signup_core::Store::commit(&store, change).await.unwrap();
        let second = index.version();
        assert!(second.is_some() && second != first);
        // The last connection deletes the index, and the next one creates another.
        store.close().await;
        assert_eq!(index.version(), None);
        let store = SqliteStore::open(&path).await.unwrap();
        assert_eq!(index.version(), None);
        assert!(WalIndex::open(&path).unwrap().version().is_some());
        store.close().await;
    }

    #[tokio::test]
    async fn a_checkpoint_keeps_the_version() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let index = WalIndex::open(&path).unwrap();
        let before = index.version();
        let mut other = connect(&writer_options(&path)).await.unwrap();
        sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&mut other).await.unwrap();
        assert!(before.is_some() && index.version() == before);
        store.close().await;
    }

    #[test]
    fn an_incomplete_or_empty_header_has_no_version() {
        let mut headers = [7; 2 * Version::BYTES];
        assert_ne!(version(&headers), None);
        headers[0] = 8;
        assert_eq!(version(&headers), None, "the copies differ");
        assert_eq!(version(&[0; 2 * Version::BYTES]), None, "the index is empty");
    }
}
