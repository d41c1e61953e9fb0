//! Migration of a PostgreSQL database.

use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Executor as _};

use crate::sql::error::OpenError;
use crate::sql::migrations::{Script, cannot_migrate, migrate};
use crate::sql::zone_data::SortKeys;

static SCRIPTS: &[Script] = &[(1, "schema", include_str!("../../migrations/postgres/0001_schema.sql"))];

/// Migrates the database. `name` names the database in messages.
pub(super) async fn prepare(
    connection: &mut PgConnection,
    name: &str,
    keys: SortKeys,
) -> Result<(), OpenError> {
    let failed = |error: sqlx::Error| cannot_migrate(name, error);
    tracing::info!(database = name, "checking the tables, after any other process that migrates them");
    // One process at a time, without a time limit. Behind PgBouncer the session may have prepared statements of another
    // client, under names that the migrations use. With a higher isolation level, this process would not see what another one has
    // migrated meanwhile.
    let begin = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL client_min_messages = warning; \
         SELECT pg_advisory_xact_lock(7306931546093); DEALLOCATE ALL";
    let mut transaction = connection.begin_with(begin).await.map_err(failed)?;
    migrate(&mut *transaction, SCRIPTS, name, keys).await?;
    transaction.execute("DEALLOCATE ALL").await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}
