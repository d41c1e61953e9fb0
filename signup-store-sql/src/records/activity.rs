//! Activity.

use signup_core::{
    Activity, ActivityId, ActivityType, EventId, OrganizationId, PersonId, QuestionId, ShiftId, SignupId,
    StoreError, Subject, TokenId, WebhookId,
};

use crate::sql::Value;
use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Activity> = Table {
    name: "activity",
    alias: 'a',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |activity| activity.id.uuid().into()),
        Column::new("organization_id", Id, |activity| activity.organization.uuid().into()),
        Column::new("type", Text, |activity| activity.kind.as_str().into()),
        Column::new("created_at", Integer, |activity: &Activity| activity.created_at.into()),
        Column::json("actor", |activity| serde_json::to_string(&activity.actor)),
        Column::new("event_id", Id, |activity| Value::Uuid(activity.subject.event.map(EventId::uuid))),
        Column::new("shift_id", Id, |activity| Value::Uuid(activity.subject.shift.map(ShiftId::uuid))),
        Column::new("signup_id", Id, |activity| Value::Uuid(activity.subject.signup.map(SignupId::uuid))),
        Column::new("question_id", Id, |activity| {
            Value::Uuid(activity.subject.question.map(QuestionId::uuid))
        }),
        Column::new("token_id", Id, |activity| Value::Uuid(activity.subject.token.map(TokenId::uuid))),
        Column::new("webhook_id", Id, |activity| Value::Uuid(activity.subject.webhook.map(WebhookId::uuid))),
        Column::new("person_id", Id, |activity| Value::Uuid(activity.subject.person.map(PersonId::uuid))),
        Column::json("changes", |activity| serde_json::to_string(&activity.changes)),
        // Follows from the time.
        Column::new("expires_at", Integer, |activity: &Activity| activity.expires_at().into()).unread(),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Activity, StoreError> {
    let mut columns = row.of(&TABLE);
    let id = columns.id("id", ActivityId::new)?;
    let organization = columns.id("organization_id", OrganizationId::new)?;
    let kind = ActivityType::stored(columns.text("type")?);
    let created_at = columns.instant("created_at")?;
    let actor = columns.json("actor")?;
    let mut subject = Subject::default();
    subject.event = columns.optional_id("event_id", EventId::new)?;
    subject.shift = columns.optional_id("shift_id", ShiftId::new)?;
    subject.signup = columns.optional_id("signup_id", SignupId::new)?;
    subject.question = columns.optional_id("question_id", QuestionId::new)?;
    subject.token = columns.optional_id("token_id", TokenId::new)?;
    subject.webhook = columns.optional_id("webhook_id", WebhookId::new)?;
    subject.person = columns.optional_id("person_id", PersonId::new)?;
    let changes = columns.json("changes")?;
    Ok(Activity::new(id, organization, kind, created_at, actor, subject, changes))
}
