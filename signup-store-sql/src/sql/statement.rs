//! SQL as data: a text with its values, which either engine can run.
//!
//! Statements are written once, with parameters `$1`, `$2`, …, or with `?` for each in its turn; where the engines spell
//! something differently, the [`Dialect`] has the word. What is built here depends on the kinds of its statements only, never on
//! a value, so that the prepared statements of one change set serve the next of its shape.

use uuid::Uuid;

use super::Dialect;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Uuid(Option<Uuid>),
    Text(Option<String>),
    Integer(Option<i64>),
    Real(Option<f64>),
    Flag(bool),
    Bytes(Vec<u8>),
    /// JSON that is stored as it is written.
    Json(Option<String>),
    /// For PostgreSQL: an array of values of one kind.
    Array(Vec<Self>),
    /// A text that is a date, as `YYYY-MM-DD`.
    Date(Option<String>),
}

impl Value {
    /// How the parameter of this number stands in a text for PostgreSQL.
    pub(crate) fn placeholder(&self, number: usize) -> String {
        match self {
            Self::Json(_) => format!("CAST(${number} AS json)"),
            Self::Date(_) => format!("CAST(${number} AS date)"),
            Self::Array(values) => match values.first() {
                Some(Self::Json(_)) => format!("CAST(${number} AS json[])"),
                Some(Self::Date(_)) => format!("CAST(${number} AS date[])"),
                _ => format!("${number}"),
            },
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
    i64: number => Self::Integer(Some(number));
    u32: number => Self::Integer(Some(number.into()));
    u16: number => Self::Integer(Some(number.into()));
    Option<i64>: number => Self::Integer(number);
    Option<f64>: number => Self::Real(number);
    bool: flag => Self::Flag(flag);
    &[u8]: bytes => Self::Bytes(bytes.to_vec());
}

/// The values of a statement, the first one for `$1`.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// A text and its values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sql {
    pub(crate) dialect: Dialect,
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
}

impl Sql {
    pub(crate) const fn new(dialect: Dialect) -> Self {
        Self { dialect, text: String::new(), values: vec![] }
    }

    /// One statement.
    pub(crate) fn of(dialect: Dialect, text: &str, values: Vec<Value>) -> Self {
        let mut sql = Self::new(dialect);
        sql.add(text, values);
        sql
    }

    /// Appends a text without parameters.
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a text whose parameters `$1`, `$2`, … are `values`.
    ///
    /// On PostgreSQL they are moved up by the number of values before them. On SQLite each becomes a `?` with a value of its
    /// own: to look for the value of a parameter that has a name takes as long as there are parameters.
    pub(crate) fn add(&mut self, text: &str, values: Vec<Value>) {
        if text.contains('?') {
            self.text.push_str(text);
            self.values.extend(values);
            return;
        }
        let before = self.values.len();
        let mut parts = text.split('$');
        self.text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = part.split_at(digits);
            let value = number
                .parse::<usize>()
                .ok()
                .and_then(|number| Some((number, values.get(number.checked_sub(1)?)?)));
            match value {
                Some((number, value)) => match self.dialect {
                    Dialect::Sqlite => {
                        self.text.push('?');
                        self.values.push(value.clone());
                    }
                    Dialect::Postgres => self.text.push_str(&value.placeholder(before + number)),
                },
                None => {
                    self.text.push('$');
                    self.text.push_str(number);
                }
            }
            self.text.push_str(rest);
        }
        if self.dialect == Dialect::Postgres {
            self.values.extend(values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_on_from_statement_to_statement() {
        let mut sql = Sql::of(Dialect::Postgres, "INSERT INTO a VALUES ($1, $2);", values![1_i64, 2_i64]);
        sql.push("DELETE FROM b;");
        sql.add("UPDATE c SET d = $2 WHERE e = $1 OR d = '$';", values![3_i64, 4_i64]);
        assert_eq!(
            sql.text,
            "INSERT INTO a VALUES ($1, $2);DELETE FROM b;UPDATE c SET d = $4 WHERE e = $3 OR d = '$';"
        );
    }

    #[test]
    fn on_sqlite_each_parameter_has_a_value_of_its_own() {
        let mut sql = Sql::of(Dialect::Sqlite, "INSERT INTO a VALUES (?, ?);", values![1_i64, 2_i64]);
        sql.add("UPDATE c SET d = $2 WHERE e = $1 AND d <> $2;", values![3_i64, 4_i64]);
        assert_eq!(sql.text, "INSERT INTO a VALUES (?, ?);UPDATE c SET d = ? WHERE e = ? AND d <> ?;");
        assert_eq!(sql.values, values![1_i64, 2_i64, 4_i64, 3_i64, 4_i64]);
    }

    #[test]
    fn postgres_is_told_what_a_text_is() {
        let values = vec![Value::Date(None), Value::Json(None), Value::Text(None)];
        let sql = Sql::of(Dialect::Postgres, "SELECT $1, $2, $3", values);
        assert_eq!(sql.text, "SELECT CAST($1 AS date), CAST($2 AS json), $3");
    }
}
