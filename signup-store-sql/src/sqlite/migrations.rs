//! Migration of an SQLite database.

use signup_core::StoreError;
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use super::query::query;
use crate::sql::error::OpenError;
use crate::sql::migrations::{Script, cannot_migrate, cannot_read, migrator, scripts};
use crate::sql::row::texts;
use crate::sql::zone_data::{self, Session, SortKeys};
use crate::sql::{Dialect, Sql};

static SCRIPTS: &[Script] =
    scripts!("sqlite": "0001_initial", "0002_mails", "0003_receipts", "0004_receipts");

/// Migrates the database. `name` names the database in errors.
pub(super) async fn prepare(
    connection: &mut SqliteConnection,
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| cannot_migrate(name, error.into());
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    migrator(SCRIPTS)
        .run_direct(None, &mut *transaction, false)
        .await
        .map_err(|error| cannot_migrate(name, error))?;
    zone_data::follow(&mut *transaction, keys).await.map_err(|error| cannot_read(name, error))?;
    transaction.commit().await.map_err(failed)
}

impl Session for SqliteConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        sql: Sql,
    ) -> Result<Vec<[String; N]>, StoreError> {
        let failed = |error| store_error(what, error);
        let (text, arguments) = query(sql).map_err(failed)?;
        let rows = sqlx::query_with(text, arguments).fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
