//! The expressions that SQLite and PostgreSQL spell differently.

use crate::sql::column::{ColumnType, SelectedColumn};

/// The SQL of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "no statement is for SQLite"))]
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Returns an expression for a record as one text: a JSON array of `columns`.
    pub(crate) fn record(self, columns: &[SelectedColumn]) -> String {
        let columns = self.columns(columns);
        match self {
            Self::Sqlite => format!("json_array({columns})"),
            Self::Postgres => format!("CAST(json_build_array({columns}) AS TEXT)"),
        }
    }

    /// Returns an aggregate of the records of all rows as one text: a JSON array of arrays of `columns`, in any order.
    pub(crate) fn list(self, columns: &[SelectedColumn]) -> String {
        let columns = self.columns(columns);
        match self {
            Self::Sqlite => format!("json_group_array(json_array({columns}))"),
            Self::Postgres => {
                format!("CAST(COALESCE(json_agg(json_build_array({columns})), '[]') AS TEXT)")
            }
        }
    }

    /// Returns a query for the [list](Self::list) of all rows of `from`.
    pub(crate) fn select(self, columns: &[SelectedColumn], from: &str) -> String {
        format!("SELECT {} FROM {from}", self.list(columns))
    }

    /// Returns the columns as the arguments of a function. A function of PostgreSQL takes at most 100, of SQLite 1,000.
    fn columns(self, columns: &[SelectedColumn]) -> String {
        debug_assert!(columns.len() <= 100, "{} columns", columns.len());
        let mut text = String::with_capacity(32 * columns.len());
        for SelectedColumn { alias, name, of_type } in columns {
            if !text.is_empty() {
                text.push_str(", ");
            }
            for (index, part) in self.around_name(*of_type).iter().enumerate() {
                if index > 0 {
                    text.push(*alias);
                    text.push('.');
                    text.push_str(name);
                }
                text.push_str(part);
            }
        }
        text
    }

    /// Returns the parts of the expression for a column. The name of the column stands between them.
    const fn around_name(self, of_type: ColumnType) -> &'static [&'static str] {
        match (self, of_type) {
            (_, ColumnType::Text | ColumnType::Integer | ColumnType::Flag)
            | (Self::Sqlite, ColumnType::Date | ColumnType::Json)
            | (Self::Postgres, ColumnType::Id) => &["", ""],
            (Self::Sqlite, ColumnType::Id | ColumnType::Digest) => &["hex(", ")"],
            // 17 digits identify a number.
            (Self::Sqlite, ColumnType::Degrees) => &["iif(", " IS NULL, NULL, format('%!.17g', ", "))"],
            (Self::Postgres, ColumnType::Digest) => &["encode(", ", 'hex')"],
            (Self::Postgres, ColumnType::Date | ColumnType::Degrees | ColumnType::Json) => {
                &["CAST(", " AS TEXT)"]
            }
        }
    }

    /// Returns a condition that the column `name` has the value `flag`. The condition matches the partial indexes.
    pub(crate) fn is_flag(self, name: &str, flag: bool) -> String {
        match self {
            Self::Sqlite => format!("{name} = {}", i32::from(flag)),
            Self::Postgres => format!("{}{name}", if flag { "" } else { "NOT " }),
        }
    }

    /// Returns a condition that the text `column` contains the text `part`, compared by bytes.
    pub(crate) fn contains(self, column: &str, part: &str) -> String {
        match self {
            Self::Sqlite => format!("instr({column}, {part}) > 0"),
            Self::Postgres => format!("strpos({column}, {part}) > 0"),
        }
    }

    /// Returns the sign-ups of the event `given.event_id` with an answer to the question `given.question_id`, as a table and a
    /// condition.
    pub(crate) const fn signups_with_answer(self) -> &'static str {
        match self {
            Self::Sqlite => {
                "signups u, json_each(u.answers) answer WHERE u.organization_id = given.organization_id \
                 AND u.event_id = given.event_id AND answer.value->>'question_id' = given.question_id"
            }
            Self::Postgres => {
                "signups u WHERE u.organization_id = given.organization_id AND u.event_id = given.event_id \
                 AND u.answers @> jsonb_build_array(jsonb_build_object('question_id', given.question_id))"
            }
        }
    }

    /// Returns a condition that holds for a record with this alias unless its event is deleted.
    ///
    /// A scalar subquery, because `NOT EXISTS` could become a join in another order than that of the records.
    pub(crate) fn is_of_live_event(alias: char) -> String {
        format!(
            "(SELECT 1 FROM events d WHERE d.organization_id = {alias}.organization_id AND d.id = {alias}.event_id \
             AND d.deleted_at IS NOT NULL) IS NULL"
        )
    }
}
