//! Reads of notices.

use jiff::Timestamp;
use signup_core::{Notice, NoticeCounts, NoticeId, StoreError};

use super::{Reader, Result, all, one, sorted};
use crate::row::{self, Cell, NOTICE};
use crate::sql::{Sql, values};

pub(crate) async fn notices(
    reader: &impl Reader,
    have_failed: bool,
    after: Option<NoticeId>,
    limit: u32,
) -> Result<Vec<Notice>> {
    let failed = if have_failed { "IS NOT NULL" } else { "IS NULL" };
    let from = format!(
        "(SELECT * FROM notices WHERE id > $1 AND failed_at {failed} \
         ORDER BY id LIMIT {limit}) n"
    );
    let values = values![after.unwrap_or(NoticeId::NONE).uuid()];
    let found = all(reader, "listing notices", NOTICE, &from, values, row::notice).await?;
    Ok(sorted(found, |notice| notice.id))
}

pub(crate) async fn notice(reader: &impl Reader, id: NoticeId) -> Result<Option<Notice>> {
    let from = "notices n WHERE n.id = $1";
    one(reader, "reading a notice", NOTICE, from, values![id.uuid()], row::notice).await
}

/// Due notices as a table: the first that are due at or before `$1`, and the first that are due after `$2`.
///
/// Each of the two is a range of the index by due time. One condition with `OR` would read everything between them, too.
pub(crate) fn due_ranges(limit: u32) -> String {
    let range = |condition: &str| {
        format!(
            "SELECT * FROM (SELECT * FROM notices WHERE failed_at IS NULL AND {condition} \
             ORDER BY due_at, id LIMIT {limit}) due"
        )
    };
    format!("({} UNION ALL {}) n", range("due_at <= $1"), range("due_at > $2"))
}

pub(crate) async fn due_notices(
    reader: &impl Reader,
    now: Timestamp,
    latest: Timestamp,
    limit: u32,
) -> Result<Vec<Notice>> {
    let (from, values) = (due_ranges(limit), values![now.as_second(), latest.as_second()]);
    // One that cannot be read must not keep the others back.
    let read = |row: &[Cell<'_>]| Ok(row::notice(row));
    let found = all(reader, "looking for due notices", NOTICE, &from, values, read).await?;
    let readable = |found: Result<Notice>| {
        found.inspect_err(|error| tracing::error!(%error, "a notice cannot be read, and is left alone")).ok()
    };
    let mut found = sorted(found.into_iter().filter_map(readable).collect(), |notice: &Notice| {
        (notice.due_at, notice.id)
    });
    found.truncate(limit as usize);
    Ok(found)
}

pub(crate) async fn count_notices(reader: &impl Reader) -> Result<NoticeCounts> {
    const WHAT: &str = "counting notices";
    let text = "SELECT CAST((SELECT COUNT(*) FROM notices WHERE failed_at IS NULL) AS TEXT), \
         CAST((SELECT COUNT(*) FROM notices WHERE failed_at IS NOT NULL) AS TEXT)";
    let counted = reader.row(WHAT, Sql::of(reader.dialect(), text, vec![])).await?;
    let [queued, failed] = counted.ok_or_else(|| StoreError::failed(WHAT, "the statement gave no row"))?;
    let number = |text: String| text.parse().map_err(|error| StoreError::failed(WHAT, error));
    Ok(NoticeCounts { queued: number(queued)?, failed: number(failed)? })
}
