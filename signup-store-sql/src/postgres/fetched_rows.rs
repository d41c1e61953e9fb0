//! Decoding of rows: PostgreSQL returns each column with its own type.

use signup_core::StoreError;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::sql::row::{Cell, Column, FetchedRows, unreadable};

impl FetchedRows for Vec<PgRow> {
    fn read<T>(
        &self,
        columns: &[Column],
        mut read: impl FnMut(&[Cell<'_>]) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::with_capacity(self.len());
        let mut cells = Vec::with_capacity(columns.len());
        for row in self {
            cells.clear();
            for (index, column) in columns.iter().enumerate() {
                cells.push(cell(row, index, *column).map_err(unreadable)?);
            }
            found.push(read(&cells)?);
        }
        Ok(found)
    }
}

fn cell(row: &PgRow, index: usize, column: Column) -> sqlx::Result<Cell<'_>> {
    // Unchecked, because the statement selects each column with the type of its kind.
    let cell = match column {
        Column::Id(_) => row.try_get_unchecked::<Option<Uuid>, _>(index)?.map(Cell::Id),
        Column::Integer(_) => row.try_get_unchecked::<Option<i64>, _>(index)?.map(Cell::Integer),
        Column::Flag(_) => row.try_get_unchecked::<Option<bool>, _>(index)?.map(Cell::Flag),
        Column::Text(_) | Column::Date(_) | Column::Digest(_) | Column::Degrees(_) | Column::Json(_) => {
            row.try_get_unchecked::<Option<&str>, _>(index)?.map(|text| Cell::Text(text.into()))
        }
    };
    Ok(cell.unwrap_or(Cell::Null))
}
