//! Migration of an SQLite database.

use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use crate::sql::error::OpenError;
use crate::sql::migrations::{Script, cannot_migrate, migrate};
use crate::sql::zone_data::SortKeys;

static SCRIPTS: &[Script] = &[(1, "schema", include_str!("../../migrations/sqlite/0001_schema.sql"))];

/// Migrates the database. `name` names the database in errors.
pub(super) async fn prepare(
    connection: &mut SqliteConnection,
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| cannot_migrate(name, error);
    // Locks out every other process that writes.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    migrate(&mut *transaction, SCRIPTS, name, keys).await?;
    transaction.commit().await.map_err(failed)
}
