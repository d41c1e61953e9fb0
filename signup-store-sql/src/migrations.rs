//! Migration of a database: its tables, and the sort keys that follow the zone data. Both are one transaction, because several
//! processes may open a database at once, and a process may end at any instant.

use signup_core::StoreError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Executor as _};

use crate::error::{OpenError, postgres_error, store_error};
use crate::row::texts;
use crate::sql::{Dialect, Sql};
use crate::zone_data::{self, Session, SortKeys};

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
/// The lock is the transaction's own.
static POSTGRES: Migrator = Migrator { locking: false, ..sqlx::migrate!("migrations/postgres") };

/// Migrates the SQLite database that messages call `name`.
pub(crate) async fn prepare_sqlite(
    connection: &mut SqliteConnection,
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| cannot_migrate(name, error.into());
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    SQLITE.run_direct(None, &mut *transaction, false).await.map_err(|error| cannot_migrate(name, error))?;
    zone_data::follow(&mut *transaction, keys).await.map_err(|error| cannot_read(name, error))?;
    transaction.commit().await.map_err(failed)
}

/// Migrates the PostgreSQL database that messages call `name`.
pub(crate) async fn prepare_postgres(
    connection: &mut PgConnection,
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| cannot_migrate(name, error.into());
    tracing::info!(database = name, "checking the tables, after any other process that migrates them");
    // One process at a time, without a time limit. Behind PgBouncer the session may have prepared statements of another
    // client, under names that the migrations use.
    let begin = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL client_min_messages = warning; \
         SELECT pg_advisory_xact_lock(7306931546093); DEALLOCATE ALL";
    let mut transaction = connection.begin_with(begin).await.map_err(failed)?;
    POSTGRES.run_direct(None, &mut *transaction, false).await.map_err(|error| cannot_migrate(name, error))?;
    zone_data::follow(&mut *transaction, keys).await.map_err(|error| cannot_read(name, error))?;
    transaction.execute("DEALLOCATE ALL").await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

fn cannot_migrate(name: &str, error: MigrateError) -> OpenError {
    let database = name.to_owned();
    match error {
        MigrateError::VersionMissing(version) => OpenError::Newer { database, version },
        source => OpenError::Migrate { database, source },
    }
}

fn cannot_read(name: &str, source: StoreError) -> OpenError {
    OpenError::Read { database: name.to_owned(), source }
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
        let (text, arguments) = sql.into_sqlite().map_err(failed)?;
        let rows = sqlx::query_with(text, arguments).fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}

impl Session for PgConnection {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        sql: Sql,
    ) -> Result<Vec<[String; N]>, StoreError> {
        let failed = |error| postgres_error(what, error);
        let (text, arguments) = sql.into_postgres().map_err(failed)?;
        let query = sqlx::query_with(text, arguments).persistent(false);
        let rows = query.fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
