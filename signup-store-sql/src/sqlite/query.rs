//! Running statements with the SQLite driver.

use signup_core::StoreError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{Arguments as _, AssertSqlSafe};

use super::error::store_error;
use crate::sql::runner::{StatementRunner, texts};
use crate::sql::{Dialect, Statement, Value};

/// Returns the text and the arguments of a statement.
pub(super) fn query(sql: Statement) -> sqlx::Result<(AssertSqlSafe<String>, SqliteArguments)> {
    let mut arguments = SqliteArguments::default();
    arguments.reserve(sql.values.len(), 0);
    for value in sql.values {
        let added = match value {
            Value::Uuid(id) => arguments.add(id),
            Value::Text(text) | Value::Json(text) | Value::Date(text) => arguments.add(text),
            Value::Integer(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Flag(flag) => arguments.add(flag),
            Value::Bytes(bytes) => arguments.add(bytes),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok((AssertSqlSafe(sql.text), arguments))
}

impl StatementRunner for SqliteConnection {
    const DIALECT: Dialect = Dialect::Sqlite;

    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        statement: Statement,
    ) -> Result<Vec<[String; N]>, StoreError> {
        let failed = |error| store_error(what, error);
        let (text, arguments) = query(statement).map_err(failed)?;
        let rows = sqlx::query_with(text, arguments).fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
