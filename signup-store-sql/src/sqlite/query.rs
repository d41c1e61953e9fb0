//! Statements as SQLite's driver takes them.

use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe};

use crate::sql::{Sql, Value};

/// Runs a script up to its first row, and returns that row.
pub(super) async fn first_row(
    connection: &mut SqliteConnection,
    sql: Sql,
) -> sqlx::Result<Option<SqliteRow>> {
    let (text, arguments) = query(sql)?;
    sqlx::query_with(text, arguments).fetch_optional(connection).await
}

/// The text and the values.
pub(super) fn query(sql: Sql) -> sqlx::Result<(AssertSqlSafe<String>, SqliteArguments)> {
    let mut arguments = SqliteArguments::default();
    for value in sql.values {
        let added = match value {
            Value::Uuid(id) => arguments.add(id),
            Value::Text(text) | Value::Json(text) | Value::Date(text) => arguments.add(text),
            Value::Integer(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Flag(flag) => arguments.add(flag),
            Value::Bytes(bytes) => arguments.add(bytes),
            Value::Array(_) => Err("SQLite has no arrays".into()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok((AssertSqlSafe(sql.text), arguments))
}
