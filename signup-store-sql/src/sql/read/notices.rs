//! Reads of notices.

use jiff::Timestamp;
use signup_core::{Notice, NoticeCounts, NoticeId, NoticeQuery, StoreError};

use super::reader::{Reader, StoreResult, all, is_first_report, one, sorted};
use crate::records::notice::{self, QueuePosition};
#[cfg(test)]
use crate::sql::Dialect;
use crate::sql::observe::count_unreadable_notice;
use crate::sql::row::Row;
use crate::sql::{Statement, Value, values};

/// The conditions of the failed notices of an organization, and of an event.
const FAILED_OF: [&str; 2] = [
    "organization_id = $1 AND failed_at IS NOT NULL",
    "organization_id = $1 AND event_id = $2 AND failed_at IS NOT NULL",
];

/// Reads notices like [`Store::notices`](signup_core::Store::notices).
pub(crate) async fn notices(
    reader: &impl Reader,
    query: NoticeQuery,
    limit: u32,
) -> StoreResult<Vec<Notice>> {
    let above = |after: Option<NoticeId>| values![after.unwrap_or(NoticeId::NONE).uuid()];
    let (condition, values) = match query {
        NoticeQuery::Due { now, latest } => return due_notices(reader, now, latest, limit).await,
        NoticeQuery::Queued(after) => ("id > $1 AND due_at IS NOT NULL", above(after)),
        NoticeQuery::Failed(after) => ("id > $1 AND failed_at IS NOT NULL", above(after)),
        NoticeQuery::FailedOf(organization, None) => (FAILED_OF[0], values![organization.uuid()]),
        NoticeQuery::FailedOf(organization, Some(event)) => {
            (FAILED_OF[1], values![organization.uuid(), event.uuid()])
        }
        NoticeQuery::About(organization, email_key) => {
            ("organization_id = $1 AND email_key = $2", values![organization.uuid(), email_key])
        }
    };
    let from = first(condition, limit);
    let found = all(reader, "listing notices", notice::TABLE.columns(), &from, values, notice::read).await?;
    Ok(sorted(found, |notice| notice.id))
}

/// Returns a table expression for the first notices by id.
fn first(condition: &str, limit: u32) -> String {
    format!("(SELECT * FROM notices WHERE {condition} ORDER BY id LIMIT {limit}) n")
}

/// Counts the queued notices and the failed notices.
pub(crate) async fn count_notices(reader: &impl Reader) -> StoreResult<NoticeCounts> {
    const WHAT: &str = "counting notices";
    let text = "SELECT CAST((SELECT COUNT(*) FROM notices WHERE due_at IS NOT NULL) AS TEXT), \
         CAST((SELECT COUNT(*) FROM notices WHERE failed_at IS NOT NULL) AS TEXT)";
    let [queued, failed] = reader.only_row(WHAT, Statement::of(reader.dialect(), text, vec![])).await?;
    let number = |text: String| text.parse().map_err(|error| StoreError::failed(WHAT, error));
    Ok(NoticeCounts { queued: number(queued)?, failed: number(failed)? })
}

/// Returns a table expression for a page of the queue, behind the position `($3, $4, $5)`: of the notices that cannot wait and of
/// those that can, the first ones due at or before `$1`, and the first ones due after `$2`. A notice that can wait may also be due
/// for a reminder at or before `$1`.
///
/// Each part is a range of an index of due notices. One condition with `OR` would read all notices between the parts, too.
fn due_ranges(limit: u32) -> String {
    let range = |can_wait: &str, time: &str, condition: &str| {
        format!(
            "SELECT * FROM (SELECT * FROM notices WHERE {time} IS NOT NULL AND can_wait = {can_wait} AND {time} {condition} \
             AND (can_wait, {time}, id) > ($3, $4, $5) ORDER BY can_wait, {time}, id LIMIT {limit}) due"
        )
    };
    let part = |can_wait| [range(can_wait, "due_at", "<= $1"), range(can_wait, "due_at", "> $2")];
    let reminders = [range("TRUE", "remind_at", "<= $1")];
    format!("({}) n", [&part("FALSE")[..], &part("TRUE"), &reminders].concat().join(" UNION ALL "))
}

/// Returns the values of [`due_ranges`].
fn due_values((now, latest): (i64, i64), after: QueuePosition) -> Vec<Value> {
    values![now, latest, after.can_wait, after.due_at, after.id.uuid()]
}

