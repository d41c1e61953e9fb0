//! SQL as data: a text and the values of its parameters.
//!
//! Statements are written once for both engines, with the parameters `$1`, `$2`, …. [`Dialect`] has the expressions that
//! differ. All values except limits are parameters, so a connection can prepare a statement once for many values.

use std::fmt::Display;

use jiff::Timestamp;
use uuid::Uuid;

use super::Dialect;

/// The most values of one statement. SQLite takes at most 32,766 (<https://sqlite.org/limits.html#max_variable_number>), and
/// PostgreSQL 65,535.
pub(crate) const MAX_VALUES: usize = 16_000;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Uuid(Option<Uuid>),
    Text(Option<String>),
    Integer(Option<i64>),
    Real(Option<f64>),
    Flag(bool),
    Bytes(Vec<u8>),
    /// JSON, stored as the same text.
    Json(Option<String>),
    /// A date, as `YYYY-MM-DD`.
    Date(Option<String>),
}

/// A value of a row, and the name of its column.
pub(crate) type NamedValue = (&'static str, Value);

impl Value {
    /// Returns the parameter `number` as PostgreSQL reads it. A text with another type in PostgreSQL is cast to that type.
    pub(crate) fn placeholder(&self, number: usize) -> String {
        match self {
            Self::Json(_) => format!("CAST(${number} AS json)"),
            Self::Date(_) => format!("CAST(${number} AS date)"),
            _ => format!("${number}"),
        }
    }
}

macro_rules! value_from {
    ($($type:ty: $value:ident => $made:expr;)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        }
    )*};
}

value_from! {
    Uuid: id => Self::Uuid(Some(id));
    &str: text => Self::Text(Some(text.to_owned()));
    String: text => Self::Text(Some(text));
    Option<&str>: text => Self::Text(text.map(str::to_owned));
    Option<String>: text => Self::Text(text);
    i64: number => Self::Integer(Some(number));
    u32: number => Self::Integer(Some(number.into()));
    u16: number => Self::Integer(Some(number.into()));
    Option<i64>: number => Self::Integer(number);
    Option<f64>: number => Self::Real(number);
    // In Unix seconds.
    Timestamp: at => Self::Integer(Some(at.as_second()));
    Option<Timestamp>: at => Self::Integer(at.map(Timestamp::as_second));
    bool: flag => Self::Flag(flag);
    &[u8]: bytes => Self::Bytes(bytes.to_vec());
}

/// Expands to the values of a statement. The first is the value of `$1`.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// A statement, or a part of one, with the values of its parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    pub(crate) dialect: Dialect,
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl Statement {
    pub(crate) const fn new(dialect: Dialect) -> Self {
        Self { dialect, text: String::new(), values: vec![] }
    }

    /// Returns a statement whose parameters `$1`, `$2`, … have `values`. PostgreSQL needs a cast in `text` around the parameter of
    /// a date or of JSON.
    pub(crate) fn of(dialect: Dialect, text: &str, values: Vec<Value>) -> Self {
        Self { dialect, text: text.to_owned(), values }
    }

    /// Appends a text without parameters.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends the table expression `given`, which has rows of these columns.
    pub(crate) fn push_given(&mut self, columns: &[&str], rows: impl IntoIterator<Item = Vec<Value>>) {
        self.push(&format!("WITH given ({}) AS (", columns.join(", ")));
        self.push_values(rows);
        self.push(") ");
    }

    /// Appends `VALUES` with these rows. On SQLite the parameters have no numbers: several statements become one script, and a
    /// parameter with a number is found by a search through all parameters.
    pub(crate) fn push_values(&mut self, rows: impl IntoIterator<Item = Vec<Value>>) {
        let mut separator = "VALUES (";
        for row in rows {
            for value in row {
                self.push(separator);
                match self.dialect {
                    Dialect::Sqlite => self.push("?"),
                    Dialect::Postgres => self.push(&value.placeholder(self.values.len() + 1)),
                }
                self.values.push(value);
                separator = ", ";
            }
            separator = "), (";
        }
        self.push(")");
    }
}

/// Separates the names of rows with equal columns from their values.
pub(crate) fn unnamed(
    rows: impl IntoIterator<Item = Vec<NamedValue>>,
) -> (Vec<&'static str>, Vec<Vec<Value>>) {
    let mut columns = vec![];
    let values = rows.into_iter().map(|row| {
        let (names, values) = row.into_iter().unzip();
        columns = names;
        values
    });
    let values = values.collect();
    (columns, values)
}

/// Returns the condition that a row of `table` has the values of a row of `given` in these columns.
pub(crate) fn same_as_given(table: impl Display, columns: &[&str]) -> String {
    let same = columns.iter().map(|column| format!("{table}.{column} = given.{column}"));
    same.collect::<Vec<_>>().join(" AND ")
}
