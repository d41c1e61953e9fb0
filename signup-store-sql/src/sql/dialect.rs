//! The words in which the SQL of the two engines differs.

use std::borrow::Cow;

use crate::sql::row::Column;

/// An engine's way of saying what SQL leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    #[cfg_attr(not(any(test, feature = "sqlite")), expect(dead_code, reason = "no statement is for SQLite"))]
    Sqlite,
    Postgres,
}

impl Dialect {
    /// The columns as one text: a JSON array.
    pub(crate) fn record(self, columns: &[Column]) -> String {
        let columns = self.columns(columns);
        match self {
            Self::Sqlite => format!("json_array({columns})"),
            Self::Postgres => format!("CAST(json_build_array({columns}) AS TEXT)"),
        }
    }

    /// An aggregate: the columns of all rows as one text, a JSON array of arrays in any order.
    pub(crate) fn list(self, columns: &[Column]) -> String {
        let columns = self.columns(columns);
        match self {
            Self::Sqlite => format!("json_group_array(json_array({columns}))"),
            Self::Postgres => {
                format!("CAST(COALESCE(json_agg(json_build_array({columns})), '[]') AS TEXT)")
            }
        }
    }

    /// A query for the columns of each row of `from`, as [`Records`](crate::sql::row::Records): what costs time on SQLite is the
    /// hand-off of a row from the thread that it runs on, on PostgreSQL writing JSON.
    pub(crate) fn records(self, columns: &[Column], from: &str) -> String {
        let records = match self {
            Self::Sqlite => self.list(columns),
            Self::Postgres => self.columns(columns),
        };
        format!("SELECT {records} FROM {from}")
    }

    fn columns(self, columns: &[Column]) -> String {
        let mut text = String::new();
        for column in columns {
            text.push_str(if text.is_empty() { "" } else { ", " });
            text.push_str(&self.column(*column));
        }
        text
    }

    fn column(self, column: Column) -> Cow<'static, str> {
        match (self, column) {
            (_, Column::Text(name) | Column::Integer(name) | Column::Flag(name))
            | (Self::Sqlite, Column::Date(name) | Column::Json(name))
            | (Self::Postgres, Column::Id(name)) => name.into(),
            (Self::Sqlite, Column::Id(name) | Column::Digest(name)) => format!("hex({name})").into(),
            // As many digits as tell two numbers apart.
            (Self::Sqlite, Column::Degrees(name)) => {
                format!("iif({name} IS NULL, NULL, format('%!.17g', {name}))").into()
            }
            (Self::Postgres, Column::Digest(name)) => format!("encode({name}, 'hex')").into(),
            (Self::Postgres, Column::Date(name) | Column::Degrees(name) | Column::Json(name)) => {
                format!("CAST({name} AS TEXT)").into()
            }
        }
    }

    /// An id as a text of hexadecimal digits.
    pub(crate) fn id_text(self, name: &str) -> String {
        match self {
            Self::Sqlite => format!("hex({name})"),
            Self::Postgres => format!("CAST({name} AS TEXT)"),
        }
    }

    /// A condition: the column, which is a truth value, is this one.
    pub(crate) fn is_flag(self, name: &str, flag: bool) -> String {
        match (self, flag) {
            (Self::Sqlite, flag) => format!("{name} = {}", i32::from(flag)),
            (Self::Postgres, true) => name.to_owned(),
            (Self::Postgres, false) => format!("NOT {name}"),
        }
    }

    /// Keeps the row that a check reads as it is until the commit. SQLite's writer is alone.
    pub(crate) const fn lock(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "FOR NO KEY UPDATE",
        }
    }
}