/// Reads the queue page by page, until `limit` notices are found or the queue ends. Notices that cannot be read do not
/// count.
async fn due_notices(
    reader: &impl Reader,
    now: Timestamp,
    latest: Timestamp,
    limit: u32,
) -> StoreResult<Vec<Notice>> {
    let (mut found, mut after) = (vec![], QueuePosition::START);
    loop {
        let page = due_page(reader, now, latest, after, limit).await?;
        let is_last = page.len() < limit as usize;
        for (position, notice) in page {
            after = position;
            match notice {
                Ok(notice) => found.extend(notice),
                Err(error) => report_unreadable(position.id, &error),
            }
        }
        if is_last || found.len() >= limit as usize {
            found.truncate(limit as usize);
            return Ok(found);
        }
    }
}

/// Reads at most `limit` positions behind `after`. Each has its notice, or the error of reading the notice. `None`: another process
/// has claimed the notice meanwhile.
async fn due_page(
    reader: &impl Reader,
    now: Timestamp,
    latest: Timestamp,
    after: QueuePosition,
    limit: u32,
) -> StoreResult<Vec<(QueuePosition, StoreResult<Option<Notice>>)>> {
    const WHAT: &str = "looking for due notices";
    let from = due_ranges(limit);
    let values = due_values((now.as_second(), latest.as_second()), after);
    let read = |row: Row<'_>| Ok((notice::read_queue_position(row)?, notice::read(row).map(Some)));
    let mut page = match all(reader, WHAT, notice::TABLE.columns(), &from, values.clone(), read).await {
        // A damaged text can make the whole result unreadable. Then each notice is read by its own statement.
        Err(error) if !error.is_unavailable() => {
            let columns = notice::queue_columns();
            let positions = all(reader, WHAT, columns, &from, values, notice::read_queue_position).await?;
            each_at(reader, positions).await?
        }
        page => page?,
    };
    page.sort_by_key(|(position, _)| *position);
    page.truncate(limit as usize);
    Ok(page)
}

/// Reads the notice at each position by its own statement. Returns `None` for a notice that another process has claimed meanwhile.
async fn each_at(
    reader: &impl Reader,
    positions: Vec<QueuePosition>,
) -> StoreResult<Vec<(QueuePosition, StoreResult<Option<Notice>>)>> {
    let mut found = Vec::with_capacity(positions.len());
    for position in positions {
        let QueuePosition { due_at, id, .. } = position;
        let time = |notice: &Notice| notice.due_at.or_else(|| notice.reminder_due_at());
        let is_due = |notice: &Notice| time(notice).map(Timestamp::as_second) == Some(due_at);
        let (columns, from) = (notice::TABLE.columns(), "notices n WHERE n.id = $1");
        match one(reader, "reading a notice", columns, from, values![id.uuid()], notice::read).await {
            Err(error) if error.is_unavailable() => return Err(error),
            notice => found.push((position, notice.map(|notice| notice.filter(is_due)))),
        }
    }
    Ok(found)
}

/// Logs and counts a notice that cannot be read, once for each process.
fn report_unreadable(id: NoticeId, error: &StoreError) {
    if is_first_report(id.uuid()) {
        count_unreadable_notice();
        tracing::error!(notice = %id, %error, "a notice cannot be read, and is left alone");
    }
}

/// Returns the statement for a page of at most `limit` due notices, for tests of the query plan.
#[cfg(test)]
pub(crate) fn due_notices_query(
    dialect: Dialect,
    times: (i64, i64),
    after: QueuePosition,
    limit: u32,
) -> Statement {
    let text = dialect.select(&notice::TABLE.columns(), &due_ranges(limit));
    Statement::of(dialect, &text, due_values(times, after))
}

/// Returns the statements for failed notices of an organization and of an event, for tests of the query plan.
#[cfg(test)]
pub(crate) fn failed_notices_queries(dialect: Dialect) -> [Statement; 2] {
    let ids = [uuid::Uuid::nil(); 2].map(Value::from);
    [0, 1].map(|scope| {
        let text = dialect.select(&notice::TABLE.columns(), &first(FAILED_OF[scope], 50));
        Statement::of(dialect, &text, ids[..=scope].to_vec())
    })
}
