//! Rows that are given to a statement as data, and the templates of the statements that read them.
//!
//! A check or a write has one template for each engine, however many change sets the statement serves. Its text reads the
//! rows from the table `given`. SQLite gets the rows as a list of `VALUES`. PostgreSQL gets one array for each column, so its
//! text does not depend on the number of rows.

use std::iter;

use super::{Dialect, Statement, Value};

/// The rows of one kind of check or write.
#[derive(Debug, Clone, Default)]
pub(crate) struct GivenRows {
    /// The names of the values in each row. The first is [`CHANGE`].
    columns: Vec<&'static str>,
    /// The values, row by row.
    values: Vec<Value>,
}

/// The column with the number of the change set that a row belongs to.
pub(crate) const CHANGE: &str = "change";

/// Stands in a text for the rows: a subquery under the name `given`.
pub(crate) const GIVEN: &str = "{given}";

/// A statement, or a part of one, that still lacks its rows: those of one kind of check or write.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    /// Whether the statement also reads [`CHANGE`].
    reads_change: bool,
    action: Action,
}

/// What a [`Template`] does with its rows.
#[derive(Debug, Clone)]
enum Action {
    /// Inserts the rows into a table. A conflict clause may follow.
    Insert { table: &'static str, conflict: String },
    /// Runs a text, which contains [`GIVEN`] at most once.
    Run(String),
}

impl Template {
    /// Inserts the rows into the columns of the same names. `conflict` is a conflict clause, or empty.
    pub(crate) const fn insert(table: &'static str, conflict: String) -> Self {
        Self { reads_change: false, action: Action::Insert { table, conflict } }
    }

    /// Runs a text that reads the rows as [`GIVEN`].
    pub(crate) fn run(text: impl Into<String>) -> Self {
        Self { reads_change: false, action: Action::Run(text.into()) }
    }

    /// Runs a query that reads the rows as [`GIVEN`], with [`CHANGE`].
    pub(crate) fn query(text: impl Into<String>) -> Self {
        Self { reads_change: true, ..Self::run(text) }
    }

