//! Tables of records as data: one declaration of a column serves reads, writes and both engines.

use signup_core::{Deleted, Record, StoreError};

use super::row::Row;
use super::{NamedValue, Value};

/// The table of the records of type `R`.
pub(crate) struct Table<R: 'static> {
    pub(crate) name: &'static str,
    /// The alias of the table in reads, unique among tables. A `char`, because decoding compares the alias for each column.
    pub(crate) alias: char,
    /// The columns that identify a record. Errors name the last one that is an id.
    pub(crate) key: &'static [&'static str],
    /// What a statement selects from to read a record: the table or a view.
    pub(crate) source: &'static str,
    /// Returns the condition that neither the record with this alias nor its event is deleted. Empty: always.
    pub(crate) is_live: fn(char) -> String,
    /// Returns the columns that a statement selects to read a record.
    pub(crate) selects: fn(&Self) -> Vec<SelectedColumn>,
    /// Reads a record from a row of these columns.
    pub(crate) read: fn(Row<'_>) -> Result<R, StoreError>,
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
}

/// How the value of a column follows from a record.
enum ValueOf<R> {
    Plain(fn(&R) -> Value),
    Json(fn(&R) -> serde_json::Result<String>),
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

    const fn with(name: &'static str, kind: Kind, value: ValueOf<R>) -> Self {
        Self { name, kind, value, is_read: true }
    }

    /// Makes reads of the record leave the column out: the value follows from others, or the caller knows it.
    pub(crate) const fn unread(mut self) -> Self {
        self.is_read = false;
        self
    }

    fn value(&self, record: &R) -> Result<NamedValue, StoreError> {
        let value = match self.value {
            ValueOf::Plain(value) => value(record),
            ValueOf::Json(text) => {
                let text = text(record);
                Value::Json(Some(text.map_err(|error| StoreError::failed("writing a value as JSON", error))?))
            }
        };
        Ok((self.name, value))
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
}

/// The table of the records of a kind. The methods take and return records of this kind only.
pub(crate) trait RecordTable: Sync {
    fn name(&self) -> &'static str;

    fn alias(&self) -> char;

    fn key(&self) -> &'static [&'static str];

    /// What a statement selects from to read a record.
    fn source(&self) -> &'static str;

    /// Returns the condition that a record is visible. Empty: always.
    fn is_visible(&self, deleted: Deleted) -> String;

    /// Returns the columns that a statement selects from [`source`](Self::source).
    fn selected(&self) -> Vec<SelectedColumn>;

    fn read(&self, row: Row<'_>) -> Result<Record, StoreError>;

    /// Returns the row of a record, in the order of the columns.
    fn row(&self, record: &Record) -> Result<Vec<NamedValue>, StoreError>;
}

impl<R: Into<Record>> RecordTable for Table<R>
where
    for<'r> &'r R: TryFrom<&'r Record>,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn alias(&self) -> char {
        self.alias
    }

    fn key(&self) -> &'static [&'static str] {
        self.key
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn is_visible(&self, deleted: Deleted) -> String {
        match deleted {
            Deleted::Excluded => (self.is_live)(self.alias),
            Deleted::Included => String::new(),
        }
    }

    fn selected(&self) -> Vec<SelectedColumn> {
        (self.selects)(self)
    }

    fn read(&self, row: Row<'_>) -> Result<Record, StoreError> {
        (self.read)(row).map(Into::into)
    }

    fn row(&self, record: &Record) -> Result<Vec<NamedValue>, StoreError> {
        let wrong = || format!("a {:?} is in another table", record.kind());
        let record = record.try_into().map_err(|_| StoreError::failed("writing a record", wrong()))?;
        self.columns.iter().map(|column| column.value(record)).collect()
    }
}
