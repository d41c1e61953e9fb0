//! Notices.

use signup_core::{EmailAddress, EventId, Notice, NoticeFailure, NoticeId, OrganizationId, StoreError};

use crate::sql::Value;
use crate::sql::column::ColumnType::{Flag, Id, Integer, Text};
use crate::sql::column::SelectedColumn;
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Notice> = Table {
    name: "notices",
    alias: 'n',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |notice| notice.id.uuid().into()),
        Column::new("organization_id", Id, |notice| notice.organization.uuid().into()),
        Column::new("event_id", Id, |notice: &Notice| Value::Uuid(notice.event.map(EventId::uuid))),
        // Follows from the cause.
        Column::new("email_key", Text, |notice: &Notice| {
            notice.cause.volunteer().map(EmailAddress::key).into()
        })
        .unread(),
        Column::new("can_wait", Flag, |notice| notice.cause.can_wait().into()),
        Column::json("cause", |notice| serde_json::to_string(&notice.cause)),
        Column::new("created_at", Integer, |notice: &Notice| notice.created_at.into()),
        Column::new("version", Integer, |notice| notice.version.into()),
        Column::new("attempts", Integer, |notice| notice.attempts.into()),
        Column::new("due_at", Integer, |notice| notice.due_at.into()),
        // Follows from the cause and the due time.
        Column::new("remind_at", Integer, |notice: &Notice| notice.reminder_due_at().into()),
        Column::new("failed_at", Integer, |notice| notice.failure.as_ref().map(|failure| failure.at).into()),
        // Of the last attempt that failed. A notice with `failed_at` has failed for good.
        Column::new("reason", Text, |notice| notice.reason().into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Notice, StoreError> {
    let mut columns = row.of(&TABLE);
    let id = columns.id("id", NoticeId::new)?;
    let organization = columns.id("organization_id", OrganizationId::new)?;
    let event = columns.optional_id("event_id", EventId::new)?;
    let mut notice =
        Notice::new(id, organization, event, columns.json("cause")?, columns.instant("created_at")?);
    notice.version = columns.number("version")?;
    notice.attempts = columns.number("attempts")?;
    notice.due_at = columns.optional_instant("due_at")?;
    let reason = columns.optional_text("reason")?.map(str::to_owned);
    match (columns.optional_instant("failed_at")?, reason) {
        (Some(at), Some(reason)) => notice.failure = Some(NoticeFailure { at, reason }),
        (Some(_), None) => return columns.checked(Err("a failure has a reason")),
        (None, reason) => notice.last_reason = reason,
    }
    Ok(notice)
}

/// A position in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueuePosition {
    pub(crate) can_wait: bool,
    /// The due time, or that of a reminder, in Unix seconds. Out of the range of `Timestamp` in a damaged row.
    pub(crate) due_at: i64,
    pub(crate) id: NoticeId,
}

impl QueuePosition {
    /// The position before all notices.
    pub(crate) const START: Self = Self { can_wait: false, due_at: i64::MIN, id: NoticeId::NONE };
}

/// Returns the columns of the position of a notice in the queue.
pub(crate) fn queue_columns() -> Vec<SelectedColumn> {
    TABLE.columns_named(&["id", "can_wait", "due_at", "remind_at"])
}

/// Reads the position of a notice in the queue.
pub(crate) fn read_queue_position(row: Row<'_>) -> Result<QueuePosition, StoreError> {
    let mut columns = row.of(&TABLE);
    let id = columns.id("id", NoticeId::new)?;
    let can_wait = columns.flag("can_wait")?;
    let due_at = match columns.optional_number("due_at")? {
        Some(due_at) => due_at,
        None => columns.number("remind_at")?,
    };
    Ok(QueuePosition { can_wait, due_at, id })
}
