//! The conversion of statements for the SQLite driver.

use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe};

use crate::sql::{Statement, Value};

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
            Value::Array(_) => Err("SQLite has no arrays".into()),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok((AssertSqlSafe(sql.text), arguments))
}
