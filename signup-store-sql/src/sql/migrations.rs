//! Migration of a database: its tables, and the sort keys that follow the zone data. Both are one transaction, because several
//! processes may open a database at once, and a process may end at any instant.

use signup_core::StoreError;
use sqlx::migrate::MigrateError;

use crate::sql::error::OpenError;

pub(crate) fn cannot_migrate(name: &str, error: MigrateError) -> OpenError {
    let database = name.to_owned();
    match error {
        MigrateError::VersionMissing(version) => OpenError::Newer { database, version },
        source => OpenError::Migrate { database, source },
    }
}

pub(crate) fn cannot_read(name: &str, source: StoreError) -> OpenError {
    OpenError::Read { database: name.to_owned(), source }
}
