//! Records as rows with types.

use signup_core::StoreError;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::sql::row::{Cell, Column, Records, unreadable};

impl Records for Vec<PgRow> {
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
    // The kind says what type it is.
    let cell = match column {
        Column::Id(_) => row.try_get_unchecked::<Option<Uuid>, _>(index)?.map(Cell::from),
        Column::Integer(_) => row.try_get_unchecked::<Option<i64>, _>(index)?.map(Cell::from),
        Column::Flag(_) => row.try_get_unchecked::<Option<bool>, _>(index)?.map(Cell::from),
        Column::Text(_) | Column::Date(_) | Column::Digest(_) | Column::Degrees(_) | Column::Json(_) => {
            row.try_get_unchecked::<Option<&str>, _>(index)?.map(Cell::from)
        }
    };
    Ok(cell.unwrap_or(Cell::Null))
}
