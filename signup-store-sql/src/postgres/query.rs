//! Running statements with the PostgreSQL driver.

use signup_core::StoreError;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgConnection};
use sqlx::{Arguments as _, AssertSqlSafe};

use super::error::postgres_error;
use crate::sql::runner::{StatementRunner, texts};
use crate::sql::{Dialect, Statement, Value};

/// Returns the text and the arguments of a statement.
pub(super) fn query(sql: Statement) -> sqlx::Result<(AssertSqlSafe<String>, PgArguments)> {
    let mut arguments = PgArguments::default();
    for value in sql.values {
        let added = match value {
            Value::Uuid(id) => arguments.add(id),
            Value::Text(text) | Value::Json(text) | Value::Date(text) => arguments.add(text),
            Value::Integer(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Flag(flag) => arguments.add(flag),
            Value::Bytes(bytes) => arguments.add(bytes),
            Value::Array(values) => add_array(&mut arguments, values),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok((AssertSqlSafe(sql.text), arguments))
}

/// Adds an array. All values are of the kind of the first.
fn add_array(arguments: &mut PgArguments, values: Vec<Value>) -> Result<(), BoxDynError> {
    macro_rules! add {
        ($kind:pat => $value:expr) => {{
            let each = values.into_iter().map(|value| match value {
                $kind => Ok($value),
                other => {
                    Err(format!("{other:?} is of another kind than the first value of its array").into())
                }
            });
            arguments.add(each.collect::<Result<Vec<_>, BoxDynError>>()?)
        }};
    }
    match values.first() {
        Some(Value::Uuid(_)) => add!(Value::Uuid(id) => id),
        Some(Value::Text(_) | Value::Json(_) | Value::Date(_)) => {
            add!(Value::Text(text) | Value::Json(text) | Value::Date(text) => text)
        }
        Some(Value::Integer(_)) => add!(Value::Integer(number) => number),
        Some(Value::Real(_)) => add!(Value::Real(number) => number),
        Some(Value::Flag(_)) => add!(Value::Flag(flag) => flag),
        Some(Value::Bytes(_)) => add!(Value::Bytes(bytes) => bytes),
        Some(Value::Array(_)) | None => Err("an array needs values".into()),
    }
}

impl StatementRunner for PgConnection {
    const DIALECT: Dialect = Dialect::Postgres;

    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        statement: Statement,
    ) -> Result<Vec<[String; N]>, StoreError> {
        let failed = |error| postgres_error(what, error);
        let (text, arguments) = query(statement).map_err(failed)?;
        let query = sqlx::query_with(text, arguments).persistent(false);
        let rows = query.fetch_all(self).await.map_err(failed)?;
        rows.iter().map(texts).collect::<sqlx::Result<_>>().map_err(failed)
    }
}
