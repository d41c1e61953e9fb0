//! The values of a record, as JSON has them, or a row of the database.

use std::borrow::Cow;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use signup_core::StoreError;
use uuid::Uuid;

use super::columns::Column;

/// One value of a row.
#[derive(Debug)]
pub(crate) enum Cell<'a> {
    Null,
    Flag(bool),
    Integer(i64),
    Text(Cow<'a, str>),
    Id(Uuid),
}

impl Cell<'_> {
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
}

impl From<Uuid> for Cell<'_> {
    fn from(id: Uuid) -> Self {
        Self::Id(id)
    }
}

impl From<bool> for Cell<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<i64> for Cell<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
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
pub(crate) trait Records {
    /// Reads each. `columns` are those that were asked for.
    fn read<T>(
        &self,
        columns: &[Column],
        read: impl FnMut(&[Cell<'_>]) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError>;
}
