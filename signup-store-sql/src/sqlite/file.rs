//! The file of a database, and how a new one is created.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use crate::sql::error::OpenError;

/// Returns the options that open a file for writing, and create it if it does not exist. Only the owner may read and write a
/// new file, because a database holds the data of people.
pub(super) fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty file at `path`, which is an empty database, if no file exists. SQLite gives its permissions to the files that
/// it creates beside it.
///
/// An existing file is not opened: closing any descriptor of it would drop the locks that SQLite holds on it.
///
/// # Errors
/// Returns [`OpenError::Folder`] if the folder does not exist, and [`OpenError::Path`] if the file cannot be created.
pub(super) fn create_if_missing(path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Path { path: path.display().to_string(), source };
    if path.try_exists().map_err(failed)? {
        return Ok(());
    }
    match private_file().open(path) {
        Ok(file) => {
            drop(file);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            check_folder(path)?;
            Err(failed(error))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Checks that the folder of the file exists.
///
/// # Errors
/// Returns [`OpenError::Folder`] if it does not exist.
pub(super) fn check_folder(path: &Path) -> Result<(), OpenError> {
    let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match file.parent() {
        Some(folder) if folder.try_exists().is_ok_and(|exists| !exists) => {
            Err(OpenError::Folder { path: path.display().to_string(), folder: folder.display().to_string() })
        }
        _ => Ok(()),
    }
}
