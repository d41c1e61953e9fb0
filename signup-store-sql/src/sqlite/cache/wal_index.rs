//! The WAL index of an SQLite database: the file `…-shm`, by which all who have the database open learn of commits.
//!
//! **Invariant:** a file that a database may be using is never closed here: by the rules of POSIX that would take away the
//! locks that SQLite holds on it in this process (<https://sqlite.org/howtocorrupt.html>, 2.2).

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::Version;

/// An index that is open.
#[derive(Debug)]
pub(super) struct WalIndex(Arc<File>);

impl WalIndex {
    /// That of the database at this path.
    pub(super) fn of(database: &Path) -> io::Result<Self> {
        static OPEN: Mutex<Vec<Arc<File>>> = Mutex::new(vec![]);
        // SQLite follows links before it names the index. What is beside a link is another database's.
        let mut path = OsString::from(database.canonicalize()?);
        path.push("-shm");
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        // What was taken away, and is not looked at any more, is used by nobody.
        open.retain(|file| Arc::strong_count(file) > 1 || !is_removed(file));
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

    /// The two copies of its header; `None` if it is no longer the index of any database, as nobody had that open for a
    /// moment: of its successor it says nothing.
    pub(super) fn headers(&self) -> Option<[u8; 2 * Version::BYTES]> {
        let mut headers = [0; 2 * Version::BYTES];
        self.0.read_exact_at(&mut headers, 0).ok()?;
        (!is_removed(&self.0)).then_some(headers)
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn is_removed(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
}
