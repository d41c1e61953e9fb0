//! The values of a record, as JSON has them, or a row of PostgreSQL.

use std::borrow::Cow;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use signup_core::StoreError;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::Column;

/// One value of a row.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Null,
    Flag(bool),
    Integer(i64),
    Text(Cow<'a, str>),
    Id(Uuid),
}

impl<'r> Cell<'r> {
    /// SQLite's truth is a number.
    pub(crate) const fn is_true(&self) -> bool {
        matches!(self, Self::Flag(true) | Self::Integer(1))
    }

    /// Whether there is no id. Of none SQLite makes no digits.
    pub(crate) fn is_no_id(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(digits) => digits.is_empty(),
            _ => false,
        }
    }

    fn of_postgres(row: &'r PgRow, index: usize, column: Column) -> sqlx::Result<Self> {
        // The kind says what type it is.
        let cell = match column {
            Column::Id(_) => row.try_get_unchecked::<Option<_>, _>(index)?.map(Self::Id),
            Column::Integer(_) => row.try_get_unchecked::<Option<_>, _>(index)?.map(Self::Integer),
            Column::Flag(_) => row.try_get_unchecked::<Option<_>, _>(index)?.map(Self::Flag),
            Column::Text(_) | Column::Date(_) | Column::Digest(_) | Column::Degrees(_) | Column::Json(_) => {
                row.try_get_unchecked::<Option<_>, _>(index)?.map(|text| Self::Text(Cow::Borrowed(text)))
            }
        };
        Ok(cell.unwrap_or(Self::Null))
    }
}

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Cells;

        impl<'de> Visitor<'de> for Cells {
            type Value = Cell<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("null, a truth value, a whole number or a text")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Cell::Null)
            }

            fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
                Ok(Cell::Flag(flag))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Cell::Integer(number))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
                i64::try_from(number).map(Cell::Integer).map_err(E::custom)
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cell::Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_any(Cells)
    }
}

/// More columns than any record has.
const MOST_COLUMNS: usize = 20;

/// The columns of a record.
pub(super) struct Record<'r>(pub(super) Vec<Cell<'r>>);

impl<'de: 'r, 'r> Deserialize<'de> for Record<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Columns;

        impl<'de> Visitor<'de> for Columns {
            type Value = Record<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of columns")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut columns: A) -> Result<Self::Value, A::Error> {
                // With room for all of them from the beginning: how many there are is only known at the end.
                let mut cells = Vec::with_capacity(MOST_COLUMNS);
                while let Some(cell) = columns.next_element()? {
                    cells.push(cell);
                }
                Ok(Record(cells))
            }
        }

        deserializer.deserialize_seq(Columns)
    }
}

/// Records as they leave the database.
#[derive(Debug)]
pub(crate) enum Records {
    /// An array of arrays.
    Json(String),
    Postgres(Vec<PgRow>),
}

impl Records {
    /// Reads each. `columns` are those that were asked for.
    pub(crate) fn read<T>(
        &self,
        columns: &[Column],
        mut read: impl FnMut(&[Cell<'_>]) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = match self {
            Self::Json(json) => return super::all(json, read),
            Self::Postgres(rows) => rows,
        };
        let mut found = Vec::with_capacity(rows.len());
        let mut cells = Vec::with_capacity(columns.len());
        for row in rows {
            cells.clear();
            for (index, column) in columns.iter().enumerate() {
                cells.push(Cell::of_postgres(row, index, *column).map_err(super::unreadable)?);
            }
            found.push(read(&cells)?);
        }
        Ok(found)
    }
}
