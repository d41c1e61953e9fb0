//! Migration of a database: its tables, and the stored sort keys of events.
//!
//! Both are one transaction, because several processes may open a database at once, and a process may end at any time.

use sqlx::SqlStr;
use sqlx::migrate::{Migrate, MigrateError, Migration, MigrationType, Migrator};

use crate::sql::error::OpenError;
use crate::sql::runner::StatementRunner;
use crate::sql::zone_data::{self, SortKeys};

/// A migration: its version, its description, and the SQL of the file `migrations/<engine>/<version>_<description>.sql`.
pub(crate) type Script = (i64, &'static str, &'static str);

/// Runs the missing migrations of `scripts`, and then derives the sort keys, in the transaction of `connection`. `name` names
/// the database in errors. The caller ensures that no other process migrates the database meanwhile.
///
/// Versions, descriptions and checksums are those of `sqlx::migrate!`, because existing databases have them in the table
/// `_sqlx_migrations`. That macro itself is not used: its feature compiles sqlx and its drivers a second time, for the host.
pub(crate) async fn migrate(
    connection: &mut (impl StatementRunner + Migrate),
    scripts: &[Script],
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let migration = |&(version, description, sql): &Script| {
        let sql = SqlStr::from_static(sql);
        Migration::new(version, description.into(), MigrationType::Simple, sql, false)
    };
    let mut migrator = Migrator::with_migrations(scripts.iter().map(migration).collect());
    migrator.set_locking(false);
    migrator.run_direct(None, connection, false).await.map_err(|error| cannot_migrate(name, error))?;
    let derived = zone_data::update_sort_keys(connection, keys).await;
    derived.map_err(|source| OpenError::Read { database: name.to_owned(), source })
}

/// Returns the error for a failed migration of the database `name`.
pub(crate) fn cannot_migrate(name: &str, error: impl Into<MigrateError>) -> OpenError {
    let database = name.to_owned();
    match error.into() {
        MigrateError::VersionMissing(version) => OpenError::Newer { database, version },
        source => OpenError::Migrate { database, source },
    }
}
