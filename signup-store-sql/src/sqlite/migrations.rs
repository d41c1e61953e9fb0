//! Migration of an SQLite database.

use signup_core::StoreError;
use sqlx::Connection as _;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{Sqlite, SqliteConnection};

use super::error::store_error;
use crate::sql::error::OpenError;
use crate::sql::migrations::{cannot_migrate, cannot_read};
use crate::sql::row::texts;
use crate::sql::zone_data::{self, Session, SortKeys};
use crate::sql::{Dialect, Sql};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Migrates the database. `name` names the database in errors.
pub(super) async fn prepare(
    connection: &mut SqliteConnection,
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| cannot_migrate(name, error.into());
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    MIGRATIONS
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
        let (text, arguments) = sql.into_query::<Sqlite>().map_err(failed)?;
        let rows = sqlx::query_with(text, arguments).fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
