//! Decoding of fetched rows, by the names of their columns. A value that no version of this crate can have written is an error
//! that names its table, column and id.
//!
//! Both engines return the rows of a read as one text: a JSON array of rows, each an array of columns. One text passes from the
//! driver to the caller in one step, and an event with its shifts and questions is one row of such texts.
//!
//! Ids and digests are hexadecimal digits. Coordinates are decimal texts, with enough digits to read back the same number.

use std::cell;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use signup_core::{Day, StoreError};
use uuid::Uuid;

use super::cell::Cell;
use super::column::{ColumnType, SelectedColumn};

/// Decodes a row in JSON: an array of `columns`.
pub(crate) fn one<T>(
    json: &str,
    columns: &[SelectedColumn],
    read: impl FnOnce(Row<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let cells: Vec<Cell<'_>> = serde_json::from_str(json).map_err(unreadable)?;
    read(Row { columns, cells: &cells, last_day: &LastDay::default() })
}

/// Decodes a list in JSON: an array of rows.
pub(crate) fn all<T>(
    json: &str,
    columns: &[SelectedColumn],
    mut read: impl FnMut(Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let rows: Vec<Vec<Cell<'_>>> = serde_json::from_str(json).map_err(unreadable)?;
    let last_day = LastDay::default();
    rows.iter().map(|cells| read(Row { columns, cells, last_day: &last_day })).collect()
}

/// Returns the error for a result that cannot be decoded.
fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::failed("decoding the result of a statement", error)
}

/// The last decoded day. The events of a list often share a zone, and the shifts of an event share a day. Finding a zone and
/// its clock changes on a day takes longer than decoding the rest of a row.
#[derive(Default)]
struct LastDay(cell::Cell<Option<Day>>);

/// A fetched row. It can have columns of several tables. The rows of one result share `last_day`.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    columns: &'r [SelectedColumn],
    cells: &'r [Cell<'r>],
    last_day: &'r LastDay,
}

impl<'r> Row<'r> {
    fn index(self, alias: char, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.alias == alias && column.name == name)
    }
}

/// Decodes the columns of one table in a row. An error names the column that was decoded last.
///
/// A column is first looked for behind the one before, so decoding in the order of the table is fast.
pub(crate) struct Decoder<'r> {
    row: Row<'r>,
    table: &'static str,
    alias: char,
    key: &'static [&'static str],
    /// The index behind the column that was decoded last.
    next: usize,
    /// The column that was decoded last.
    column: &'static str,
}

