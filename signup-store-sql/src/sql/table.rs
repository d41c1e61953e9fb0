//! Tables of records as data: one declaration of a column serves reads, writes and both engines.

use signup_core::{Deleted, Record, StoreError};

use super::column::{ColumnType, SelectedColumn};
use super::row::{Decoder, Row};
use super::{NamedValue, Value};

/// The table of the records of type `R`.
pub(crate) struct Table<R: 'static> {
    pub(crate) name: &'static str,
    /// The alias of the table in reads, unique among tables. A `char`, because decoding compares the alias for each column.
    pub(crate) alias: char,
    /// The columns that identify a record. Errors name the last one that is an id.
    pub(crate) key: &'static [&'static str],
    /// The view from which a record is read, if that is not the table.
    pub(crate) view: Option<&'static str>,
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
    of_type: ColumnType,
    value: ValueOf<R>,
    /// Whether a read of the record selects the column.
    is_read: bool,
}

/// How the value of a column follows from a record.
enum ValueOf<R> {
    Plain(fn(&R) -> Value),
    Json(fn(&R) -> serde_json::Result<String>),
}

impl<R> Column<R> {
    /// Declares a column, and its value in a record.
    pub(crate) const fn new(name: &'static str, of_type: ColumnType, value: fn(&R) -> Value) -> Self {
        Self::with(name, of_type, ValueOf::Plain(value))
    }

    /// Declares a column whose value is serialized to JSON.
    pub(crate) const fn json(name: &'static str, value: fn(&R) -> serde_json::Result<String>) -> Self {
        Self::with(name, ColumnType::Json, ValueOf::Json(value))
    }

    const fn with(name: &'static str, of_type: ColumnType, value: ValueOf<R>) -> Self {
        Self { name, of_type, value, is_read: true }
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
    /// Returns what most tables have in common: a record is read from the table itself, and has no deletion.
    pub(crate) const fn read_by(read: fn(Row<'_>) -> Result<R, StoreError>) -> Self {
        Self {
            name: "",
            alias: '?',
            key: &[],
            view: None,
            is_live: |_| String::new(),
            selects: |table| table.columns(),
            read,
            columns: &[],
        }
    }

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
            .map(|column| SelectedColumn { alias: self.alias, name: column.name, of_type: column.of_type })
            .collect()
    }
}

impl<'r> Row<'r> {
    /// Returns a decoder for the columns of `table` in this row.
    pub(crate) const fn of<R>(self, table: &Table<R>) -> Decoder<'r> {
        Decoder::new(self, table.name, table.alias, table.key)
    }

    /// Decodes a record of `table` from a row of an outer join. Returns `None` if the row has no such record.
    pub(crate) fn outer<R, T>(
        self,
        table: &Table<R>,
        read: impl FnOnce(Self) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        if self.of(table).has_id() { read(self).map(Some) } else { Ok(None) }
    }
}

/// The table of the records of a kind. The methods take and return records of this kind only.
pub(crate) trait RecordTable: Sync {
    fn name(&self) -> &'static str;

    fn alias(&self) -> char;

    fn key(&self) -> &'static [&'static str];

    /// What a statement selects from to read a record: the table or a view, with the alias.
    fn source(&self) -> String;

    /// Returns the condition that a record is visible. Empty: always.
    fn is_visible(&self, deleted: Deleted) -> String;

    /// Returns the columns that a statement selects from [`source`](Self::source).
    fn selected(&self) -> Vec<SelectedColumn>;

    fn read(&self, row: Row<'_>) -> Result<Record, StoreError>;

    /// Returns the values of a record, in the order of the columns.
    fn values(&self, record: &Record) -> Result<Vec<NamedValue>, StoreError>;
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

    fn source(&self) -> String {
        format!("{} {}", self.view.unwrap_or(self.name), self.alias)
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

    fn values(&self, record: &Record) -> Result<Vec<NamedValue>, StoreError> {
        let wrong = || format!("a {:?} is in another table", record.kind());
        let record = record.try_into().map_err(|_| StoreError::failed("writing a record", wrong()))?;
        self.columns.iter().map(|column| column.value(record)).collect()
    }
}
