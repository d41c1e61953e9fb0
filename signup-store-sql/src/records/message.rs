//! Messages to volunteers.

use signup_core::{EventId, Message, MessageId, OrganizationId, PersonId, ShiftId, StoreError};

use crate::sql::Dialect;
use crate::sql::Value;
use crate::sql::column::ColumnType::{Flag, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Message> = Table {
    name: "messages",
    alias: 'j',
    key: &["organization_id", "id"],
    is_live: Dialect::is_of_live_event,
    columns: &[
        Column::new("id", Id, |message| message.id.uuid().into()),
        Column::new("organization_id", Id, |message| message.organization.uuid().into()),
        Column::new("event_id", Id, |message: &Message| message.event.uuid().into()),
        Column::new("shift_id", Id, |message: &Message| Value::Uuid(message.shift.map(ShiftId::uuid))),
        Column::new("audience", Text, |message: &Message| message.audience.name().into()),
        Column::new("includes_past", Flag, |message: &Message| message.includes_past.into()),
        Column::new("recipients", Integer, |message| message.recipients.into()),
        Column::new("subject", Text, |message| message.subject.as_str().into()),
        Column::new("text", Text, |message| message.text.as_str().into()),
        Column::new("sender_id", Id, |message| message.sender.uuid().into()),
        Column::new("sender_name", Text, |message| message.sender_name.as_str().into()),
        Column::new("created_at", Integer, |message: &Message| message.created_at.into()),
        // Follows from the time.
        Column::new("counts_until", Integer, |message: &Message| message.counts_until().into()).unread(),
    ],
    ..Table::read_by(read)
};

fn read(row: Row<'_>) -> Result<Message, StoreError> {
    let mut columns = row.of(&TABLE);
    let id = columns.id("id", MessageId::new)?;
    let place = (
        columns.id("organization_id", OrganizationId::new)?,
        columns.id("event_id", EventId::new)?,
        columns.optional_id("shift_id", ShiftId::new)?,
    );
    let audience = columns.parse("audience")?;
    let (includes_past, recipients) = (columns.flag("includes_past")?, columns.number("recipients")?);
    let (subject, text) = (columns.parse("subject")?, columns.parse("text")?);
    let sender = (columns.id("sender_id", PersonId::new)?, columns.parse("sender_name")?);
    let mut message = Message::new(id, place, subject, text, sender, columns.instant("created_at")?);
    (message.audience, message.includes_past, message.recipients) = (audience, includes_past, recipients);
    Ok(message)
}
