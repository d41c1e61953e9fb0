//! Migration of an SQLite database.

use signup_core::StoreError;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use super::query::query;
use crate::sql::error::OpenError;
use crate::sql::migrations::{Script, cannot_migrate, migrate};
use crate::sql::row::texts;
use crate::sql::zone_data::{Session, SortKeys};
use crate::sql::{Dialect, Statement};

static SCRIPTS: &[Script] = &[
    (1, "initial", include_str!("../../migrations/sqlite/0001_initial.sql")),
    (2, "mails", include_str!("../../migrations/sqlite/0002_mails.sql")),
    (3, "receipts", include_str!("../../migrations/sqlite/0003_receipts.sql")),
    (4, "receipts", include_str!("../../migrations/sqlite/0004_receipts.sql")),
    (5, "event lifecycle", include_str!("../../migrations/sqlite/0005_event_lifecycle.sql")),
    (6, "closed shifts", include_str!("../../migrations/sqlite/0006_closed_shifts.sql")),
];

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

impl Session for SqliteConnection {
    const DIALECT: Dialect = Dialect::Sqlite;

    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        sql: Statement,
    ) -> Result<Vec<[String; N]>, StoreError> {
        let failed = |error| store_error(what, error);
        let (text, arguments) = query(sql).map_err(failed)?;
        let rows = sqlx::query_with(text, arguments).fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
