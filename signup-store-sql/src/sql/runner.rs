//! Running statements on one connection, and reading rows of texts.

use signup_core::StoreError;
use sqlx::Row;

use super::{Dialect, Statement};

/// A connection that runs statements, one after another.
///
/// Reads of the store go through a [`Reader`](super::read::Reader) instead, which has many connections.
pub(crate) trait StatementRunner {
    const DIALECT: Dialect;

    /// Runs a statement, and returns its rows, of `N` texts each. `what` names the operation in errors.
    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        statement: Statement,
    ) -> Result<Vec<[String; N]>, StoreError>;
}

/// Returns the first `N` columns of a row, which must be texts.
pub(crate) fn texts<'r, R: Row, const N: usize>(row: &'r R) -> sqlx::Result<[String; N]>
where
    String: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
    usize: sqlx::ColumnIndex<R>,
{
    let mut texts = std::array::from_fn(|_| String::new());
    for (column, text) in texts.iter_mut().enumerate() {
        *text = row.try_get(column)?;
    }
    Ok(texts)
}
