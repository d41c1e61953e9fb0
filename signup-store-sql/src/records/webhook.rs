//! Webhooks.

use signup_core::{
    Disabled, DisabledReason, FormerSecret, OrganizationId, SigningSecret, StoreError, Webhook,
    WebhookDescription, WebhookId,
};

use crate::sql::Value;
use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Webhook> = Table {
    name: "webhooks",
    alias: 'w',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |webhook| webhook.id.uuid().into()),
        Column::new("organization_id", Id, |webhook| webhook.organization.uuid().into()),
        Column::new("url", Text, |webhook: &Webhook| webhook.url.as_str().into()),
        Column::new("secret", Text, |webhook: &Webhook| {
            Value::Text(webhook.secret.as_ref().map(SigningSecret::reveal))
        }),
        Column::new("created_at", Integer, |webhook: &Webhook| webhook.created_at.into()),
        Column::new("description", Text, |webhook| {
            webhook.description.as_ref().map(WebhookDescription::as_str).into()
        }),
        Column::json("types", |webhook| serde_json::to_string(&webhook.types)),
        Column::new("former_secret", Text, |webhook| {
            Value::Text(webhook.former_secret.as_ref().map(|former| former.secret.reveal()))
        }),
        Column::new("former_until", Integer, |webhook| {
            webhook.former_secret.as_ref().map(|former| former.until).into()
        }),
        Column::new("disabled_at", Integer, |webhook| webhook.disabled.map(|disabled| disabled.at).into()),
        Column::new("disabled_reason", Text, |webhook| {
            webhook.disabled.and_then(|disabled| disabled.reason).map(DisabledReason::name).into()
        }),
        Column::new("last_success_at", Integer, |webhook| webhook.last_success_at.into()),
        Column::new("failing_since", Integer, |webhook| webhook.failing_since.into()),
        Column::new("version", Integer, |webhook| webhook.version.into()),
        Column::new("updated_at", Integer, |webhook: &Webhook| webhook.updated_at.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Webhook, StoreError> {
    let mut columns = row.of(&TABLE);
    let mut webhook = Webhook::new(
        columns.id("id", WebhookId::new)?,
        columns.id("organization_id", OrganizationId::new)?,
        columns.parse("url")?,
        columns.parse("secret")?,
        columns.instant("created_at")?,
    );
    webhook.description = columns.optional("description")?;
    webhook.types = columns.json("types")?;
    let former = columns.optional("former_secret")?;
    let until = columns.optional_instant("former_until")?;
    let former = columns.both(former, until)?;
    webhook.former_secret = former.map(|(secret, until)| FormerSecret { secret, until });
    let disabled_at = columns.optional_instant("disabled_at")?;
    let reason = columns.optional("disabled_reason")?;
    webhook.disabled = disabled_at.map(|at| Disabled { at, reason });
    webhook.last_success_at = columns.optional_instant("last_success_at")?;
    webhook.failing_since = columns.optional_instant("failing_since")?;
    webhook.version = columns.number("version")?;
    webhook.updated_at = columns.instant("updated_at")?;
    Ok(webhook)
}
