//! Every page is found by an index, wherever it is.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use super::*;

fn due_notices(dialect: Dialect) -> Sql {
    let from = super::notices::due_ranges(50);
    Sql::of(
        dialect,
        &dialect.records(crate::sql::row::NOTICE, &from),
        crate::sql::values![0_i64, 9_i64, -1_i64, uuid::Uuid::nil()],
    )
}
