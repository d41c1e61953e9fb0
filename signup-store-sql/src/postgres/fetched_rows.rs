//! Decoding of rows: PostgreSQL returns each column with its own type.

use signup_core::StoreError;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::sql::cell::Cell;
use crate::sql::row::{FetchedRows, LastDay, Row, unreadable};
use crate::sql::table::{Kind, SelectedColumn};

impl FetchedRows for Vec<PgRow> {
    fn read<T>(
        &self,
        columns: &[SelectedColumn],
        mut read: impl FnMut(Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::with_capacity(self.len());
        let mut cells = Vec::with_capacity(columns.len());
        let last_day = LastDay::default();
        for row in self {
            cells.clear();
            for (index, column) in columns.iter().enumerate() {
                cells.push(cell(row, index, column.kind).map_err(unreadable)?);
            }
            found.push(read(Row::new(columns, &cells, &last_day))?);
        }
        Ok(found)
    }
}

fn cell(row: &PgRow, index: usize, kind: Kind) -> sqlx::Result<Cell<'_>> {
    // Unchecked, because the statement selects each column with the type of its kind.
    let cell = match kind {
        Kind::Id => row.try_get_unchecked::<Option<Uuid>, _>(index)?.map(Cell::Id),
        Kind::Integer => row.try_get_unchecked::<Option<i64>, _>(index)?.map(Cell::Integer),
        Kind::Flag => row.try_get_unchecked::<Option<bool>, _>(index)?.map(Cell::Flag),
        Kind::Text | Kind::Date | Kind::Digest | Kind::Degrees | Kind::Json => {
            row.try_get_unchecked::<Option<&str>, _>(index)?.map(|text| Cell::Text(text.into()))
        }
    };
    Ok(cell.unwrap_or(Cell::Null))
}