impl<'r> Decoder<'r> {
    /// Creates a decoder for the columns with this alias. `key` has the columns that identify a record.
    pub(crate) const fn new(
        row: Row<'r>,
        table: &'static str,
        alias: char,
        key: &'static [&'static str],
    ) -> Self {
        Self { row, table, alias, key, next: 0, column: "?" }
    }

    fn cell(&mut self, name: &'static str) -> Result<&'r Cell<'r>, StoreError> {
        self.column = name;
        let next = self.row.columns.get(self.next);
        let index = match next {
            Some(next) if next.alias == self.alias && next.name == name => Some(self.next),
            _ => self.row.index(self.alias, name),
        };
        let index = index.ok_or_else(|| {
            StoreError::failed("decoding a row", format!("it lacks the column {}.{name}", self.table))
        })?;
        self.next = index + 1;
        Ok(self.row.cells.get(index).unwrap_or(&Cell::Null))
    }

    /// Returns the last id of the key that the row has, as digits. On SQLite `hex(NULL)` is an empty text.
    fn id_digits(&self) -> Option<&'r str> {
        let index_of_id = |name: &&str| {
            let index = self.row.index(self.alias, name)?;
            (self.row.columns.get(index)?.of_type == ColumnType::Id).then_some(index)
        };
        match self.row.cells.get(self.key.iter().rev().find_map(index_of_id)?)? {
            Cell::Text(digits) if !digits.is_empty() => Some(digits),
            _ => None,
        }
    }

    /// Returns whether the row has a record of the table.
    pub(crate) fn has_id(&self) -> bool {
        self.id_digits().is_some()
    }

    pub(crate) fn optional_text(&mut self, name: &'static str) -> Result<Option<&'r str>, StoreError> {
        match self.cell(name)? {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            Cell::Integer(_) | Cell::Flag(_) => Err(self.corrupt("a number instead of a text")),
        }
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Result<&'r str, StoreError> {
        self.optional_text(name)?.ok_or_else(|| self.corrupt("null instead of a text"))
    }

    pub(crate) fn optional_number(&mut self, name: &'static str) -> Result<Option<i64>, StoreError> {
        match self.cell(name)? {
            Cell::Null => Ok(None),
            Cell::Integer(number) => Ok(Some(*number)),
            Cell::Flag(flag) => Ok(Some((*flag).into())),
            Cell::Text(_) => Err(self.corrupt("a text instead of a number")),
        }
    }

    pub(crate) fn number<T: TryFrom<i64, Error: fmt::Display>>(
        &mut self,
        name: &'static str,
    ) -> Result<T, StoreError> {
        let number = self.optional_number(name)?.ok_or_else(|| self.corrupt("null instead of a number"))?;
        self.checked(T::try_from(number))
    }

    pub(crate) fn flag(&mut self, name: &'static str) -> Result<bool, StoreError> {
        Ok(self.number::<i64>(name)? != 0)
    }

    pub(crate) fn parse<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &'static str,
    ) -> Result<T, StoreError> {
        let text = self.text(name)?;
        self.checked(text.parse())
    }

    pub(crate) fn optional<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, StoreError> {
        let text = self.optional_text(name)?;
        self.checked(text.map(str::parse).transpose())
    }

    pub(crate) fn json<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, StoreError> {
        let text = self.text(name)?;
        self.checked(serde_json::from_str(text))
    }

    /// Turns an error of a check into an error that names the column.
    pub(crate) fn checked<T, E: fmt::Display>(&self, checked: Result<T, E>) -> Result<T, StoreError> {
        checked.map_err(|error| self.corrupt(&error.to_string()))
    }

    /// Returns both values, or `None` if both are null.
    pub(crate) fn both<A, B>(&self, a: Option<A>, b: Option<B>) -> Result<Option<(A, B)>, StoreError> {
        match (a, b) {
            (Some(a), Some(b)) => Ok(Some((a, b))),
            (None, None) => Ok(None),
            _ => Err(self.corrupt("null beside a value, or a value beside null")),
        }
    }

    fn corrupt(&self, error: &str) -> StoreError {
        let id = self.id_digits().unwrap_or("an unknown id");
        let id = Uuid::try_parse(id).map_or_else(|_| id.to_owned(), |id| id.to_string());
        StoreError::corrupt(self.table, self.column, id, error)
    }

    pub(crate) fn id<T>(&mut self, name: &'static str, new: impl FnOnce(Uuid) -> T) -> Result<T, StoreError> {
        self.optional_id(name, new)?.ok_or_else(|| self.corrupt("null instead of an id"))
    }

    pub(crate) fn optional_id<T>(
        &mut self,
        name: &'static str,
        new: impl FnOnce(Uuid) -> T,
    ) -> Result<Option<T>, StoreError> {
        match self.cell(name)? {
            Cell::Null => Ok(None),
            // SQLite's `hex` of NULL.
            Cell::Text(digits) if digits.is_empty() => Ok(None),
            Cell::Text(digits) => self.checked(Uuid::try_parse(digits)).map(new).map(Some),
            Cell::Integer(_) | Cell::Flag(_) => Err(self.corrupt("a number instead of an id")),
        }
    }

    pub(crate) fn instant(&mut self, name: &'static str) -> Result<Timestamp, StoreError> {
        let second = self.number(name)?;
        self.checked(Timestamp::from_second(second))
    }

    pub(crate) fn optional_instant(&mut self, name: &'static str) -> Result<Option<Timestamp>, StoreError> {
        let second = self.optional_number(name)?;
        self.checked(second.map(Timestamp::from_second).transpose())
    }

    /// Decodes a date and a zone.
    pub(crate) fn day(&mut self, date: &'static str, zone: &'static str) -> Result<Day, StoreError> {
        let (date, zone) = (self.parse(date)?, self.text(zone)?);
        let last_day = &self.row.last_day.0;
        let day = match last_day.take().filter(|last| last.zone().name() == zone) {
            Some(last) if last.date() == date => last,
            Some(last) => Day::new(date, last.zone().clone()),
            None => Day::new(date, self.checked(zone.parse())?),
        };
        last_day.set(Some(day.clone()));
        Ok(day)
    }
}
