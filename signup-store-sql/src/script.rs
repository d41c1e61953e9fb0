//! Several statements that go to SQLite's thread in one hand-off.
//!
//! sqlx runs SQLite on a thread of its own, and going there and back costs more than most statements do. So the
//! statements of a change set go together: all checks, then all writes.

use sqlx::error::BoxDynError;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};
use sqlx::{Arguments as _, AssertSqlSafe, Encode, Sqlite, Type};

/// Statements and their values. Its text depends on the kinds of its statements only, never on a value, so that the
/// prepared statements of one script serve the next of its shape.
#[derive(Debug, Default)]
pub(crate) struct Script {
    sql: String,
    values: SqliteArguments,
    error: Option<BoxDynError>,
}

impl Script {
    /// Appends a statement whose parameters `$1`, `$2`, … are the values that are bound next.
    ///
    /// Numbers count over the whole script for sqlx, so they are moved up by the number of values before them.
    pub(crate) fn statement(&mut self, sql: &str) -> Values<'_> {
        let before = self.values.len();
        let mut parts = sql.split('$');
        self.sql.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = part.split_at(digits);
            self.sql.push('$');
            if let Ok(number) = number.parse::<usize>() {
                self.sql.push_str(&(before + number).to_string());
            }
            self.sql.push_str(rest);
        }
        self.sql.push_str(";\n");
        Values(self)
    }

    /// Runs all statements, to the end or to the first that fails.
    pub(crate) async fn run(self, connection: &mut SqliteConnection) -> sqlx::Result<()> {
        let script = self.checked()?;
        sqlx::query_with(AssertSqlSafe(script.sql), script.values).execute(connection).await.map(|_| ())
    }

    /// Runs the statements up to the first that gives a row, and gives that row.
    pub(crate) async fn first_row(
        self,
        connection: &mut SqliteConnection,
    ) -> sqlx::Result<Option<(i64, String)>> {
        let script = self.checked()?;
        let row = sqlx::query_as_with(AssertSqlSafe(script.sql), script.values);
        row.fetch_optional(connection).await
    }

    fn checked(self) -> sqlx::Result<Self> {
        match self.error {
            Some(error) => Err(sqlx::Error::Encode(error)),
            None => Ok(self),
        }
    }
}

/// Takes the values of a statement, the first one for `$1`.
#[derive(Debug)]
pub(crate) struct Values<'s>(&'s mut Script);

impl Values<'_> {
    pub(crate) fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(self, value: T) -> Self {
        if let Err(error) = self.0.values.add(value) {
            self.0.error.get_or_insert(error);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_on_from_statement_to_statement() {
        let mut script = Script::default();
        script.statement("INSERT INTO a VALUES ($1, $2)").bind(1).bind(2);
        script.statement("DELETE FROM b");
        script.statement("UPDATE c SET d = $2 WHERE e = $1 OR d = '$'").bind(3).bind(4);
        assert_eq!(
            script.sql,
            "INSERT INTO a VALUES ($1, $2);\nDELETE FROM b;\nUPDATE c SET d = $4 WHERE e = $3 OR d = '$';\n"
        );
    }
}
