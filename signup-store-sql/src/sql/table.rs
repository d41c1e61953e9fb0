//! Tables of records as data: one declaration of a column serves reads, writes and both engines.

use signup_core::StoreError;

use super::Value;

/// A value of a row, and the name of its column.
pub(crate) type NamedValue = (&'static str, Value);

/// The table of the records of type `R`. `R` is `()` for columns that belong to no record.
pub(crate) struct Table<R: 'static> {
    pub(crate) name: &'static str,
    /// The name of the table in statements that read. A character is compared faster than a text, once for each column.
    pub(crate) alias: char,
    /// The columns that identify a record. Errors name the last one that is an id.
    pub(crate) key: &'static [&'static str],
    /// The columns, in the order in which a record is read. Another order only makes reading slower.
    pub(crate) columns: &'static [Column<R>],
}

/// A column of a table, and its value in a record of type `R`.
pub(crate) struct Column<R> {
    name: &'static str,
    kind: Kind,
    value: ValueOf<R>,
    /// Whether a read of the record selects the column.
    is_read: bool,
    /// Whether the column keeps its value when the record changes.
    is_fixed: bool,
}

/// How the value of a column follows from a record.
enum ValueOf<R> {
    Plain(fn(&R) -> Value),
    Json(fn(&R) -> serde_json::Result<String>),
    /// The value is not a part of the record.
    Apart,
}

/// How a column is stored and selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Integer,
    Flag,
    /// A date, as `YYYY-MM-DD`.
    Date,
    /// A UUID.
    Id,
    /// The bytes of a SHA-256.
    Digest,
    /// A coordinate.
    Degrees,
    /// JSON, selected as text.
    Json,
}

/// A column in the result of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SelectedColumn {
    /// The alias of the table.
    pub(crate) alias: char,
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
}

impl<R> Column<R> {
    /// Declares a column, and its value in a record.
    pub(crate) const fn new(name: &'static str, kind: Kind, value: fn(&R) -> Value) -> Self {
        Self::with(name, kind, ValueOf::Plain(value))
    }

    /// Declares a column whose value is serialized to JSON.
    pub(crate) const fn json(name: &'static str, value: fn(&R) -> serde_json::Result<String>) -> Self {
        Self::with(name, Kind::Json, ValueOf::Json(value))
    }

    /// Declares a column that the writes of the record leave alone. Other writes store its value.
    pub(crate) const fn apart(name: &'static str, kind: Kind) -> Self {
        Self::with(name, kind, ValueOf::Apart)
    }

    const fn with(name: &'static str, kind: Kind, value: ValueOf<R>) -> Self {
        Self { name, kind, value, is_read: true, is_fixed: false }
    }

    /// Makes reads of the record leave the column out: the value follows from others, or the caller knows it.
    pub(crate) const fn unread(mut self) -> Self {
        self.is_read = false;
        self
    }

    /// Makes the column keep its value when the record changes.
    pub(crate) const fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    /// Returns the value for a record; `None` if other writes store the value.
    fn value(&self, record: &R) -> Result<Option<NamedValue>, StoreError> {
        let value = match self.value {
            ValueOf::Plain(value) => value(record),
            ValueOf::Json(text) => {
                let text = text(record);
                Value::Json(Some(text.map_err(|error| StoreError::failed("writing a value as JSON", error))?))
            }
            ValueOf::Apart => return Ok(None),
        };
        Ok(Some((self.name, value)))
    }
}

impl<R> Table<R> {
    /// Returns the columns that a statement selects to read a record.
    pub(crate) fn columns(&self) -> Vec<SelectedColumn> {
        self.selected(|column| column.is_read)
    }

    /// Returns the columns of these names.
    pub(crate) fn columns_named(&self, names: &[&str]) -> Vec<SelectedColumn> {
        self.selected(|column| names.contains(&column.name))
    }

    fn selected(&self, is_selected: impl Fn(&Column<R>) -> bool) -> Vec<SelectedColumn> {
        let selected = self.columns.iter().filter(|column| is_selected(column));
        selected
            .map(|column| SelectedColumn { alias: self.alias, name: column.name, kind: column.kind })
            .collect()
    }

    /// Returns the row of a new record.
    pub(crate) fn row(&self, record: &R) -> Result<Vec<NamedValue>, StoreError> {
        self.columns.iter().filter_map(|column| column.value(record).transpose()).collect()
    }

    /// Returns the row of a changed record: its key, and the columns that are not fixed.
    pub(crate) fn changed_row(&self, record: &R) -> Result<Vec<NamedValue>, StoreError> {
        let changed = self.columns.iter().filter(|column| !column.is_fixed);
        changed.filter_map(|column| column.value(record).transpose()).collect()
    }
}