    /// Appends the statement for `rows`. PostgreSQL skips the rows for which `condition` does not hold.
    pub(crate) fn append(&self, sql: &mut Statement, rows: GivenRows, condition: Option<&str>) {
        let mut columns = rows.columns[1..].to_vec();
        if self.reads_change || (sql.dialect == Dialect::Postgres && condition.is_some()) {
            columns.push(CHANGE);
        }
        match &self.action {
            Action::Insert { table, conflict } => {
                let names = if condition.is_some() { &columns[..columns.len() - 1] } else { &columns[..] };
                let names = names.join(", ");
                sql.push(&format!("INSERT INTO {table} ({names}) "));
                match sql.dialect {
                    Dialect::Sqlite => push_values(sql, &columns, rows),
                    Dialect::Postgres => {
                        sql.push(&format!("SELECT {names} FROM "));
                        push_given(sql, &columns, rows, condition);
                    }
                }
                sql.push(conflict);
            }
            Action::Run(text) => match text.split_once(GIVEN) {
                Some((before, after)) => {
                    sql.push(before);
                    push_given(sql, &columns, rows, condition);
                    sql.push(after);
                }
                None => sql.push(text),
            },
        }
    }
}

impl GivenRows {
    /// Appends a row of the change set `change`. All rows have the same columns.
    pub(crate) fn push(&mut self, change: i64, cells: impl IntoIterator<Item = (&'static str, Value)>) {
        let is_first = self.columns.is_empty();
        for (name, value) in iter::once((CHANGE, change.into())).chain(cells) {
            if is_first {
                self.columns.push(name);
            }
            self.values.push(value);
        }
    }

    /// Appends rows of the same columns under another number of a change set.
    pub(crate) fn append(&mut self, change: i64, mut other: Self) {
        for row in other.values.chunks_exact_mut(other.columns.len().max(1)) {
            row[0] = change.into();
        }
        self.columns = other.columns;
        self.values.append(&mut other.values);
    }

    /// Removes the rows of all other change sets.
    #[cfg(feature = "sqlite")]
    pub(crate) fn retain(&mut self, keeps: impl Fn(i64) -> bool) {
        let (columns, mut place, mut is_kept) = (self.columns.len(), 0, false);
        self.values.retain(|value| {
            if place % columns == 0 {
                is_kept = matches!(value, Value::Integer(Some(change)) if keeps(*change));
            }
            place += 1;
            is_kept
        });
    }

    /// Returns the number of values in all rows.
    #[cfg(feature = "sqlite")]
    pub(crate) const fn values(&self) -> usize {
        self.values.len()
    }

    /// The columns, the first of which is [`CHANGE`]. Without rows there are none.
    pub(crate) fn columns(&self) -> &[&'static str] {
        &self.columns
    }

    /// These columns, each with its place in a row. A column that the rows do not have is left out.
    fn places(&self, columns: &[&'static str]) -> Vec<(&'static str, usize)> {
        let place = |column| self.columns.iter().position(|name| name == column);
        columns.iter().filter_map(|column| Some((*column, place(column)?))).collect()
    }

    /// The rows, from which values can be taken.
    fn rows(&mut self) -> impl ExactSizeIterator<Item = &mut [Value]> {
        self.values.chunks_exact_mut(self.columns.len().max(1))
    }
}

/// Takes a value out of its row.
const fn take(value: &mut Value) -> Value {
    std::mem::replace(value, Value::Flag(false))
}

/// Appends the subquery `given`.
fn push_given(sql: &mut Statement, columns: &[&'static str], rows: GivenRows, condition: Option<&str>) {
    match (sql.dialect, condition) {
        (Dialect::Sqlite, _) => {
            let names = columns.iter().enumerate();
            let names: Vec<_> = names.map(|(n, name)| format!("column{} AS {name}", n + 1)).collect();
            sql.push(&format!("(SELECT {} FROM (", names.join(", ")));
            push_values(sql, columns, rows);
            sql.push(")) AS given");
        }
        (Dialect::Postgres, None) => push_arrays(sql, columns, rows),
        (Dialect::Postgres, Some(condition)) => {
            sql.push("(SELECT * FROM ");
            push_arrays(sql, columns, rows);
            sql.push(&format!(" WHERE {condition}) AS given"));
        }
    }
}

/// For SQLite: appends `VALUES (?, …), (?, …)`.
fn push_values(sql: &mut Statement, columns: &[&'static str], mut rows: GivenRows) {
    let places = rows.places(columns);
    let placeholders = format!("({}), ", vec!["?"; places.len()].join(","));
    let rows = rows.rows();
    sql.push("VALUES ");
    sql.push(&placeholders.repeat(rows.len()));
    sql.text.truncate(sql.text.len() - ", ".len());
    sql.values.reserve(places.len() * rows.len());
    for row in rows {
        sql.values.extend(places.iter().map(|(_, place)| take(&mut row[*place])));
    }
}

/// For PostgreSQL: appends `(SELECT unnest($1) AS …, …) AS given`, with an array for each column.
///
/// One call `unnest($1, …)` in `FROM` would return the same rows, but PostgreSQL first copies each array to a row store. The
/// copies take several times as long as the calls in the select list.
fn push_arrays(sql: &mut Statement, columns: &[&'static str], mut rows: GivenRows) {
    let mut separator = "(SELECT ";
    for (column, place) in rows.places(columns) {
        let array = Value::Array(rows.rows().map(|row| take(&mut row[place])).collect());
        let placeholder = array.placeholder(sql.values.len() + 1);
        sql.push(&format!("{separator}unnest({placeholder}) AS {column}"));
        sql.values.push(array);
        separator = ", ";
    }
    sql.push(") AS given");
}
