//! Questions.

use signup_core::{EventId, OrganizationId, Question, QuestionId, StoreError};

use crate::sql::Dialect;
use crate::sql::column::ColumnType::{Flag, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Question> = Table {
    name: "questions",
    alias: 'q',
    key: &["organization_id", "id"],
    is_live: Dialect::is_of_live_event,
    columns: &[
        Column::new("id", Id, |question| question.id.uuid().into()),
        Column::new("organization_id", Id, |question| question.organization.uuid().into()),
        Column::new("event_id", Id, |question: &Question| question.event.uuid().into()),
        Column::new("label", Text, |question| question.label.as_str().into()),
        Column::new("kind", Text, |question| question.kind.name().into()),
        Column::json("options", |question| serde_json::to_string(&question.options)),
        Column::new("required", Flag, |question| question.required.into()),
        Column::new("position", Integer, |question| question.position.into()),
        Column::new("version", Integer, |question| question.version.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Question, StoreError> {
    let mut columns = row.of(&TABLE);
    let mut question = Question::new(
        columns.id("id", QuestionId::new)?,
        columns.id("organization_id", OrganizationId::new)?,
        columns.id("event_id", EventId::new)?,
        columns.parse("label")?,
        columns.parse("kind")?,
    );
    question.options = columns.json("options")?;
    question.required = columns.flag("required")?;
    question.position = columns.number("position")?;
    question.version = columns.number("version")?;
    Ok(question)
}
