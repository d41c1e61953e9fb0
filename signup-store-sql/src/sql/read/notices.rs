//! Reads of notices.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use signup_core::{Notice, NoticeCounts, NoticeId, StoreError};

use super::{Reader, Result, all, one, sorted};
use crate::sql::observe::count_unreadable_notice;
use crate::sql::row::{self, Cell, NOTICE, QUEUE_POSITION};
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

/// A position in the queue: a due time and an id. The time is in Unix seconds as it is stored, and may be no instant.
type QueuePosition = (i64, NoticeId);

/// A page of the queue as a table: the first that are due at or before `$1`, and the first that are due after `$2`, both after
/// the position `($3, $4)`.
///
/// Each of the two is a range of the index by due time. One condition with `OR` would read everything between them, too.
pub(crate) fn due_ranges(limit: u32) -> String {
    let range = |condition: &str| {
        format!(
            "SELECT * FROM (SELECT * FROM notices WHERE failed_at IS NULL AND {condition} \
             AND (due_at, id) > ($3, $4) ORDER BY due_at, id LIMIT {limit}) due"
        )
    };
    format!("({} UNION ALL {}) n", range("due_at <= $1"), range("due_at > $2"))
}

/// Reads the queue page by page, until there are enough notices or the queue ends: those that cannot be read take no place of
/// the others.
pub(crate) async fn due_notices(
    reader: &impl Reader,
    now: Timestamp,
    latest: Timestamp,
    limit: u32,
) -> Result<Vec<Notice>> {
    let (mut found, mut after) = (vec![], (i64::MIN, NoticeId::NONE));
    loop {
        let page = due_page(reader, now, latest, after, limit).await?;
        let is_last = page.len() < limit as usize;
        for (position, notice) in page {
            after = position;
            match notice {
                Ok(notice) => found.push(notice),
                Err(error) => report_unreadable(position.1, &error),
            }
        }
        if is_last || found.len() >= limit as usize {
            found.truncate(limit as usize);
            return Ok(found);
        }
    }
}

/// At most `limit` positions after `after`, and the notice at each, or why it cannot be read.
async fn due_page(
    reader: &impl Reader,
    now: Timestamp,
    latest: Timestamp,
    after: QueuePosition,
    limit: u32,
) -> Result<Vec<(QueuePosition, Result<Notice>)>> {
    const WHAT: &str = "looking for due notices";
    let from = due_ranges(limit);
    let values = values![now.as_second(), latest.as_second(), after.0, after.1.uuid()];
    let columns = [QUEUE_POSITION, NOTICE].concat();
    let read = |row: &[Cell<'_>]| {
        let (position, notice) = row.split_at(QUEUE_POSITION.len().min(row.len()));
        Ok((row::queue_position(position)?, row::notice(notice)))
    };
    let mut page = match all(reader, WHAT, &columns, &from, values.clone(), read).await {
        // A damaged text can make the whole answer unreadable. Then each notice is read by itself.
        Err(error) if !error.is_unavailable() => {
            let positions = all(reader, WHAT, QUEUE_POSITION, &from, values, row::queue_position).await?;
            each_at(reader, positions).await?
        }
        page => page?,
    };
    page.sort_by_key(|(position, _)| *position);
    page.truncate(limit as usize);
    Ok(page)
}

/// The notices at these positions. One that is there no more is left out: another process has taken it.
async fn each_at(
    reader: &impl Reader,
    positions: Vec<QueuePosition>,
) -> Result<Vec<(QueuePosition, Result<Notice>)>> {
    let mut found = Vec::with_capacity(positions.len());
    for (due_at, id) in positions {
        let is_there = |notice: &Notice| notice.due_at.as_second() == due_at && notice.failure.is_none();
        match notice(reader, id).await {
            Ok(notice) => found.extend(notice.filter(is_there).map(|notice| ((due_at, id), Ok(notice)))),
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => found.push(((due_at, id), Err(error))),
        }
    }
    Ok(found)
}

/// The most notices that a process reports as unreadable: a bound on the memory for them.
const MOST_REPORTED: usize = 10_000;
/// The notices that this process has reported as unreadable.
static REPORTED: Mutex<BTreeSet<NoticeId>> = Mutex::new(BTreeSet::new());

/// Logs and counts a notice that cannot be read, once for each process: a worker meets it again with every look at the queue.
fn report_unreadable(id: NoticeId, error: &StoreError) {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.len() < MOST_REPORTED && reported.insert(id) {
        count_unreadable_notice();
        tracing::error!(notice = %id, %error, "a notice cannot be read, and is left alone");
    }
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
