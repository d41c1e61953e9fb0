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
/// Versions, descriptions and checksums are those of `sqlx::migrate!`. That macro itself is not used: its feature compiles
/// sqlx and its drivers a second time, for the host.
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
    let failed = |error: MigrateError| cannot_migrate(name, error);
    if is_unreleased(connection, &migrator).await.map_err(failed)? {
        return Err(OpenError::Unreleased { database: name.to_owned() });
    }
    migrator.run_direct(None, connection, false).await.map_err(failed)?;
    let derived = zone_data::update_sort_keys(connection, keys).await;
    derived.map_err(|source| OpenError::Read { database: name.to_owned(), source })
}

/// Returns whether the tables are those of an unreleased version: the first migration of the database is not ours.
async fn is_unreleased(connection: &mut impl Migrate, migrator: &Migrator) -> Result<bool, MigrateError> {
    connection.ensure_migrations_table(&migrator.table_name).await?;
    let applied = connection.list_applied_migrations(&migrator.table_name).await?;
    let ours = migrator.iter().next().map(|first| (first.version, &first.checksum));
    Ok(applied.first().is_some_and(|first| Some((first.version, &first.checksum)) != ours))
}

/// Returns the error for a failed migration of the database `name`.
pub(crate) fn cannot_migrate(name: &str, error: impl Into<MigrateError>) -> OpenError {
    let database = name.to_owned();
    match error.into() {
        MigrateError::VersionMissing(version) => OpenError::Newer { database, version },
        source => OpenError::Migrate { database, source },
    }
}
