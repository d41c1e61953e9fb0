//! Decoding of fetched rows, by the names of their columns. A value that no version of this crate can have written is an error
//! that names its table, column and id.
//!
//! SQLite returns the rows of a statement as one row: a JSON array of arrays of columns. Passing a row from the thread of
//! the connection to the caller costs more than the JSON. PostgreSQL returns rows with types, which cost half as much as
//! JSON. On PostgreSQL, rows are JSON only if one row has several of them.
//!
//! Digests are hexadecimal digits, and so are ids in JSON. Coordinates are decimal texts, with enough digits to read back the
//! same number.

use std::cell;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use signup_core::{Day, StoreError};
use uuid::Uuid;

use super::cell::Cell;
use super::table::{Kind, SelectedColumn, Table};

/// The rows that a statement returned, not yet decoded.
pub(crate) trait FetchedRows {
    /// Decodes each row with `read`. `columns` are the columns of the statement.
    fn read<T>(
        &self,
        columns: &[SelectedColumn],
        read: impl FnMut(Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError>;
}

/// Decodes a row in JSON: an array of `columns`.
pub(crate) fn one<T>(
    json: &str,
    columns: &[SelectedColumn],
    read: impl FnOnce(Row<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let cells: Vec<Cell<'_>> = serde_json::from_str(json).map_err(unreadable)?;
    read(Row::new(columns, &cells, &LastDay::default()))
}

/// Decodes a list in JSON: an array of rows.
pub(crate) fn all<T>(
    json: &str,
    columns: &[SelectedColumn],
    mut read: impl FnMut(Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let rows: Vec<Vec<Cell<'_>>> = serde_json::from_str(json).map_err(unreadable)?;
    let last_day = LastDay::default();
    rows.iter().map(|cells| read(Row::new(columns, cells, &last_day))).collect()
}

/// Returns the error for a result that cannot be decoded.
pub(crate) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::failed("decoding the result of a statement", error)
}

/// The last decoded day. The events of a list often share a zone, and the shifts of an event share a day. Finding a zone and
/// its clock changes on a day takes longer than decoding the rest of a row.
#[derive(Default)]
pub(crate) struct LastDay(cell::Cell<Option<Day>>);

/// A fetched row. It can have columns of several tables.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    columns: &'r [SelectedColumn],
    cells: &'r [Cell<'r>],
    last_day: &'r LastDay,
}

impl<'r> Row<'r> {
    /// Creates a row of `columns`. The rows of one result share `last_day`.
    pub(crate) const fn new(
        columns: &'r [SelectedColumn],
        cells: &'r [Cell<'r>],
        last_day: &'r LastDay,
    ) -> Self {
        Self { columns, cells, last_day }
    }

    /// Returns a decoder for the columns of `table` in this row.
    pub(crate) const fn of<R>(self, table: &Table<R>) -> Decoder<'r> {
        let Table { name, alias, key, .. } = *table;
        Decoder { row: self, table: name, alias, key, next: 0, column: "?" }
    }

    /// Decodes a record of `table` from a row of an outer join. Returns `None` if the row has no such record.
    pub(crate) fn outer<R, T>(
        self,
        table: &Table<R>,
        read: impl FnOnce(Self) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let is_missing = self.of(table).id_cell().is_none_or(Cell::is_no_id);
        if is_missing { Ok(None) } else { read(self).map(Some) }
    }

    fn place(self, alias: char, name: &str) -> Option<usize> {
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
    /// The place behind the column that was decoded last.
    next: usize,
    /// The column that was decoded last.
    column: &'static str,
}

impl<'r> Decoder<'r> {
    fn cell(&mut self, name: &'static str) -> Result<&'r Cell<'r>, StoreError> {
        self.column = name;
        let next = self.row.columns.get(self.next);
        let place = match next {
            Some(next) if next.alias == self.alias && next.name == name => Some(self.next),
            _ => self.row.place(self.alias, name),
        };
        let place = place.ok_or_else(|| {
            StoreError::failed("decoding a row", format!("it lacks the column {}.{name}", self.table))
        })?;
        self.next = place + 1;
        Ok(self.row.cells.get(place).unwrap_or(&Cell::Null))
    }

    /// Returns the last id of the key that the row has.
    fn id_cell(&self) -> Option<&'r Cell<'r>> {
        let place_of_id = |name: &&str| {
            let place = self.row.place(self.alias, name)?;
            (self.row.columns.get(place)?.kind == Kind::Id).then_some(place)
        };
        self.row.cells.get(self.key.iter().rev().find_map(place_of_id)?)
    }

    pub(crate) fn optional_text(&mut self, name: &'static str) -> Result<Option<&'r str>, StoreError> {
        match self.cell(name)? {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            Cell::Integer(_) | Cell::Flag(_) => Err(self.corrupt("a number instead of a text")),
            Cell::Id(_) => Err(self.corrupt("an id instead of a text")),
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
            Cell::Text(_) | Cell::Id(_) => Err(self.corrupt("a text instead of a number")),
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
        let id = match self.id_cell() {
            Some(Cell::Id(id)) => id.to_string(),
            Some(Cell::Text(id)) => Uuid::try_parse(id).map_or_else(|_| id.to_string(), |id| id.to_string()),
            _ => "an unknown id".to_owned(),
        };
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
            Cell::Id(id) => Ok(Some(new(*id))),
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
